"""The search over persistent sets finds what the search over all schedules finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.explain.observed import observed_by
from mcm.machine.build import MEMORIES, build
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.lookahead import Lookahead
from mcm.machine.run import run
from mcm.machine.schedule import RandomScheduler
from oracle.corpora import COUNT, PEERS, SEED, SHIPPED, identify, program_of, random_program

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.machine.footprint import Footprint
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

BUDGET: Final = Budget(configurations=50_000, operations=100)
CHUNK: Final = 100
TOO_MANY: Final = {"opencl/kernels/reduction"}
"""Without the reduction, the configurations of two work-groups multiply to more than can be visited."""


def assert_nothing_is_lost(program: Program, name: str) -> None:
    observed = observed_by(program)
    for memory in MEMORIES:
        machine = build(program, memory)
        reduced, full = explore(machine, observed, BUDGET), explore(machine, observed, BUDGET, reduced=False)
        assert (set(reduced.states), set(reduced.findings)) == (set(full.states), set(full.findings)), name
        assert name in TOO_MANY or reduced.limit == full.limit, name
        assert reduced.configurations <= full.configurations, name


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_shipped_programs(path: Path) -> None:
    program = program_of(path)
    if program is not None:
        assert_nothing_is_lost(program, identify(path))


@pytest.mark.skipif(not PEERS.is_dir(), reason=f"the peer tests are not here: no folder {PEERS.parts[-2:]}")
@pytest.mark.parametrize("suite", ["opencl", "c11"])
def test_peer_programs(suite: str) -> None:
    paths = sorted((PEERS / suite).rglob("*.litmus"))
    assert paths
    for path in paths:
        program = program_of(path)
        if program is not None:
            assert_nothing_is_lost(program, identify(path))


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_programs(start: int) -> None:
    for number in range(start, min(start + CHUNK, COUNT)):
        assert_nothing_is_lost(random_program(number), f"MCM_RANDOM_SEED={SEED}, program {number}")


def covers(outer: Footprint, inner: Footprint) -> bool:
    return not (inner.reads & ~outer.reads or inner.writes & ~outer.writes)


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_what_threads_do_was_foreseen_at_every_moment_before(path: Path) -> None:
    program = program_of(path)
    if program is None:
        return
    for memory in MEMORIES:
        machine = build(program, memory)
        lookahead, threads = Lookahead(machine), range(len(machine.threads))
        now = machine.start().after
        foreseen = [lookahead.of_rest(now, thread, frozenset()) for thread in threads]
        for actor, choice in run(machine, RandomScheduler(SEED), observed_by(program), 100).schedule:
            assert covers(foreseen[actor], lookahead.of_next(now, actor))
            now = machine.step(now, actor, choice).after
            left = [lookahead.of_rest(now, thread, frozenset()) for thread in threads]
            assert all(map(covers, foreseen, left))
            foreseen = left
