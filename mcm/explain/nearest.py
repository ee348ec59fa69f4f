"""What a pair lacks to be in a relation: the least that would have to be otherwise, found in the term itself.

Each base fact that is not so costs something if another program could have it (a memory order, a scope, a flag, a
place, a value read elsewhere), and cannot be had otherwise. Costs are added up through the operators of the term, and
the cheapest derivation is the answer, with its gaps marked. No rule of any model stands here.
"""

from __future__ import annotations

from operator import or_
from typing import TYPE_CHECKING, Final, assert_never

from mcm.answer.explanation import Derivation, How
from mcm.base.bits import listed
from mcm.base.deadline import poll
from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind
from mcm.explain.derivation import Deriver, Marks
from mcm.explain.violation import mentions
from mcm.relation.evaluate import closure
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
    from collections.abc import Collection, Iterator, Mapping

    from mcm.execution.candidate import Candidate
    from mcm.relation.evaluate import Rows, Structure
    from mcm.relation.term import RelationTerm, Term

# A base edge that is there costs one, so that short reasons are preferred; what is missing costs by the hundred.
_STEP: Final = 1
_UNIT: Final = 100
_MOST: Final = 10 * _UNIT

# What another program could have, and how far that is from this one.
_OF_EVENTS: Final[Mapping[str, int]] = {"REL": 1, "ACQ": 1, "SG": 1, "WG": 1, "DV": 1, "ALL": 1, "SC": 2, "A": 3}
_FLAGS: Final = frozenset({"G", "L"})
_FLAG: Final = 1
_PLACES: Final = frozenset({"ssg", "swg", "ski", "family", "sdv"})
_PLACE: Final = 1.5
_READING: Final = 2
_EXCESS: Final = 2
_SCOPES: Final = frozenset({"SG", "WG", "DV", "ALL"})

Row = dict[int, int]


