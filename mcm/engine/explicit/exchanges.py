"""Which threads of a skeleton can be exchanged: those with the same code, where that changes nothing of the query."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Final

from mcm.base.bits import listed
from mcm.engine.explicit.symmetry import FEWEST, NO_SYMMETRY, Exchange, SymmetricGroup, SymmetricThread, Symmetry
from mcm.execution.expression import Choice, operands
from mcm.execution.renaming import Renaming
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.answer.query import Query
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable


def symmetry_of(skeleton: Skeleton, query: Query, watched: tuple[Observable, ...]) -> Symmetry:
    """The symmetry of a skeleton that the query does not break; none where executions are counted."""
    if query.counts:
        return NO_SYMMETRY
    # A filter, or a proposition that is searched for, need not hold for the images of the states for which it holds.
    must_fix_states = query.filter is not None or not query.wants_states
    groups = []
    lines = cache(partial(_rows_and_columns, skeleton))
    for threads in _similar_threads(skeleton):
        members = [threads[0]]
        found: list[Exchange] = []
        for thread in threads[1:]:
            exchange = _ExchangeTest(skeleton, lines, members[-1], thread).exchange(watched)
            if exchange is not None and (exchange.fixes_states or not must_fix_states):
                members.append(thread)
                found.append(exchange)
        if len(members) >= FEWEST:
            groups.append(_group(members, found))
    return Symmetry(tuple(groups))


def _group(members: list[list[Event]], exchanges: list[Exchange]) -> SymmetricGroup:
    choices = tuple(choice for choice, image in enumerate(exchanges[0].choices) if choice < image)
    threads = []
    for number, thread in enumerate(members):
        if number:
            choices = tuple(exchanges[number - 1].choices[choice] for choice in choices)
        identifier = thread[0].thread
        assert identifier is not None, "initial writes belong to no group"
        threads.append(SymmetricThread(identifier, tuple(event.identifier for event in thread), choices))
    return SymmetricGroup(tuple(threads), tuple(exchanges))


def _similar_threads(skeleton: Skeleton) -> list[list[list[Event]]]:
    """Threads, as their events, grouped by all properties of the events but their expressions."""
    threads: dict[int, list[Event]] = {}
    for event in skeleton.events:
        if event.thread is not None:
            threads.setdefault(event.thread, []).append(event)
    lengths = [len(events) for events in threads.values()]
    groups: dict[object, list[list[Event]]] = {}
    for events in threads.values():
        if lengths.count(len(events)) < FEWEST:
            continue
        key = tuple((e.kind, e.locations, e.order, e.scope, e.flags, e.atomic, e.barrier) for e in events)
        groups.setdefault(key, []).append(events)
    return [group for group in groups.values() if len(group) >= FEWEST]


def _rows_and_columns(skeleton: Skeleton) -> list[Sequence[int]]:
    """The rows of each base relation, and its columns."""
    return [lines for rows in skeleton.relations.values() for lines in (rows, _columns(rows))]


def _columns(rows: Sequence[int]) -> list[int]:
    """For each event, those that come before it in a relation; rows that are alike are looked at once."""
    alike: dict[int, int] = {}
    for event, row in enumerate(rows):
        alike[row] = alike.get(row, 0) | 1 << event
    columns = [0] * len(rows)
    for row, events in alike.items():
        for event in listed(row):
            columns[event] |= events
    return columns


class _ExchangeTest:
    """Tests whether exchanging two similar threads is a symmetry; `lines` gives rows and columns of base relations."""

    def __init__(
        self, skeleton: Skeleton, lines: Callable[[], list[Sequence[int]]], one: list[Event], other: list[Event]
    ) -> None:
        self._skeleton: Final = skeleton
        self._lines: Final = lines
        first, second = one[0].thread, other[0].thread
        assert first is not None
        assert second is not None
        self._threads: Final = {first: second, second: first}
        self._pairs: Final = list(zip(one, other, strict=True))
        events = list(range(len(skeleton.events)))
        for a, b in self._pairs:
            events[a.identifier], events[b.identifier] = b.identifier, a.identifier
        self._matched_choices: Final[dict[int, int]] = {}
        self._choices_match: Final = self._match_choices()
        choices = [self._matched_choices.get(choice, choice) for choice in range(skeleton.choices)]
        self._renaming: Final = Renaming(events, choices)

    def exchange(self, watched: tuple[Observable, ...]) -> Exchange | None:
        """The exchange, None if it is no symmetry of the skeleton or if it takes a watched value to another one."""
        if not (self._choices_match and self._maps_events() and self._fixes_base_relations()):
            return None
        skeleton = self._skeleton
        positions = self._positions(watched)
        faults = self._permutation([(fault.condition, (fault.kind, fault.rule)) for fault in skeleton.faults])
        stops = self._permutation([(stop.condition, stop.kind) for stop in skeleton.stops])
        constraints = self._permutation([(constraint, None) for constraint in skeleton.constraints])
        if positions is None or faults is None or stops is None or constraints is None or not self._maps_waits(stops):
            return None
        return Exchange(tuple(self._renaming.events), tuple(self._renaming.choices), positions, faults, stops)

    def _maps_waits(self, stops: tuple[int, ...]) -> bool:
        """Whether the image of each stop waits for the images of what the stop waits for."""
        images = [self._skeleton.stops[image] for image in stops]
        return all(
            {self._renaming.events[read] for read in stop.reads} == set(image.reads)
            and self._renaming.expression(stop.persists) is image.persists
            for stop, image in zip(self._skeleton.stops, images, strict=True)
        )

    def _match_choices(self) -> bool:
        """Match the choices of one thread with those of the other; false if the expressions do not correspond."""
        return all(
            self._match(mine, its)
            for a, b in self._pairs
            for mine, its in ((a.guard, b.guard), (a.address, b.address), (a.value, b.value))
        )

    def _match(self, mine: Expression | None, its: Expression | None) -> bool:
        """Match the choices in an expression with those in another; whether the rest is alike is found later."""
        if mine is None or its is None:
            return True
        matched = self._matched_choices
        waiting = [(mine, its)]
        seen: set[tuple[Expression, Expression]] = set()
        while waiting:
            pair = waiting.pop()
            if pair in seen:
                continue
            seen.add(pair)
            match pair:
                case Choice(a), Choice(b):
                    if matched.setdefault(a, b) != b or matched.setdefault(b, a) != a:
                        return False
                case a, b if a.__class__ is b.__class__:
                    waiting += reversed(list(zip(operands(a), operands(b), strict=True)))
                case _:
                    # Whether the rest is the same is found when the renamed expressions are compared.
                    pass
        return True

    def _maps_events(self) -> bool:
        """Whether the expressions of each event, renamed, are those of its image."""
        renaming, events = self._renaming, self._skeleton.events
        return all(
            renaming.expression(event.guard) is image.guard
            and renaming.optional(event.address) is image.address
            and renaming.optional(event.value) is image.value
            for event in events
            for image in [events[renaming.events[event.identifier]]]
        )

    def _fixes_base_relations(self) -> bool:
        """Whether every base set and relation is its own image."""
        skeleton, renaming = self._skeleton, self._renaming
        pairs = [(a.identifier, b.identifier) for a, b in self._pairs]
        moved = [*pairs, *((b, a) for a, b in pairs)]
        return all(renaming.mask(s.events) == s.events for s in skeleton.sets.values()) and all(
            # A pair of events that stay is its own image. Each other one is in a row or column of one that moves.
            renaming.mask(lines[old]) == lines[new]
            for lines in self._lines()
            for old, new in moved
        )

    def _positions(self, watched: tuple[Observable, ...]) -> tuple[int, ...] | None:
        """The index of the image of each watched value; None if it is not watched, or is another expression."""
        positions = []
        index_of = {what: index for index, what in enumerate(watched)}
        for what in watched:
            image = what
            if isinstance(what, RegisterName):
                # What no event of the two threads decides, as a constant, is its own image.
                registers = self._skeleton.registers
                renamed = self._renaming.expression(registers[what])
                if renamed is not registers[what]:
                    image = RegisterName(self._threads.get(what.thread, what.thread), what.register)
                    if image not in index_of or renamed is not registers[image]:
                        return None
            elif what in self._skeleton.finals:
                final = self._skeleton.finals[what]
                if self._renaming.expression(final) is not final:
                    return None
            positions.append(index_of[image])
        return tuple(positions)

    def _permutation(self, conditions: list[tuple[Expression, object]]) -> tuple[int, ...] | None:
        """The index of the image of each condition with its label; equal ones correspond in their order."""
        indices: dict[tuple[Expression, object], list[int]] = {}
        for index, labelled in enumerate(conditions):
            indices.setdefault(labelled, []).append(index)
        images = []
        for index, (condition, label) in enumerate(conditions):
            mine = indices[condition, label]
            its = indices.get((self._renaming.expression(condition), label), [])
            if len(its) != len(mine):
                return None
            images.append(its[mine.index(index)])
        return tuple(images)
