"""Why a pair of events is in a relation of a model or is not, told by the parts of the model's own term."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.catalogue.evaluate import structure_of
from mcm.relation.evaluate import Evaluator
from mcm.relation.term import (
    Defined,
    DefinedSet,
    Difference,
    Intersection,
    Inverse,
    Product,
    SetTerm,
    Union,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.relation.term import RelationTerm, Term

Pair = tuple[int, int]


class Gap(Struct, frozen=True):
    """The part of a relation that lacks a pair: why the pair is not in the relation.

    `part` is as small as it can be: a base relation, a product of sets, a closure. `within` are the definitions around
    it, outermost first, and `alternative` is the operand of the outermost union that comes closest to the pair.
    """

    part: RelationTerm
    pair: Pair
    within: tuple[Defined, ...]
    alternative: RelationTerm


# How close an alternative comes: whether the guards (products of sets) around it hold, and how many sides of the first
# that does not. Compared from left to right.
_Closeness = tuple[int, ...]
_HELD: Final = 2


class Membership:
    """Answers for the pairs of one execution.

    `leaves` are names of definitions that are not taken apart.
    """

    def __init__(self, candidate: Candidate, model: Model, leaves: Collection[str]) -> None:
        self._reading = Evaluator(structure_of(candidate))
        self._definitions = model.definitions
        self._leaves = leaves

    def has(self, term: RelationTerm, pair: Pair) -> bool:
        """Whether a pair is in a relation; whole relations are computed only for compositions and closures."""
        match term:
            case Defined(_, body):
                return self.has(body, pair)
            case Union(left, right):
                return self.has(left, pair) or self.has(right, pair)
            case Intersection(left, right):
                return self.has(left, pair) and self.has(right, pair)
            case Difference(left, right):
                return self.has(left, pair) and not self.has(right, pair)
            case Product(left, right):
                return self.holds(left, pair[0]) and self.holds(right, pair[1])
            case Inverse(body):
                return self.has(body, pair[::-1])
            case _:
                return bool(self._reading.relation(term)[pair[0]] >> pair[1] & 1)

    def holds(self, term: SetTerm, event: int) -> bool:
        """Whether an event is in a set."""
        return bool(self._reading.set(term) >> event & 1)

    def exclusions(self, term: RelationTerm, pair: Pair) -> Iterator[Gap]:
        """Why a pair that is in a relation was not taken out: a gap for each relation that is subtracted."""
        match term:
            case Defined(_, body):
                yield from self.exclusions(body, pair)
            case Intersection(left, right):
                yield from self.exclusions(left, pair)
                yield from self.exclusions(right, pair)
            case Union(left, right):
                yield from self.exclusions(left if self.has(left, pair) else right, pair)
            case Difference(left, right):
                yield from self.exclusions(left, pair)
                yield self.gap(right, pair)
            case Inverse(body):
                yield from self.exclusions(body, pair[::-1])
            case _:
                return

    def gap(self, term: RelationTerm, pair: Pair) -> Gap:
        """Why a pair is not in a relation that does not have it.

        Of the operands of a union the one counts that comes closest, the last of those that come equally close: models
        list them from narrow to wide.
        """
        return self._gap(term, pair, (), None)[1]

    def _gap(
        self, term: RelationTerm, pair: Pair, within: tuple[Defined, ...], chosen: RelationTerm | None
    ) -> tuple[_Closeness, Gap]:
        match term:
            case Defined(name, body) if name not in self._leaves:
                return self._gap(body, pair, (*within, term), chosen)
            case Union():
                alternatives = [
                    self._gap(operand, pair, within, chosen or operand) for operand in _operands(term, Union)
                ]
                closest = max(closeness for closeness, _ in alternatives)
                return next(found for found in reversed(alternatives) if found[0] == closest)
            case Intersection():
                return self._gap_of_intersection(_operands(term, Intersection), pair, within, chosen)
            case Difference(left, _) if not self.has(left, pair):
                return self._gap(left, pair, within, chosen)
            case Inverse(body):
                return self._gap(body, pair[::-1], within, chosen)
            case Product(left, right):
                sides = self.holds(left, pair[0]) + self.holds(right, pair[1])
                return (sides,), Gap(term, pair, within, chosen or term)
            case _:
                return (_HELD,), Gap(term, pair, within, chosen or term)

    def _gap_of_intersection(
        self, operands: list[RelationTerm], pair: Pair, within: tuple[Defined, ...], chosen: RelationTerm | None
    ) -> tuple[_Closeness, Gap]:
        guards = [operand for operand in operands if isinstance(operand, Product)]
        for guard in guards:
            if not self.has(guard, pair):
                return self._gap(guard, pair, within, chosen)
        others = [operand for operand in operands if not isinstance(operand, Product)]
        # If the later operands have the pair, the first must lack it, and need not be computed.
        missing = others[0]
        if any(not self.has(other, pair) for other in others[1:]) and self.has(missing, pair):
            missing = next(other for other in others[1:] if not self.has(other, pair))
        closeness, found = self._gap(missing, pair, within, chosen)
        return ((_HELD, *closeness) if guards else closeness), found

    def rules_of(self, gap: Gap) -> tuple[str, ...]:
        """The rule that the innermost definition around a gap implements, if the pair meets the definition in part."""
        if isinstance(gap.part, Product) and not any(map(self.holds, (gap.part.left, gap.part.right), gap.pair)):
            return ()
        return self.rule_of(gap.within[-1]) if gap.within else ()

    def named_sets(self, gap: Gap) -> Iterator[tuple[str, int, tuple[str, ...]]]:
        """The sets with rules that the alternative of a gap is made of, and that have one of the events in them.

        For each its name, the event and the rule.
        """
        for term in _sets_in(gap.alternative):
            rules = self.rule_of(term)
            if rules:
                yield from ((term.name, event, rules) for event in gap.pair if self.holds(term, event))

    def rule_of(self, term: Defined | DefinedSet) -> tuple[str, ...]:
        """The rule that a definition implements, if any."""
        for definition in self._definitions:
            if definition.rule is not None and definition.name == term.name and definition.term is term.body:
                return (definition.rule.identifier,)
        return ()


def _operands(term: RelationTerm, kind: type[Union | Intersection]) -> list[RelationTerm]:
    """The operands of nested unions, or of nested intersections, from left to right."""
    if isinstance(term, kind):
        return [*_operands(term.left, kind), *_operands(term.right, kind)]
    return [term]


def _sets_in(term: Term) -> Iterator[DefinedSet]:
    """The defined sets that a term mentions, nested ones too, each once."""
    waiting, seen = [term], {term}
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, DefinedSet):
            yield inner
        new = [part for part in children(inner) if part not in seen]
        seen.update(new)
        waiting += reversed(new)
