"""What `#define` names stays words of its own beside other words."""

from __future__ import annotations

import pytest

import mcm

VALUES = {
    "-N": 1,
    "3 -N": 4,
    "6 - N": 7,
    "N*2": -2,
    "- -N": -1,
    "-M": 0,
    "9 /P": 3,
    "~N": 0,
}


@pytest.mark.parametrize("expression", VALUES)
def test_an_operator_before_a_name_is_no_part_of_a_longer_one(expression: str) -> None:
    text = f"""OPENCL defined
{{ int o; }}
#define N -1
#define M N -1
#define P *p
P0 (global int* o) {{ int three = 3; int *p = &three; *o = {expression}; }}
forall (o={VALUES[expression]})
"""
    assert mcm.check(text).verdict is mcm.Verdict.REQUIRED
