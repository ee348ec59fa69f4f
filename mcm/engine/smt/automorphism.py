"""Permutations of threads, and of the locations that they access, under which a skeleton is its own image."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import subexpressions
from mcm.execution.expression import Choice, Constant
from mcm.execution.renaming import Renaming
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton, Stop
    from mcm.program.condition import Observable
    from mcm.program.types import Location

Threads = dict[int, list["Event"]]


class Automorphism:
    """A permutation of threads, `images`, as one of events and choices, and of the locations that are `moved`.

    Threads and locations that are not named stay.
    """

    def __init__(
        self, skeleton: Skeleton, renaming: Renaming, moved: Mapping[Location, Location], images: Mapping[int, int]
    ) -> None:
        self._skeleton: Final = skeleton
        self.images: Final = images
        self.renaming: Final = renaming
        self.moved: Final = moved

    def then(self, other: Automorphism) -> Automorphism:
        """This one, and then another one."""
        mine, its = self.renaming, other.renaming
        renaming = Renaming([its.events[event] for event in mine.events], [its.choices[c] for c in mine.choices])
        moved = {**other.moved, **{old: other.moved.get(new, new) for old, new in self.moved.items()}}
        images = {**other.images, **{one: other.images.get(image, image) for one, image in self.images.items()}}
        return Automorphism(self._skeleton, renaming, moved, images)

    def image_of(self, what: Observable) -> Observable | None:
        """What has the final value of `what` in the images of executions; None if nothing has it."""
        skeleton = self._skeleton
        if not isinstance(what, RegisterName):
            known = skeleton.finals.get(what)
            if known is not None and self.renaming.expression(known) is not known:
                return None
            return self.moved.get(what, what)
        image = RegisterName(self.images.get(what.thread, what.thread), what.register)
        if image not in skeleton.registers:
            return None
        same = self.renaming.expression(skeleton.registers[what]) is skeleton.registers[image]
        return image if same else None

    def fixes(self, observed: Iterable[Observable]) -> bool:
        """Whether the final values of everything observed stay as they are."""
        return all(self._is_fixed(what) for what in observed)

    def _is_fixed(self, what: Observable) -> bool:
        if not isinstance(what, RegisterName):
            return self.image_of(what) == what
        final = self._skeleton.registers[what]
        return self.renaming.expression(final) is final


def threads_of(skeleton: Skeleton) -> Threads:
    """The events of each thread."""
    threads: Threads = {}
    for event in skeleton.events:
        if event.thread is not None:
            threads.setdefault(event.thread, []).append(event)
    return threads


def automorphism(skeleton: Skeleton, threads: Threads, images: Mapping[int, int]) -> Automorphism | None:
    """The automorphism that maps threads as `images` says, position by position; None if there is none."""
    events, choices = list(range(len(skeleton.events))), list(range(skeleton.choices))
    moved: dict[Location, Location] = {}
    for thread, image in images.items():
        mine, its = threads[thread], threads[image]
        if len(mine) != len(its):
            return None
        for a, b in zip(mine, its, strict=True):
            events[a.identifier] = b.identifier
            if isinstance(a.address, Constant) and isinstance(b.address, Constant):
                for old, new in zip(a.locations, b.locations, strict=False):
                    if moved.setdefault(old, new) != new:
                        return None
        # A choice belongs to the thread whose expressions mention it; the n-th stands for the n-th of the other thread.
        for i, j in zip(_choices(mine), _choices(its), strict=False):
            choices[i] = j
    moved = {old: new for old, new in moved.items() if old != new}
    initial = {event.locations: event.identifier for event in skeleton.events if event.thread is None}
    for locations, event in initial.items():
        written = initial.get(tuple(moved.get(location, location) for location in locations))
        if written is None:
            return None
        events[event] = written
    found = Automorphism(skeleton, Renaming(events, choices), moved, images)
    return found if _is_automorphism(found, skeleton) else None


def powers(turn: Automorphism) -> list[Automorphism]:
    """An automorphism, and what comes of it when it is repeated, but for that which changes nothing."""
    found = [turn]
    unmoved = list(range(len(turn.renaming.events)))
    while True:
        again = found[-1].then(turn)
        if list(again.renaming.events) == unmoved:
            return found
        found.append(again)


def _is_automorphism(found: Automorphism, skeleton: Skeleton) -> bool:
    """Whether events, sets, relations, constraints and stops are their own images."""
    renaming, events = found.renaming, skeleton.events
    constraints = {*skeleton.constraints}
    return (
        len({*renaming.events}) == len(events)
        and len({*renaming.choices}) == skeleton.choices
        and _moves_static_addresses_only(found, skeleton)
        and {renaming.expression(condition) for condition in constraints} == constraints
        and Counter(map(_waiting, skeleton.stops)) == Counter(_image(renaming, stop) for stop in skeleton.stops)
        and all(_is_image(found, event, events[renaming.events[event.identifier]]) for event in events)
        and all(
            renaming.mask(members.events) == members.events
            and {found.moved.get(location, location) for location in members.locations} == members.locations
            for members in skeleton.sets.values()
        )
        and all(
            all(renaming.mask(row) == rows[renaming.events[event]] for event, row in enumerate(rows))
            for rows in skeleton.relations.values()
        )
    )


def _moves_static_addresses_only(found: Automorphism, skeleton: Skeleton) -> bool:
    """Whether no location that moves is a value or is reached by an address that is computed when the program runs."""
    moved = found.moved
    if not moved:
        return True
    if (
        len({*moved.values()}) != len(moved)
        or {*moved.values()} != {*moved}
        or not moved.keys().isdisjoint(skeleton.finals)
    ):
        return False
    expressions: set[Expression] = {*skeleton.constraints, *(fault.condition for fault in skeleton.faults)}
    for stop in skeleton.stops:
        expressions |= {stop.condition, stop.persists}
    for event in skeleton.events:
        expressions |= {part for part in (event.guard, event.value) if part is not None}
        if event.address is not None and not isinstance(event.address, Constant):
            expressions.add(event.address)
            if not moved.keys().isdisjoint(event.locations):
                return False
    constants = {part.value for whole in expressions for part in subexpressions(whole) if isinstance(part, Constant)}
    return moved.keys().isdisjoint(constants)


def _is_image(found: Automorphism, event: Event, image: Event) -> bool:
    """Whether an event is the image of another one: alike, with its expressions and locations renamed."""
    renaming, moved = found.renaming, found.moved
    locations = tuple(moved.get(location, location) for location in event.locations)
    return (
        _kind_of(event) == _kind_of(image)
        and renaming.expression(event.guard) is image.guard
        and renaming.optional(event.value) is image.value
        and sorted(locations) == sorted(image.locations)
        and (isinstance(event.address, Constant) or renaming.optional(event.address) is image.address)
        and isinstance(event.address, Constant) == isinstance(image.address, Constant)
    )


def _kind_of(event: Event) -> tuple[object, ...]:
    return event.kind, event.order, event.scope, event.flags, event.atomic, event.command, event.answer, event.pipe


def shape_of(events: Iterable[Event], *, with_locations: bool = False) -> tuple[object, ...]:
    """What the operations of threads have in common whose code is the same."""
    return tuple((*_kind_of(e), e.locations if with_locations else len(e.locations)) for e in events)


def _waiting(stop: Stop) -> tuple[object, ...]:
    """What decides whether a thread stops, and whether it does for ever."""
    return stop.kind, stop.condition, stop.persists, frozenset(stop.reads)


def _image(renaming: Renaming, stop: Stop) -> tuple[object, ...]:
    reads = frozenset(renaming.events[read] for read in stop.reads)
    return stop.kind, renaming.expression(stop.condition), renaming.expression(stop.persists), reads


def _choices(events: list[Event]) -> Iterable[int]:
    """The choices that the expressions of a thread mention, in order."""
    found: dict[int, None] = {}
    for event in events:
        for expression in event.expressions:
            found.update((part.index, None) for part in subexpressions(expression) if isinstance(part, Choice))
    return found
