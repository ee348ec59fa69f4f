"""The solver says the same of threads with the same code whether or not it looks at one order of them alone.

`MCM_SAME_CODE_COUNT` and `MCM_SAME_CODE_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from same_code_generate import same_code_from_seed

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt.decide import decide
from mcm.engine.smt.encode import Encoding
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_SAME_CODE_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_SAME_CODE_COUNT", "11"))
MODELS: Final = ("opencl-3.0", "opencl-scoped", "c11", "sc", "opencl-3.1")


def query_of(number: int) -> Query:
    program = read_test(Source(f"alike-{number}", same_code_from_seed(SEED, number))).program
    assert program.condition is not None
    return Query(
        elaborate(program, 1, waiting=True),
        registry.get(MODELS[number % len(MODELS)]),
        observed_by(program),
        program.condition.proposition,
        program.filter,
        wants_states=bool(number % 4),
        limits=Limits(nodes=3000),
    )


def said(answer: Answer) -> tuple[object, ...]:
    """What an answer says, without the executions that show it."""
    assert answer.undecided is None
    flags = {
        (
            flag.name,
            frozenset(
                (e.thread, e.span.start, e.span.end) for e in map(flag.witness.skeleton.events.__getitem__, flag.events)
            ),
        )
        for flag in answer.flags
    }
    faults = {raised.fault.reported for raised in answer.faults}
    blocked = [[(unit.thread, unit.span, unit.locations) for unit in one.units] for one in answer.blocked]
    return flags, faults, answer.bounded, answer.waits, blocked, answer.reachable, answer.complete_exists


def states(answer: Answer) -> list[tuple[object, ...]]:
    return [(state.values, state.satisfies, state.thin_air) for state in answer.states]


@pytest.mark.parametrize("number", range(COUNT))
def test_the_order_of_threads_that_are_alike_loses_nothing(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    ordered = decide(query)
    monkeypatch.setattr(Encoding, "in_order", lambda *_: [])
    unordered = decide(query)

    text = same_code_from_seed(SEED, number)
    assert said(ordered) == said(unordered), text
    if query.wants_states:
        assert states(ordered) == states(unordered), text


@pytest.mark.parametrize("number", range(0, COUNT, 4))
def test_the_search_says_the_same(number: int) -> None:
    query = query_of(number)
    searched = decide_by_search(query)
    if searched.undecided is not None:
        pytest.skip("too many executions")
    assert said(decide(query)) == said(searched), same_code_from_seed(SEED, number)


def test_threads_are_ordered_in_many_of_these_kernels_with_local_memory_and_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ordered: list[bool] = []
    in_order = Encoding.in_order
    monkeypatch.setattr(Encoding, "in_order", lambda *given: ordered.append(bool(found := in_order(*given))) or found)

    counts = {True: 0, False: 0}
    for number in range(40):
        ordered.clear()
        decide(query_of(number))
        counts["local int" in same_code_from_seed(SEED, number)] += any(ordered)

    assert counts[True] >= 2
    assert counts[False] >= 3
