"""What pairs lack to be in relations of one execution: the least that would have to be otherwise, as numbers.

Each base fact that is not so costs something if another program could have it (a memory order, a scope, a flag, a
place, a value read elsewhere), and cannot be had otherwise. Costs are added up through the operators of the term. No
rule of any model stands here.
"""

from __future__ import annotations

from operator import or_
from typing import TYPE_CHECKING, Final, assert_never

from mcm.base.bits import listed
from mcm.base.deadline import poll
from mcm.execution.event import EventKind
from mcm.execution.vocabulary import PLACES
from mcm.explain.other_readings import stays
from mcm.explain.violation import mentions
from mcm.relation.evaluate import Evaluator, closure
from mcm.relation.parts import bare
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Domain,
    Empty,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    Range,
    RecursionVariable,
    Recursive,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mcm.execution.candidate import Candidate
    from mcm.explain.other_readings import Reading
    from mcm.relation.evaluate import Rows, Structure
    from mcm.relation.term import RelationTerm

# A base edge that is there costs one, so that short reasons are preferred; what is missing costs by the hundred.
_STEP: Final = 1
UNIT: Final = 100
MOST: Final = 10 * UNIT
_BEYOND: Final = MOST + 1

# What another program could have, and how far that is from this one.
_OF_EVENTS: Final[Mapping[str, int]] = {"REL": 1, "ACQ": 1, "SG": 1, "WG": 1, "DV": 1, "ALL": 1, "SC": 2, "A": 3}
_FLAGS: Final = frozenset({"G", "L"})
_FLAG: Final = 1
_PLACE: Final = 1.5
_READING: Final = 2
_EXCESS: Final = 2

# The costs of pairs with one first event, by the last one; and by the first one. What costs more than MOST is left out.
Row = dict[int, int]
CostRows = dict[int, Row]


class Costs:
    """Costs of terms in one execution, each once, among the events in `within`.

    A read could take its value elsewhere if the events `kept` are executed then too, where they are; with None for
    `kept`, reads stay what they are. Nor could it take it from a write that `barred` has for it.
    """

    def __init__(
        self,
        candidate: Candidate,
        structure: Structure,
        within: int,
        kept: Collection[int] | None,
        barred: frozenset[Reading] = frozenset(),
    ) -> None:
        self._candidate = candidate
        self._structure = structure
        self._events = listed(within & structure.universe)
        self._evaluator = Evaluator(structure)
        self._within = within
        self._kept = kept
        self._barred = barred
        self._comes_later: Rows | None = None
        self._sets: dict[SetTerm, Row] = {}
        self._relations: dict[RelationTerm, CostRows] = {}

    def without(self, readings: frozenset[Reading]) -> Costs:
        """The same where some reads cannot take their values from some writes, either."""
        return Costs(self._candidate, self._structure, self._within, self._kept, self._barred | readings)

    def of_set(self, term: SetTerm) -> Row:
        """What events lack to be in a set."""
        found = self._sets.get(term)
        if found is None:
            found = self._sets[term] = {e: cost for e in self._events if (cost := self._in(term, e)) <= MOST}
        return found

    def of(self, term: RelationTerm) -> CostRows:
        """What pairs lack to be in a relation."""
        found = self._relations.get(term)
        if found is None:
            poll()
            found = self._relations[term] = self._of(term)
        return found

    # --- sets ---------------------------------------------------------------------------------------------------------

    def _in(self, term: SetTerm, event: int) -> int:
        match term:
            case BaseSet(name):
                return 0 if self._structure.sets[name] >> event & 1 else self._cost_of_attribute(name, event)
            case Everything():
                return 0
            case Nothing():
                return _BEYOND
            case SetUnion(left, right):
                return min(self.of_set(left).get(event, _BEYOND), self.of_set(right).get(event, _BEYOND))
            case SetIntersection(left, right):
                return self.of_set(left).get(event, _BEYOND) + self.of_set(right).get(event, _BEYOND)
            case SetDifference(left, right):
                excess = _BEYOND if self._evaluator.set(right) >> event & 1 else 0
                return self.of_set(left).get(event, _BEYOND) + excess
            case Domain() | Range():
                return 0 if self._evaluator.set(term) >> event & 1 else _BEYOND
            case DefinedSet(_, body):
                return self.of_set(body).get(event, _BEYOND)
            case _:
                assert_never(term)

    def _cost_of_attribute(self, name: str, number: int) -> int:
        event = self._candidate.skeleton.events[number]
        if event.thread is None or event.kind is EventKind.CALL:
            return _BEYOND
        if name in _FLAGS and event.kind.is_fence:
            return _FLAG * UNIT
        if name not in _OF_EVENTS or (name == "A" and not event.kind.is_access):
            return _BEYOND
        if (name == "REL" and event.kind is EventKind.READ) or (name == "ACQ" and event.kind is EventKind.WRITE):
            return _BEYOND
        is_entry = event.kind is EventKind.ENTRY or event.kind is EventKind.EXIT
        return _BEYOND if is_entry else _OF_EVENTS[name] * UNIT

    # --- relations ----------------------------------------------------------------------------------------------------

    def _of(self, term: RelationTerm) -> CostRows:
        match term:
            case Base():
                return self._of_base(term)
            case Empty() | RecursionVariable():
                return {}
            case Identity(events):
                return {e: {e: cost} for e, cost in self.of_set(events).items()}
            case Product(left, right):
                last = self.of_set(right)
                return {a: _plus(cost, last) for a, cost in self.of_set(left).items()}
            case Union(one, other):
                return _either(self.of(one), self.of(other))
            case Intersection(one, other):
                return _both(self.of(one), self.of(other))
            case Difference(one, other):
                inner, known = bare(other), self._evaluator.relation(other)
                if isinstance(inner, Difference):
                    # What is in the way is gone where what is taken out of it has the pair.
                    less = self.of(inner.right)
                    return _less(self.of(one), known, lambda a, b: less.get(a, {}).get(b, _BEYOND))
                excess = _EXCESS * UNIT if mentions(other, {"mo", "rf"}) else _BEYOND
                return _less(self.of(one), known, lambda *_: excess)
            case Compose(one, other):
                return _joined(self.of(one), self.of(other))
            case Inverse(body):
                return _turned(self.of(body))
            case Closure(body):
                rows = self.of(body)
                return {a: {b: cost for b, (cost, _) in distances(rows, a).items()} for a in rows}
            case Defined(_, body):
                return self.of(body)
            case Recursive():
                # What a recursive definition lacks is not looked for.
                known = self._evaluator.relation(term)
                return {a: {b: _STEP for b in self._events if known[a] >> b & 1} for a in self._events}
            case _:
                assert_never(term)

    def _of_base(self, term: Base) -> CostRows:
        return {
            first: {last: cost for last in self._events if (cost := self._of_fact(term.name, first, last)) <= MOST}
            for first in self._events
        }

    def _of_fact(self, name: str, first: int, last: int) -> int:
        if self._structure.relations[name][first] >> last & 1:
            return _STEP
        if name in PLACES and self._are_apart(first, last):
            return int(_PLACE * UNIT)
        return _READING * UNIT if name == "rf" and self._could_read(first, last) else _BEYOND

    def _are_apart(self, first: int, last: int) -> bool:
        events = self._candidate.skeleton.events
        return events[first].thread is not None and events[last].thread is not None

    def _could_read(self, write: int, read: int) -> bool:
        events, locations = self._candidate.skeleton.events, self._candidate.locations
        if (
            self._kept is None
            or (write, read) in self._barred
            or not (events[write].kind.writes and events[read].kind.reads)
        ):
            return False
        if locations[write] != locations[read] or self._later()[read] >> write & 1:
            return False
        values = {**self._candidate.read_values, read: self._candidate.written_values[write]}
        return all(stays(self._candidate, event, values) for event in self._kept)

    def _later(self) -> Rows:
        """What comes of each event by program order and what is read: it can read nothing of that."""
        if self._comes_later is None:
            po, rf = self._structure.relations["po"], self._structure.relations["rf"]
            self._comes_later = closure(tuple(map(or_, po, rf)))
        return self._comes_later


