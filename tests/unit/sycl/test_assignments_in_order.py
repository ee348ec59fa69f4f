"""C++17 evaluates what is assigned before the lvalue (expr.ass), for both engines and the machine; C leaves it open."""

from __future__ import annotations

import pytest

from mcm import EngineName, Judged, Source, check, run

SYCL = """SYCL t
{{ int x[4] = {{7, 7, 7, 7}}; int n=0; int y=0; }}
q.single_task([=] {{
  atomic_ref<int, memory_order::relaxed, memory_scope::device> a(*n);
  int i = 0, t[3] = {{0, 0, 0}};
  {}
}});
exists (x[0]=1)
locations [x[0]; x[1]; y;]
"""
OPENCL = """OPENCL t
{{ global int x[4] = {{7, 7, 7, 7}}; global atomic_int n = 0; [y]=0; }}
P0@dev 0 (global int* x, global atomic_int* n, global int* y) {{
  int i = 0, t[3] = {{0, 0, 0}};
  {}
}}
exists (x[0]=1)
locations [x[0]; x[1]; y;]
"""
# What is assigned to, and what; the values of x[0], x[1] and y afterwards.
BODIES = {
    "x[i++] = i; *y = i;": (0, 7, 1),
    "*(x + i++) += i; *y = i;": (7, 7, 1),
    "i = i++ + 5; *y = i;": (7, 7, 5),
    "i += i++; *y = i;": (7, 7, 1),
    "t[i++] = i; *y = t[0] + 10 * i;": (7, 7, 10),
    "t[i] += ++i; *y = t[1];": (7, 7, 1),
    "x[x[0] - 1] = x[0] = 1; *y = x[2];": (1, 7, 7),
}
CALLS = {
    "x[a.fetch_add(1)] = a.fetch_add(1);": (7, 0, 0),
    "x[a.fetch_add(1)] += a.fetch_add(1);": (7, 7, 0),
    "t[a.fetch_add(1)] = a.fetch_add(1) + 3; *y = t[1];": (7, 7, 3),
    "t[a.fetch_add(1)] -= a.fetch_add(1) + 3; *y = -t[1];": (7, 7, 3),
}


def states(text: str) -> set[tuple[object, ...]]:
    """The states that both engines and an exhaustive machine agree on; the program is defined."""
    found = []
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        result = check(Source("t.litmus", text), engine=engine)
        assert isinstance(result, Judged)
        assert not result.undefined, result.undefined
        found.append({tuple(state.values.values()) for state in result.states})
    ran = run(Source("t.litmus", text), schedule="exhaustive")
    assert not ran.problems
    found.append({tuple(count.state.values.values()) for count in ran.states})
    assert found[0] == found[1] == found[2]
    return found[0]


@pytest.mark.parametrize(("body", "expected"), [*BODIES.items(), *CALLS.items()])
def test_what_is_assigned_comes_first(body: str, expected: tuple[int, int, int]) -> None:
    assert states(SYCL.format(body)) == {expected}


@pytest.mark.parametrize("body", [body for body in BODIES if "=" in body])
def test_c_leaves_it_open(body: str) -> None:
    result = check(Source("t.litmus", OPENCL.format(body)))

    assert isinstance(result, Judged)
    assert {problem.kind for problem in result.undefined} >= {"unsequenced-race"}


def test_calls_of_c_come_in_either_order() -> None:
    text = OPENCL.format("x[atomic_fetch_add(n, 1)] = atomic_fetch_add(n, 1);")

    assert states(text) == {(1, 7, 0), (7, 0, 0)}
