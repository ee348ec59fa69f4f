"""What is done with the numbers that threads take from a counter, and whether it is the same whoever takes them.

What is written where nobody looks, neither in the end nor in between, may be anything.
"""

from __future__ import annotations

from collections import Counter as Multiset
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.engine.explicit.settled.chains import holds, parts
from mcm.engine.explicit.settled.commuting import commuting
from mcm.execution.algebra import FALSE
from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant
from mcm.program.types import Location, Scalar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mcm.engine.explicit.settled.counted import Counter
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Value


class Step(Struct, frozen=True):
    """An access, by what was taken: its conditions, its address, what it writes, or what an update applies.

    `value` is None for what is read, and for a write of which it does not matter.
    """

    kind: EventKind
    conditions: frozenset[Expression]
    address: Expression
    value: Expression | None
    applied: tuple[str, Scalar] | None


class Effect(Struct, frozen=True):
    """An access of one location; `value` is what is written, or what an update applies with which operator.

    It is None where nothing is written, or where it does not matter.
    """

    kind: EventKind
    location: Location
    value: Constant | None
    applied: tuple[str, str, Scalar] | None


def effects_of(skeleton: Skeleton, counters: Sequence[Counter], watched: Collection[Observable]) -> list[Effect] | None:
    """All accesses of every execution but those of the counters, in no order; None where they may not be the same.

    What is written matters where a location is `watched`, and it is shown elsewhere that what is written is not read.
    """
    found = _steps(skeleton, counters, watched)
    if found is None:
        return None
    effects: list[Effect | None] = []
    for counter, (steps, always) in zip(counters, found, strict=True):
        effects += _performed(always, counter.reads[0])
        most = len(counter.leads_on)
        for place, reads in enumerate(counter.reads):
            # Who takes a number that leads on has taken less of these than there are.
            last = most if place in counter.leads_on else most + 1
            takers = {tuple(steps.get(u.identifier, ())) for chain in counter.updates.values() for u in chain[:last]}
            first, *others = (list(_performed(each, reads)) for each in takers)
            if any(Multiset(other) != Multiset(first) for other in others):
                return None
            effects += first
    return None if None in effects else [effect for effect in effects if effect is not None]


def are_apart(effects: Iterable[Effect], skeleton: Skeleton, counters: Iterable[Counter]) -> bool:
    """Whether the accesses of each location are one write, updates that commute, or reads of what nobody writes."""
    by_location: dict[Location, list[Effect]] = {}
    for effect in effects:
        by_location.setdefault(effect.location, []).append(effect)
    atomic = skeleton.sets["AO"].locations
    counting = {counter.location for counter in counters}
    for location, its in by_location.items():
        kinds = {effect.kind for effect in its}
        classes = {None if e.applied is None else (e.applied[0], e.applied[2]) for e in its}
        commute = kinds == {EventKind.UPDATE} and len(classes) == 1 and location in atomic
        if location in counting or not (len(its) == 1 or commute or kinds == {EventKind.READ}):
            return False
    return True


# By the update that decides about each, and those that are executed in any case.
_Steps = tuple[dict[int, list[Step]], list[Step]]


def _steps(
    skeleton: Skeleton, counters: Sequence[Counter], watched: Collection[Observable]
) -> tuple[_Steps, ...] | None:
    """The accesses that the updates of each counter decide about.

    None where one depends on something else. No thread stops.
    """
    found: tuple[_Steps, ...] = tuple(({}, []) for _ in counters)
    counting = {update for counter in counters for update in counter.conditions}
    for event in skeleton.events:
        if event.thread is None or event.identifier in counting or event.kind.is_fence:
            continue
        guard = parts(event.guard)
        if FALSE in guard:
            continue
        if not event.kind.is_access or event.address is None:
            return None
        matters = event.kind is not EventKind.WRITE or any(location in watched for location in event.locations)
        for counter, (steps, always) in zip(counters, found, strict=True):
            step = _step(event, guard, event.value if matters else None, counter)
            if step is not None:
                owner, its = step
                (always if owner is None else steps.setdefault(owner, [])).append(its)
                break
        else:
            return None
    return found


def _step(
    event: Event, guard: frozenset[Expression], value: Expression | None, counter: Counter
) -> tuple[int | None, Step] | None:
    """The update that decides about an access, if any, and the access; None if something else does, too."""
    assert event.address is not None, "an access has an address"
    applied = None
    if event.kind is EventKind.UPDATE:
        applied = commuting(event)
        if applied is None or not isinstance(value, BinaryValue):
            return None
    decided = counter.decided(guard, event.address, value, own=event.identifier)
    if decided is None:
        return None
    owner, conditions = decided
    shape = counter.shape
    return owner, Step(
        kind=event.kind,
        conditions=frozenset(map(shape, conditions)),
        address=shape(event.address),
        value=None if value is None else shape(value),
        applied=applied,
    )


def _performed(steps: Iterable[Step], reads: Mapping[int, Value]) -> Iterator[Effect | None]:
    """What is done where reads return this; None for what is not known."""
    for step in steps:
        if not holds(step.conditions, reads):
            continue
        location = evaluate(step.address, reads, ())
        what, applied = step.value, None
        if step.applied is not None and isinstance(what, BinaryValue):
            applied = (step.applied[0], what.operator, step.applied[1])
            what = what.right
        written = None if what is None else evaluate(what, reads, ())
        if not isinstance(location, Location) or (what is not None and written is None):
            yield None
        else:
            yield Effect(step.kind, location, None if written is None else Constant(written), applied)