class Nearest:
    """Looks for what is nearest in one execution, among the events in `within`.

    A read could take its value elsewhere if the events `kept` are executed then too, where they are; with None for
    `kept`, reads stay what they are.
    """

    def __init__(
        self,
        candidate: Candidate,
        structure: Structure,
        marks: Marks,
        within: int,
        kept: Collection[int] | None,
    ) -> None:
        self._candidate = candidate
        self._structure = structure
        self._events = listed(within & structure.universe)
        self._marks = marks
        self._deriver = Deriver(structure, marks)
        self._kept = kept
        self._comes_later: Rows | None = None
        self._sets: dict[SetTerm, Row] = {}
        self._relations: dict[RelationTerm, dict[int, Row]] = {}

    def cost(self, term: RelationTerm, first: int, last: int) -> int | None:
        """What a pair lacks; None if that is too much."""
        return self._of(term).get(first, {}).get(last)

    def cheapest(self, term: RelationTerm, *, on_diagonal: bool) -> tuple[int, int, int] | None:
        """The cost of the pair that lacks least, and the pair; None if all lack too much."""
        costs = (
            (cost, first, last)
            for first, row in self._of(term).items()
            for last, cost in row.items()
            if not on_diagonal or first == last
        )
        return min(costs, default=None)

    def derivation(self, term: Term, first: int, last: int) -> Derivation:
        """The cheapest derivation of a pair that has a cost, with MISSING and EXCESS where it has gaps."""
        return self._member(term, first) if isinstance(term, SetTerm) else self._pair(term, first, last)

    # --- costs of sets ------------------------------------------------------------------------------------------------

    def _in(self, term: SetTerm) -> Row:
        found = self._sets.get(term)
        if found is None:
            found = self._sets[term] = {e: cost for e in self._events if (cost := self._cost_in(term, e)) <= _MOST}
        return found

    def _cost_in(self, term: SetTerm, event: int) -> int:
        beyond = _MOST + 1
        match term:
            case BaseSet(name):
                return 0 if self._structure.sets[name] >> event & 1 else self._cost_of_attribute(name, event)
            case Everything():
                return 0
            case Nothing():
                return beyond
            case SetUnion(left, right):
                return min(self._in(left).get(event, beyond), self._in(right).get(event, beyond))
            case SetIntersection(left, right):
                return self._in(left).get(event, beyond) + self._in(right).get(event, beyond)
            case SetDifference(left, right):
                excess = beyond if self._deriver.evaluator.set(right) >> event & 1 else 0
                return self._in(left).get(event, beyond) + excess
            case Domain() | Range():
                return 0 if self._deriver.evaluator.set(term) >> event & 1 else beyond
            case DefinedSet(_, body):
                return self._in(body).get(event, beyond)
            case _:
                assert_never(term)

    def _cost_of_attribute(self, name: str, number: int) -> int:
        event = self._candidate.skeleton.events[number]
        if event.thread is None or event.kind is EventKind.CALL:
            return _MOST + 1
        if name in _FLAGS and event.kind.is_fence:
            return _FLAG * _UNIT
        if name not in _OF_EVENTS or (name == "A" and not event.kind.is_access):
            return _MOST + 1
        if (name == "REL" and event.kind is EventKind.READ) or (name == "ACQ" and event.kind is EventKind.WRITE):
            return _MOST + 1
        is_entry = event.kind is EventKind.ENTRY or event.kind is EventKind.EXIT
        return _MOST + 1 if is_entry else _OF_EVENTS[name] * _UNIT

    # --- costs of relations -------------------------------------------------------------------------------------------

    def _of(self, term: RelationTerm) -> dict[int, Row]:
        found = self._relations.get(term)
        if found is None:
            poll()
            pairs = self._costs(term)
            found = {}
            for (first, last), cost in pairs:
                if cost <= _MOST and cost < found.setdefault(first, {}).get(last, _MOST + 1):
                    found[first][last] = cost
            self._relations[term] = found
        return found

    def _costs(self, term: RelationTerm) -> Iterator[tuple[tuple[int, int], int]]:
        match term:
            case Base():
                yield from self._costs_of_base(term)
            case Empty() | RecursionVariable():
                return
            case Identity(events):
                yield from (((e, e), cost) for e, cost in self._in(events).items())
            case Product(left, right):
                last = self._in(right).items()
                yield from (((a, b), one + other) for a, one in self._in(left).items() for b, other in last)
            case Union(one, other):
                yield from _pairs(self._of(one))
                yield from _pairs(self._of(other))
            case Intersection(one, other):
                beyond = self._of(other)
                yield from (
                    ((a, b), cost + beyond[a][b]) for (a, b), cost in _pairs(self._of(one)) if b in beyond.get(a, {})
                )
            case Difference(one, other):
                excess = _EXCESS * _UNIT if mentions(other, {"mo", "rf"}) else _MOST + 1
                rows = self._deriver.evaluator.relation(other)
                yield from (
                    ((a, b), cost + (excess if rows[a] >> b & 1 else 0)) for (a, b), cost in _pairs(self._of(one))
                )
            case Compose(one, other):
                beyond = self._of(other)
                for (a, middle), cost in _pairs(self._of(one)):
                    yield from (((a, b), cost + more) for b, more in beyond.get(middle, {}).items())
            case Inverse(body):
                yield from (((b, a), cost) for (a, b), cost in _pairs(self._of(body)))
            case Closure(body):
                yield from _closed(self._of(body))
            case Defined(_, body):
                yield from _pairs(self._of(body))
            case Recursive():
                # What a recursive definition lacks is not looked for.
                rows = self._deriver.evaluator.relation(term)
                yield from (((a, b), _STEP) for a in self._events for b in self._events if rows[a] >> b & 1)
            case _:
                assert_never(term)

    def _costs_of_base(self, term: Base) -> Iterator[tuple[tuple[int, int], int]]:
        rows = self._structure.relations[term.name]
        for first in self._events:
            for last in self._events:
                if rows[first] >> last & 1:
                    yield (first, last), _STEP
                elif term.name in _PLACES and self._are_apart(first, last):
                    yield (first, last), int(_PLACE * _UNIT)
                elif term.name == "rf" and self._could_read(first, last):
                    yield (first, last), _READING * _UNIT

    def _are_apart(self, first: int, last: int) -> bool:
        events = self._candidate.skeleton.events
        return events[first].thread is not None and events[last].thread is not None

    def _could_read(self, write: int, read: int) -> bool:
        events, locations = self._candidate.skeleton.events, self._candidate.locations
        if self._kept is None or not (events[write].kind.writes and events[read].kind.reads):
            return False
        if locations[write] != locations[read] or self._later()[read] >> write & 1:
            return False
        return all(self._stays(event, write, read) for event in self._kept)

    def _later(self) -> Rows:
        """What comes of each event by program order and what is read: it can read nothing of that."""
        if self._comes_later is None:
            po, rf = self._structure.relations["po"], self._structure.relations["rf"]
            self._comes_later = closure(tuple(map(or_, po, rf)))
        return self._comes_later

    def _stays(self, number: int, write: int, read: int) -> bool:
        """Whether an event is executed, where it is, if a read takes its value from a write."""
        candidate = self._candidate
        event = candidate.skeleton.events[number]
        values = {**candidate.read_values, read: candidate.written_values[write]}
        is_executed = evaluate(event.guard, values, candidate.choices)
        place = None if event.address is None else evaluate(event.address, values, candidate.choices)
        return bool(is_executed) and place == candidate.locations.get(number)

    # --- the cheapest derivation --------------------------------------------------------------------------------------

    def _member(self, term: SetTerm, event: int) -> Derivation:
        whole = self._deriver.why(term, event, event)
        if whole is not None:
            return whole
        match term:
            case SetUnion(left, right):
                cheaper = min((left, right), key=lambda side: self._in(side).get(event, _MOST + 1))
                return Derivation(term, event, event, How.UNION, (self._member(cheaper, event),))
            case SetIntersection(left, right):
                parts = self._member(left, event), self._member(right, event)
                return Derivation(term, event, event, How.INTERSECTION, parts)
            case SetDifference(left, right):
                absent = Derivation(right, event, event, How.ABSENT)
                return Derivation(term, event, event, How.DIFFERENCE, (self._member(left, event), absent))
            case DefinedSet(_, body):
                mark = self._marks.get(term)
                rules, phrase = (mark.rules, mark.phrase) if mark else ((), None)
                return Derivation(term, event, event, How.DEFINITION, (self._member(body, event),), rules, phrase)
            case _:
                return Derivation(term, event, event, How.MISSING)

    def _pair(self, term: RelationTerm, first: int, last: int) -> Derivation:
        target = self._of(term)[first][last]
        if target < _UNIT:
            whole = self._deriver.why(term, first, last)
            assert whole is not None, "what costs nothing holds"
            return whole
        match term:
            case Identity(events):
                return Derivation(term, first, last, How.IDENTITY, (self._member(events, first),))
            case Product(left, right):
                parts = self._member(left, first), self._member(right, last)
                return Derivation(term, first, last, How.PRODUCT, parts)
            case Union(one, other):
                # Models list alternatives from narrow to wide; the widest is the one that is written for the pair.
                sides = [side for side in (one, other) if self._of(side).get(first, {}).get(last) == target]
                return Derivation(term, first, last, How.UNION, (self._pair(sides[-1], first, last),))
            case Intersection(one, other):
                both = self._pair(one, first, last), self._pair(other, first, last)
                return Derivation(term, first, last, How.INTERSECTION, both)
            case Difference(one, other):
                how = How.EXCESS if self._deriver.evaluator.relation(other)[first] >> last & 1 else How.ABSENT
                minuend = self._pair(one, first, last)
                return Derivation(term, first, last, How.DIFFERENCE, (minuend, Derivation(other, first, last, how)))
            case Compose(one, other):
                beyond = self._of(other)
                between = min(
                    m for m, cost in self._of(one)[first].items() if beyond.get(m, {}).get(last, _MOST) + cost == target
                )
                both = self._pair(one, first, between), self._pair(other, between, last)
                return Derivation(term, first, last, How.COMPOSITION, both)
            case Inverse(body):
                return Derivation(term, first, last, How.INVERSE, (self._pair(body, last, first),))
            case Closure(body):
                steps = _path(self._of(body), first, last)
                return Derivation(term, first, last, How.CLOSURE, tuple(self._pair(body, *step) for step in steps))
            case Defined(_, body):
                mark = self._marks.get(term)
                rules, phrase = (mark.rules, mark.phrase) if mark else ((), None)
                return Derivation(term, first, last, How.DEFINITION, (self._pair(body, first, last),), rules, phrase)
            case _:
                return Derivation(term, first, last, How.MISSING)


