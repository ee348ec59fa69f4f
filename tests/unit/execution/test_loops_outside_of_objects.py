"""Loops that go on by what they read outside of all objects: that is undefined, and need not come to an end."""

from __future__ import annotations

import pytest

import mcm
from mcm import Verdict

READ = "atomic_load(&b[1])"


@pytest.mark.parametrize(
    "body",
    [
        f"while ({READ} == 0) {{ t++; }}",
        f"do {{ r = {READ}; t++; }} while (r == 0);",
        f"if (atomic_load(b) == 0) {{ while ({READ} == 0) {{ t++; }} }}",
        "while (!atomic_compare_exchange_strong(&b[1], &r, 1)) { t++; }",
        "for (int i = 1; atomic_load(&b[i]) == 0; i++) { t++; }",
    ],
)
def test_they_are_cut_like_those_that_depend_on_memory(body: str) -> None:
    kernel = f"kernel K (global atomic_int* b) {{ int t = 0; int r = 0; {body} }}"

    result = mcm.check(f"OPENCL outside\n{{ [b]=0; }}\n{kernel}\nlaunch K global 1;\nexists (true)\n", bound=2)

    assert result.verdict is Verdict.UNDEFINED
    assert len(result.bounded) == 1


def test_those_that_constants_end_are_looked_at_to_their_end() -> None:
    kernel = "kernel K (global int* b) { int i; for (i = 1; i < 5; i++) { b[i] = 1; } }"

    result = mcm.check(f"OPENCL outside\n{{ [b]=0; }}\n{kernel}\nlaunch K global 1;\nexists (b=0)\n")

    assert result.verdict is Verdict.UNDEFINED
    assert not result.bounded


def test_they_are_cut_where_a_quotient_may_be_anything() -> None:
    kernel = "kernel K (global int* b) { int r = 0; int t = 0; while (1 / r == 0) { t++; } }"

    result = mcm.check(f"OPENCL quotient\n{{ [b]=0; }}\n{kernel}\nlaunch K global 1;\nexists (true)\n", bound=2)

    assert result.verdict is Verdict.IMPL_DEFINED
    assert len(result.bounded) == 1
