"""Thread symmetry: exchanging two threads with the same code turns consistent executions into consistent executions.

Where nothing that is asked distinguishes such threads, it is enough to search the executions in which a write of each
is ordered as the threads are (lexicographic symmetry breaking): of the writes that are executed, those of earlier
threads come first in modification order, and a thread whose write is executed stands before one whose is not.
Threads that differ in their numbers only, and in the elements of arrays that they access by them, can be exchanged
with these elements, and with the numbers that they leave in memory. Where they read those of neighbours, as in a ring,
all threads can still be turned: then it is enough that the write of the first comes before all others.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.engine.smt.automorphism import Automorphism, Threads, automorphism, powers, shape_of, threads_of
from mcm.engine.smt.value_forms import Forms
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.images import MOST_PLACES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from mcm.engine.smt.automorphism import Compared
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.program.condition import Observable

# A ring of fewer threads is not worth the search for what turns it.
_SHORTEST_RING: Final = 3


class Symmetry:
    """The automorphisms that leave the final values of everything `fixed` as they are.

    `ordered` are pairs of writes: it is enough to search the executions in which the second of each is not executed, or
    comes after the first in modification order. Every execution has an image that is such a one, by exchanges of
    threads, which also leave everything `turned` as it is, and one of `turns`, which need not; `generators` are all of
    these. With `moves`, where there are no turns, exchanges that are `moving` move what is `turned`: then states have
    images, and all of these are looked for at once. Where a thread tries again, `attempts` has for a write those that
    stand for it: of each pair, the first of these that is executed counts.
    """

    def __init__(
        self,
        compared: Compared,
        fixed: Collection[Observable],
        turned: Collection[Observable] = (),
        forms: Callable[[], Forms] | None = None,
        *,
        moves: bool = False,
    ) -> None:
        skeleton = compared.skeleton
        self._skeleton: Final = skeleton
        self._compared: Final = compared
        self._forms: Final = forms or cache(partial(Forms, skeleton.events))
        self._threads: Final = threads_of(skeleton)
        self._exchanges: Final[list[Automorphism]] = []
        self.ordered: Final[list[tuple[int, int]]] = []
        self.attempts: Final[dict[int, tuple[int, ...]]] = {}
        self.turns: Final[list[Automorphism]] = []
        self.moving: Final[list[Automorphism]] = []
        if len(self._threads) * len(skeleton.events) <= MOST_PLACES:
            self._find(fixed, turned, moves=moves)
        self.generators: Final = [*self._exchanges, *self.turns, *self.moving]

    def _find(self, fixed: Collection[Observable], turned: Collection[Observable], *, moves: bool) -> None:
        """Find exchanges first, and turns of what is left."""

        def keeps(exchange: Automorphism) -> bool:
            return exchange.fixes((*fixed, *turned))

        left = self._exchange(self._threads, keeps, self._exchanges, with_locations=True)
        left = self._exchange(left, keeps, self._exchanges, with_locations=False)
        self._turn(left, fixed, turned)
        if moves and turned and not self.turns:
            self._move(left, fixed, turned)

    def _move(self, threads: Threads, fixed: Collection[Observable], moved: Collection[Observable]) -> None:
        """Order the threads whose exchange leaves everything `fixed` as it is, and has images of what is `moved`."""
        known = frozenset(moved)

        def allows(exchange: Automorphism) -> bool:
            return exchange.fixes(fixed) and all(exchange.image_of(what) in known for what in moved)

        self._exchange(threads, allows, self.moving, with_locations=False)

    def _exchange(
        self,
        threads: Threads,
        allows: Callable[[Automorphism], bool],
        found: list[Automorphism],
        *,
        with_locations: bool,
    ) -> Threads:
        """Order the threads of which neighbours can be exchanged, as is allowed; the other threads are returned."""
        left = dict(threads)
        for group in _groups(threads, with_locations=with_locations):
            place = _place_of_write([threads[thread] for thread in group])
            for one, other in pairwise(group) if place is not None else ():
                exchange = automorphism(self._compared, self._threads, {one: other, other: one}, self._forms)
                if exchange is None or not allows(exchange):
                    continue
                assert place is not None, "there is nothing to order else"
                found.append(exchange)
                self.ordered.append((threads[one][place].identifier, threads[other][place].identifier))
                for thread in (one, other):
                    attempts = _attempts(place, threads[thread])
                    if len(attempts) > 1:
                        self.attempts[threads[thread][place].identifier] = attempts
                left.pop(one, None)
                left.pop(other, None)
        return left

    def _turn(self, threads: Threads, fixed: Collection[Observable], turned: Collection[Observable]) -> None:
        """Let the write of one thread come first of those of the threads that it can be turned to."""
        groups = _groups(threads, with_locations=False)
        shared = [
            (group, place)
            for group in groups
            if (place := _place_of_write([threads[thread] for thread in group])) is not None
        ]
        if not shared:
            return
        ring = sorted(thread for group in groups for thread in group)
        shapes = [shape_of(threads[thread]) for thread in ring]
        for step in range(1, len(ring) // _SHORTEST_RING + 1):
            if len(ring) % step or shapes != shapes[step:] + shapes[:step]:
                continue
            images = dict(zip(ring, ring[step:] + ring[:step], strict=True))
            turn = automorphism(self._compared, self._threads, images)
            if turn is not None and self._allows(turns := powers(turn), fixed, turned):
                group, place = shared[0]
                first = _last_like(place, threads[group[0]]).identifier
                self.turns.extend(turns)
                self.ordered.extend((first, turn.renaming.events[first]) for turn in turns)
                return

    def _allows(
        self, turns: Sequence[Automorphism], fixed: Collection[Observable], turned: Collection[Observable]
    ) -> bool:
        """Whether some turns leave everything `fixed` as it is, and have images of what is `turned`."""
        images = [turn.image_of(what) for turn in turns for what in turned]
        known = [image for image in images if image is not None]
        return (
            len(known) == len(images)
            and all(turn.fixes(fixed) for turn in turns)
            and all(exchange.fixes(known) for exchange in self._exchanges)
        )

    @property
    def keeps_places(self) -> bool:
        """Whether every stop has the place of its image, so that the same places are those of units that stop."""
        stops = self._skeleton.stops
        return all(
            Counter((each.form(stop.condition), stop.span) for stop in stops)
            == Counter((each.image(stop.condition), stop.span) for stop in stops)
            for each in self.generators
        )

    def keeps_conditions(self, conditions: Collection[Expression]) -> bool:
        """Whether that one of the conditions holds is the same for an execution and its images."""
        return all(
            {each.image(condition) for condition in conditions} <= {each.form(condition) for condition in conditions}
            for each in self.generators
        )

    def keeps_events(self, sorted_events: Collection[tuple[int, ...]]) -> bool:
        """Whether the images of some sets of events, each in order, are among them."""
        return all(
            tuple(sorted(each.renaming.events[event] for event in events)) in sorted_events
            for each in self.generators
            for events in sorted_events
        )

    def images_of_events(self, events: frozenset[int]) -> frozenset[int]:
        """Events, and all that automorphisms make of them."""
        images, new = set(events), list(events)
        while new:
            event = new.pop()
            for each in self.generators:
                image = each.renaming.events[event]
                if image not in images:
                    images.add(image)
                    new.append(image)
        return frozenset(images)


def _groups(threads: Threads, *, with_locations: bool) -> list[list[int]]:
    """Threads with the same sequence of operations, in groups of at least two."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for thread, events in threads.items():
        groups.setdefault(shape_of(events, with_locations=with_locations), []).append(thread)
    return [group for group in groups.values() if len(group) > 1]


