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
