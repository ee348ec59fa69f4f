"""Blocks that a kernel calls by their name: functions that know the variables around them."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, check, format_test, parse

TEXT = """
kernel void K(global int* res) {{
  int n = 2, changing = 1;
  size_t i = get_global_id(0);
  changing++;
  {}
}}
"""
VALUES = {
    "int (^twice)(int) = ^(int a) { return a * n; }; res[i] = twice(3) + twice(4);": 14,
    "int (^twice)(int) = ^(int a) { return a * n; }; res[i] = 4; for (int k = 2; k < 17; k = twice(k)) res[i]--;": 0,
    "int (^f)(int) = ^(int n) { if (n > 1) return n; return 0; }; res[i] = f(1) ? 7 : f(5);": 5,
    "int (^f)(void) = ^{ int changing = 3; return changing; }; res[i] = f();": 3,
    "void (^put)(int) = ^(int a) { res[i] = a; barrier(CLK_GLOBAL_MEM_FENCE); res[i] += a; }; put(4);": 8,
}


def source(body: str, *questions: str) -> KernelSource:
    return KernelSource("k.cl", TEXT.format(body), KernelRequest(("K global 2, local 2",), (), (), questions))


@pytest.mark.parametrize(("body", "value"), VALUES.items())
def test_values(body: str, value: int) -> None:
    found = check(source(body, f"forall (res[0]={value} /\\ res[1]={value})"))
    assert found.holds
    assert not found.undefined


def test_captured_variables_do_not_change() -> None:
    with pytest.raises(InputError, match="'changing' changes, in a block that is called"):
        parse(source("int (^f)(void) = ^{ return changing; }; res[i] = f();"))


def test_they_are_printed_with_their_types() -> None:
    text = format_test(source("int (^twice)(int) = ^(int a) { return a * n; }; res[i] = twice(3);"))
    assert "int (^twice)(int a) = ^(int a)" in text
