"""Members that are arrays, of structures of which the initial state says nothing."""

from __future__ import annotations

from typing import Final

import pytest

import mcm

TEXT: Final = """OPENCL members
{ INITIAL }
struct T { int a; int b[2]; };
P0 (global struct T* t, local struct T* l) {
  l->b[1] = 1;
  t->b[1] = l->b[1];
  int r = l->b[INDEX];
}
exists (t.b[1]=1)
"""


def result(initial: str = "", index: int = 1) -> mcm.Judged:
    found = mcm.check(TEXT.replace("INITIAL", initial).replace("INDEX", str(index)))
    assert isinstance(found, mcm.Judged)
    return found


@pytest.mark.parametrize("initial", ["", "t;", "t = {1, {2, 3}};", "t.a = 1; t.b[2] = 0;"])
def test_they_have_as_many_elements_as_the_structure_says(initial: str) -> None:
    assert result(initial).reachable
    assert not result(initial).undefined


def test_those_of_local_memory_have_no_value() -> None:
    assert [problem.kind for problem in result(index=0).undefined] == ["uninitialised-read"]


def test_an_index_behind_them_is_out_of_bounds() -> None:
    (problem,) = result(index=2).undefined
    assert (problem.kind, problem.why) == ("out-of-bounds", "l.b[2] is outside l.b, which has 2 elements")
