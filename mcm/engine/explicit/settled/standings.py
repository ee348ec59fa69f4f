"""How the events of a program stand to each other, and whether flags may be raised where few of them meet."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.engine.explicit.settled.footprint import RELAXED
from mcm.engine.explicit.settled.kinds import Kinds, empty_bases
from mcm.engine.explicit.settled.possible_flags import FIXED, PossibleFlags, Standing
from mcm.execution.algebra import FALSE, conjunction

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.cat.model import Model
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton


def may_raise_flags(skeleton: Skeleton, model: Model, met: Collection[int]) -> bool:
    """Whether a flag may be raised in some execution, by what is known of kinds and places of events alone.

    Only of the objects `met` some execution has two accesses of one element by different threads.
    """
    kinds = Kinds(skeleton, RELAXED)
    flags = PossibleFlags(model, kinds, empty_bases(skeleton))
    standings = _Standings(skeleton)
    threads = frozenset(event.thread for event in skeleton.events if event.thread is not None)
    if any(
        map(flags.may_be_raised_somewhere, {*standings.between(threads), *standings.initial, *standings.unsequenced})
    ):
        return True
    # Of each object the threads that access it, and the kinds of their accesses and of its initial writes.
    accessing: dict[int, set[int]] = {}
    accessed: dict[int, int] = {}
    initial: dict[int, int] = {}
    for event in skeleton.events:
        for location in event.locations:
            of = initial if event.thread is None else accessed
            of[location.object] = of.get(location.object, 0) | 1 << kinds.of(event, location)
            if event.thread is not None:
                accessing.setdefault(location.object, set()).add(event.thread)
    for number, its in accessed.items():
        stand = {standing for standing, objects in standings.unsequenced.items() if number in objects}
        if number in met:
            stand |= standings.between(frozenset(accessing[number]))
        if any(flags.may_be_raised(standing, its, its) for standing in stand):
            return True
        if any(flags.may_be_raised(standing, initial.get(number, 0), its) for standing in standings.initial):
            return True
    return False


class _Standings:
    """How the events of a skeleton stand to each other.

    `initial` is for initial writes and other events, `unsequenced` for events of one thread, with the objects that
    both may access.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self._rows: Final = {name: skeleton.relations[name] for name in FIXED}
        threads: dict[int | None, list[Event]] = {}
        for event in skeleton.events:
            threads.setdefault(event.thread, []).append(event)
        writes = threads.pop(None, [])
        self._threads: Final = threads
        self._known: Final[dict[frozenset[int], set[Standing]]] = {}
        self.initial: Final = {self._of(write, events[0]) for write in writes for events in threads.values()}
        self.initial.update(self._of(one, other) for one, other in pairwise(writes))
        self.unsequenced: Final[dict[Standing, set[int]]] = {}
        for events in threads.values():
            later = 0
            for event in reversed(events):
                for other in members(later & ~self._rows["po"][event.identifier]):
                    second = skeleton.events[other]
                    both = _objects(event) & _objects(second)
                    # Of a compare-exchange, what succeeds and what fails are never executed both.
                    if conjunction(event.guard, second.guard) is not FALSE:
                        self.unsequenced.setdefault(self._of(event, second), set()).update(both)
                later |= 1 << event.identifier

    def between(self, threads: frozenset[int]) -> set[Standing]:
        """How two events can stand to each other that are of different threads of these, or of one and in sequence."""
        found = self._known.get(threads)
        if found is None:
            chosen = [events for thread, events in self._threads.items() if thread in threads]
            found = {self._of(one[0], other[0]) for i, one in enumerate(chosen) for other in chosen[i + 1 :]}
            for first, *others in chosen:
                sequenced = (other for other in others if self._rows["po"][first.identifier] >> other.identifier & 1)
                found.update(self._of(first, other) for other in islice(sequenced, 1))
            self._known[threads] = found
        return found

    def _of(self, one: Event, two: Event) -> Standing:
        first, second = one.identifier, two.identifier
        forth = frozenset(name for name, row in self._rows.items() if row[first] >> second & 1)
        return Standing(forth, frozenset(name for name, row in self._rows.items() if row[second] >> first & 1))


def _objects(event: Event) -> frozenset[int]:
    return frozenset(location.object for location in event.locations)