def _place_of_write(group: Sequence[Sequence[Event]]) -> int | None:
    """The position of the write that threads are ordered by; its location is static, and the same in all of them.

    It is an atomic store that is executed where plain accesses are, if that is not always: it frees what protects them.
    Else it is the first that is surely executed. Where none is, it is an atomic one on whose guard most events depend:
    of a lock that is taken with a compare-exchange the write that frees it, whichever attempt was the one that took it.
    """
    events = group[0]
    places = [
        place
        for place, event in enumerate(events)
        if event.kind.writes
        and all(other[place].address is event.address for other in group)
        and isinstance(event.address, Constant)
    ]
    protected = {event.guard for event in events if event.kind.is_access and not event.atomic} - {Constant(1)}
    freeing = [place for place in places if _is_atomic_store(events[place]) and events[place].guard in protected]
    sure = [place for place in places if events[place].guard is Constant(1)]
    for first in (freeing, sure):
        if first:
            return first[0]
    if not places:
        return None
    guards = Counter(event.guard for event in events)
    return max(places, key=lambda place: (events[place].atomic, guards[events[place].guard], -place))


def _attempts(place: int, events: Sequence[Event]) -> tuple[int, ...]:
    """The updates of a thread that are of the kind of one that may fail, and at its location: whichever succeeds."""
    write = events[place]
    if write.kind is not EventKind.UPDATE or write.guard is Constant(1):
        return (write.identifier,)
    return tuple(e.identifier for e in events if e.kind is write.kind and e.address is write.address)


def _last_like(place: int, events: Sequence[Event]) -> Event:
    """The last write of a thread that is of the kind of one of its writes, and at its location: that of the last round.

    Rings of barriers are answered sooner so, for two rounds, in a third of the time.
    """
    write = events[place]
    return [event for event in events if event.kind is write.kind and event.address is write.address][-1]


def _is_atomic_store(event: Event) -> bool:
    return event.atomic and event.kind is EventKind.WRITE
