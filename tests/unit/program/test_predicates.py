"""Predicates of group functions are of type int: what is no int is converted first."""

from __future__ import annotations

import pytest

import mcm

FUNCTIONS = (
    "work_group_any",
    "work_group_all",
    "sub_group_any",
    "sub_group_all",
    "sub_group_non_uniform_any",
    "sub_group_non_uniform_all",
    "work_group_reduce_logical_or",
    "sub_group_non_uniform_reduce_logical_or",
)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("operand", "expected"), [("0.5f", 0), ("4294967296l", 0), ("-1.5f", 1), ("l + 1", 1)])
def test_a_predicate_is_converted_to_int(function: str, operand: str, expected: int) -> None:
    text = f"""OPENCL predicate
{{ int o[2]; }}
kernel K (global int* o) {{ int l = get_local_id(0); o[l] = {function}({operand}); }}
launch K global 2, local 2, dev 0;
forall (o[0]={expected} /\\ o[1]={expected})
"""
    for engine in ("explicit", "smt"):
        assert mcm.check(text, engine=engine).verdict is mcm.Verdict.REQUIRED


def test_a_ballot_is_one_of_ints() -> None:
    text = """OPENCL ballot
{ int o[2]; }
kernel K (global int* o) { int l = get_local_id(0); o[l] = sub_group_ballot(l + 0.5f).x; }
launch K global 2, local 2, dev 0;
forall (o[0]=2 /\\ o[1]=2)
"""
    assert mcm.check(text).verdict is mcm.Verdict.REQUIRED
