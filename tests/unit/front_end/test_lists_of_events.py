"""How many events a list has, loops over lists, and branches of constants around commands."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, warnings

_LIST = (
    "int* x = malloc_shared<int>(3, q); std::vector<event> all; for (int c = 0; c < 3; c++) "
    "all.push_back(q.submit([&](handler& h) { h.single_task([=] { x[c] = c + 1; }); })); "
)
_PREFETCHED = (
    "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = 0; event e = q.prefetch(x, 8); "
    "for (int b = 0; b < 2; b++) { q.parallel_for(range<1>(2), e, [=](id<1> i) { x[2 * b + i] += 1; }); "
    "if (b + 1 < 2) e = q.prefetch(x + 2 * (b + 1), 8); } "
)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("event::wait(all); if (all.size() == 3 && !all.empty()) x[0] = 7;", "x[0]=7 /\\ x[2]=3"),
        ("for (size_t i = 0; i < all.size(); i++) all[i].wait(); int n = x[2];", "0:n=3"),
        # Nothing is enqueued in such a loop, which is written out all the same.
        (
            (
                "event::wait(all); long t = 0; for (const auto& e : all) "
                "t += e.get_profiling_info<info::event_profiling::command_end>();"
            ),
            "x[1]=2",
        ),
    ],
)
def test_sizes_of_lists(body: str, question: str) -> None:
    assert holds(_LIST + body, question)


def test_a_size_waits_for_nothing() -> None:
    assert kinds(_LIST + "for (size_t i = 0; i < all.size(); i++) x[i] += 1;") >= {"data-race"}


def test_a_branch_of_constants_gives_an_event_another_command() -> None:
    assert holds(_PREFETCHED + "q.wait();", "x[0]=1 /\\ x[3]=1")
    assert kinds(_PREFETCHED + "int n = x[3];") == {"data-race"}


def test_what_leaves_a_kernel_does_not_leave_the_loop_around_it() -> None:
    kernel = (
        "int* x = malloc_shared<int>(2, q); x[0] = 0; x[1] = 0; for (int s = 0; s < 2; s++) "
        "{ q.parallel_for(range<1>(2), [=](id<1> i) { for (int k = 0; k < 3; k++) "
        "{ if (k == 1) continue; x[i] += k; } if (i == 1) return; x[i] += s; }).wait(); }"
    )
    assert holds(kernel, "x[0]=5 /\\ x[1]=4")
    assert warnings(kernel) == []
