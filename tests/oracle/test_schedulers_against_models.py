"""Real threads and replays do no more than the models allow; random, clover and all schedules are tested elsewhere.

Shipped programs are run so in `test_machine_against_models.py`, which has the answers of the models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Query
from mcm.catalogue import registry
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.machine.build import MEMORIES
from oracle.corpora import COUNT, PEERS, SEED, program_of, random_program
from oracle.scheduled import check_replay, check_threads

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.program.program import Program
    from mcm.program.types import Value

pytestmark = pytest.mark.slow

CHUNK: Final = 100


def answer_of(program: Program, model: str) -> Answer:
    query = Query(skeletons=elaborate(program), model=registry.get(model), observed=observed_by(program))
    return decide(query, EngineName.AUTO)


def allowed(program: Program, memory: str) -> set[tuple[Value, ...]] | None:
    """The states of consistent executions under the model of a memory; None where the answer is bounded."""
    answer = answer_of(program, "sc" if memory == "interleaving" else program.dialect.default_model)
    return None if answer.bounded else {state.values for state in answer.states}


@pytest.mark.skipif(not PEERS.is_dir(), reason=f"the peer tests are not here: no folder {PEERS.parts[-2:]}")
@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("suite", ["opencl", "c11"])
def test_peer_programs(suite: str, memory: str) -> None:
    paths = sorted((PEERS / suite).rglob("*.litmus"))
    assert paths
    for path in paths:
        program = program_of(path)
        if program is not None:
            check_threads(program, memory, allowed(program, memory))
            check_replay(program, memory, 0)


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_programs(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, programs {start} to {min(start + CHUNK, COUNT) - 1}")  # noqa: T201 (the seed)
    for number in range(start, min(start + CHUNK, COUNT)):
        program = random_program(number)
        for memory in MEMORIES:
            check_threads(program, memory, allowed(program, memory))
            check_replay(program, memory, number)
