"""Host programs of SYCL: copies to and from variables, the status of events, what is refused."""

from __future__ import annotations

import pytest

from mcm import InputError, Source, check_all
from mcm.front_end.read import read_test

HEAD = "SYCL t\n{ int x = 5; buffer int b = 0; }\nhost {\n  queue q{property::queue::in_order()};\n"
KERNEL = "  event k = q.single_task([=]() { *x += 1; });\n"


def states(body: str, condition: str) -> tuple[bool | None, set[str]]:
    """Whether the condition is reachable, and the kinds of undefined behaviour."""
    (result,) = check_all(
        Source("t.litmus", f"{HEAD}{KERNEL}{body}\n}}\nexists ({condition})\n"), models=("sycl-2020",)
    )
    return result.reachable, {problem.kind for problem in result.undefined}


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("int r; q.memcpy(&r, x, sizeof(int), k).wait();", "0:r=6"),
        ("int r; q.copy(x, &r, 1).wait();", "0:r=6"),
        ("int r = 9; q.memcpy(x, &r, sizeof(int)).wait();", "x=9"),
        ("int r; q.single_task(k, [x] { *x += 1; }); q.memcpy(&r, x, sizeof(int)).wait();", "0:r=7"),
        ("int r = 9; q.copy(&r, x, 1, {k}).wait();", "x=9"),
    ],
)
def test_copies_to_and_from_variables_of_the_host(body: str, condition: str) -> None:
    assert states(body, condition) == (True, set())
    assert states(body, f"~({condition})") == (False, set())


def test_a_status_is_no_synchronisation() -> None:
    asked = "auto s = k.get_info<info::event::command_execution_status>(); int r = 0;"
    body = f"{asked} if (s == info::event_command_status::complete) {{ r = *x; }}"
    assert states(body, "0:r=5")[1] == {"data-race"}
    assert states(f"{asked} k.wait(); r = *x;", "0:r!=6") == (False, set())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "int r; event e = q.memcpy(&r, x, sizeof(int)); e.wait();",
            "waited for at once here, 'q.memcpy(&r, …).wait()'",
        ),
        ("int r[2]; q.memcpy(r, x, sizeof(int)).wait();", "'r' is an array of the host program"),
        ("q.single_task(Kernel{x});", "an object of a class of your own: this is C++, but"),
        ("q.single_task([=]() mutable { *x = 1; });", "'mutable': this is C++, but"),
        (
            "q.parallel_for(range<1>(2), reduction(x, plus<>()), [=](id<1> i, auto& r) { r += 1; });",
            "reductions are not",
        ),
        ("q.submit([&](handler& h) { h.host_task([=] { *x = 1; }); });", "'host_task' is not part of the litmus"),
        (
            "host_accessor c(b); q.submit([&](handler& h) { accessor a(b, h); h.single_task([=] { a[0] = 1; }); });",
            "later",
        ),
        ("q.prefetch(x, sizeof(int));", "'prefetch': this is SYCL, but"),
        ("int* p = (int*)malloc_shared(4, q);", "memory in bytes: this is C++, but"),
        (
            "for (int i = 0; i < 2; i++) { q.single_task([=] { *x = i; }); }",
            "'i' is a variable of the host that changes",
        ),
        ("k.get_info<info::event::reference_count>();", "an event has 'wait()' and"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_test(Source("t.litmus", f"{HEAD}{KERNEL}{body}\n}}\nexists (x=6)\n"))
    assert message in caught.value.diagnostics[0].message
