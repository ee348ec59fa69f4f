"""Random kernels have the same answers whether what they read of objects that nobody writes is known beforehand or not.

`MCM_INPUTS_COUNT` and `MCM_INPUTS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from inputs_generate import kernel_with_inputs

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.dependencies import mentions_dependencies
from mcm.engine.explicit.decide import decide
from mcm.execution.elaborate import elaborate
from mcm.execution.unwritten import unwritten_objects
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_INPUTS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_INPUTS_COUNT", "13"))
MODELS: Final = ("opencl-3.0", "opencl-3.1", "opencl-scoped", "sycl-2020", "c11")
# Nodes alone: how much is searched must not depend on time.
LIMITS: Final = Limits(nodes=400)


def program_of(number: int) -> Program:
    return read_test(Source(f"inputs-{number}", kernel_with_inputs(SEED, number))).program


def answer(program: Program, number: int, *, folds: bool) -> Answer:
    skeletons = elaborate(program, 2, waiting=True, folds=folds)
    model = registry.get(MODELS[number % len(MODELS)])
    return decide(Query(skeletons, model, observed_by(program), limits=LIMITS, wants_witnesses=False))


def said(found: Answer) -> tuple[object, ...]:
    """What an answer says, without the executions that show it."""
    flags = {
        (
            flag.name,
            frozenset(
                (e.thread, e.span.start, e.span.end) for e in map(flag.witness.skeleton.events.__getitem__, flag.events)
            ),
        )
        for flag in found.flags
    }
    faults = {(raised.fault.kind, raised.fault.why, raised.fault.spans) for raised in found.faults}
    states = [(state.values, state.satisfies, state.thin_air) for state in found.states]
    return states, flags, faults, found.bounded, found.waits, found.complete_exists


@pytest.mark.parametrize("number", range(COUNT))
def test_answers_are_the_same_without_known_inputs(number: int) -> None:
    program = program_of(number)
    folded, whole = (answer(program, number, folds=folds) for folds in (True, False))
    if folded.undecided is not None or whole.undecided is not None:
        pytest.skip("too many executions")

    assert said(folded) == said(whole), kernel_with_inputs(SEED, number)


def test_no_model_here_mentions_dependencies() -> None:
    assert not any(mentions_dependencies(registry.get(name)) for name in MODELS)


def test_most_of_these_kernels_have_inputs_that_change_what_is_known() -> None:
    programs = [program_of(number) for number in range(40)]
    changed = [elaborate(p, 2, folds=True)[0].events != elaborate(p, 2)[0].events for p in programs]

    assert sum(changed) >= 30
    # An input that a pointer leads to, where something is written, is none.
    assert any(0 not in unwritten_objects(program) for program in programs)
