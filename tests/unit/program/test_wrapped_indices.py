"""Indices below zero in unsigned types: it is told what they were."""

from __future__ import annotations

import pytest

from mcm import KernelRequest, KernelSource, check

TEXT = "kernel void K(global int* x, local int* t, uint n) {{ {} = 1; }}"


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("t[get_local_id(0) - 1]", "t@wg0[18446744073709551615] is outside t@wg0; the index is -1 in an unsigned type"),
        ("x[n - 3]", "x[4294967294] is outside x, which has 2 elements; the index is -2 in an unsigned type"),
        ("x[n + 3]", "x[4] is outside x, which has 2 elements"),
        ("x[-1]", "x[-1] is outside x, which has 2 elements"),
    ],
)
def test_told(place: str, why: str) -> None:
    found = check(KernelSource("k.cl", TEXT.format(place), KernelRequest(("K global 1",), (), ("x[2]", "n = 1"))))
    assert [problem.why for problem in found.undefined] == [why]
