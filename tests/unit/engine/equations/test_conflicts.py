"""Conflicts against all values: what has all decisions of a conflict has no values, whatever else is decided of it."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

import mcm
from mcm.answer.conflict import ChoiceTaken, Executed, Place, ReadFrom, Supposition
from mcm.answer.query import Limits
from mcm.base.source import Source
from mcm.engine.equations.conflicts import ConflictFinder
from mcm.engine.equations.decided import DecidedExecution
from mcm.engine.equations.evident import evident_conflicts
from mcm.engine.equations.system import Equations
from mcm.engine.explicit.budget import NodeBudget
from mcm.engine.smt import circular
from mcm.execution.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mcm.answer.conflict import Conflict, Decision
    from mcm.engine.equations.solving import Left
    from mcm.execution.skeleton import Skeleton

LEFT: Final = NodeBudget(Limits())


def program(random: Random) -> str:
    """Two threads that copy, change and test what they read of two objects."""
    threads = []
    for number in range(2):
        lines = []
        for step in range(random.choice((1, 2))):
            source, target = random.choice(("x", "y")), random.choice(("x", "y"))
            value = random.choice(("r", "r + 1", "r & 1", "r * 2", "!r", "r == 1", "3")).replace("r", f"r{step}")
            write = f"*{target} = {value};"
            test = random.choice(("", "", f"if (r{step}) ", f"if (r{step} != 3) "))
            lines.append(f"  int r{step} = *{source};\n  {test}{{ {write} }}")
        threads.append(f"P{number} (char* x, char* y) {{\n" + "\n".join(lines) + "\n}\n")
    return "C random\n{ x = 0; y = 1; }\n" + "".join(threads) + "exists (x = 1)\n"


def skeleton_of(text: str) -> Skeleton:
    (skeleton,) = elaborate(mcm.parse(Source("test", text)).program, 2)
    return skeleton


def executions(skeleton: Skeleton) -> Iterator[DecidedExecution]:
    """All choices of what is executed and read."""
    events = skeleton.events
    open_ = [event.identifier for event in events if event.thread is not None]
    for executed in product((False, True), repeat=len(open_)):
        mask = sum(1 << event.identifier for event in events if event.thread is None)
        mask |= sum(1 << event for event, is_executed in zip(open_, executed, strict=True) if is_executed)
        reads = [event for event in events if event.kind.reads and mask >> event.identifier & 1]
        writes = [
            [w.identifier for w in events if w.kind.writes and mask >> w.identifier & 1 and w.locations == r.locations]
            for r in reads
        ]
        for sources in product(*writes):
            yield DecidedExecution(
                skeleton=skeleton,
                executed=mask,
                skipped=((1 << len(events)) - 1) & ~mask,
                sources={read.identifier: write for read, write in zip(reads, sources, strict=True)},
                locations={e.identifier: e.locations[0] for e in events if mask >> e.identifier & 1 and e.locations},
                known={},
                choices=(),
                supposed={},
            )


def has(decided: DecidedExecution, decision: Decision) -> bool:
    match decision:
        case ReadFrom(write, read):
            return decided.sources.get(read) == write
        case Executed(event, is_executed):
            return bool((decided.executed if is_executed else decided.skipped) >> event & 1)
        case Place(event, location):
            return decided.locations.get(event) == location
        case ChoiceTaken(number, is_taken):
            return decided.choices[number] is is_taken
        case Supposition(condition, holds):
            return decided.supposed.get(condition) == holds


@pytest.mark.slow
@pytest.mark.parametrize("number", range(6))
def test_nothing_with_a_conflict_has_values(number: int) -> None:
    skeleton = skeleton_of(program(Random(f"conflicts {number}")))  # noqa: S311 - nothing secret
    finder = ConflictFinder(skeleton, LEFT)
    chosen = list(executions(skeleton))
    Random(number).shuffle(chosen)  # noqa: S311 - nothing secret
    found = {conflict for decided in chosen[:30] if (conflict := finder.of(decided)) is not None}
    assert found
    for decided in chosen[:150]:
        if any(all(has(decided, decision) for decision in conflict) for conflict in found):
            assert not Equations(decided, LEFT).is_possible()


def indexed_program(random: Random) -> str:
    """Two threads that read an object, and copy elements of an array that it, or what they read there, says."""
    threads = []
    for number in range(2):
        index = random.choice(("r & 1", "r % 2", "(r + 1) & 1", "1 - (r & 1)")).replace("r", "r0")
        value = random.choice(("r0", "r1", "r0 + r1", "r1 == 0", "r0 > 0 ? r1 : 1"))
        test = random.choice(("", "if (r0 != 1) ", "if (r0 == 1 && r1 != 2) ", "if (r0 || r1) "))
        threads.append(
            f"P{number}@wg {number} (global atomic_uint* x, global uint* a) {{\n"
            f"  uint r0 = atomic_load(x);\n  uint r1 = a[{index}];\n"
            f"  {test}{{ a[{index}] = {value}; atomic_store(x, {random.choice(('r0 + 1', 'r1', 'r1 & 1'))}); }}\n}}\n"
        )
    return "OPENCL random\n{ [x] = 0; a[2] = {0, 1}; }\n" + "".join(threads) + "exists (x = 1)\n"


def with_places(decided: DecidedExecution, random: Random) -> DecidedExecution:
    """The same, where each access is of any of the locations that it may reach."""
    events = decided.skeleton.events
    places = {event: random.choice(events[event].locations) for event in decided.locations}
    return replace(decided, locations=places)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("make", [program, indexed_program])
def test_nothing_with_an_evident_conflict_has_values(make: Callable[[Random], str], number: int) -> None:
    random = Random(f"evident {number}")  # noqa: S311 - nothing secret
    skeleton = skeleton_of(make(random))
    chosen = [with_places(decided, random) for decided in executions(skeleton)]
    random.shuffle(chosen)
    found = {conflict for decided in chosen[:40] for conflict in evident_conflicts(decided)}
    assert found
    for decided in chosen[:150]:
        if any(all(has(decided, decision) for decision in conflict) for conflict in found):
            assert not Equations(decided, LEFT).is_possible()


COUNT: Final = """C count
{ [x] = 0; }
P0 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
P1 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
P2 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
exists (x = 4)
"""


def test_a_conflict_is_as_small_as_it_can_be() -> None:
    """Two updates that read from each other have no values, whatever the third does."""
    skeleton = skeleton_of(COUNT)
    first, second, third = (event.identifier for event in skeleton.events if event.thread is not None)
    circle = {first: second, second: first, third: 0}
    (decided,) = (one for one in executions(skeleton) if one.sources == circle)
    conflict = ConflictFinder(skeleton, LEFT).of(decided)
    assert conflict is not None
    assert set(conflict) == {ReadFrom(first, second), ReadFrom(second, first)}


def test_what_has_values_has_no_conflict() -> None:
    skeleton = skeleton_of(COUNT)
    first, second, third = (event.identifier for event in skeleton.events if event.thread is not None)
    (decided,) = (one for one in executions(skeleton) if one.sources == {first: 0, second: first, third: second})
    assert ConflictFinder(skeleton, LEFT).of(decided) is None


def test_few_equations_are_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a model that lets updates read from each other, hundreds of executions have no values for a few reasons."""
    asked: list[DecidedExecution] = []
    real = circular.solvable

    def solvable(decided: DecidedExecution, left: Left) -> Equations | None:
        asked.append(decided)
        return real(decided, left)

    monkeypatch.setattr(circular, "solvable", solvable)
    model = tmp_path / "nothing.cat"
    model.write_text('"nothing"\nempty 0 as nothing\n')
    result = mcm.check(COUNT, str(model), engine="smt")
    assert result.reachable is False
    assert len(asked) == 1


