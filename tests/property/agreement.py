"""What the engines say of a random program, held against each other and against the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.machine.exhaustive import Exploration
    from mcm.program.program import Program

MODEL: Final = "opencl-3.0"


def program_of(name: str, text: str) -> Program:
    """The program of a test's text."""
    return read_test(Source(name, text)).program


def problems(answer: Answer) -> set[str]:
    """The kinds of the problems of an answer."""
    return {flag.name.replace("_", "-") for flag in answer.flags} | {raised.fault.kind for raised in answer.faults}


def agreed_answer(program: Program, text: str) -> Answer:
    """What both engines say, which is asserted to be the same."""
    skeletons = elaborate(program, waiting=True)
    limits = Limits(seconds=600, nodes=100_000)
    query = Query(skeletons, registry.get(MODEL), observed_by(program), limits=limits, wants_witnesses=False)
    searched, solved = decide(query), decide_with_solver(query)
    assert searched.undecided is None
    assert solved.undecided is None
    assert {state.values for state in searched.states} == {state.values for state in solved.states}, text
    assert problems(searched) == problems(solved), text
    assert len(searched.flags) == len(solved.flags), text
    return searched


def explored(program: Program, text: str) -> Exploration:
    """All that the machine can do, which is asserted to be little enough."""
    found = explore(build(program, "views"), observed_by(program), Budget(configurations=20_000, operations=200))
    assert found.is_complete, text
    return found
