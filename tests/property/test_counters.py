"""The solver says the same of counters with and without what is asserted of them, and the search says it too.

`MCM_COUNTERS_COUNT` and `MCM_COUNTERS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from counters_generate import counting_kernel
from msgspec.structs import replace

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt import encode
from mcm.engine.smt.counters import Counting
from mcm.engine.smt.decide import decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.answer.answer import Answer

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_COUNTERS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_COUNTERS_COUNT", "12"))
MODELS: Final = ("opencl-3.0", "opencl-scoped", "c11", "sc", "opencl-3.1", "sycl-2020", "rc11")


def query_of(number: int) -> Query:
    program = read_test(Source(f"counting-{number}", counting_kernel(SEED, number))).program
    model = registry.get(MODELS[number % len(MODELS)])
    return Query(
        elaborate(program, 1, waiting=True),
        model,
        observed_by(program),
        limits=Limits(nodes=2000, seconds=600),
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
    return states, flags, faults, answer.bounded, answer.waits, answer.complete_exists


def assert_no_news(answer: Answer, others: Sequence[Answer], text: str) -> None:
    """Assert that a whole answer says what the others say that are whole; where none is, nothing is compared."""
    assert answer.undecided is None
    whole = [other for other in others if other.undecided is None]
    for other in whole:
        assert said(answer) == said(other), text
    if not whole:
        pytest.skip("too many executions")


@pytest.mark.parametrize("number", range(COUNT))
def test_what_counters_return_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    counted = decide(query)
    searched = decide_by_search(query)
    monkeypatch.setattr(Counting, "require", lambda _: None)
    monkeypatch.setattr(encode, "apart", lambda _: {})
    not_counted = decide(replace(query, limits=Limits(seconds=20)))

    text = counting_kernel(SEED, number)
    assert_no_news(counted, (not_counted, searched), text)


def test_most_of_these_kernels_have_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    asserted: list[object] = []
    require_from = Counting._require_from
    monkeypatch.setattr(
        Counting, "_require_from", lambda self, *given: asserted.append(given) or require_from(self, *given)
    )

    counts = 0
    for number in range(20):
        asserted.clear()
        decide(query_of(number))
        counts += bool(asserted)

    assert counts >= 8
