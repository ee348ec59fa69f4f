"""Threads that can be exchanged without changing the question: every execution then has mirror images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.execution.expression import BinaryValue, Choice, Constant, ReadValue, Select, UnaryValue
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from mcm.answer.query import Query
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Value

# With fewer threads alike, looking for mirror images costs more than it saves.
FEWEST: Final = 3


class Mirror(Struct, frozen=True):
    """The exchange of two threads: where it takes events, choices, what is watched, faults and cuts."""

    events: tuple[int, ...]
    choices: tuple[int, ...]
    watched: tuple[int, ...]
    faults: tuple[int, ...]
    cuts: tuple[int, ...]

    @property
    def keeps_values(self) -> bool:
        """Whether every state is its own image."""
        return self.watched == tuple(range(len(self.watched)))

    def of_values(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The state of a mirror image."""
        return tuple(values[position] for position in self.watched)

    def of_candidate(self, candidate: Candidate) -> Candidate:
        """The mirror image of an execution."""
        to = self.events
        return replace(
            candidate,
            executed=frozenset(to[e] for e in candidate.executed),
            reads_from={to[r]: to[w] for r, w in candidate.reads_from.items()},
            modification_orders={
                place: tuple(to[w] for w in order) for place, order in candidate.modification_orders.items()
            },
            locations={to[e]: place for e, place in candidate.locations.items()},
            read_values={to[e]: value for e, value in candidate.read_values.items()},
            written_values={to[e]: value for e, value in candidate.written_values.items()},
            choices=tuple(candidate.choices[choice] for choice in self.choices),
            linearisations={name: tuple(to[e] for e in order) for name, order in candidate.linearisations.items()},
        )


class Symmetry(Struct, frozen=True):
    """Groups of at least three threads of which any two can be exchanged: each thread as its events and its choices,
    in the order in which they correspond. The mirrors exchange neighbours in a group.
    """

    groups: tuple[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], ...]
    mirrors: tuple[Mirror, ...]


def symmetry_of(skeleton: Skeleton, query: Query, watched: tuple[Observable, ...]) -> Symmetry:
    """The symmetry of a skeleton that what is asked does not break."""
    if query.counts:
        return Symmetry((), ())
    # A filter, or a proposition that is searched for, need not hold for the images of the states for which it holds.
    keeps_values = query.filter is not None or not query.wants_states
    groups = []
    mirrors: list[Mirror] = []
    for alike in _alike(skeleton):
        run = [alike[0]]
        found: list[Mirror] = []
        for thread in alike[1:]:
            mirror = _Exchange(skeleton, run[-1], thread).mirror(watched)
            if mirror is not None and (mirror.keeps_values or not keeps_values):
                run.append(thread)
                found.append(mirror)
        if len(run) >= FEWEST:
            groups.append(_group(run, found))
            mirrors += found
    return Symmetry(tuple(groups), tuple(mirrors))


def _group(run: list[list[Event]], mirrors: list[Mirror]) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    choices = tuple(choice for choice, image in enumerate(mirrors[0].choices) if choice < image)
    threads = []
    for number, thread in enumerate(run):
        if number:
            choices = tuple(mirrors[number - 1].choices[choice] for choice in choices)
        threads.append((tuple(event.identifier for event in thread), choices))
    return tuple(threads)


def _alike(skeleton: Skeleton) -> list[list[list[Event]]]:
    """Threads, grouped by how their events look without their expressions."""
    threads: dict[int, list[Event]] = {}
    for event in skeleton.events:
        if event.thread is not None:
            threads.setdefault(event.thread, []).append(event)
    lengths = [len(events) for events in threads.values()]
    looks: dict[object, list[list[Event]]] = {}
    for events in threads.values():
        if lengths.count(len(events)) < FEWEST:
            continue
        look = tuple((e.kind, e.locations, e.order, e.scope, e.flags, e.atomic, e.barrier) for e in events)
        looks.setdefault(look, []).append(events)
    return [group for group in looks.values() if len(group) >= FEWEST]


