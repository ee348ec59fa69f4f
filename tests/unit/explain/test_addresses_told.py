"""Addresses outside of memory, told: by their element, in each dimension of an array, or as NULL."""

from __future__ import annotations

import pytest

import mcm

FILE = """
struct two { int a; int b; };
kernel void K(global int *n, global struct two *s) {
  local int row[4];
  local int table[2][3];
  local int cube[2][3][4];
  int i = get_local_id(0) + 2;
  uint one = 1;
  STATEMENT
}
"""
TOLD = {
    "row[n[0]] = 1;": "row@wg0[9] is outside row@wg0, which has 4 elements",
    "row[i + n[1]] = 1;": "row@wg0[4] is outside row@wg0, which has 4 elements",
    "row[i + 5] = 1;": "row@wg0[7] is outside row@wg0, which has 4 elements",
    "table[i][1] = 1;": "table@wg0[2][1] is outside table@wg0, which has 2 x 3 elements",
    "table[1 - i][2] = 1;": "table@wg0[-1][2] is outside table@wg0, which has 2 x 3 elements",
    "table[get_local_id(0) - one][1] = 1;": "table@wg0[-1][1] is outside table@wg0, which has 2 x 3 elements",
    "table[n[0]][0] = 1;": "table@wg0[9][0] is outside table@wg0, which has 2 x 3 elements",
    "cube[i][n[1]][1] = 1;": "cube@wg0[2][2][1] is outside cube@wg0, which has 2 x 3 x 4 elements",
    "s[n[0]].b = 1;": "s.b[9] is outside s.b, which has 2 elements",
    "global int *p = NULL; p[n[1] - 2] = 1;": "the pointer is NULL",
    "global struct two *p = n[0] ? NULL : s; p->a = 1;": "the pointer is NULL",
}


def source(statement: str) -> mcm.KernelSource:
    request = mcm.KernelRequest(("K global 1",), initial=("int n[2] = {9, 2}", "s[2]"))
    return mcm.KernelSource("outside.cl", FILE.replace("STATEMENT", statement), request)


@pytest.mark.parametrize("statement", TOLD)
def test_the_engines_and_the_machine_name_the_same_element(statement: str) -> None:
    told = []
    for engine in ("explicit", "smt"):
        result = mcm.check(source(statement), engine=engine)
        assert isinstance(result, mcm.Judged)
        told += [problem.why for problem in result.undefined]
    told += [problem.why for problem in mcm.run(source(statement), runs=1).problems]
    assert told == [TOLD[statement]] * 3


def test_the_story_is_about_the_same_address() -> None:
    """The problem is found again in its execution by what is said of it."""
    told = mcm.Session().explain(source("row[n[0]] = 1;"), problem=1)
    sentences = [sentence.text for story in told.stories for sentence in story.sentences]
    assert any("goes to element 9 of row@wg0" in sentence for sentence in sentences)
