"""`goto`: jumps out of loops, to a common exit, and back; those that have no such form are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import EngineName, InputError, KernelRequest, KernelSource, Source, check, run
from mcm.front_end.read import format_test

if TYPE_CHECKING:
    from tests.unit.program.conftest import Complain

# What a C compiler makes of each body, of `a`, `b` and `c`.
PROGRAMS = [
    ("if (a == 0) goto end; b = 5; end: c = b;", (0, 1, 1)),
    ("a = 1; if (a == 0) goto end; b = 5; end: c = b;", (1, 5, 5)),
    ("for (int i = 0; i < 3; i++) for (int k = 0; k < 3; k++) { if (i * k == 2) goto out; a++; } out: c = b;", (5, 1, 1)),  # noqa: E501
    ("for (int i = 0; i < 3; i++) { for (int k = 0; k < 3; k++) { if (k == 1) goto next; a++; } b++; next: c++; }", (3, 1, 3)),  # noqa: E501
    ("again: a++; if (a < 3) goto again; b = a;", (3, 3, 0)),
    ("one: a++; two: b++; if (b < 4) goto two; if (a < 3) goto one; c = a + b;", (3, 6, 9)),
    ("again: for (int i = 0; i < 2; i++) { while (1) { a++; if (a < 3) goto again; break; } b++; }", (4, 3, 0)),
    ("while (1) { switch (a) { case 0: a = 5; break; case 5: goto out; default: a--; } b++; } out: c = b;", (5, 2, 2)),
    ("switch (b) { case 1: if (a == 0) { a = 7; goto out; } default: b = 9; } c = 4; out: a++;", (8, 1, 0)),
    ("if (a == 0) goto one; c = 50; if (b) goto two; one: a += 10; two: b += 10;", (10, 11, 0)),
    ("if (b == 2) goto end; int d = a + 4; c = d; end: d = 1; b = d;", (0, 1, 4)),
    ("{ { if (a == 0) goto end; b = 3; } b = 4; } b = 5; end: ;", (0, 1, 0)),
    ("more: a++; for (;;) { if (a < 2) goto more; if (b > 3) goto done; b++; } done: c = a + b;", (2, 4, 6)),
    ("do { a++; if (a == 2) goto done; } while (a < 9); b = 0; done: c = 1;", (2, 1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), PROGRAMS)
def test_jumps_are_those_of_c(body: str, expected: tuple[int, int, int]) -> None:
    a, b, c = expected
    text = f"OPENCL t\n{{ }}\nP0 () {{ int a = 0, b = 1, c = 0; {body} }}\nforall (0:a={a} /\\ 0:b={b} /\\ 0:c={c})"

    assert check(Source("t", text)).holds


LOCK = """
kernel void K(global atomic_int* lock, global int* x) {
  int free;
retry:
  free = 0;
  if (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed,
                                               memory_scope_device)) goto retry;
  *x += 1;
  atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
"""


def test_a_loop_of_a_jump_only_waits_where_it_does() -> None:
    request = KernelRequest(("K global 2, local 1",), questions=("forall (x=2)",))
    found = check(KernelSource("lock.cl", LOCK, request))
    assert found.holds
    assert not found.undefined
    assert not found.bounded

    found = check(KernelSource("lock.cl", LOCK.replace("order_acquire", "order_relaxed"), request))
    assert {one.kind for one in found.undefined} == {"data-race"}


LEFT = """
kernel void K(int n, global int* o) {
  int l = get_local_id(0);
  if (WHEN) goto out;
  local int t[2];
  const int v = l + 1;
  t[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[l] = t[1 - l];
out:
  o[l] += v - l - 1;
}
"""


@pytest.mark.parametrize(("when", "kinds"), [("n == 5", set()), ("l == 0", {"barrier-divergence"})])
def test_who_jumps_past_a_barrier_does_not_come_to_it(when: str, kinds: set[str]) -> None:
    request = KernelRequest(
        ("K global 2, local 2",), definitions=(f"WHEN={when}",), initial=("n = 4",), questions=("forall (o[0]=2)",)
    )
    source = KernelSource("left.cl", LEFT, request)
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(source, engine=engine)
        assert kinds <= {one.kind for one in found.undefined}
        assert bool(found.undefined) or found.holds
    if not kinds:
        assert all(one.state.satisfies for one in run(source, runs=3, seed=1).states)


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("goto nd; end: ;", "E101 4:6", "there is no label 'nd'; did you mean 'end'?"),
        ("goto in; { in: ; }", "E050 4:1", "into a block or a 'switch'"),
        ("switch (1) { case 0: goto on; default: on: ; }", "E050 4:22", "into a block or a 'switch'"),
        ("for (;;) { on: break; goto on; }", "E050 4:23", "back across a 'break'"),
        ("goto end; int d[2] = {1, 2}; end: d[0] = 3;", "E050 4:15", "declare it before"),
        ("goto 5;", "E040 4:6", "expected a name"),
    ],
)
def test_what_is_refused(body: str, code: str, message: str, complaints: Complain) -> None:
    text = f"OPENCL t\n{{ }}\nP0 () {{\n{body}\n}}\nexists (true)"
    assert complaints(text)[0] == code
    with pytest.raises(InputError) as caught:
        check(Source("t", text))
    assert message in caught.value.diagnostics[0].message


def test_jumps_are_printed() -> None:
    text = "OPENCL t\n{ }\nP0 () { int a = 0; again: a++; if (a < 3) goto again; }\nforall (0:a=3)"

    assert "goto again;" in format_test(Source("t", text))
    assert check(Source("t", format_test(Source("t", text)))).holds
