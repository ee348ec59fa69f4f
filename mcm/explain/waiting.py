"""Units that wait: where, for what, and whether somebody promises that they go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from mcm.answer.execution import Execution
from mcm.answer.progress import Progress
from mcm.answer.result import BlockedExecution, Exclusion, WaitingUnit
from mcm.picture.marks import Marks, Wait
from mcm.program.operators import Level
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.answer import Blocked, Waiting
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Skeleton
    from mcm.program.program import Program
    from mcm.program.types import Location, Value

# What a unit waits for at a barrier or group function of each kind.
ARRIVALS: Final = {
    Level.WORK_GROUP: "the others of its group to arrive",
    Level.SUB_GROUP: "the others of its sub-group to arrive",
}
NOTHING_READ: Final = "nothing: the loop reads no memory"

# So many elements in a row are told as one.
_MANY: Final = 3


def explain_blocked(found: Iterable[Blocked], program: Program, model: Model) -> tuple[BlockedExecution, ...]:
    """The executions in which units wait forever."""
    return tuple(
        _explain_blocked(tuple(_waiting(unit, program, blocked.witness) for unit in blocked.units), blocked, model)
        for blocked in found
    )


def _explain_blocked(units: tuple[WaitingUnit, ...], blocked: Blocked, model: Model) -> BlockedExecution:
    waits = zip(blocked.units, units, strict=True)
    marks = Marks(waits=tuple(Wait(unit.thread, shown.waits_for, shown.span.line) for unit, shown in waits))
    return BlockedExecution(units, Execution(blocked.witness, model, marks))


def explain_waits(waits: Iterable[Waiting], program: Program) -> tuple[WaitingUnit, ...]:
    """Units that wait, each place once."""
    return tuple(dict.fromkeys(_waiting(unit, program, None) for unit in waits))


def explain_exclusion(checks: tuple[str, ...], model: Model) -> Exclusion:
    """The checks of a model that exclude every complete execution, with their rules."""
    rules = {check.name: check.rule for check in model.checks}
    stated = (rules.get(name) for name in checks)
    return Exclusion(checks, tuple(dict.fromkeys(rule.identifier for rule in stated if rule)))


def _waiting(unit: Waiting, program: Program, witness: Candidate | None) -> WaitingUnit:
    return WaitingUnit(program.thread(unit.thread).name, unit.span, _waits_for(unit, program, witness))


def _waits_for(unit: Waiting, program: Program, witness: Candidate | None) -> str:
    if unit.barrier is not None:
        return ARRIVALS[unit.barrier.level]
    if unit.awaits:
        names = ", ".join(dict.fromkeys(program.commands[number].name for number in unit.awaits))
        return f"{names} to be complete"
    if not unit.locations:
        return NOTHING_READ
    if witness is None:
        return changes_of([(location, None) for location in unit.locations], program)
    orders, written = witness.modification_orders, witness.written_values
    return changes_of([(location, written[orders[location][-1]]) for location in unit.locations], program)


def is_for_its_group(unit: WaitingUnit) -> bool:
    """Whether a unit waits for the others of its work-group or sub-group."""
    return unit.waits_for in ARRIVALS.values()


def completion_of(events: Iterable[str]) -> str:
    """What a call or command waits for: `e to be complete`."""
    return f"{', '.join(dict.fromkeys(events))} to be complete"


def changes_of(locations: Iterable[tuple[Location, Value | None]], program: Program) -> str:
    """What a loop waits for that reads these locations, in their order, each with the value that has to change.

    `f to change from 0`; without values `f, flags[0..2] or g[1] to change`.
    """
    listed = list(locations)
    if any(value is not None for _, value in listed):
        return " or ".join(_change(location, value, program) for location, value in listed)
    *others, last = _shown([location for location, _ in listed], program)
    return f"{', '.join(others)} or {last} to change" if others else f"{last} to change"


def _change(location: Location, value: Value | None, program: Program) -> str:
    """`f to change from 0`, or without a value `f to change`."""
    changed = f"{program.show_location(location)} to change"
    return changed if value is None else f"{changed} from {program.show_value(value)}"


def _shown(locations: Sequence[Location], program: Program) -> Iterator[str]:
    """Locations as states show them: `f`, `a[1]`; three and more elements of an array in a row as `a[0..2]`."""
    runs: list[list[Location]] = []
    for place in locations:
        if runs and (place.object, place.offset) == (runs[-1][0].object, runs[-1][-1].offset + 1):
            runs[-1].append(place)
        else:
            runs.append([place])
    for run in runs:
        shown = [program.show_location(place) for place in run]
        of = program.objects[run[0].object]
        if len(run) < _MANY or of.shape or of.capacity or of.units > 1:
            yield from shown
        else:
            yield f"{shown[0].removesuffix(']')}..{run[-1].offset}]"


def depends(
    unit: Waiting, skeletons: Sequence[Skeleton], program: Program, progress: Literal[Progress.HSA, Progress.UNFAIR]
) -> bool:
    """Whether the end of a wait depends on a unit that need not go on."""
    writers = _writers(unit, skeletons)
    if progress is Progress.UNFAIR:
        return bool(writers)
    return any(_is_later(writer, unit.thread, program) for writer in writers)


def _writers(unit: Waiting, skeletons: Sequence[Skeleton]) -> set[int]:
    """The other threads that may write what a unit waits for."""
    return {
        event.thread
        for skeleton in skeletons
        for event in skeleton.events
        if event.kind.writes
        and event.thread not in {None, unit.thread}
        and not set(event.locations).isdisjoint(unit.locations)
        and event.thread is not None
    }


def _is_later(one: int, other: int, program: Program) -> bool:
    """Whether the work-group of a thread comes after that of another; threads without groups come as they stand."""
    match program.thread(one).placement, program.thread(other).placement:
        case WorkItem(work_group=first), WorkItem(work_group=second):
            return first > second
        case _:
            return one > other
