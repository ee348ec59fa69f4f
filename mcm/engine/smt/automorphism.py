"""Permutations of threads, of locations that they access, and of values, under which a skeleton is its own image."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.catalogue.places import relations_by_place
from mcm.engine.smt.value_forms import Form, FormImages, Forms
from mcm.execution.evaluate import subexpressions
from mcm.execution.expression import Choice, Constant, ReadValue, Select, UnaryValue
from mcm.execution.images import Images
from mcm.execution.renaming import Renaming
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mcm.cat.model import Model
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton, Stop
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Value

Threads = dict[int, list["Event"]]

_KEPT: Final[Mapping[Value, Value]] = {}


class ValueExchange(Struct, frozen=True):
    """What becomes of values, `at` the events that read or write them and at `locations`, and of expressions."""

    at: Mapping[int, Mapping[Value, Value]]
    locations: Mapping[Location, Mapping[Value, Value]]
    images: FormImages


class Automorphism:
    """A permutation of threads, `images`, as one of events and choices, and of the locations that are `moved`.

    Threads and locations that are not named stay. With `values`, what is written to locations is exchanged as well.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        renaming: Renaming,
        moved: Mapping[Location, Location],
        images: Mapping[int, int],
        values: ValueExchange | None = None,
    ) -> None:
        self._skeleton: Final = skeleton
        self.images: Final = images
        self.renaming: Final = renaming
        self.moved: Final = moved
        self.values: Final = values

    def form(self, expression: Expression) -> Form:
        """What is equal for expressions that say the same."""
        return expression if self.values is None else self.values.images.form(expression)

    def image(self, expression: Expression, results: Mapping[Value, Value] = _KEPT) -> Form | None:
        """The form of what becomes of an expression, and of its results; None if that is not known."""
        if self.values is None:
            return self.renaming.expression(expression)
        return self.values.images.image(expression, results)

    def has_image(
        self, expression: Expression | None, other: Expression | None, results: Mapping[Value, Value] = _KEPT
    ) -> bool:
        """Whether an expression becomes another one."""
        if expression is None or other is None:
            return expression is other
        return bool(self.image(expression, results) == self.form(other))

    def written(self, event: Event) -> Mapping[Value, Value]:
        """What becomes of the values at the location of an event, where any change."""
        return _KEPT if self.values is None else self.values.at.get(event.identifier, _KEPT)

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
            if known is not None and not self.has_image(known, known):
                return None
            return self.moved.get(what, what)
        image = RegisterName(self.images.get(what.thread, what.thread), what.register)
        if image not in skeleton.registers:
            return None
        return image if self.has_image(skeleton.registers[what], skeleton.registers[image]) else None

    def changes_at(self, what: Observable) -> Mapping[Value, Value]:
        """What final values of `what` become as those of its image, where they change."""
        if self.values is None or isinstance(what, RegisterName):
            return _KEPT
        return self.values.locations.get(what, _KEPT)

    def fixes(self, observed: Iterable[Observable]) -> bool:
        """Whether the final values of everything observed stay as they are."""
        return all(self._is_fixed(what) for what in observed)

    def _is_fixed(self, what: Observable) -> bool:
        if not isinstance(what, RegisterName):
            return self.image_of(what) == what and (self.values is None or what not in self.values.locations)
        final = self._skeleton.registers[what]
        return self.has_image(final, final)


def threads_of(skeleton: Skeleton) -> Threads:
    """The events of each thread."""
    threads: Threads = {}
    for event in skeleton.events:
        if event.thread is not None:
            threads.setdefault(event.thread, []).append(event)
    return threads


def automorphism(
    compared: Compared, threads: Threads, images: Mapping[int, int], forms: Callable[[], Forms] | None = None
) -> Automorphism | None:
    """The automorphism that maps threads as `images` says, position by position; None if there is none.

    Given `forms`, it may exchange values that are written.
    """
    skeleton = compared.skeleton
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
    if _is_automorphism(found, compared):
        return found
    values = None if forms is None else _value_exchange(skeleton.events, found, forms)
    if values is None:
        return None
    found = Automorphism(skeleton, found.renaming, moved, images, values)
    return found if _is_automorphism(found, compared) else None


