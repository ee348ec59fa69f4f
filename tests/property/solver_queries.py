"""Queries about random kernels, and what answers to them say: for tests that switch something off and ask again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.answer.answer import Answer

MODELS: Final = ("opencl-3.0", "opencl-scoped", "c11", "sc", "opencl-3.1", "sycl-2020", "rc11")
# What is switched off may take long.
SHORT: Final = Limits(seconds=8)


def query_about(text: str, number: int, models: Sequence[str] = MODELS, *, bound: int = 1, nodes: int = 2000) -> Query:
    """The query about the kernel of a number, whose model is that of the number, too."""
    program = read_test(Source(f"kernel-{number}", text)).program
    return Query(
        elaborate(program, bound, waiting=True),
        registry.get(models[number % len(models)]),
        observed_by(program),
        filter=program.filter,
        limits=Limits(nodes=nodes, seconds=600),
        wants_witnesses=False,
    )


def said(answer: Answer) -> tuple[object, ...]:
    """What an answer says, without the executions that show it."""
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
    states = [(state.values, state.satisfies, state.thin_air) for state in answer.states]
    blocked = {tuple((unit.thread, unit.span.start) for unit in found.units) for found in answer.blocked}
    return states, flags, faults, answer.bounded, answer.waits, blocked, answer.complete_exists


def assert_no_news(answer: Answer, others: Sequence[Answer], text: str) -> None:
    """Assert that a whole answer says what the others say that are whole; where none is, nothing is compared."""
    assert answer.undecided is None
    whole = [other for other in others if other.undecided is None]
    for other in whole:
        assert said(answer) == said(other), text
    if not whole:
        pytest.skip("too many executions")
