"""The machine reports unsequenced accesses where the checker finds them, and both see the same states elsewhere.

Of shipped programs `test_machine_against_models.py` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Query
from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import MEMORIES, build
from mcm.machine.exhaustive import Budget, explore
from oracle.corpora import COUNT, SEED
from oracle.expressions import expression_program

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.machine.exhaustive import Exploration
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

EXPRESSIONS: Final = max(COUNT // 8, 1)
CHUNK: Final = 125


def answer_of(program: Program) -> Answer:
    model = registry.get(program.dialect.default_model)
    return decide(Query(skeletons=elaborate(program), model=model, observed=observed_by(program)), EngineName.AUTO)


def is_unsequenced(answer: Answer) -> bool:
    flags = {flag.name for flag in answer.flags}
    return "unsequenced_race" in flags or "unsequenced-race" in {raised.fault.kind for raised in answer.faults}


def found_by_machine(program: Program, memory: str) -> Exploration:
    return explore(build(program, memory), observed_by(program), Budget(configurations=50_000))


def reports(found: Exploration) -> bool:
    conflicts = [finding for finding in found.findings if finding.kind == "unsequenced-race"]
    assert all(len(finding.sites) == 2 for finding in conflicts)
    return bool(conflicts)


@pytest.mark.parametrize("start", range(0, EXPRESSIONS, CHUNK))
def test_random_expressions(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, expressions {start} to {start + CHUNK - 1}")  # noqa: T201 (the seed)
    kinds = set()
    for number in range(start, start + CHUNK):
        source = Source(f"expressions-{number}", expression_program(SEED, number))
        program = read_test(source).program
        try:
            answer = answer_of(program)
        except InputError:
            # C leaves an order open that the checker does not follow, and it says so.
            continue
        kinds.add(is_unsequenced(answer))
        for memory in MEMORIES:
            found = found_by_machine(program, memory)
            assert found.is_complete
            assert reports(found) == is_unsequenced(answer), source.text
            if not is_unsequenced(answer):
                assert set(found.states) <= {state.values for state in answer.states}, source.text
    assert kinds == {False, True}
