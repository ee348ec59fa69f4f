"""`why`: from the value of a term in an execution to the reason for one pair of it, down to base edges.

Of several reasons the one with the fewest leaves is given, of several as short the first in the order of the term and
of the events. `derivation_check` says independently of this module whether a derivation is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.answer.explanation import Derivation, How
from mcm.base.bits import listed
from mcm.explain.paths import shortest_path
from mcm.relation.evaluate import Evaluator
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
    from collections.abc import Iterator, Mapping

    from mcm.cat.model import Model
    from mcm.relation.evaluate import Rows, Structure
    from mcm.relation.term import RelationTerm, Term

# Of a composition, so many events between are tried for the shortest reason.
_MOST_BETWEEN: Final = 12


class Mark(Struct, frozen=True):
    """What a model says above a definition: the rules that it implements, and its words for it."""

    rules: tuple[str, ...] = ()
    phrase: str | None = None


_NO_MARK: Final = Mark()
Marks = dict["Term", Mark]


def marks_of(model: Model) -> Marks:
    """What a model says above its definitions, by the terms that they are."""
    marks: Marks = {}
    for definition in model.definitions:
        if definition.rule is None and definition.phrase is None:
            continue
        rules = () if definition.rule is None else (definition.rule.identifier,)
        term = definition.term
        named = DefinedSet(definition.name, term) if isinstance(term, SetTerm) else Defined(definition.name, term)
        marks[named] = Mark(rules, definition.phrase)
    return marks


def why(term: Term, first: int, last: int, structure: Structure, marks: Marks | None = None) -> Derivation | None:
    """Why a pair is in a relation, or an event (`first == last`) in a set; None where it is not.

    `marks` is what a model says above its definitions (`marks_of`).
    """
    return Deriver(structure, marks or {}).why(term, first, last)


class _Stage(Struct, frozen=True, eq=False):
    """The recursion around a part of a term: which step of the iteration it is looked at in."""

    equations: Mapping[str, RelationTerm]
    approximations: list[dict[str, Rows]]
    step: int
    outer: Mapping[str, _Stage]


_Scope = dict[str, _Stage]


class Deriver:
    """Gives reasons in one structure, each worked out once."""

    def __init__(self, structure: Structure, marks: Marks, evaluator: Evaluator | None = None) -> None:
        self.evaluator: Final = evaluator or Evaluator(structure)
        self._structure = structure
        self._marks = marks
        self._known: dict[tuple[Term, int, int], Derivation | None] = {}
        self._absences: dict[tuple[Term, int, int], Derivation | None] = {}

    def why(self, term: Term, first: int, last: int) -> Derivation | None:
        """As the function of this name."""
        if isinstance(term, SetTerm):
            return self._member(term, first) if first == last else None
        return self._pair(term, first, last, {})

    # --- sets ---------------------------------------------------------------------------------------------------------

    def _member(self, term: SetTerm, event: int) -> Derivation | None:
        key = (term, event, event)
        if key not in self._known:
            holds = self.evaluator.set(term) >> event & 1
            self._known[key] = self._why_member(term, event) if holds else None
        return self._known[key]

    def _why_member(self, term: SetTerm, event: int) -> Derivation | None:
        match term:
            case BaseSet():
                return _leaf(term, event, event, How.BASE)
            case Everything():
                return _leaf(term, event, event, How.EVERYTHING)
            case Nothing():
                return None
            case SetUnion(left, right):
                return _by(
                    term, event, event, How.UNION, _shorter(self._member(left, event), self._member(right, event))
                )
            case SetIntersection(left, right):
                return _by(term, event, event, How.INTERSECTION, self._member(left, event), self._member(right, event))
            case SetDifference(left, right):
                absent = self._absence(right, event, event)
                return _by(term, event, event, How.DIFFERENCE, self._member(left, event), absent)
            case Domain(relation):
                row = self.evaluator.relation(relation)[event]
                found = self._first(relation, ((event, other) for other in listed(row)))
                return _by(term, event, event, How.DOMAIN, found)
            case Range(relation):
                rows = self.evaluator.relation(relation)
                found = self._first(relation, ((other, event) for other, row in enumerate(rows) if row >> event & 1))
                return _by(term, event, event, How.RANGE, found)
            case DefinedSet(_, body):
                mark = self._marks.get(term, _NO_MARK)
                return _by(term, event, event, How.DEFINITION, self._member(body, event), mark=mark)
            case _:
                assert_never(term)

    def _first(self, relation: RelationTerm, pairs: Iterator[tuple[int, int]]) -> Derivation | None:
        first, last = next(pairs)
        return self._pair(relation, first, last, {})

    # --- relations ----------------------------------------------------------------------------------------------------

    def _pair(self, term: RelationTerm, first: int, last: int, scope: _Scope) -> Derivation | None:
        """The reason for a pair, None if there is none; `scope` are the recursions around the term."""
        if scope:
            return self._why_pair(term, first, last, scope) if self._has(term, first, last, scope) else None
        key = (term, first, last)
        if key not in self._known:
            self._known[key] = self._why_pair(term, first, last, scope) if self._has(*key, scope) else None
        return self._known[key]

    def _rows(self, term: RelationTerm, scope: _Scope) -> Rows:
        bound = {name: stage.approximations[stage.step][name] for name, stage in scope.items()}
        return self.evaluator.relation(term, bound)

    def _has(self, term: RelationTerm, first: int, last: int, scope: _Scope) -> bool:
        return bool(self._rows(term, scope)[first] >> last & 1)

    def _why_pair(self, term: RelationTerm, first: int, last: int, scope: _Scope) -> Derivation | None:
        match term:
            case Base():
                return _leaf(term, first, last, How.BASE)
            case Empty():
                return None
            case Identity(events):
                return _by(term, first, last, How.IDENTITY, self._member(events, first))
            case Product(one, other):
                return _by(term, first, last, How.PRODUCT, self._member(one, first), self._member(other, last))
            case Union(left, right):
                sides = (self._pair(left, first, last, scope), self._pair(right, first, last, scope))
                return _by(term, first, last, How.UNION, _shorter(*sides))
            case Intersection(left, right):
                both = (self._pair(left, first, last, scope), self._pair(right, first, last, scope))
                return _by(term, first, last, How.INTERSECTION, *both)
            case Difference(left, right):
                absent = self._absence(right, first, last)
                return _by(term, first, last, How.DIFFERENCE, self._pair(left, first, last, scope), absent)
            case Compose(left, right):
                return self._composition(term, left, right, (first, last), scope)
            case Inverse(body):
                return _by(term, first, last, How.INVERSE, self._pair(body, last, first, scope))
            case Closure(body):
                path = shortest_path(self._rows(body, scope), first, last)
                steps = [self._pair(body, one, next_, scope) for one, next_ in path]
                return _by(term, first, last, How.CLOSURE, *steps)
            case Defined(_, body):
                mark = self._marks.get(term, _NO_MARK)
                return _by(term, first, last, How.DEFINITION, self._pair(body, first, last, scope), mark=mark)
            case RecursionVariable(name):
                return _by(term, first, last, How.VARIABLE, self._unfolded(scope[name], name, first, last))
            case Recursive(name, equations):
                bound = {each: stage.approximations[stage.step][each] for each, stage in scope.items()}
                approximations = self.evaluator.approximations(equations, bound)
                stage = _Stage(dict(equations), approximations, len(approximations) - 1, scope)
                return _by(term, first, last, How.RECURSION, self._unfolded(stage, name, first, last))
            case _:
                assert_never(term)

    def _composition(
        self, term: Compose, left: RelationTerm, right: RelationTerm, pair: tuple[int, int], scope: _Scope
    ) -> Derivation | None:
        first, last = pair
        beyond = self._rows(right, scope)
        between = [m for m in listed(self._rows(left, scope)[first]) if beyond[m] >> last & 1][:_MOST_BETWEEN]
        found = None
        for middle in between:
            both = self._pair(left, first, middle, scope), self._pair(right, middle, last, scope)
            found = _shorter(found, _by(term, first, last, How.COMPOSITION, *both))
        return found

    # --- what is not in a term ----------------------------------------------------------------------------------------

    def _absence(self, term: Term, first: int, last: int) -> Derivation | None:
        """Why a pair, or an event, is not in a term; None if it is. It is told as far as something is in the way."""
        key = (term, first, last)
        if key not in self._absences:
            rows = None if isinstance(term, SetTerm) else self.evaluator.relation(term)
            has = (
                self.evaluator.set(term) >> first & 1 if isinstance(term, SetTerm) else rows and rows[first] >> last & 1
            )
            self._absences[key] = None if has else Derivation(term, first, last, How.ABSENT, self._grounds(*key))
        return self._absences[key]

    def _grounds(self, term: Term, first: int, last: int) -> tuple[Derivation, ...]:
        """What keeps a pair out of a term: nothing where the term just does not have it."""
        match term:
            case Union(left, right) | SetUnion(left, right):
                sides = self._absence(left, first, last), self._absence(right, first, last)
                return tuple(side for side in sides if side is not None and side.parts)
            case Intersection(left, right) | SetIntersection(left, right):
                return _least(self._absence(left, first, last), self._absence(right, first, last))
            case Difference(left, right) | SetDifference(left, right):
                return _least(self._absence(left, first, last), self.why(right, first, last))
            case Defined(_, body) | DefinedSet(_, body):
                return _least(self._absence(body, first, last))
            case Inverse(body):
                return _least(self._absence(body, last, first))
            case _:
                return ()

    def _unfolded(self, stage: _Stage, name: str, first: int, last: int) -> Derivation | None:
        """The reason for a pair of a recursive relation: in its equation, as of the step before it first appears."""
        reached = (rows[name][first] >> last & 1 for rows in stage.approximations)
        step = next(number for number, has in enumerate(reached) if has)
        before = _Stage(stage.equations, stage.approximations, step - 1, stage.outer)
        scope = {**stage.outer, **dict.fromkeys(stage.equations, before)}
        return self._pair(stage.equations[name], first, last, scope)


def _leaf(term: Term, first: int, last: int, how: How) -> Derivation:
    return Derivation(term, first, last, how)


def _by(
    term: Term, first: int, last: int, how: How, *parts: Derivation | None, mark: Mark = _NO_MARK
) -> Derivation | None:
    """A derivation of these parts; None if one of them is missing."""
    there = [part for part in parts if part is not None]
    if len(there) < len(parts):
        return None
    return Derivation(term, first, last, how, tuple(there), mark.rules, mark.phrase)


def _shorter(one: Derivation | None, other: Derivation | None) -> Derivation | None:
    """The derivation with fewer leaves, the first of two that are as short."""
    if one is None or other is None:
        return other if one is None else one
    return other if size(other) < size(one) else one


def size(derivation: Derivation) -> int:
    """The number of leaves; what is absent, or true of all events, costs nothing to say."""
    if derivation.parts:
        return sum(map(size, derivation.parts))
    return 0 if derivation.how in {How.ABSENT, How.EVERYTHING} else 1


def _least(*reasons: Derivation | None) -> tuple[Derivation, ...]:
    """The shortest of some reasons, if it says anything: an absence without grounds does not."""
    there = [reason for reason in reasons if reason is not None]
    least = min(there, key=size, default=None)
    return () if least is None or (least.how is How.ABSENT and not least.parts) else (least,)
