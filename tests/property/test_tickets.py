"""Answers are the same of one way in which groups take numbers from a counter, and of all ways.

`MCM_TICKETS_COUNT` and `MCM_TICKETS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from solver_queries import MODELS, SHORT
from tickets_generate import kernel_of_tickets

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.updates import reads_write_before
from mcm.engine.choose import told_in
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt.decide import decide
from mcm.execution.elaborate import elaborate
from mcm.execution.tickets import tickets_of
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_TICKETS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_TICKETS_COUNT", "5"))


def queries_of(number: int) -> tuple[Query, Query] | None:
    """What is asked about one way, and about all; None where these may end otherwise."""
    program = read_test(Source(f"tickets-{number}", kernel_of_tickets(SEED, number))).program
    model, tickets = registry.get(MODELS[number % len(MODELS)]), tickets_of(program)
    if tickets is None or not reads_write_before(model):
        return None
    limits = Limits(nodes=2000, seconds=600)
    every = Query(elaborate(program, 4, waiting=True), model, observed_by(program), limits=limits)
    one = replace(every, skeletons=elaborate(program, 4, waiting=True, tickets=tickets))
    told = elaborate(program, 4, waiting=True, tickets=tickets, supposed=told_in(one))
    return replace(one, skeletons=told, wants_witnesses=False), every


def said(answer: Answer) -> tuple[object, ...]:
    """What an answer says whatever the group that it is said of."""
    flags = {
        (
            flag.name,
            frozenset((e.span.start, e.span.end) for e in map(flag.witness.skeleton.events.__getitem__, flag.events)),
        )
        for flag in answer.flags
    }
    faults = {(raised.fault.rule, raised.fault.spans) for raised in answer.faults}
    return [state.values for state in answer.states], flags, faults, answer.bounded


@pytest.mark.parametrize("number", range(COUNT))
def test_one_way_says_what_all_say(number: int) -> None:
    queries = queries_of(number)
    if queries is None:
        pytest.skip("who takes what may matter")
    one, every = queries
    whole = [
        answer for answer in (decide_by_search(every), decide(replace(every, limits=SHORT))) if not answer.undecided
    ]
    if not whole:
        pytest.skip("too many executions")

    for answer in (decide_by_search(one), decide_by_search(one, many_events=1), decide(one)):
        if answer.undecided is not None:
            pytest.skip("too many executions")
        for other in whole:
            assert said(answer) == said(other), kernel_of_tickets(SEED, number)


def test_of_many_of_these_kernels_one_way_is_enough() -> None:
    assert 10 <= sum(queries_of(number) is not None for number in range(20)) <= 18
