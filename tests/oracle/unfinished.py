"""What a structured program does, finished or not, by trying every execution of its loops up to a bound."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Final

from oracle import rules
from oracle.brute import consistent
from oracle.candidates import Candidate, Event, candidates_of, numbered
from oracle.loops import LoopProgram
from oracle.model import Model
from oracle.program import Program, Region, Unit
from oracle.relations import Execution
from oracle.unrolling import Cut, Held, Way, ways

State = tuple[tuple[str, int], ...]
"""Every observed register (`0:r0`) and location with its final value, sorted by name."""

Stops = frozenset[tuple[int, int]]
"""Units that wait for ever, each with the site of the loop or barrier where it does."""


_COMBINATIONS: Final = 20
"""How many combinations of ways are looked at for one candidate: most hold a read that nobody writes for."""

_PRUNED: Final = 50
"""How many candidates that are not coherent are made for one that is."""


class TooManyError(Exception):
    """There are more executions than are worth trying."""


@dataclass(slots=True)
class Outcomes:
    """States of complete executions; races, as pairs of sites, divergence and blocked units of all executions."""

    states: set[State] = field(default_factory=set)
    races: set[tuple[int, int]] = field(default_factory=set)
    divergent: bool = False
    blocked: set[Stops] = field(default_factory=set)
    blocked_diverging: set[Stops] = field(default_factory=set)
    """Those that wait where somebody is missing at a barrier: what they do is undefined."""
    is_cut: bool = False
    """Whether in some execution a loop that does not wait goes on beyond the bound."""


def outcomes(program: LoopProgram, model: Model, bound: int, most: int, *, passes: bool = False) -> Outcomes:
    """Try every execution; TooManyError if there are more than `most` combinations or candidates.

    With `passes`, units go on behind a barrier at which a member of the group is missing who has finished.
    """
    placed = Program(program.locations, tuple(Unit((), wg=unit.wg) for unit in program.units), program.name)
    choices = [list(islice(ways(program, unit, bound), most + 1)) for unit in range(len(program.units))]
    if max(map(len, choices)) > most or math.prod(map(len, choices)) > _COMBINATIONS * most:
        raise TooManyError
    found, tried = Outcomes(), 0
    for chosen in product(*choices):
        if not (_can_be_read(program, chosen) and _holds_at_barriers(program, chosen, passes=passes)):
            continue
        events = numbered(placed, ([each.event for each in way.happened] for way in chosen))
        if _cost(events) > _PRUNED * most:
            raise TooManyError
        for candidate in candidates_of(
            placed, events, _registers(program, chosen), order_all=model.orders_every_location
        ):
            tried += 1
            if tried > most:
                raise TooManyError
            execution = _Chosen(program, chosen, candidate, model)
            if execution.adds_to(found) and consistent(execution.x):
                execution.add_to(found)
    return found


def _cost(events: Sequence[Event]) -> int:
    """Estimate how many candidates these events have before the incoherent ones are left out."""
    total = 1
    for name in {event.location.name for event in events if event.location is not None}:
        here = [event for event in events if event.location is not None and event.location.name == name]
        total *= math.factorial(sum(event.writes for event in here) - 1)
        for read in here:
            if read.reads:
                total *= sum(event.writes and event.written_value == read.read_value for event in here)
    return total


def _registers(program: LoopProgram, chosen: Sequence[Way]) -> tuple[tuple[str, int], ...]:
    return tuple(
        (f"{number}:{name}", way.registers[name])
        for number, (unit, way) in enumerate(zip(program.units, chosen, strict=True))
        for name in unit.observed
    )


def _can_be_read(program: LoopProgram, chosen: Sequence[Way]) -> bool:
    """Tell whether each value that is read is written by somebody."""
    written = {(location.name, location.initial) for location in program.locations}
    events = [each.event for way in chosen for each in way.happened]
    written |= {(e.location.name, e.written_value) for e in events if e.writes and e.location is not None}
    return all((e.location.name, e.read_value) in written for e in events if e.reads and e.location is not None)


def _arrivals(chosen: Sequence[Way]) -> Iterator[tuple[int, str]]:
    """Yield each unit with the barriers that it reaches."""
    for unit, way in enumerate(chosen):
        for each in way.happened:
            if each.event.entry and each.event.barrier is not None:
                yield unit, each.event.barrier.label


def _missing(program: LoopProgram, chosen: Sequence[Way]) -> Iterator[tuple[int, str, int]]:
    """Yield each arrival at a barrier with each member of the group that does not arrive there."""
    arrivals = set(_arrivals(chosen))
    for unit, label in arrivals:
        for other, member in enumerate(program.units):
            if member.wg == program.units[unit].wg and (other, label) not in arrivals:
                yield unit, label, other


def _holds_at_barriers(program: LoopProgram, chosen: Sequence[Way], *, passes: bool) -> bool:
    """Tell whether those and only those stand at a barrier who wait for a member that does not come."""
    missing = _missing(program, chosen)
    stuck = {(unit, label) for unit, label, other in missing if not passes or chosen[other].stop is not None}
    for unit, label in _arrivals(chosen):
        stop = chosen[unit].stop
        if (isinstance(stop, Held) and stop.barrier.label == label) != ((unit, label) in stuck):
            return False
    return True


@dataclass
class _Chosen:
    """One candidate execution, and the ways of the units that it is made of."""

    program: LoopProgram
    chosen: Sequence[Way]
    candidate: Candidate
    model: Model

    def __post_init__(self) -> None:
        initial = len(self.program.locations)
        self.sites = [-1] * initial + [each.site for way in self.chosen for each in way.happened]
        self.is_complete = all(way.stop is None for way in self.chosen)
        self._x: Execution | None = None

    @property
    def x(self) -> Execution:
        if self._x is None:
            self._x = Execution(self.candidate, self.model)
        return self._x

    def adds_to(self, found: Outcomes) -> bool:
        """Tell whether it could add anything, consistent or not."""
        if self.is_complete:
            if not self._states_at_most() <= found.states:
                return True
        else:
            stops = self.stops()
            known = found.blocked_diverging if self.diverges() else found.blocked
            if stops not in known if stops is not None else not found.is_cut:
                return True
        if not found.divergent and self.diverges():
            return True
        return not self.model.interleaving and not self._conflicts() <= found.races

    def add_to(self, found: Outcomes) -> None:
        if self.is_complete:
            last = [
                [write.written_value for write in rules.last_writes(self.x, each)] for each in self.program.locations
            ]
            found.states |= self._states(last)
        else:
            stops = self.stops()
            if stops is None:
                found.is_cut = found.is_cut or any(
                    isinstance(way.stop, Cut) and not way.stop.repeats for way in self.chosen
                )
            elif all(self._reads_last(unit) for unit, _ in stops):
                (found.blocked_diverging if self.diverges() else found.blocked).add(stops)
        found.divergent = found.divergent or self.diverges()
        if not self.model.interleaving:
            found.races |= {self._pair(a, b) for a, b in rules.races(self.x)}

    def stops(self) -> Stops | None:
        """Return who may wait for ever where; None if some loop would go on and change something."""
        stopped = set()
        for unit, way in enumerate(self.chosen):
            if way.stop is not None:
                if isinstance(way.stop, Cut) and not way.stop.repeats:
                    return None
                stopped.add((unit, way.stop.site))
        return frozenset(stopped)

    def diverges(self) -> bool:
        # BAR-DIV: a member that does not arrive has finished, or stands at another barrier; or the flags differ
        absent = (other for _, _, other in _missing(self.program, self.chosen))
        if any(not isinstance(self.chosen[other].stop, Cut) for other in absent):
            return True
        met: dict[tuple[int, str], frozenset[Region]] = {}
        for unit, way in enumerate(self.chosen):
            for each in way.happened:
                if each.event.barrier is not None:
                    instance = (self.program.units[unit].wg, each.event.barrier.label)
                    if met.setdefault(instance, each.event.flags) != each.event.flags:
                        return True
        return False

    def _pair(self, a: Event, b: Event) -> tuple[int, int]:
        first, second = sorted((self.sites[a.number], self.sites[b.number]))
        return first, second

    def _conflicts(self) -> set[tuple[int, int]]:
        """Return the pairs of sites that could race."""
        events = [event for event in self.candidate.events if event.location is not None and not event.initial]
        return {
            self._pair(a, b)
            for a in events
            for b in events
            if a.number < b.number and a.location == b.location and a.unit != b.unit and (a.writes or b.writes)
        }

    def _states(self, last: Sequence[Sequence[int | None]]) -> set[State]:
        names = [location.name for location in self.program.locations]
        return {
            tuple(
                sorted(
                    [*self.candidate.registers, *((n, v) for n, v in zip(names, values, strict=True) if v is not None)]
                )
            )
            for values in product(*last)
        }

    def _states_at_most(self) -> set[State]:
        """Return the states that it may end in, whatever the order of the writes that have none."""
        orders = self.candidate.modification_order
        return self._states(
            [
                [self.candidate.events[orders[location.name][-1]].written_value]
                if location.name in orders
                else [e.written_value for e in self.candidate.events if e.writes and e.location == location]
                for location in self.program.locations
            ]
        )

    def _last_iteration(self, unit: int) -> list[Event]:
        """Return the events of the iteration that a unit repeats."""
        way = self.chosen[unit]
        if not isinstance(way.stop, Cut):
            return []
        first = len(self.program.locations) + sum(len(before.happened) for before in self.chosen[:unit])
        return list(self.candidate.events[first + way.stop.since : first + len(way.happened)])

    def _reads_last(self, unit: int) -> bool:
        """Tell whether the iteration that a unit repeats sees the last write of each location.

        What waiting units write back unchanged does not count as a write.
        """
        back = {
            event.number
            for other in range(len(self.chosen))
            for event in self._last_iteration(other)
            if event.reads and event.writes and event.read_value == event.written_value
        }
        for read in self._last_iteration(unit):
            if not read.reads:
                continue
            assert read.location is not None
            source = self.x.read_from(read)
            order = self.x.order.get(read.location.name)
            if order is None:
                if source not in rules.last_writes(self.x, read.location):
                    return False
            elif any(write not in back for write in order[order.index(source.number) + 1 :]):
                return False
        return True