TESTED: Final = """C tested
{ [x] = 0; [y] = 0; [z] = 0; }
P0 (atomic_int* x, atomic_int* y, atomic_int* z) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  int r1 = atomic_load_explicit(z, memory_order_relaxed);
  if (r1 == 1) { atomic_store_explicit(y, r0, memory_order_relaxed); }
}
P1 (atomic_int* x, atomic_int* y, atomic_int* z) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  atomic_store_explicit(x, r0, memory_order_relaxed);
  atomic_store_explicit(z, r0, memory_order_relaxed);
}
exists (0:r0 = 7)
"""


def test_what_is_evident_is_excluded_before_equations_are_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the store is executed contradicts that 0 is read from the beginning."""
    told: list[int] = []
    asked: list[DecidedExecution] = []
    solvable = circular.solvable

    def note_conflicts(decided: DecidedExecution) -> list[Conflict]:
        found = evident_conflicts(decided)
        told.append(len(found))
        return found

    def note_equations(decided: DecidedExecution, left: Left) -> Equations | None:
        asked.append(decided)
        return solvable(decided, left)

    monkeypatch.setattr(circular, "evident_conflicts", note_conflicts)
    monkeypatch.setattr(circular, "solvable", note_equations)
    model = tmp_path / "nothing.cat"
    model.write_text('"nothing"\nempty 0 as nothing\n')
    assert mcm.check(TESTED, str(model), engine="smt").reachable is False
    assert any(told)
    assert len(asked) == told.count(0)
