"""Thread symmetry: exchanging two threads with the same code turns consistent executions into consistent executions.

Where nothing that is asked distinguishes such threads, it is enough to search the executions in which a write of each
is ordered as the threads are (lexicographic symmetry breaking): of the writes that are executed, those of earlier
threads come first in modification order, and a thread whose write is executed stands before one whose is not.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import subexpressions
from mcm.execution.expression import Choice, Constant
from mcm.execution.renaming import Renaming
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton, Stop
    from mcm.program.condition import Observable


class Symmetry:
    """The exchanges of threads that leave the final values of everything `observed` as they are.

    `ordered` are pairs of writes: it is enough to search the executions in which the second of each is not executed, or
    comes after the first in modification order.
    """

    def __init__(self, skeleton: Skeleton, observed: Iterable[Observable] = ()) -> None:
        self._skeleton: Final = skeleton
        self._exchanges: Final[list[Renaming]] = []
        self.ordered: Final[list[tuple[int, int]]] = []
        expressions = _final_expressions(skeleton, observed)
        for group in _similar_threads(skeleton):
            place = _place_of_write(group[0])
            for one, other in pairwise(group) if place is not None else ():
                exchange = _exchange(skeleton, one, other)
                if not _is_automorphism(exchange, skeleton, expressions):
                    break
                assert place is not None, "there is nothing to order else"
                self._exchanges.append(exchange)
                self.ordered.append((one[place].identifier, other[place].identifier))

    @property
    def keeps_places(self) -> bool:
        """Whether every stop has the place of its image, so that the same places are those of units that stop."""
        stops = self._skeleton.stops
        return all(
            Counter((stop.condition, stop.span) for stop in stops)
            == Counter((exchange.expression(stop.condition), stop.span) for stop in stops)
            for exchange in self._exchanges
        )

    def keeps_conditions(self, conditions: Collection[Expression]) -> bool:
        """Whether that one of the conditions holds is the same for an execution and its images."""
        all_of_them = {*conditions}
        return all(
            exchange.expression(condition) in all_of_them for exchange in self._exchanges for condition in all_of_them
        )

    def keeps_events(self, sorted_events: Collection[tuple[int, ...]]) -> bool:
        """Whether the images of some sets of events, each in order, are among them."""
        return all(
            tuple(sorted(exchange.events[event] for event in events)) in sorted_events
            for exchange in self._exchanges
            for events in sorted_events
        )

    def images_of_events(self, events: frozenset[int]) -> frozenset[int]:
        """Events, and all that exchanges make of them."""
        images, new = set(events), list(events)
        while new:
            event = new.pop()
            for exchange in self._exchanges:
                image = exchange.events[event]
                if image not in images:
                    images.add(image)
                    new.append(image)
        return frozenset(images)


def _final_expressions(skeleton: Skeleton, observed: Iterable[Observable]) -> list[Expression]:
    return [
        skeleton.registers[what] if isinstance(what, RegisterName) else skeleton.finals[what]
        for what in observed
        if isinstance(what, RegisterName) or what in skeleton.finals
    ]


def _similar_threads(skeleton: Skeleton) -> list[list[list[Event]]]:
    """Threads with the same sequence of operations, as their events, in groups of at least two."""
    threads: dict[int, list[Event]] = {}
    for event in skeleton.events:
        if event.thread is not None:
            threads.setdefault(event.thread, []).append(event)
    groups: dict[tuple[object, ...], list[list[Event]]] = {}
    for events in threads.values():
        shape = tuple((e.kind, e.locations, e.order, e.scope, e.flags, e.atomic) for e in events)
        groups.setdefault(shape, []).append(events)
    return [group for group in groups.values() if len(group) > 1]


def _place_of_write(events: list[Event]) -> int | None:
    """The position, in its thread, of the write that threads are ordered by; its location is static.

    It is the first that is surely executed. Where none is, it is an atomic one on whose guard most events depend: of a
    lock that is taken with a compare-exchange the write that frees it, whichever attempt was the one that took it.
    """
    places = [place for place, event in enumerate(events) if event.kind.writes and isinstance(event.address, Constant)]
    sure = [place for place in places if events[place].guard is Constant(1)]
    if sure or not places:
        return sure[0] if sure else None
    guards = Counter(event.guard for event in events)
    return max(places, key=lambda place: (events[place].atomic, guards[events[place].guard], -place))


def _exchange(skeleton: Skeleton, one: list[Event], other: list[Event]) -> Renaming:
    """The permutation that exchanges the events and choices of two threads, position by position."""
    events, choices = list(range(len(skeleton.events))), list(range(skeleton.choices))
    for a, b in zip(one, other, strict=True):
        events[a.identifier], events[b.identifier] = b.identifier, a.identifier
    # A choice belongs to the thread whose expressions mention it; the n-th stands for the n-th of the other thread.
    for i, j in zip(_choices(one), _choices(other), strict=False):
        choices[i], choices[j] = j, i
    return Renaming(events, choices)


def _is_automorphism(renaming: Renaming, skeleton: Skeleton, observed: list[Expression]) -> bool:
    """Whether events, sets, relations, constraints, stops and everything observed are their own images."""
    constraints = {*skeleton.constraints}
    return (
        all(renaming.expression(expression) is expression for expression in observed)
        and {renaming.expression(condition) for condition in constraints} == constraints
        and Counter(map(_waiting, skeleton.stops)) == Counter(_image(renaming, stop) for stop in skeleton.stops)
        and all(
            _is_image(renaming, event, skeleton.events[renaming.events[event.identifier]]) for event in skeleton.events
        )
        and all(renaming.mask(members.events) == members.events for members in skeleton.sets.values())
        and all(
            all(renaming.mask(row) == rows[renaming.events[event]] for event, row in enumerate(rows))
            for rows in skeleton.relations.values()
        )
    )


def _waiting(stop: Stop) -> tuple[object, ...]:
    """What decides whether a thread stops, and whether it does for ever."""
    return stop.kind, stop.condition, stop.persists, frozenset(stop.reads)


def _image(renaming: Renaming, stop: Stop) -> tuple[object, ...]:
    reads = frozenset(renaming.events[read] for read in stop.reads)
    return stop.kind, renaming.expression(stop.condition), renaming.expression(stop.persists), reads


def _is_image(renaming: Renaming, event: Event, image: Event) -> bool:
    """Whether the expressions of `image` are those of `event`, renamed."""
    return (
        renaming.expression(event.guard) is image.guard
        and renaming.optional(event.address) is image.address
        and renaming.optional(event.value) is image.value
    )


def _choices(events: list[Event]) -> Iterable[int]:
    """The choices that the expressions of a thread mention, in order."""
    found: dict[int, None] = {}
    for event in events:
        for expression in (event.guard, event.address, event.value):
            if expression is not None:
                found.update((part.index, None) for part in subexpressions(expression) if isinstance(part, Choice))
    return found
