"""Outcomes of programs of which all is settled, with more executions than engines look at, are told by runs."""

from __future__ import annotations

from mcm.answer.explanation import Kind
from mcm.session import Session

BITS = """OPENCL bits
{{ [c]=0; }}
kernel K (global atomic_uint* c) {{ {call}; }}
launch K global 16, local 16, dev 0;
"""


def test_an_allowed_outcome_is_told_by_a_run() -> None:
    test = BITS.format(call="atomic_fetch_or(c, 1u << get_local_id(0))")

    assert Session().explain(test).kind is Kind.ALLOWED


def test_what_is_settled_is_said_of_an_outcome_without_a_way() -> None:
    told = Session().explain(BITS.format(call="atomic_fetch_or(c, 1u << get_local_id(0))"), state="[c]=5")
    said = [sentence.text for sentence in told.sentences]

    assert told.kind is Kind.FORBIDDEN
    assert not told.looked_at_all
    assert said[0] == (
        "What barriers order, and updates that commute, have one result in every execution that opencl-3.0 allows."
    )
