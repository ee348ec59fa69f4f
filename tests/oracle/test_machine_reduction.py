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

    from mcm.machine.exhaustive import Exploration
    from mcm.machine.footprint import Footprint
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

BUDGET: Final = Budget(configurations=50_000, operations=100)
SOME: Final = Budget(configurations=1_000, operations=100)
"""Without the reduction, the configurations of independent work-items multiply: only some of them are visited."""

CHUNK: Final = 100


def assert_repeated_reads_add_nothing(
    program: Program, found: Exploration, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same search with an event for every read, also for those that repeat an earlier one."""
    observed = observed_by(program)
    with monkeypatch.context() as patch:
        patch.setattr("mcm.machine.view_memory.read_adds_nothing", lambda *_: False)
        patch.setattr("mcm.machine.view_memory.repeated_update", lambda *_: None)
        with_all = explore(build(program, "views"), observed, SOME)
    assert set(with_all.states) <= set(found.states), name
    assert set(with_all.findings) <= set(found.findings), name
    if with_all.limit is None:
        assert found.limit is None, name
        assert (set(found.states), set(found.findings)) == (set(with_all.states), set(with_all.findings)), name
        assert found.blocked.keys() == with_all.blocked.keys(), name


def assert_nothing_is_lost(program: Program, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    observed = observed_by(program)
    for memory in MEMORIES:
        machine = build(program, memory)
        reduced = explore(machine, observed, BUDGET)
        if memory == "views":
            assert_repeated_reads_add_nothing(program, reduced, name, monkeypatch)
        full = explore(machine, observed, SOME, reduced=False)
        if full.configurations >= SOME.configurations:
            assert set(full.states) <= set(reduced.states), name
            assert set(full.findings) <= set(reduced.findings), name
            continue
        assert (set(reduced.states), set(reduced.findings)) == (set(full.states), set(full.findings)), name
        assert reduced.limit == full.limit, name
        assert reduced.limit or full.limit or reduced.blocked.keys() == full.blocked.keys(), name
        assert reduced.configurations <= full.configurations, name


@pytest.mark.parametrize("path", SHIPPED[1::2], ids=identify)
def test_shipped_programs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are not compared with models; the machine is compared with itself here."""
    program = program_of(path)
    if program is not None:
        assert_nothing_is_lost(program, identify(path), monkeypatch)


@pytest.mark.skipif(not PEERS.is_dir(), reason=f"the peer tests are not here: no folder {PEERS.parts[-2:]}")
@pytest.mark.parametrize("suite", ["opencl", "c11"])
def test_peer_programs(suite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted((PEERS / suite).rglob("*.litmus"))
    assert paths
    for path in paths:
        program = program_of(path)
        if program is not None:
            assert_nothing_is_lost(program, identify(path), monkeypatch)


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_programs(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(start, min(start + CHUNK, COUNT)):
        assert_nothing_is_lost(random_program(number), f"MCM_RANDOM_SEED={SEED}, program {number}", monkeypatch)


def covers(outer: Footprint, inner: Footprint) -> bool:
    return not (inner.reads & ~outer.reads or inner.writes & ~outer.writes)


@pytest.mark.parametrize("path", SHIPPED[::3], ids=identify)
def test_what_threads_do_was_foreseen_at_every_moment_before(path: Path) -> None:
    program = program_of(path)
    if program is None:
        return
    machine = build(program, "views")
    lookahead, threads = Lookahead(machine), range(len(machine.threads))
    now = machine.start().after
    foreseen = [lookahead.of_rest(now, thread, frozenset()) for thread in threads]
    for actor, choice in run(machine, RandomScheduler(SEED), observed_by(program), 100).schedule:
        assert covers(foreseen[actor], lookahead.of_next(now, actor))
        now = machine.step(now, actor, choice).after
        left = [lookahead.of_rest(now, thread, frozenset()) for thread in threads]
        assert all(map(covers, foreseen, left))
        foreseen = left
