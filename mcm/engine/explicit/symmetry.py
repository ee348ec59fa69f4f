"""Thread symmetry: threads with the same code, and the partial executions that are equal up to exchanging them.

If exchanging two threads maps the skeleton and the query onto themselves, it maps consistent executions to consistent
executions. The search then visits one partial execution of each orbit, and adds to each finding its images.
`exchanges` looks for such threads; `VisitedOrbits` recognises partial executions by a canonical form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Stop
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