class _Exchange:
    """Tries to exchange two threads whose events look alike."""

    def __init__(self, skeleton: Skeleton, one: list[Event], other: list[Event]) -> None:
        self._skeleton: Final = skeleton
        first, second = one[0].thread, other[0].thread
        assert first is not None
        assert second is not None
        self._threads: Final = {first: second, second: first}
        self._pairs: Final = list(zip(one, other, strict=True))
        self._events: Final = list(range(len(skeleton.events)))
        for a, b in self._pairs:
            self._events[a.identifier], self._events[b.identifier] = b.identifier, a.identifier
        self._choices: Final[dict[int, int]] = {}
        self._known: Final[dict[Expression, Expression]] = {}

    def mirror(self, watched: tuple[Observable, ...]) -> Mirror | None:
        """The mirror, if the exchange changes nothing."""
        if not (self._match_choices() and self._keeps_events() and self._keeps_structure()):
            return None
        skeleton = self._skeleton
        positions = self._positions(watched)
        faults = self._permuted([(fault.condition, (fault.kind, fault.rule)) for fault in skeleton.faults])
        cuts = self._permuted([(cut.condition, None) for cut in skeleton.stops])
        constraints = self._permuted([(constraint, None) for constraint in skeleton.constraints])
        if positions is None or faults is None or cuts is None or constraints is None:
            return None
        choices = tuple(self._choices.get(choice, choice) for choice in range(skeleton.choices))
        return Mirror(tuple(self._events), choices, positions, faults, cuts)

    def _match_choices(self) -> bool:
        """Find out which choice of one thread is which of the other."""
        return all(
            self._match(mine, its)
            for a, b in self._pairs
            for mine, its in ((a.guard, b.guard), (a.address, b.address), (a.value, b.value))
        )

    def _match(self, mine: Expression | None, its: Expression | None) -> bool:
        match mine, its:
            case Choice(a), Choice(b):
                return self._choices.setdefault(a, b) == b and self._choices.setdefault(b, a) == a
            case UnaryValue(_, a, _), UnaryValue(_, b, _):
                return self._match(a, b)
            case BinaryValue(_, a, c, _), BinaryValue(_, b, d, _):
                return self._match(a, b) and self._match(c, d)
            case Select(a, c, e), Select(b, d, f):
                return self._match(a, b) and self._match(c, d) and self._match(e, f)
            case _:
                # Whether the rest is the same shows when the images are compared.
                return True

    def _image(self, expression: Expression) -> Expression:
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._image_of(expression)
        return found

    def _image_of(self, expression: Expression) -> Expression:
        match expression:
            case Constant():
                return expression
            case ReadValue(event):
                return ReadValue(self._events[event])
            case Choice(index):
                return Choice(self._choices.get(index, index))
            case UnaryValue(symbol, operand, type_):
                return UnaryValue(symbol, self._image(operand), type_)
            case BinaryValue(symbol, left, right, type_):
                return BinaryValue(symbol, self._image(left), self._image(right), type_)
            case Select(condition, then, otherwise):
                return Select(self._image(condition), self._image(then), self._image(otherwise))

    def _is_image(self, expression: Expression | None, image: Expression | None) -> bool:
        return (None if expression is None else self._image(expression)) is image

    def _keeps_events(self) -> bool:
        return all(
            self._is_image(event.guard, image.guard)
            and self._is_image(event.address, image.address)
            and self._is_image(event.value, image.value)
            for event in self._skeleton.events
            for image in [self._skeleton.events[self._events[event.identifier]]]
        )

    def _keeps_structure(self) -> bool:
        """Whether every base set and relation is its own image."""
        skeleton = self._skeleton
        return all(self._swap(s.events) == s.events for s in skeleton.sets.values()) and all(
            self._swap(row) == rows[self._events[event]]
            for rows in skeleton.relations.values()
            for event, row in enumerate(rows)
        )

    def _swap(self, events: int) -> int:
        for a, b in self._pairs:
            if (events >> a.identifier ^ events >> b.identifier) & 1:
                events ^= 1 << a.identifier | 1 << b.identifier
        return events

    def _positions(self, watched: tuple[Observable, ...]) -> tuple[int, ...] | None:
        """Where the mirror image of each watched value stands; None if not all are watched or if they differ."""
        positions = []
        for what in watched:
            image = what
            if isinstance(what, RegisterName):
                image = RegisterName(self._threads.get(what.thread, what.thread), what.register)
                registers = self._skeleton.registers
                if image not in watched or not self._is_image(registers[what], registers[image]):
                    return None
            positions.append(watched.index(image))
        return tuple(positions)

    def _permuted(self, conditions: list[tuple[Expression, object]]) -> tuple[int, ...] | None:
        """Which of the conditions each one's image is; those that are the same are told apart by their order."""
        places: dict[tuple[Expression, object], list[int]] = {}
        for place, labelled in enumerate(conditions):
            places.setdefault(labelled, []).append(place)
        images = []
        for place, (condition, label) in enumerate(conditions):
            mine = places[condition, label]
            its = places.get((self._image(condition), label), [])
            if len(its) != len(mine):
                return None
            images.append(its[mine.index(place)])
        return tuple(images)