def _value_exchange(events: Sequence[Event], found: Automorphism, forms: Callable[[], Forms]) -> ValueExchange | None:
    """The exchange of the constants that threads write at the same places; None if there is none."""
    changes = _followed(events, _changes(events, found.renaming), found.moved)
    at: dict[int, Mapping[Value, Value]] = {}
    for event in events:
        here = [changes.get(location, {}) for location in event.locations]
        if any(here):
            is_known = not event.kind.reads or forms().are_known(event.identifier)
            if not is_known or any(each != here[0] or {*each} != {*each.values()} for each in here):
                return None
            at[event.identifier] = here[0]
    if not at:
        return None
    return ValueExchange(at, changes, FormImages(forms(), found.renaming, found.moved, at))


def _changes(events: Sequence[Event], renaming: Renaming) -> dict[Location, dict[Value, Value]]:
    """What constants that are written at a location become, where they change."""
    written: dict[Location, dict[Value, Value]] = {}
    for event in events:
        image = events[renaming.events[event.identifier]]
        if event is not image and isinstance(event.value, Constant) and isinstance(image.value, Constant):
            for location in event.locations:
                # Where two disagree, the first will not have the image that it should have.
                written.setdefault(location, {})[event.value.value] = image.value.value
    changes = {
        location: {old: new for old, new in values.items() if old != new} for location, values in written.items()
    }
    return {location: values for location, values in changes.items() if values}


def _followed(
    events: Sequence[Event], changes: Mapping[Location, Mapping[Value, Value]], moved: Mapping[Location, Location]
) -> dict[Location, dict[Value, Value]]:
    """What values at locations become, where those are exchanged that are copied there, and those at elements beside.

    Locations that one event may choose between have the same exchange, and those that are exchanged.
    """
    places = _places([*(event.locations for event in events), *moved.items()])
    found: dict[Location, dict[Value, Value]] = {}
    for location, values in changes.items():
        found.setdefault(places[location], {}).update(values)
    copies = {
        (places[events[read].locations[0]], places[event.locations[0]])
        for event in events
        if event.kind.writes and event.locations and event.value is not None
        for read in _copied(event.value)
        if events[read].locations
    }
    is_new = bool(found)
    while is_new:
        is_new = False
        for source, target in copies:
            here = found.get(target, {})
            more = {**found.get(source, {}), **here}
            if more != here:
                found[target], is_new = more, True
    return {location: found[place] for location, place in places.items() if place in found}


def _places(together: Iterable[Sequence[Location]]) -> dict[Location, Location]:
    """For each location one that stands for it, and for all that belong together with it."""
    places: dict[Location, Location] = {}

    def place(location: Location) -> Location:
        while (further := places.setdefault(location, location)) != location:
            location = further
        return location

    for locations in together:
        for location in locations:
            places[place(location)] = place(locations[0])
    return {location: place(location) for location in places}


def _copied(value: Expression) -> Iterable[int]:
    """The reads of which a value may be what one returns."""
    waiting, seen = [value], {value}
    while waiting:
        part = waiting.pop()
        match part:
            case ReadValue(read):
                yield read
            case Select(_, then, otherwise):
                waiting += {then, otherwise} - seen
                seen |= {then, otherwise}
            case UnaryValue("convert", operand, _) if operand not in seen:
                waiting.append(operand)
                seen.add(operand)


def powers(turn: Automorphism) -> list[Automorphism]:
    """An automorphism, and what comes of it when it is repeated, but for that which changes nothing."""
    found = [turn]
    unmoved = list(range(len(turn.renaming.events)))
    while True:
        again = found[-1].then(turn)
        if list(again.renaming.events) == unmoved:
            return found
        found.append(again)


