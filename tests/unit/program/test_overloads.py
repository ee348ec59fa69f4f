"""Functions of one name, `overloadable`: which one a call means."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, check
from mcm.front_end.read import format_test

FUNCTIONS = """#define OVL __attribute__((overloadable))
typedef struct { int a; } A;
typedef struct { int a; } B;
OVL int f(int a) { return 1; }
int OVL f(uint a) { return 2; }
OVL int f(float a);
OVL int f(float a) { return 3; }
static int OVL f(float4 a) { return 4; }
OVL int f(A a) { return 5; }
OVL int f(B a) { return 6; }
OVL int f(global int* a) { return 7; }
OVL int f(local int* a) { return 8; }
OVL int f(int* a) { return 9; }
OVL int f(A* a) { return 10; }
OVL int f(int a, int b) { return f(a) + 10; }
OVL int f(float2 a, float2 b) { return f(a.x) + 10; }
"""


def source(body: str, result: str = "true") -> KernelSource:
    """A kernel with such functions."""
    declared = (
        "local int t[2]; int i = 1; uint u = 2; char c = 1; float4 v = (float4)(1.0f); A a; B b; float2 w = v.xy;"
    )
    text = f"{FUNCTIONS}kernel void K(global int* o) {{ {declared} *o = {body}; }}"
    return KernelSource("k.cl", text, KernelRequest(("K global 1",), questions=(f"forall ({result})",)))


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("f(3)", 1),
        ("f(i)", 1),
        ("f(c)", 1),
        ("f(u)", 2),
        ("f(u + i)", 2),
        ("f(get_local_id(0) == 0)", 1),
        ("f(1.0f)", 3),
        ("f(1.0)", 3),
        ("f(v.x)", 3),
        ("f(v)", 4),
        ("f(v * 2.0f)", 4),
        ("f((float4)(1.0f, 2.0f, 3.0f, 4.0f))", 4),
        ("f(a)", 5),
        ("f(b)", 6),
        ("f(o)", 7),
        ("f(o + 1)", 7),
        ("f(&t[1])", 8),
        ("f(t)", 8),
        ("f(&i)", 9),
        ("f(&a)", 10),
        ("f(i, 2)", 11),
        ("f(w, w)", 13),
        ("f(w, 1.0f)", 13),
        ("f(f(v))", 1),
    ],
)
def test_the_arguments_say_which_is_meant(call: str, number: int) -> None:
    assert check(source(call, f"o={number}")).holds


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("f(1l)", "it is open which function 'f' takes these arguments"),
        ("f(&b)", "no function 'f' takes these arguments"),
        ("f(1, 2, 3)", "no function 'f' takes these arguments; cast them"),
    ],
)
def test_what_fits_none_or_several_is_refused(call: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check(source(call))
    (first, *_) = caught.value.diagnostics
    assert first.code == "E122"
    assert message in first.message
    assert first.notes


def test_without_the_attribute_a_name_has_one_function() -> None:
    text = "int f(int a) { return 1; }\nint f(float a) { return 2; }\nkernel void K(global int* o) { *o = f(1); }"
    with pytest.raises(InputError) as caught:
        check(KernelSource("k.cl", text, KernelRequest(("K global 1",))))
    assert "E118" in {one.code for one in caught.value.diagnostics}


def test_what_is_wrong_in_one_is_told_by_the_name_that_it_has() -> None:
    text = (
        "#define OVL __attribute__((overloadable))\nOVL int f(int a) { int b; return a + b; }\n"
        "OVL int f(float a) { return 2; }\nkernel void K(global int* o) { *o = f(1); }"
    )
    found = check(KernelSource("k.cl", text, KernelRequest(("K global 1",))))
    assert [one.why for one in found.undefined] == ["'f::b' is read before it has been given a value"]


def test_such_a_test_is_printed_as_one() -> None:
    printed = format_test(source("f(1)", "o=1"))
    assert "overloadable int f(uint a)" in printed
    assert check(printed).holds
