"""Accesses that never meet, because a counter has handed out their elements.

Each of the updates that add one number to a location returns another value: it reads the write just before it in
modification order. So where addresses are one function of what two of them return, and that function has
different values, the accesses reach different locations. Otherwise a solver shows that pair by pair, and location by
location, for every order of the updates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.engine.smt.counters import added_by
from mcm.execution.evaluate import apply_binary, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import BinaryValue, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value

# Fewer accesses are told apart soon enough.
_FEWEST: Final = 3


def apart(skeleton: Skeleton) -> dict[int, int]:
    """For accesses those that never reach the same location, as a mask, where updates read the write before them."""
    found: dict[int, int] = {}
    for updates, values in _counters(skeleton):
        for accesses in _handed_out(skeleton, updates, values):
            if len(accesses) >= _FEWEST:
                every = sum(accesses.values())
                for events in accesses.values():
                    for event in members(events):
                        found[event] = found.get(event, 0) | every & ~events
    return found


def _counters(skeleton: Skeleton) -> Iterator[tuple[frozenset[int], tuple[Value, ...]]]:
    """The updates of each counter that nothing else writes, and the values that they return."""
    writes: dict[Location, list[Event]] = {}
    open_: set[Location] = set()
    for event in skeleton.events:
        if event.kind.writes:
            if not isinstance(event.address, Constant):
                open_.update(event.locations)
            for location in event.locations:
                writes.setdefault(location, []).append(event)
    atomic = skeleton.sets["AO"].locations
    for location, (first, *updates) in writes.items():
        steps = {added_by(event) for event in updates}
        step = steps.pop() if len(steps) == 1 else None
        if step is None or location in open_ or location not in atomic or first.kind is not EventKind.INITIAL:
            continue
        values = _values(first, step, len(updates))
        if values is not None:
            yield frozenset(event.identifier for event in updates), values


def _values(first: Event, step: BinaryValue, count: int) -> tuple[Value, ...] | None:
    """What so many updates return, one after the other; None if a value comes round, or the first is not known."""
    if not isinstance(first.value, Constant):
        return None
    assert isinstance(step.right, Constant), "the same number is added each time"
    values = [first.value.value]
    for _ in range(count - 1):
        values.append(apply_binary(step.operator, values[-1], step.right.value, step.type))
    return tuple(values) if len({*values}) == count else None


def _handed_out(skeleton: Skeleton, updates: frozenset[int], values: Sequence[Value]) -> Iterator[dict[int, int]]:
    """For each function by which addresses depend on an update the accesses, as a mask for each update."""
    shapes: dict[Expression, dict[int, int]] = {}
    placeholder = ReadValue(-1)
    for event in skeleton.events:
        if not event.kind.is_access or event.address is None or isinstance(event.address, Constant):
            continue
        reads = reads_of(event.address)
        if len(reads) == 1 and reads <= updates:
            (update,) = reads
            accesses = shapes.setdefault(Substitution({ReadValue(update): placeholder}).apply(event.address), {})
            accesses[update] = accesses.get(update, 0) | 1 << event.identifier
    for shape, accesses in shapes.items():
        places = {Substitution({placeholder: Constant(value)}).apply(shape) for value in values}
        if len(places) == len(values) and all(isinstance(place, Constant) for place in places):
            yield accesses
