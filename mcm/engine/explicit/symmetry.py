"""Thread symmetry: threads with the same code, and the partial executions that are equal up to exchanging them.

If exchanging two threads maps the skeleton and the query onto themselves, it maps consistent executions to consistent
executions. The search then visits one partial execution of each orbit, and adds to each finding its images.
`symmetry_of` looks for such threads; `VisitedOrbits` recognises partial executions by a canonical form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.execution.expression import Choice, operands
from mcm.execution.renaming import Renaming
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from mcm.answer.query import Query
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton, Stop
    from mcm.program.condition import Observable
    from mcm.program.types import Value

# With fewer symmetric threads, comparing canonical forms costs more than it saves.
FEWEST: Final = 3

Colour = tuple[object, ...]


class Exchange(Struct, frozen=True):
    """A symmetry that exchanges two threads, as permutations.

    `events` and `choices` map identifiers and indices; `watched` has for each watched value the index of the value that
    takes its place; `faults` and `stops` map the indices of the skeleton's faults and stops.
    """

    events: tuple[int, ...]
    choices: tuple[int, ...]
    watched: tuple[int, ...]
    faults: tuple[int, ...]
    stops: tuple[int, ...]

    @property
    def fixes_states(self) -> bool:
        """Whether every final state is its own image."""
        return self.watched == tuple(range(len(self.watched)))

    def image_of_state(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The final state of the image of an execution, given its own."""
        return tuple(values[position] for position in self.watched)

    def image_of_candidate(self, candidate: Candidate) -> Candidate:
        """The image of an execution."""
        to = self.events
        return replace(
            candidate,
            executed=frozenset(to[e] for e in candidate.executed),
            reads_from={to[r]: to[w] for r, w in candidate.reads_from.items()},
            modification_orders={
                location: tuple(to[w] for w in order) for location, order in candidate.modification_orders.items()
            },
            locations={to[e]: location for e, location in candidate.locations.items()},
            read_values={to[e]: value for e, value in candidate.read_values.items()},
            written_values={to[e]: value for e, value in candidate.written_values.items()},
            choices=tuple(candidate.choices[choice] for choice in self.choices),
            linearisations={name: tuple(to[e] for e in order) for name, order in candidate.linearisations.items()},
        )


class SymmetricThread(Struct, frozen=True):
    """A thread of a group: its events and choices, in the order in which they correspond to those of the others."""

    thread: int
    events: tuple[int, ...]
    choices: tuple[int, ...]


SymmetricThreads = tuple[SymmetricThread, ...]


class SymmetricGroup(Struct, frozen=True):
    """At least `FEWEST` threads of which any two can be exchanged; `exchanges` are those of neighbours."""

    threads: SymmetricThreads
    exchanges: tuple[Exchange, ...]


