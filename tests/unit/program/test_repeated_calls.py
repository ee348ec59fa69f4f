"""What is said of calls that would be made once for each component of a vector."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, parse


def complaint(statement: str) -> str:
    text = f"kernel void K(global int* x, global int4* v) {{ int4 a = v[0]; {statement} v[0] = a; }}"
    with pytest.raises(InputError) as raised:
        parse(KernelSource("k.cl", text, KernelRequest(("K global 1, local 1",))))
    first = raised.value.diagnostics[0]
    return f"{first.code} {first.message}"


@pytest.mark.parametrize(
    "statement",
    [
        "a = missing(a, 2);",
        "a += missing(1);",
        "a = a + missing(x[0]);",
        "a = vload4(missing(1), x);",
        "int4 b = missing(2);",
    ],
)
def test_a_function_that_nothing_defines_is_named(statement: str) -> None:
    assert complaint(statement) == "E102 unknown function 'missing'"


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("a = a + atomic_inc(x);", "'atomic_inc(x)'"),
        ("a = a + atom_inc(x);", "'atom_inc(x)'"),
        ("a = a + work_group_reduce_add(x[0]);", "'work_group_reduce_add(x[0])'"),
        ("a = vload4(x[0]++, x);", "'x[0]++'"),
    ],
)
def test_what_does_more_than_read_wants_a_variable(statement: str, what: str) -> None:
    found = complaint(statement)
    assert found.startswith(f"E100 not yet supported: {what} would be computed once for each component")
    assert found.endswith("give it a variable of its own")


def test_words_of_compilers_for_const_and_volatile() -> None:
    text = "kernel void K(global __const int* x, __const int n, global __volatile int* y) { y[0] = x[n]; }"
    request = KernelRequest(("K global 1, local 1",), initial=("n = 0",))

    assert {item.name for item in parse(KernelSource("k.cl", text, request)).program.objects} == {"x", "y"}