def gaps(derivation: Derivation) -> list[Derivation]:
    """What a derivation lacks, each once."""
    found = {
        (leaf.term, leaf.first, leaf.last): leaf
        for leaf in derivation.leaves()
        if leaf.how in {How.MISSING, How.EXCESS}
    }
    return list(found.values())


def _pairs(rows: dict[int, Row]) -> Iterator[tuple[tuple[int, int], int]]:
    return (((a, b), cost) for a, row in rows.items() for b, cost in row.items())


def _closed(rows: dict[int, Row]) -> Iterator[tuple[tuple[int, int], int]]:
    for first in rows:
        yield from (((first, last), cost) for last, (cost, _) in _distances(rows, first).items())


def _distances(rows: dict[int, Row], first: int) -> dict[int, tuple[int, int]]:
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
            if beyond not in settled and total <= _MOST and total < waiting.get(beyond, (_MOST + 1, 0))[0]:
                waiting[beyond] = (total, event)
    return found


def _path(rows: dict[int, Row], first: int, last: int) -> list[tuple[int, int]]:
    before = _distances(rows, first)
    steps: list[tuple[int, int]] = []
    event = last
    while True:
        previous = before[event][1]
        steps.append((previous, event))
        if previous == first:
            return steps[::-1]
        event = previous
