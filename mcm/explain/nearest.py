"""What a pair lacks to be in a relation, told as a derivation: the cheapest one (`costs`), with its gaps marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.explanation import Derivation, How
from mcm.explain.costs import MOST, UNIT, distances
from mcm.explain.derivation import Deriver, Marks
from mcm.relation.parts import bare
from mcm.relation.term import (
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Identity,
    Intersection,
    Inverse,
    Product,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from mcm.explain.costs import CostRows, Costs
    from mcm.relation.evaluate import Structure
    from mcm.relation.term import RelationTerm, Term


class Nearest:
    """Tells what is nearest in the execution of some costs; `marks` is what a model says above its definitions."""

    def __init__(self, costs: Costs, structure: Structure, marks: Marks) -> None:
        self._costs = costs
        self._marks = marks
        self._deriver = Deriver(structure, marks)

    def cost(self, term: RelationTerm, first: int, last: int) -> int | None:
        """What a pair lacks; None if that is too much."""
        return self._costs.of(term).get(first, {}).get(last)

    def cheapest(self, term: RelationTerm, *, on_diagonal: bool) -> tuple[int, int, int] | None:
        """The cost of the pair that lacks least, and the pair; None if all lack too much."""
        costs = (
            (cost, first, last)
            for first, row in self._costs.of(term).items()
            for last, cost in row.items()
            if not on_diagonal or first == last
        )
        return min(costs, default=None)

    def derivation(self, term: Term, first: int, last: int) -> Derivation:
        """The cheapest derivation of a pair that has a cost, with MISSING and EXCESS where it has gaps."""
        return self._member(term, first) if isinstance(term, SetTerm) else self._pair(term, first, last)

    def _member(self, term: SetTerm, event: int) -> Derivation:
        whole = self._deriver.why(term, event, event)
        if whole is not None:
            return whole
        match term:
            case SetUnion(left, right):
                cheaper = min((left, right), key=lambda side: self._costs.of_set(side).get(event, MOST + 1))
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
        target = self._costs.of(term)[first][last]
        if target < UNIT:
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
                sides = [side for side in (one, other) if self._costs.of(side).get(first, {}).get(last) == target]
                return Derivation(term, first, last, How.UNION, (self._pair(sides[-1], first, last),))
            case Intersection(one, other):
                both = self._pair(one, first, last), self._pair(other, first, last)
                return Derivation(term, first, last, How.INTERSECTION, both)
            case Difference(one, other):
                both = self._pair(one, first, last), self._subtracted(other, first, last)
                return Derivation(term, first, last, How.DIFFERENCE, both)
            case Compose(one, other):
                beyond = self._costs.of(other)
                between = min(
                    m
                    for m, cost in self._costs.of(one)[first].items()
                    if beyond.get(m, {}).get(last, MOST) + cost == target
                )
                both = self._pair(one, first, between), self._pair(other, between, last)
                return Derivation(term, first, last, How.COMPOSITION, both)
            case Inverse(body):
                return Derivation(term, first, last, How.INVERSE, (self._pair(body, last, first),))
            case Closure(body):
                steps = _path(self._costs.of(body), first, last)
                return Derivation(term, first, last, How.CLOSURE, tuple(self._pair(body, *step) for step in steps))
            case Defined(_, body):
                mark = self._marks.get(term)
                rules, phrase = (mark.rules, mark.phrase) if mark else ((), None)
                return Derivation(term, first, last, How.DEFINITION, (self._pair(body, first, last),), rules, phrase)
            case _:
                return Derivation(term, first, last, How.MISSING)

    def _subtracted(self, term: RelationTerm, first: int, last: int) -> Derivation:
        """What is taken out, and has the pair or not: of what is itself a difference, what would take the pair away."""
        if not self._deriver.evaluator.relation(term)[first] >> last & 1:
            return Derivation(term, first, last, How.ABSENT)
        inner = bare(term)
        parts = (self._pair(inner.right, first, last),) if isinstance(inner, Difference) else ()
        mark = self._marks.get(term)
        rules, phrase = (mark.rules, mark.phrase) if mark else ((), None)
        return Derivation(term, first, last, How.EXCESS, parts, rules, phrase)


def gaps(derivation: Derivation) -> list[Derivation]:
    """What a derivation lacks, each once."""
    found = {
        (leaf.term, leaf.first, leaf.last): leaf
        for leaf in derivation.leaves()
        if leaf.how in {How.MISSING, How.EXCESS}
    }
    return list(found.values())


def _path(rows: CostRows, first: int, last: int) -> list[tuple[int, int]]:
    before = distances(rows, first)
    steps: list[tuple[int, int]] = []
    event = last
    while True:
        previous = before[event][1]
        steps.append((previous, event))
        if previous == first:
            return steps[::-1]
        event = previous