def _plus(cost: int, row: Row) -> Row:
    return {last: total for last, more in row.items() if (total := cost + more) <= MOST}


def _either(one: CostRows, other: CostRows) -> CostRows:
    """The less of both."""
    found = {first: dict(row) for first, row in one.items()}
    for first, row in other.items():
        into = found.setdefault(first, {})
        for last, cost in row.items():
            if cost < into.get(last, _BEYOND):
                into[last] = cost
    return found


def _both(one: CostRows, other: CostRows) -> CostRows:
    return {
        first: {last: total for last, cost in row.items() if (total := cost + beyond.get(last, _BEYOND)) <= MOST}
        for first, row in one.items()
        if (beyond := other.get(first))
    }


def _less(one: CostRows, rows: Rows, excess: Callable[[int, int], int]) -> CostRows:
    return {
        first: {
            last: total
            for last, cost in row.items()
            if (total := cost + (excess(first, last) if rows[first] >> last & 1 else 0)) <= MOST
        }
        for first, row in one.items()
    }


def _joined(one: CostRows, other: CostRows) -> CostRows:
    found: CostRows = {}
    for first, row in one.items():
        into: Row = {}
        for middle, cost in row.items():
            for last, more in other.get(middle, {}).items():
                if cost + more < into.get(last, _BEYOND):
                    into[last] = cost + more
        found[first] = into
    return found


def _turned(rows: CostRows) -> CostRows:
    found: CostRows = {}
    for first, row in rows.items():
        for last, cost in row.items():
            found.setdefault(last, {})[first] = cost
    return found


def distances(rows: CostRows, first: int) -> dict[int, tuple[int, int]]:
    """The cost of the cheapest path of at least one step to each event, and the event before."""
    found: dict[int, tuple[int, int]] = {}
    settled: set[int] = set()
    waiting = {last: (cost, first) for last, cost in rows.get(first, {}).items()}
    while waiting:
        event = min(waiting, key=lambda e: (waiting[e], e))
        found[event] = waiting.pop(event)
        settled.add(event)
        for beyond, cost in rows.get(event, {}).items():
            total = found[event][0] + cost
            if beyond not in settled and total <= MOST and total < waiting.get(beyond, (_BEYOND, 0))[0]:
                waiting[beyond] = (total, event)
    return found
