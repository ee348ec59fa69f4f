"""Whether a derivation is right: each step by the meaning of its operator, down to base edges.

Written apart from `derivation`, which finds derivations. An explanation whose derivations do not hold is not shown.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mcm.answer.explanation import How
from mcm.relation.evaluate import Evaluator
from mcm.relation.occurrence import free_variables
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
    Everything,
    Identity,
    Intersection,
    Inverse,
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
    from collections.abc import Sequence

    from mcm.answer.explanation import Derivation
    from mcm.relation.evaluate import Structure
    from mcm.relation.term import RelationTerm, Term

_Claim = tuple["Term", int, int]
_Equations = dict[str, tuple["RelationTerm", "_Equations"]]


def holds(
    derivation: Derivation, structure: Structure, *, with_gaps: bool = False, evaluator: Evaluator | None = None
) -> bool:
    """Whether a derivation proves its pair in a structure, of which `evaluator` may know the values of some terms.

    With `with_gaps` parts may be missing, and then have to be: such a derivation proves only what else is needed.
    """
    return _Checker(structure, evaluator or Evaluator(structure), with_gaps).holds(derivation, {})


class _Checker:
    def __init__(self, structure: Structure, evaluator: Evaluator, with_gaps: bool) -> None:  # noqa: FBT001 - one private caller
        self._structure = structure
        self._evaluator = evaluator
        self._free: dict[Term, frozenset[str]] = {}
        self._with_gaps = with_gaps

    def holds(self, derivation: Derivation, equations: _Equations) -> bool:
        events = self._structure.universe
        if not (events >> derivation.first & 1 and events >> derivation.last & 1):
            return False
        match derivation.how:
            case How.BASE:
                return self._is_base(derivation)
            case How.ABSENT:
                # That it is absent is looked up; the parts say what is in the way, and have to be true.
                return self._is_in(derivation) is False and all(self.holds(part, {}) for part in derivation.parts)
            case How.MISSING:
                return self._with_gaps and not derivation.parts and self._is_in(derivation) is False
            case How.EXCESS:
                # The part says what would have to hold for it not to be there.
                inner = None if isinstance(derivation.term, SetTerm) else bare(derivation.term)
                claims = [(part.term, part.first, part.last) for part in derivation.parts]
                subtracted = [(inner.right, derivation.first, derivation.last)] if isinstance(inner, Difference) else []
                is_taken_away = all(self.holds(part, {}) for part in derivation.parts)
                return self._with_gaps and claims == subtracted and is_taken_away and self._is_in(derivation) is True
            case How.RECURSION | How.VARIABLE:
                return self._unfolds(derivation, equations)
            case _:
                needed = _needed(derivation)
                claims = [(part.term, part.first, part.last) for part in derivation.parts]
                return (
                    needed is not None
                    and list(needed) == claims
                    and all(self.holds(part, equations) for part in derivation.parts)
                )

    def _is_base(self, derivation: Derivation) -> bool:
        first, last = derivation.first, derivation.last
        match derivation.term:
            case Base(name):
                return not derivation.parts and bool(self._structure.relations[name][first] >> last & 1)
            case BaseSet(name):
                return not derivation.parts and first == last and bool(self._structure.sets[name] >> first & 1)
            case _:
                return False

    def _is_in(self, derivation: Derivation) -> bool | None:
        """Whether the term has the pair; None where that depends on recursion variables around it."""
        term, first, last = derivation.term, derivation.first, derivation.last
        if isinstance(term, SetTerm):
            return first != last or bool(self._evaluator.set(term) >> first & 1)
        if free_variables(term, self._free):
            return None
        return bool(self._evaluator.relation(term)[first] >> last & 1)

    def _unfolds(self, derivation: Derivation, equations: _Equations) -> bool:
        """A derivation is finite, so that what it unfolds is in the least solution."""
        inner: _Equations
        match derivation.term:
            case Recursive(name, of) if derivation.how is How.RECURSION:
                inner = {**equations}
                inner.update({each: (body, inner) for each, body in of})
                body = dict(of)[name]
            case RecursionVariable(name) if derivation.how is How.VARIABLE and name in equations:
                body, inner = equations[name]
            case _:
                return False
        if len(derivation.parts) != 1:
            return False
        (part,) = derivation.parts
        return (part.term, part.first, part.last) == (body, derivation.first, derivation.last) and self.holds(
            part, inner
        )


def _needed(derivation: Derivation) -> Sequence[_Claim] | None:
    """What the parts have to claim for the operator to give the pair, as far as they leave no choice; None if not."""
    term, first, last = derivation.term, derivation.first, derivation.last
    parts, how = derivation.parts, derivation.how
    if isinstance(term, SetTerm):
        return _needed_by_set(derivation, term) if first == last else None
    match how, term:
        case How.DEFINITION, Defined(_, body):
            return [(body, first, last)]
        case How.UNION, Union(left, right):
            return _side(derivation, left, right)
        case How.INTERSECTION, Intersection(left, right):
            return [(left, first, last), (right, first, last)]
        case How.DIFFERENCE, Difference(left, right):
            return [(left, first, last), (right, first, last)] if _second_is_absent(derivation) else None
        case How.COMPOSITION, Compose(left, right):
            return [(left, first, parts[0].last), (right, parts[0].last, last)] if parts else None
        case How.INVERSE, Inverse(body):
            return [(body, last, first)]
        case How.CLOSURE, Closure(body):
            places = [first, *(part.last for part in parts)]
            return [(body, *step) for step in pairwise(places)] if _ends(derivation) else None
        case How.IDENTITY, Identity(events):
            return [(events, first, first)] if first == last else None
        case How.PRODUCT, Product(one_side, other_side):
            return [(one_side, first, first), (other_side, last, last)]
        case _:
            return None


def _needed_by_set(derivation: Derivation, term: SetTerm) -> Sequence[_Claim] | None:
    event, parts = derivation.first, derivation.parts
    match derivation.how, term:
        case How.EVERYTHING, Everything():
            return []
        case How.DEFINITION, DefinedSet(_, body):
            return [(body, event, event)]
        case How.UNION, SetUnion(left, right):
            return _side(derivation, left, right)
        case How.INTERSECTION, SetIntersection(left, right):
            return [(left, event, event), (right, event, event)]
        case How.DIFFERENCE, SetDifference(left, right):
            return [(left, event, event), (right, event, event)] if _second_is_absent(derivation) else None
        case How.DOMAIN, Domain(relation):
            return [(relation, event, parts[0].last)] if parts else None
        case How.RANGE, Range(relation):
            return [(relation, parts[0].first, event)] if parts else None
        case _:
            return None


def _side(derivation: Derivation, left: Term, right: Term) -> Sequence[_Claim] | None:
    """The side of a union that the derivation goes by."""
    chosen = [part.term for part in derivation.parts]
    return [(chosen[0], derivation.first, derivation.last)] if chosen in ([left], [right]) else None


def _second_is_absent(derivation: Derivation) -> bool:
    """Whether what is subtracted is said to be absent, or in the way."""
    return len(derivation.parts) == 2 and derivation.parts[1].how in {How.ABSENT, How.EXCESS}


def _ends(derivation: Derivation) -> bool:
    return bool(derivation.parts) and derivation.parts[-1].last == derivation.last
