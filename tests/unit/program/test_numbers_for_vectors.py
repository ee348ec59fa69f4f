"""A number that a function is given for a vector is the value of each component."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check

FUNCTION = "float4 twice(const float4 v) { return v * 2; }\nfloat last(float4 v, int n) { return v.w + n; }\n"


def checked(statement: str, asked: str) -> Judged:
    text = f"{FUNCTION}kernel void k(global float4* o, float s) {{ {statement} }}"
    request = KernelRequest(("k global 1",), initial=("float4 o[2]", "s = 2.0"), questions=(f"forall ({asked})",))
    found = check(KernelSource("numbers.cl", text, request))
    assert isinstance(found, Judged)
    return found


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("o[0] = twice(s) + twice(3.0f);", 10),
        ("o[0] = twice(twice(s + 1));", 12),
        ("o[1] = 5; o[0] = twice(o[1].y) + o[1];", 15),
        ("float r = last(s, 3) + last(o[0], 1); o[0] = r;", 6),
    ],
)
def test_each_component_has_the_value(statement: str, value: int) -> None:
    found = checked(statement, f"o.x[0]={value} /\\ o.w[0]={value}")
    assert (found.holds, found.undefined) == (True, ())


def test_too_few_arguments_stay_a_mistake() -> None:
    with pytest.raises(InputError, match="'last' takes 2 arguments, found 1"):
        checked("float r = last(s);", "o.x[0]=0")


CALLED = """
float triple(float x) { return 3 * x; }
float first(global float4* p) { return p[0].x; }
float counted(global int* n) { return atomic_inc(n); }
float4 scaled(float4 v, float s) { return v * triple(s); }
kernel void k(global float4* o, global int* n) { STATEMENTS }
"""


def source(statements: str, asked: str) -> KernelSource:
    text = CALLED.replace("STATEMENTS", statements)
    initial = ("float4 o[1] = {{2, 4, 6, 8}}", "int n[1]")
    return KernelSource("k.cl", text, KernelRequest(("k global 1",), (), initial, (f"forall ({asked})",)))


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(
    ("statements", "asked"),
    [
        ("o[0] = o[0] * triple(1);", "o.x[0]=6 /\\ o.w[0]=24"),
        ("o[0] = (float4)(triple(1));", "o.x[0]=3 /\\ o.w[0]=3"),
        ("float4 v = mix(o[0], (float4)(2), triple(0.5f) - 1); o[0] = v;", "o.y[0]=3 /\\ o.w[0]=5"),
        ("o[0] = triple(1) > 2 ? o[0] : -o[0];", "o.y[0]=4"),
        ("o[0] = scaled(o[0], triple(triple(1)));", "o.y[0]=108"),
        ("float d = dot(o[0] * triple(1), o[0]); o[0].x = d;", "o.x[0]=360"),
        ("float d = triple(dot(o[0] * triple(1), o[0])); o[0].x = triple(length(o[0].xy * 0)) + d;", "o.x[0]=1080"),
        # The value is that before the assignment: in each component.
        ("o[0] *= first(o);", "o.x[0]=4 /\\ o.y[0]=8 /\\ o.w[0]=16"),
        ("o[0].zw = o[0].xy * first(&o[0]) + triple(1);", "o.x[0]=2 /\\ o.z[0]=7 /\\ o.w[0]=11"),
    ],
)
def test_a_function_gives_one_number_for_all_components(statements: str, asked: str, engine: str) -> None:
    found = check(source(statements, asked), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize(
    "statements",
    [
        "o[0] = o[0] * counted(n);",
        "int i = 0; float4 v = o[0] * (triple(i) + i++); o[0] = v;",
        "float4 v = n[0] ? o[0] * triple(1) : o[0]; o[0] = v;",
    ],
)
def test_what_does_more_or_may_not_be_called_needs_a_variable(statements: str) -> None:
    with pytest.raises(InputError, match="would be computed once for each component"):
        check(source(statements, "true"))
