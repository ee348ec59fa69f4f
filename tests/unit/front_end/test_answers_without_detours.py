"""Kernels of which nothing is asked that does not matter, and whose mistakes are told once and as what they are."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, check


def told(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        check(KernelSource("t.cl", text, KernelRequest(("K global 2, local 2",))))
    return [f"{one.code}: {one.message}" for one in caught.value.diagnostics]


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_a_parameter_that_is_never_read_needs_no_value(engine: EngineName) -> None:
    text = "kernel void K(global int* a, int n, float4 f) { a[get_global_id(0)] = 3; }"
    request = KernelRequest(("K global 2, local 2",), (), (), ("forall (a[0]=3 /\\ a[1]=3)",))
    found = check(KernelSource("t.cl", text, request), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_a_parameter_that_is_read_needs_one() -> None:
    (message,) = told("kernel void K(global int* a, int m, int n) { a[get_global_id(0)] = n; }")
    assert message.startswith("E128: parameter 'n' is no pointer and has no value")


def test_a_function_of_vectors_is_refused_once() -> None:
    text = "kernel void K(global float2* a) { int2 e; a[0] = frexp((float2)(1.5f, 2.0f), &e); }"
    assert told(text) == ["E100: not yet supported: 'frexp' of 'float2'"]


def test_ranges_of_designators_are_no_argument_lists() -> None:
    (message,) = told("kernel void K(global int* a) { int t[4] = { [0 ... 3] = 7 }; a[0] = t[2]; }")
    assert message == "E050: '...', a variable argument list or a range of designators, is not supported"


@pytest.mark.parametrize("operand", ["1", "a[1]"])
def test_expressions_that_are_too_long_are_told(operand: str) -> None:
    (message,) = told(f"kernel void K(global int* a) {{ a[0] = 1{f' + {operand}' * 600}; }}")
    assert message.startswith("E032: an expression of 600 operators in a row, more than the limit of 300")
