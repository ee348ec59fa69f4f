"""Which threads of a skeleton can be exchanged: those with the same code, where that changes nothing of the query."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from mcm.catalogue.places import relations_by_place
from mcm.engine.explicit.symmetry import FEWEST, NO_SYMMETRY, Exchange, SymmetricGroup, SymmetricThread, Symmetry
from mcm.execution.expression import Choice, operands
from mcm.execution.images import MOST_PLACES, Images, Mentioning
from mcm.execution.renaming import Renaming
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.answer.query import Query
    from mcm.cat.model import Model
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
    similar = _similar_threads(skeleton)
    if not similar or sum(map(len, similar)) * len(skeleton.events) > MOST_PLACES:
        return NO_SYMMETRY
    comparison = _Comparison(skeleton, query.model)
    for threads in similar:
        members = [threads[0]]
        found: list[Exchange] = []
        for thread in threads[1:]:
            exchange = _ExchangeTest(comparison, members[-1], thread).exchange(watched)
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


class _Conditions:
    """Conditions with what else has to be alike where one is the image of another; some mention more than itself."""

    def __init__(self, labelled: Sequence[tuple[Expression, object]], mentioning: Mentioning) -> None:
        self._labelled: Final = labelled
        self._mentioning: Final = mentioning
        self._indices: Final[dict[tuple[Expression, object], list[int]]] = {}
        for index, one in enumerate(labelled):
            self._indices.setdefault(one, []).append(index)

    def permutation(self, renaming: Renaming) -> tuple[int, ...] | None:
        """The index of the image of each; equal ones correspond in their order. None where one has no image."""
        images = list(range(len(self._labelled)))
        for index in self.changing(renaming):
            condition, label = self._labelled[index]
            mine = self._indices[condition, label]
            its = self._indices.get((renaming.expression(condition), label), [])
            if len(its) != len(mine):
                return None
            images[index] = its[mine.index(index)]
        return tuple(images)

    def changing(self, renaming: Renaming) -> set[int]:
        """The indices of those that mention what is moved."""
        return self._mentioning.moved(renaming)


class _Comparison:
    """A skeleton as it is compared with its images."""

    def __init__(self, skeleton: Skeleton, model: Model) -> None:
        self.skeleton: Final = skeleton
        self.images: Final = Images(skeleton, partial(relations_by_place, skeleton, model))

    @cached_property
    def faults(self) -> _Conditions:
        """The conditions of faults."""
        faults = self.skeleton.faults
        labelled = [(fault.condition, (fault.kind, fault.rule)) for fault in faults]
        return _Conditions(labelled, Mentioning([fault.condition] for fault in faults))

    @cached_property
    def stops(self) -> _Conditions:
        """The conditions of stops."""
        return _Conditions([(stop.condition, stop.kind) for stop in self.skeleton.stops], self.images.stops)

    @cached_property
    def constraints(self) -> _Conditions:
        """The constraints."""
        return _Conditions([(each, None) for each in self.skeleton.constraints], self.images.constraints)


class _ExchangeTest:
    """Tests whether exchanging two similar threads is a symmetry."""

    def __init__(self, comparison: _Comparison, one: list[Event], other: list[Event]) -> None:
        skeleton = comparison.skeleton
        self._comparison: Final = comparison
        self._skeleton: Final = skeleton
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
        if not (self._choices_match and self._maps_events() and self._fixes_base_sets_and_relations()):
            return None
        comparison, renaming = self._comparison, self._renaming
        positions = self._positions(watched)
        faults = comparison.faults.permutation(renaming)
        stops = comparison.stops.permutation(renaming)
        constraints = comparison.constraints.permutation(renaming)
        if positions is None or faults is None or stops is None or constraints is None or not self._maps_waits(stops):
            return None
        return Exchange(tuple(renaming.events), tuple(renaming.choices), positions, faults, stops)

    def _maps_waits(self, images: tuple[int, ...]) -> bool:
        """Whether the image of each stop waits for the images of what the stop waits for."""
        stops = self._skeleton.stops
        return all(
            {self._renaming.events[read] for read in stop.reads} == set(image.reads)
            and self._renaming.expression(stop.persists) is image.persists
            for index in self._comparison.stops.changing(self._renaming)
            for stop, image in [(stops[index], stops[images[index]])]
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
            for identifier in self._comparison.images.changing(renaming)
            for event, image in [(events[identifier], events[renaming.events[identifier]])]
        )

    def _fixes_base_sets_and_relations(self) -> bool:
        """Whether every base set is its own image, and of the base relations all that the model sees."""
        renaming = self._renaming
        return all(
            renaming.mask(members.events) == members.events for members in self._skeleton.sets.values()
        ) and self._comparison.images.keep_relations(renaming)

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