class Compared:
    """A skeleton as it is compared with its images, by what a model sees of it."""

    def __init__(self, skeleton: Skeleton, model: Model) -> None:
        self.skeleton: Final = skeleton
        self.images: Final = Images(skeleton, partial(relations_by_place, skeleton, model))

    @cached_property
    def _accesses(self) -> Mapping[Location, Sequence[int]]:
        """The events that may access a location."""
        found: dict[Location, list[int]] = {}
        for event in self.skeleton.events:
            for location in event.locations:
                found.setdefault(location, []).append(event.identifier)
        return found

    def events(self, found: Automorphism) -> Iterable[Event]:
        """Those that may not be their own images: all, where values are exchanged."""
        events = self.skeleton.events
        if found.values is not None:
            return events
        changing = {*self.images.changing(found.renaming)}
        changing.update(event for location in found.moved for event in self._accesses.get(location, ()))
        return [events[event] for event in sorted(changing)]

    def constraints(self, found: Automorphism) -> Sequence[Expression]:
        """The same for constraints."""
        constraints = self.skeleton.constraints
        if found.values is not None:
            return constraints
        return [constraints[index] for index in self.images.constraints.moved(found.renaming)]

    def stops(self, found: Automorphism) -> Sequence[Stop]:
        """The same for stops."""
        stops = self.skeleton.stops
        if found.values is not None:
            return stops
        return [stops[index] for index in self.images.stops.moved(found.renaming)]


def _is_automorphism(found: Automorphism, compared: Compared) -> bool:
    """Whether events, sets, relations, constraints and stops are their own images."""
    renaming, skeleton = found.renaming, compared.skeleton
    constraints, stops = compared.constraints(found), compared.stops(found)
    # Where threads are not alike, some event tells soonest.
    return (
        len({*renaming.events}) == len(skeleton.events)
        and len({*renaming.choices}) == skeleton.choices
        and _moves_static_addresses_only(found, skeleton)
        and all(
            _is_image(found, event, skeleton.events[renaming.events[event.identifier]])
            for event in compared.events(found)
        )
        and {*map(found.image, constraints)} == {*map(found.form, constraints)}
        and Counter(_waiting(found, stop) for stop in stops) == Counter(_image(found, stop) for stop in stops)
        and all(
            renaming.mask(members.events) == members.events
            and {found.moved.get(location, location) for location in members.locations} == members.locations
            for members in skeleton.sets.values()
        )
        and compared.images.keep_relations(renaming)
    )


def _moves_static_addresses_only(found: Automorphism, skeleton: Skeleton) -> bool:
    """Whether no location that moves is a value or is reached by an address that is computed when the program runs."""
    moved = found.moved
    if {*moved.values()} != {*moved} or not moved.keys().isdisjoint(skeleton.finals):
        return False
    if found.values is not None:
        # Here images of expressions are looked at.
        return found.values.locations.keys().isdisjoint(skeleton.finals)
    if not moved:
        return True
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
    moved = found.moved
    locations = tuple(moved.get(location, location) for location in event.locations)
    reached: dict[Value, Value] = {old: moved[old] for old in event.locations if old in moved}
    return (
        _kind_of(event) == _kind_of(image)
        and found.has_image(event.guard, image.guard)
        and found.has_image(event.value, image.value, found.written(event))
        and sorted(locations) == sorted(image.locations)
        and (isinstance(event.address, Constant) or found.has_image(event.address, image.address, reached))
        and isinstance(event.address, Constant) == isinstance(image.address, Constant)
    )


def _kind_of(event: Event) -> tuple[object, ...]:
    return event.kind, event.order, event.scope, event.flags, event.atomic, event.command, event.answer, event.pipe


def shape_of(events: Iterable[Event], *, with_locations: bool = False) -> tuple[object, ...]:
    """What the operations of threads have in common whose code is the same."""
    return tuple((*_kind_of(e), e.locations if with_locations else len(e.locations)) for e in events)


def _waiting(found: Automorphism, stop: Stop) -> tuple[object, ...]:
    """What decides whether a thread stops, and whether it does for ever."""
    return stop.kind, found.form(stop.condition), found.form(stop.persists), frozenset(stop.reads)


def _image(found: Automorphism, stop: Stop) -> tuple[object, ...]:
    reads = frozenset(found.renaming.events[read] for read in stop.reads)
    return stop.kind, found.image(stop.condition), found.image(stop.persists), reads


def _choices(events: list[Event]) -> Iterable[int]:
    """The choices that the expressions of a thread mention, in order."""
    found: dict[int, None] = {}
    for event in events:
        for expression in event.expressions:
            found.update((part.index, None) for part in subexpressions(expression) if isinstance(part, Choice))
    return found
