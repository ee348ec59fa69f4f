"""Host programs of SYCL: copies to and from variables, the status of events, what is refused."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, Source, check, check_all
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


_ASKED = "auto s = k.get_info<info::event::command_execution_status>(); int r = 0;"


def test_who_is_told_that_a_command_is_complete_has_waited_for_it() -> None:
    """SYCL-CMD-5."""
    body = f"{_ASKED} if (s == info::event_command_status::complete) {{ r = *x; }}"
    assert states(body, "0:r=5") == (False, set())
    waiting = "while (k.get_info<info::event::command_execution_status>() != info::event_command_status::complete) {}"
    assert states(f"{waiting} int r = *x;", "0:r!=6") == (False, set())


def test_another_status_is_no_synchronisation() -> None:
    body = f"{_ASKED} if (s != info::event_command_status::submitted) {{ r = *x; }}"
    assert states(body, "0:r=5")[1] == {"data-race"}
    assert states(f"{_ASKED} k.wait(); r = *x;", "0:r!=6") == (False, set())


def test_what_was_waited_for_is_complete() -> None:
    assert states(f"k.wait(); {_ASKED} if (s != info::event_command_status::complete) r = 1;", "0:r=1") == (
        False,
        set(),
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("int r[2]; q.memcpy(r, x, 2 * sizeof(int)).wait();", "'x' has 4 bytes, and the command is about 8"),
        ("std::vector<int> v(q);", "no constant: 'std::vector<int> v(4);'"),
        ("for (int i = 0; i < 2; i++) { std::vector<int> v(1); }", "'v' is made anew each time in a loop"),
        ("std::vector<int> v(1); q.single_task([=] { *x = v[0]; });", "a kernel has no more than a copy"),
        ("q.single_task(Kernel{x});", "an object of a class of your own: this is C++, but"),
        ("q.single_task([=]() mutable { *x = 1; });", "'mutable': this is C++, but"),
        ("q.parallel_for(range<1>(2), reduction(x, plus<>()), [=](id<1> i) {});", "0 arguments for 1 reductions"),
        ("q.parallel_for(range<1>(2), reduction(x), [=](id<1> i, auto& r) {});", "one of the operations"),
        ("q.parallel_for(range<1>(2), reduction(y, plus<>()), [=](id<1> i, auto& r) {});", "a reduction is of memory"),
        (
            "q.parallel_for(range<1>(2), reduction(x, plus<>()), [=](id<1> i, auto& r) { r *= 2; });",
            "this reducer combines values by its operation",
        ),
        (
            "q.submit([&](handler& h) { h.host_task([=] { std::atomic_ref<int>(*x) = 1; }); });",
            "atomic operations in a host task",
        ),
        (
            "int* d = malloc_device<int>(1, q); q.submit([&](handler& h) { h.host_task([=] { d[0] = 1; }); });",
            "a host task runs on the host",
        ),
        (
            "if (*x) { host_accessor c(b); q.submit([&](auto& h) { accessor a(b, h); h.single_task([=] {}); }); }",
            "later",
        ),
        ("q.prefetch(x, sizeof(int));", "waits for nothing: leave it out"),
        ("int* p = (int*)malloc_shared(4, q);", "memory in bytes: this is C++, but"),
        ("k.get_info<info::event::reference_count>();", "an event has 'wait()' and"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_test(Source("t.litmus", f"{HEAD}{KERNEL}{body}\n}}\nexists (x=6)\n"))
    assert message in caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("body", "state"),
    [
        # A copy that is not waited for at once is one to memory.
        ("int r = 1; event e = q.memcpy(&r, x, sizeof(int)); e.wait(); int s = r;", "0:s=6 /\\ r=6"),
        ("std::vector<int> v(1); q.memcpy(v.data(), x, sizeof(int)).wait(); int s = v[0];", "0:s=6"),
        ("std::array<int, 3> v = {1, 2}; int s = v[1] + v.at(2) + v.size();", "0:s=5"),
        ("int v[2] = {1, 2}; { buffer c(v, range<1>(2)); } int s = v[1];", "0:s=2"),
        ("q.memset(x, 1, sizeof(int)).wait();", "x=16843009"),
        ("event e; q.single_task({e, event{}}, [=] { *x = 2; }).wait();", "x=2"),
        ("event e = q.prefetch(x, sizeof(int), k); e.wait();", "x=6"),
        ("q.submit([&](handler& h) { h.host_task([=] { *x = 2; }); }); q.wait();", "x=2"),
        ("for (int i = 1; i < 8; i *= 2) q.single_task([=] { *x += i; }); q.wait();", "x=13"),
        ("auto f = [=](id<1> i) { x[i] = 4; }; q.parallel_for(range<1>(1), f).wait();", "x=4"),
        ("int s = x == nullptr ? 1 : std::max(2, 3);", "0:s=3"),
    ],
)
def test_memory_and_commands_of_host_programs(body: str, state: str) -> None:
    assert states(body, state) == (True, set())
    assert states(body, f"~({state})") == (False, set())


BUFFERS = "q.wait(); buffer<int> m(range<1>(2)); std::vector<int> v(2); { "


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (("accessor p{m}; q.submit([&](handler& h) { accessor a(m, h); h.fill(a, 7); });"
         "q.submit([&](handler& h) { h.require(p); h.parallel_for(2, [=](id<1> i) { p[i] += i; }); });"), "m[1]=8"),
        (("q.submit([&](handler& h) { accessor a(m, h); h.fill(a, 7); });"
         "q.submit([&](handler& h) { accessor a(m, h, read_only); h.copy(a, v.data()); }).wait();"), "v[1]=7"),
        (("for (int i = 2; i < 4; i++) q.submit([&](handler& h) { accessor a(m, h); h.parallel_for(range<1>(2), "
         "[=](id<1> j) { if (i == 2) a[j] = 0; a[j] += i; }); });"), "m[1]=5"),
    ],
)  # fmt: skip
def test_commands_on_buffers(body: str, state: str) -> None:
    assert states(f"{BUFFERS}{body} }} q.wait();", state) == (True, set())
    assert states(f"{BUFFERS}{body} }} q.wait();", f"~({state})") == (False, set())


@pytest.mark.parametrize(
    ("operation", "combined", "value"),
    [
        ("plus<>()", "r += i; r++;", 6 + 3 + 3),
        ("plus<int>()", "r.combine(i);", 6 + 3),
        ("plus<>(), property::reduction::initialize_to_identity{}", "r += i;", 3),
        ("multiplies<>()", "r *= i + 1;", 6 * 1 * 2 * 3),
        ("minimum<>()", "r.combine(i + 2);", 2),
        ("maximum<>()", "if (i == 1) return; r.combine(i * 4);", 8),
        ("bit_or<>()", "r |= i << 4;", 6 | 16 | 32),
        ("bit_and<>()", "r &= 4;", 4),
    ],
)
def test_a_reduction_has_one_value(operation: str, combined: str, value: int) -> None:
    # The kernel before leaves 6 there.
    body = f"q.parallel_for(range<1>(3), reduction(x, {operation}), [=](id<1> i, auto& r) {{ {combined} }}).wait();"

    assert states(body, f"x={value}") == (True, set())
    assert states(body, f"x!={value}") == (False, set())


def test_a_reduction_writes_its_object_at_the_end_of_the_command() -> None:
    reduced = "event e = q.parallel_for(range<1>(2), reduction(x, plus<>()), [=](id<1> i, auto& r) { r += 1; });"
    # The kernel before has written x, so the value there is 6.
    assert states(f"{reduced} e.wait(); int s = *x;", "0:s=8") == (True, set())
    assert states(f"{reduced} int s = *x; e.wait();", "0:s=8")[1] == {"data-race"}


REDUCED: Final = "h.parallel_for(range<1>(4), reduction(WHAT, plus<>()), [=](id<1> i, auto& r) { r += 2; });"


@pytest.mark.parametrize(
    "group",
    [
        REDUCED.replace("WHAT", "b, h"),
        f"accessor a(b, h); {REDUCED.replace('WHAT', 'a')}",
    ],
)
def test_buffers_of_the_host_s_memory_wait_for_reductions_of_them(group: str) -> None:
    program = f"""#include <sycl/sycl.hpp>
using namespace sycl;
int main() {{
  queue q;
  int total = 1;
  {{
    buffer<int> b(&total, 1);
    q.submit([&](handler& h) {{ {group} }});
    q.submit([&](handler& h) {{ accessor a(b, h); h.single_task([=]() {{ a[0] *= 2; }}); }});
  }}
  std::cout << total;
}}
"""
    result = check(KernelSource("total.cpp", program, KernelRequest()))

    assert isinstance(result, Judged)
    assert (result.undefined, [dict(state.values) for state in result.states]) == ((), [{"total": 18}])
