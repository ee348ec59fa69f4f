"""Constant expressions have the values that the same expressions have where they are executed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from mcm import Judged, KernelRequest, KernelSource, Source, check, run

if TYPE_CHECKING:
    from tests.unit.program.conftest import Complain

TYPES = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "bool")
LITERALS = ("0", "1", "3", "255", "300", "-1", "0u", "7u", "0x80000000", "0xFFFFFFFFu", "2147483647", "1L", "'a'")


def expression(choose: random.Random, depth: int) -> str:
    """A constant expression of integers; nothing in it overflows a signed type or divides by 0."""
    if depth == 0:
        return f"({choose.choice(LITERALS)})"
    left, right = expression(choose, depth - 1), expression(choose, depth - 1)
    return choose.choice(
        [
            f"({left} {choose.choice('+-*')} (uint){right})",
            f"({left} {choose.choice('&|^')} {right})",
            f"({left} {choose.choice(['<', '>=', '==', '!=', '&&', '||'])} {right})",
            f"({left} {choose.choice(['/', '%'])} (({right} & 7) + 1))",
            f"({left} >> ({right} & 7))",
            f"((ulong){left} << ({right} & 7))",
            f"(({choose.choice(TYPES)}){left})",
            f"({choose.choice('~!')}{left})",
            f"({left} ? {right} : {expression(choose, depth - 1)})",
        ]
    )


@pytest.mark.parametrize("seed", range(3))
def test_are_what_is_computed(seed: int) -> None:
    choose = random.Random(seed)  # noqa: S311 - the same at each run
    written = [expression(choose, 3) for _ in range(40)]
    cases = " ".join(f"switch ({one}) {{ case {one}: break; default: labels++; }}" for one in written)
    compared = " ".join(f"a[{number}] != {one} ? values++ : 0;" for number, one in enumerate(written))
    items = ", ".join(written)
    text = f"""OPENCL t
    {{ long a[{len(written)}] = {{{items}}}; }}
    P0 (global long* a) {{ int labels = 0, values = 0; {cases} {compared} }}
    forall (0:labels=0 /\\ 0:values=0)
    """
    found = check(Source("t.litmus", text))
    assert isinstance(found, Judged)
    assert found.holds, [dict(state.values) for state in found.states]


FLOATS = """
constant float third = 1.0f / 3.0f;
constant float weights[2][2] = {{1.f / 16, 2 * 0.25f}, {-(1.0f + 0.5f), 3 > 2 ? 0.5f : 1}};
kernel void K(global float* out) {
  out[0] = third; out[1] = weights[0][0]; out[2] = weights[0][1]; out[3] = weights[1][0]; out[4] = weights[1][1];
}
"""


def test_have_fractions() -> None:
    asked = "out[0]=0.33333334 /\\ out[1]=0.0625 /\\ out[2]=0.5 /\\ out[3]=-1.5 /\\ out[4]=0.5"
    request = KernelRequest(launches=("K global 1",), initial=("float out[5]",), questions=(f"forall ({asked})",))
    found = check(KernelSource("k.cl", FLOATS, request))
    assert isinstance(found, Judged)
    assert found.holds
    assert run(KernelSource("k.cl", FLOATS, request), runs=1).positive == 1


@pytest.mark.parametrize("length", ["2.5f * 2", "1.0f % 2", "4 / (1 - 1)", "x", "1 << 2.0f"])
def test_that_are_none_are_refused(length: str, complaints: Complain) -> None:
    found = complaints(f"OPENCL t\n{{ [x]=0; }}\nP0 (global int* x) {{ int t[{length}]; }}\nexists (x=1)\n")
    assert [one.split()[0] for one in found] == ["E131"]