class Symmetry(Struct, frozen=True):
    """The groups of symmetric threads of a skeleton."""

    groups: tuple[SymmetricGroup, ...]

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Those of neighbours, of all groups."""
        return tuple(exchange for group in self.groups for exchange in group.exchanges)

    @property
    def threads(self) -> tuple[SymmetricThreads, ...]:
        """The threads of each group."""
        return tuple(group.threads for group in self.groups)

    def threads_beside(self, stop: Stop, number: int) -> tuple[SymmetricThreads, ...]:
        """Those that can be exchanged such that a stop, the one of this number, is its own image."""
        left = []
        for group in self.groups:
            threads = tuple(thread for thread in group.threads if thread.thread != stop.thread)
            is_fixed = all(
                exchange.stops[number] == number or stop.thread in {one.thread, other.thread}
                for one, other, exchange in zip(group.threads, group.threads[1:], group.exchanges, strict=False)
            )
            if is_fixed and len(threads) >= FEWEST:
                left.append(threads)
        return tuple(left)


NO_SYMMETRY: Final = Symmetry(())


def images_of_stop(number: int, symmetry: Symmetry) -> set[int]:
    """The indices of all stops that exchanges make of one."""
    images: set[int] = set()
    new = [number]
    while new:
        image = new.pop()
        if image not in images:
            images.add(image)
            new.extend(exchange.stops[image] for exchange in symmetry.exchanges)
    return images


# --- which threads can be exchanged -----------------------------------------------------------------------------------


def symmetry_of(skeleton: Skeleton, query: Query, watched: tuple[Observable, ...]) -> Symmetry:
    """The symmetry of a skeleton that the query does not break; none where executions are counted."""
    if query.counts:
        return NO_SYMMETRY
    # A filter, or a proposition that is searched for, need not hold for the images of the states for which it holds.
    must_fix_states = query.filter is not None or not query.wants_states
    groups = []
    for threads in _similar_threads(skeleton):
        members = [threads[0]]
        found: list[Exchange] = []
        for thread in threads[1:]:
            exchange = _ExchangeTest(skeleton, members[-1], thread).exchange(watched)
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


class _ExchangeTest:
    """Tests whether exchanging two similar threads is a symmetry."""

    def __init__(self, skeleton: Skeleton, one: list[Event], other: list[Event]) -> None:
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
        return all(renaming.mask(s.events) == s.events for s in skeleton.sets.values()) and all(
            renaming.mask(row) == rows[renaming.events[event]]
            for rows in skeleton.relations.values()
            for event, row in enumerate(rows)
        )

    def _positions(self, watched: tuple[Observable, ...]) -> tuple[int, ...] | None:
        """The index of the image of each watched value; None if it is not watched, or is another expression."""
        positions = []
        for what in watched:
            image = what
            if isinstance(what, RegisterName):
                # What no event of the two threads decides, as a constant, is its own image.
                registers = self._skeleton.registers
                renamed = self._renaming.expression(registers[what])
                if renamed is not registers[what]:
                    image = RegisterName(self._threads.get(what.thread, what.thread), what.register)
                    if image not in watched or renamed is not registers[image]:
                        return None
            elif what in self._skeleton.finals:
                final = self._skeleton.finals[what]
                if self._renaming.expression(final) is not final:
                    return None
            positions.append(watched.index(image))
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


# --- which partial executions are equal up to exchanges ---------------------------------------------------------------


class VisitedOrbits:
    """The partial executions that were visited, up to exchanges of threads, each by a canonical form.

    The threads of a group are ordered by colours (colour refinement along reads-from) that depend on nothing but what
    was decided; the form has the decisions as if the threads stood in that order. Equal forms are images of each other;
    images may have different forms where colours tie, and are then both visited.
    """

    def __init__(self, groups: tuple[SymmetricThreads, ...]) -> None:
        self._groups: Final = groups
        self._position: Final = {
            event: (group, number, position)
            for group, threads in enumerate(groups)
            for number, thread in enumerate(threads)
            for position, event in enumerate(thread.events)
        }
        self._visited: Final[set[tuple[object, ...]]] = set()

    def add(self, valuation: Valuation) -> bool:
        """Add a partial execution; false if it, or an image of it with the same form, was added before."""
        if not self._groups:
            return True
        form = self._canonical_form(valuation)
        if form in self._visited:
            return False
        self._visited.add(form)
        return True

    def _canonical_form(self, valuation: Valuation) -> tuple[object, ...]:
        events: dict[int, int] = {}
        choices: dict[int, int] = {}
        for threads, order in zip(self._groups, self._orders(valuation), strict=True):
            for thread, number in zip(threads, order, strict=True):
                events.update(zip(threads[number].events, thread.events, strict=True))
                choices.update(zip(threads[number].choices, thread.choices, strict=True))
        decided = sorted((events.get(r, r), events.get(w, w)) for r, w in valuation.sources.items())
        chosen = sorted((choices.get(c, c), taken) for c, taken in enumerate(valuation.choices) if taken is not None)
        return (tuple(decided), tuple(chosen))

    def _orders(self, valuation: Valuation) -> list[list[int]]:
        """For each group its threads, ordered by their colours, which are refined until they are stable."""
        colours = [[0] * len(threads) for threads in self._groups]
        own = [[_own_colour(thread, valuation) for thread in threads] for threads in self._groups]
        number_of_colours = 0
        while True:
            neighbours: list[list[list[Colour]]] = [[[] for _ in threads] for threads in self._groups]
            for read, write in valuation.sources.items():
                self._add_neighbours(read, write, colours, neighbours)
            descriptions = [
                [(colours[g][n], own[g][n], tuple(sorted(neighbours[g][n]))) for n in range(len(threads))]
                for g, threads in enumerate(self._groups)
            ]
            palettes = [{d: rank for rank, d in enumerate(sorted(set(ds)))} for ds in descriptions]
            colours = [[palette[d] for d in ds] for palette, ds in zip(palettes, descriptions, strict=True)]
            if sum(map(len, palettes)) == number_of_colours:
                return [sorted(range(len(c)), key=c.__getitem__) for c in colours]
            number_of_colours = sum(map(len, palettes))

    def _add_neighbours(
        self, read: int, write: int, colours: list[list[int]], neighbours: list[list[list[Colour]]]
    ) -> None:
        """Add one pair of reads-from to the neighbours of the threads at both of its ends."""
        reader, writer = self._position.get(read), self._position.get(write)
        if reader is not None:
            group, number, position = reader
            if writer is None:
                neighbours[group][number].append((0, position, write, 0, 0, 0))
            else:
                same = (writer[0], writer[1]) == (group, number)
                colour = colours[writer[0]][writer[1]]
                neighbours[group][number].append((1, position, writer[0], writer[2], colour, int(same)))
        if writer is not None:
            group, number, position = writer
            if reader is None:
                neighbours[group][number].append((2, position, read, 0, 0, 0))
            else:
                neighbours[group][number].append((3, position, reader[0], reader[2], colours[reader[0]][reader[1]], 0))


def _own_colour(thread: SymmetricThread, valuation: Valuation) -> Colour:
    """What was decided of a thread alone: its choices."""
    return tuple(-1 if (taken := valuation.choices[choice]) is None else int(taken) for choice in thread.choices)
