"""C-PTR: pointers are ordered, or subtracted, inside one object only, for both engines and the machine."""

from __future__ import annotations

from typing import Never

import pytest

from mcm import EngineName, Judged, Source, check, run
from mcm.execution import apart

TEXT = """OPENCL t
{{ int x[4]; int y[4]; global int* p = &x; global int* q = &y; int n = 0; }}
struct pair {{ int a; int b; }};
P0@wg 0 (global int* x, global int* y, global int* global* p, global int* global* q, global int* n) {{
  int z = n[0]; int a[2] = {{1, 2}}; int b[2]; struct pair s; s.a = 0; s.b = 0;
  {}
}}
exists (x[1]=0)
"""
UNDEFINED = [
    "int r = x < y;",
    "int r = x + 1 >= y + z;",
    "int r = y - x;",
    "int r = (z ? x : y) - x;",
    "int r = *p < y;",
    "int r = *p - *q;",
    "int r = a < b;",
    "for (global int* k = x; k < y + 4; k++) { z += *k; }",
    "z || y > x;",
]
DEFINED = [
    "int r = x == y;",
    "int r = x != *q;",
    "int r = x < x + 4;",
    "int r = (z ? x : y) - y;",
    "int r = *p < x + 2;",
    "int r = *q - y;",
    "int r = a < a + 2;",
    "int r = &s.a < &s.b;",
    "for (global int* k = x; k < x + 4; k++) { z += *k; }",
    "z && y > x;",
    "int r = !x || x == 0;",
]


def kinds(body: str) -> list[set[str]]:
    source = Source("t.litmus", TEXT.format(body))
    found = []
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        result = check(source, engine=engine, bound=5)
        assert isinstance(result, Judged)
        found.append({problem.kind for problem in result.undefined})
    return [*found, {problem.kind for problem in run(source, runs=1).problems}]


@pytest.mark.parametrize("body", UNDEFINED)
def test_the_order_of_pointers_into_two_objects_is_undefined(body: str) -> None:
    for found in kinds(body):
        assert found - {"out-of-bounds"} == {"unrelated-pointers"}


@pytest.mark.parametrize("body", DEFINED)
def test_what_else_pointers_are_asked_for_is_not(body: str) -> None:
    assert kinds(body) == [set()] * 3


@pytest.mark.parametrize(("subtracted", "is_undefined"), [("x", True), ("y", False)])
def test_a_pointer_that_is_read_from_memory(subtracted: str, is_undefined: bool) -> None:
    text = f"""OPENCL read
{{ int x[2]; int y[2]; global int* p = &x; }}
P0@wg 0 (global int* global* p, global int* y, global atomic_int* f) {{ *p = y + 1; atomic_store(f, 1); }}
P1@wg 1 (global int* global* p, global int* {subtracted}, global atomic_int* f) {{
  int r0 = 0;
  if (atomic_load(f)) {{ r0 = *p - {subtracted}; }}
}}
exists (1:r0=1)
"""
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        result = check(Source("read", text), engine=engine)
        assert isinstance(result, Judged)
        assert bool(result.undefined) is is_undefined
        assert is_undefined or result.holds
    assert bool(run(Source("read", text), runs=30).problems) is is_undefined


def test_the_cases_of_pointers_into_one_object_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    # given a loop that moves a pointer as far as memory says
    def never(*_: object) -> Never:
        raise AssertionError

    monkeypatch.setattr(apart, "conjunction", never)
    body = "global int* k = x; while (k < x + 4) { k += *k + 1; }"

    # when, then
    assert kinds(body) == [set(), set(), set()]
