"""Values that a function does not return, and operations of OpenCL 1.x on what they do not take."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, check, run

RETURNS_SOMETIMES = """int f(int a) { if (a) return 1; }
kernel void K(global int* x) { f(x[0]); CALL }
"""


@pytest.mark.parametrize(("call", "is_wrong"), [("x[1] = f(x[0]);", True), ("x[1] = f(2);", False), ("", False)])
def test_a_value_that_is_not_returned_is_not_used(call: str, is_wrong: bool) -> None:
    source = KernelSource("f.cl", RETURNS_SOMETIMES.replace("CALL", call), KernelRequest(("K global 1",)))
    told = ["'f' returns no value here, and its value is used"] if is_wrong else []

    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(source, engine=engine)
        assert isinstance(found, Judged)
        assert [problem.why for problem in found.undefined] == told
    assert [problem.why for problem in run(source, runs=1).problems] == told


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("atomic_add(x, 1.0f)", "atomic_add"),
        ("atomic_max(x, 1.0f)", "atomic_max"),
        ("atomic_inc(x)", "atomic_inc"),
        ("atomic_cmpxchg(x, 0.0f, 1.0f)", "atomic_cmpxchg"),
    ],
)
def test_atomics_of_opencl_1_compute_with_integers(call: str, name: str) -> None:
    source = KernelSource("a.cl", f"kernel void K(global float* x) {{ {call}; }}", KernelRequest(("K global 1",)))

    with pytest.raises(InputError, match=f"'{name}' of OpenCL 1.x takes integers, and this is of type 'float'"):
        check(source)


def test_atomics_of_opencl_1_exchange_floats() -> None:
    text = "kernel void K(global float* x) { atomic_xchg(x, 1.5f); }"
    found = check(KernelSource("a.cl", text, KernelRequest(("K global 1",), questions=("forall x=1.5",))))

    assert isinstance(found, Judged)
    assert found.holds
