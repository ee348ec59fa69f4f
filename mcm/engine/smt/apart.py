"""Accesses that never meet, because a counter has handed out their elements.

Each of the updates that add one number to a location returns another value: it reads the write just before it in
modification order. So where addresses are one function of what two of them return, and that function has
different values, the accesses reach different locations. Otherwise a solver shows that pair by pair, and location by
location, for every order of the updates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.engine.smt.additions import added_by
from mcm.engine.smt.taken import most_taken
from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.value_arithmetic import apply_binary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Type, Value

# Fewer accesses are told apart soon enough.
_FEWEST: Final = 3


Taken = Sequence[tuple[frozenset[int], tuple["Value", ...]]]


def taken(skeleton: Skeleton) -> Taken:
    """Updates of counters that count from one write, and the values that they may return: as many as there are at most.

    This is so where updates read the write before them.
    """
    return tuple(_counters(skeleton))


def apart(skeleton: Skeleton, counters: Taken) -> dict[int, int]:
    """For accesses those that never reach the same location, as a mask, by what updates may return."""
    found: dict[int, int] = {}
    for updates, values in counters:
        for accesses in _handed_out(skeleton, updates, values):
            if len(accesses) >= _FEWEST:
                every = sum(accesses.values())
                for events in accesses.values():
                    for event in members(events):
                        found[event] = found.get(event, 0) | every & ~events
    return found


def _counters(skeleton: Skeleton) -> Iterator[tuple[frozenset[int], tuple[Value, ...]]]:
    """See `taken`."""
    writes: dict[Location, list[Event]] = {}
    open_: set[Location] = set()
    for event in skeleton.events:
        if event.kind.writes:
            if not isinstance(event.address, Constant):
                open_.update(event.locations)
            for location in event.locations:
                writes.setdefault(location, []).append(event)
    atomic = skeleton.sets["AO"].locations
    for location, found in writes.items():
        updates = [event for event in found if event.kind is EventKind.UPDATE]
        added = [added_by(event) for event in updates]
        steps = {None if each is None else (each.number, each.type) for each in added}
        step = steps.pop() if len(steps) == 1 else None
        if step is None or location in open_ or location not in atomic:
            continue
        for base, counting in _by_base(skeleton, [e for e in found if e.kind is not EventKind.UPDATE], updates):
            # Those of which the base is not known may come between.
            values = _values(base, *step, len(updates))
            if values is not None:
                yield (
                    counting,
                    values if len(counting) < len(updates) else values[: most_taken(updates, values, skeleton.choices)],
                )


def _by_base(
    skeleton: Skeleton, others: Sequence[Event], updates: Iterable[Event]
) -> Iterator[tuple[Event, frozenset[int]]]:
    """The updates of a location that count from the same one of its other writes."""
    for base in others:
        counting = frozenset(
            event.identifier
            for event in updates
            if len(others) == 1 or skeleton.bases.get(event.identifier) == base.identifier
        )
        yield base, counting


def _values(base: Event, number: int, type_: Type, count: int) -> tuple[Value, ...] | None:
    """What so many updates return, one after the other; None if what they count from is not known."""
    if not isinstance(base.value, Constant):
        return None
    values = [base.value.value]
    for _ in range(count - 1):
        values.append(apply_binary("+", values[-1], number, type_))
    return tuple(values)


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
