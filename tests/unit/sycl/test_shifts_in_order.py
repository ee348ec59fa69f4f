"""C++17 evaluates what is shifted before the number of places (expr.shift), for both engines and the machine."""

from __future__ import annotations

import pytest

from mcm import EngineName, Judged, Source, check, run

SYCL = """SYCL t
{{ int n=1; int y=0; }}
q.single_task([=] {{
  atomic_ref<int, memory_order::relaxed, memory_scope::device> a(*n);
  int i = 1, t[3] = {{1, 2, 3}};
  {}
}});
exists (y=0)
locations [n; y;]
"""
OPENCL = """OPENCL t
{{ global atomic_int n = 1; [y]=0; }}
P0@dev 0 (global atomic_int* n, global int* y) {{
  int i = 1, t[3] = {{1, 2, 3}};
  {}
}}
exists (y=0)
locations [n; y;]
"""
# The values of n and y afterwards.
PRIVATE = {
    "*y = (i = 2) << i;": (1, 8),
    "*y = i++ << i;": (1, 4),
    "*y = i << i++; *y += 10 * i;": (1, 22),
    "*y = (t[i]++ << t[i]) >> (t[i] = 1);": (1, 8),
    "*y = (*y = 3) << *y;": (1, 24),
}
CALLS = {
    "*y = a.fetch_add(1) << a.fetch_add(1);": (3, 4),
    "*y = a.fetch_add(1) << a.fetch_add(1) << a.fetch_add(1);": (4, 32),
    "*y = (a.exchange(16) + 15) >> (a.exchange(2) - 14);": (2, 4),
}


def judged(text: str, engine: EngineName = EngineName.AUTO) -> Judged:
    result = check(Source("t.litmus", text), engine=engine)
    assert isinstance(result, Judged)
    return result


@pytest.mark.parametrize(("body", "expected"), [*PRIVATE.items(), *CALLS.items()])
def test_what_is_shifted_comes_first(body: str, expected: tuple[int, int]) -> None:
    text = SYCL.format(body)
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        result = judged(text, engine)
        assert not result.undefined, result.undefined
        assert {tuple(state.values.values()) for state in result.states} == {expected}
    ran = run(Source("t.litmus", text), schedule="exhaustive")
    assert not ran.problems
    assert {tuple(count.state.values.values()) for count in ran.states} == {expected}


@pytest.mark.parametrize("body", PRIVATE)
def test_c_leaves_it_open(body: str) -> None:
    assert {problem.kind for problem in judged(OPENCL.format(body)).undefined} >= {"unsequenced-race"}
