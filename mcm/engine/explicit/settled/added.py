"""Counters: locations that updates add to. What each update may return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.engine.explicit.settled.commuting import commuting
from mcm.engine.explicit.settled.sums import Sums
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mcm.engine.explicit.settled.ordering import Layer
    from mcm.engine.explicit.settled.sums import Interval
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.execution.substitution import Substitution
    from mcm.program.types import Location


class Counter(Struct, frozen=True):
    """Updates that add to a location, between which nothing else writes it: what they find first, what each adds.

    By the model, an update reads the write just before it. So the ranges from what an update reads up to what it writes
    are apart.
    """

    first: int
    added: Mapping[int, int]

    def returned(self) -> Iterator[tuple[int, Interval]]:
        """For each update the least and the greatest value that it may return."""
        total = sum(self.added.values())
        for update, size in self.added.items():
            yield update, (self.first, self.first + total - size)


def sums_of(counters: Iterable[Counter]) -> Sums:
    """Sums of what the updates of some counters return."""
    return Sums(dict(item for counter in counters for item in counter.returned()))


def added_to(
    skeleton: Skeleton, events: Iterable[Event], places: Mapping[int, Collection[Location]]
) -> dict[Location, Counter]:
    """The counters that nothing but updates may write, executed or not.

    `events` are those of the skeleton that may be executed, `places` where each of them may be.
    """
    firsts: dict[Location, int] = {}
    updates: dict[Location, list[Event]] = {}
    others: set[Location] = set()
    atomic, indeterminate = skeleton.sets["AO"].locations, skeleton.sets["INDETERMINATE"].events
    for event in events:
        for location in places[event.identifier] if event.kind.writes else ():
            if event.kind is EventKind.INITIAL:
                first = _number(event.value)
                if location in atomic and first is not None and not indeterminate >> event.identifier & 1:
                    firsts[location] = first
            elif isinstance(event.address, Constant):
                updates.setdefault(location, []).append(event)
            else:
                others.add(location)
    found = {
        location: _counter(firsts[location], its)
        for location, its in updates.items()
        if location in firsts and location not in others
    }
    return {location: counter for location, counter in found.items() if counter is not None}


def added_in_layers(layers: Iterable[tuple[Layer, ...]], known: Substitution) -> Iterator[Counter]:
    """The counters in the layers of locations, each a layer of updates; `known` is what is known of reads."""
    for its in layers:
        value: int | None = None
        for layer in its:
            first, *others = layer.writes
            if not others and not first.kind.reads:
                value = None if first.value is None else _number(known.apply(first.value))
                continue
            counter = None if value is None else _counter(value, layer.writes, known)
            value = None if counter is None else counter.first + sum(counter.added.values())
            if counter is not None:
                yield counter


def _counter(first: int, updates: Iterable[Event], known: Substitution | None = None) -> Counter | None:
    """The counter of some updates; None where one is something else, or where the type is too small for the sum."""
    added: dict[int, int] = {}
    highest: list[int] = []
    for event in updates:
        how = commuting(event)
        if how is None or not (isinstance(event.value, BinaryValue) and event.value.operator == "+"):
            return None
        size = _number(event.value.right if known is None else known.apply(event.value.right))
        if size is None or size < 0:
            return None
        added[event.identifier] = size
        highest.append(how[1].high)
    return Counter(first, added) if first + sum(added.values()) <= min(highest) else None


def _number(expression: Expression | None) -> int | None:
    """A constant whole number; None for anything else."""
    return expression.value if isinstance(expression, Constant) and isinstance(expression.value, int) else None
