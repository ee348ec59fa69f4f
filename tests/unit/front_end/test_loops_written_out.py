"""Loops of hosts with commands, whose conditions depend on numbers that the loops change."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_X = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = 1; "
_STEP = "q.parallel_for(range<1>(s), [=](id<1> i) { x[i] += x[i + s]; })"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"size_t s = 4; while (s > 1) {{ s /= 2; {_STEP}.wait(); }}", "x[0]=4 /\\ x[1]=2"),
        (f"int s = 2; do {{ {_STEP}.wait(); s >>= 1; }} while (s > 0);", "x[0]=4 /\\ x[1]=2"),
        (f"for (int s = 2; s; s = s / 2) {{ {_STEP}.wait(); }}", "x[0]=4 /\\ x[1]=2"),
        (f"int s = 3; s--; for (; s > 0; --s) {_STEP}.wait();", "x[0]=4 /\\ x[1]=2"),
        # What another number is made of is followed, too.
        (
            (
                "size_t n = 4; while (n != 1) { size_t s = n / 2; "
                "q.submit([&](handler& h) { h.parallel_for(s, [=](id<1> i) { x[i] += x[i + s]; }); }).wait(); "
                "n = s; }"
            ),
            "x[0]=4 /\\ x[1]=2",
        ),
        # A range has the size that it was made with.
        (
            "int s = 2; range<1> r(s); while (s > 0) { q.parallel_for(r, [=](id<1> i) { x[i] += 1; }).wait(); s--; }",
            "x[1]=3 /\\ x[2]=1",
        ),
        # What memory decides is not written out: what it begins with is known before it alone.
        ("x[1] = 3; for (int k = 0; k < x[1]; k++) { q.single_task([=] { x[0] += k; }).wait(); }", "x[0]=4"),
        pytest.param(
            "if (x[1]) for (int n = 2; n > 0;) { q.single_task([=] { x[0] += n; }).wait(); n /= 2; }",
            "x[0]=4",
            marks=pytest.mark.slow,
        ),
        # What goes on in the middle is an `if` around the rest.
        (
            (
                "for (int k = 0; k < 4; k++) { if (k == 1) { x[1] = 5; continue; } int m = k; if (m == 2) continue; "
                "q.single_task([=] { x[0] += m; }).wait(); }"
            ),
            "x[0]=4 /\\ x[1]=5",
        ),
        # Loops in loops, whose counters begin again.
        (
            (
                "int k = 0; while (k < 2) { int s = k + 1; "
                "while (s > 0) { q.single_task([=] { x[0] += s; }).wait(); s--; }"
                " k++; }"
            ),
            "x[0]=5",
        ),
        # The difference is a large number.
        pytest.param(
            "unsigned s = 0; int n = 0; while (s - 1 > 0 && n < 1) "
            "{ q.single_task([=] { x[0] += 4; }).wait(); s++; n++; }",
            "x[0]=5",
            marks=pytest.mark.slow,
        ),
        ("int s = 2, t = 0; while (s > 0) { q.single_task([=] { x[0] += s; }).wait(); std::swap(s, t); }", "x[0]=3"),
        # What memory decides is no number that is known: the loop goes on as one.
        pytest.param(
            "int s = 2; while (s > 0) { q.single_task([=] { x[0] += s; }).wait(); s -= x[1]; }",
            "x[0]=4",
            marks=pytest.mark.slow,
        ),
        (
            (
                "int s = 0; bool done = false; while (!done && s < 3) { q.single_task([=] { x[0] += s; }).wait(); "
                "if (x[0] > 1) done = true; ++s; }"
            ),
            "x[0]=2",
        ),
    ],
)
def test_turns(body: str, question: str) -> None:
    assert holds(_X + body, question)


def test_turns_without_waits_race() -> None:
    assert kinds(f"{_X} size_t s = 4; while (s > 1) {{ s /= 2; {_STEP}; }} q.wait();") == {"data-race"}


@pytest.mark.parametrize(
    "change",
    [
        "if (x[0] > 1) s--;",
        "switch (x[0]) { case 1: s--; break; default: s = 0; }",
        "int* p = &s; *p = s - 1;",
    ],
)
def test_sizes_that_are_not_known(change: str) -> None:
    body = f"int s = 2; while (s > 0) {{ q.parallel_for(range<1>(s), [=](id<1> i) {{ x[i] = 1; }}); {change} }}"
    assert "expected a constant size, found 's'" in refused(_X + body)
