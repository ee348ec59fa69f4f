"""How an execution breaks a check of a model: the cycle, or the pair that should not be, with its derivation."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Broken, Derivation, Edge, How
from mcm.base.bits import listed
from mcm.cat.model import Shape
from mcm.explain.derivation import Deriver, Marks, size
from mcm.explain.paths import shortest_cycle
from mcm.relation.term import Base, BaseSet, Closure, RelationTerm, SetTerm, children

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.cat.model import Check, Model
    from mcm.relation.evaluate import Evaluator, Structure

# Of the pairs that break a check, so many are compared for the shortest reason.
_MOST_PAIRS: Final = 12


class Violations:
    """Finds how one structure breaks checks."""

    def __init__(self, structure: Structure, marks: Marks, evaluator: Evaluator | None = None) -> None:
        self.structure: Final = structure
        self._deriver = Deriver(structure, marks, evaluator)
        self.evaluator: Final = self._deriver.evaluator

    def broken(self, check: Check) -> Broken | None:
        """The shortest reason why a check does not hold; None if it does."""
        # A check without a rule counts under its own name.
        rules = (check.name if check.rule is None else check.rule.identifier,)
        if check.negated:
            # What has to be there is not: there is nothing to derive.
            return Broken(check.name, rules, (), None) if not any(True for _ in self._offences(check)) else None
        found = min(self._offences(check), key=size, default=None)
        return None if found is None else Broken(check.name, rules, edges_of(found), found)

    def first(self, checks: Sequence[Check]) -> Broken | None:
        """Of the checks that do not hold, the one with the fewest rules and the shortest reason."""
        broken = [found for check in checks if (found := self.broken(check)) is not None]
        return min(broken, key=_length, default=None)

    def _offences(self, check: Check) -> Iterator[Derivation]:
        for first, last in self._pairs(check):
            derivation = self._deriver.why(check.term, first, last)
            if derivation is not None:
                yield derivation
        if check.shape is Shape.ACYCLIC:
            assert isinstance(check.term, RelationTerm)
            yield from self._cycle(check.term)

    def _pairs(self, check: Check) -> list[tuple[int, int]]:
        evaluator, term = self._deriver.evaluator, check.term
        if isinstance(term, SetTerm):
            return [(event, event) for event in listed(evaluator.set(term))][:_MOST_PAIRS]
        rows = evaluator.relation(term)
        match check.shape:
            case Shape.EMPTY:
                return [(first, last) for first, row in enumerate(rows) for last in listed(row)][:_MOST_PAIRS]
            case Shape.IRREFLEXIVE:
                return [(event, event) for event, row in enumerate(rows) if row >> event & 1][:_MOST_PAIRS]
            case Shape.ACYCLIC:
                return []

    def _cycle(self, term: RelationTerm) -> Iterator[Derivation]:
        """A shortest cycle, as a derivation of its closure from an event to itself."""
        steps = shortest_cycle(self._deriver.evaluator.relation(term))
        parts = [self._deriver.why(term, first, last) for first, last in steps]
        if steps:
            event = steps[0][0]
            yield Derivation(Closure(term), event, event, How.CLOSURE, tuple(p for p in parts if p is not None))


def _length(broken: Broken) -> tuple[int, int]:
    derivation = broken.derivation
    return (0, 0) if derivation is None else (len(derivation.all_rules()), size(derivation))


def rules_of(broken: Broken) -> tuple[str, ...]:
    """The rules of a check and of all definitions that its reason goes through."""
    inner = () if broken.derivation is None else broken.derivation.all_rules()
    return tuple(dict.fromkeys((*broken.rules, *inner)))


def edges_of(derivation: Derivation) -> tuple[Edge, ...]:
    """The steps of a derivation of a pair, by the names that the model gives to relations; members of sets are none."""
    return tuple(_edges(derivation))


def _edges(derivation: Derivation) -> Iterator[Edge]:
    if derivation.is_of_set:
        return
    match derivation.how:
        case How.COMPOSITION | How.CLOSURE:
            for part in derivation.parts:
                yield from _edges(part)
        case How.IDENTITY:
            return
        case How.PRODUCT if derivation.first == derivation.last:
            return
        case How.UNION if main_part(derivation).how is How.IDENTITY:
            # The optional step of `r?`, which is not made.
            return
        case How.UNION | How.DIFFERENCE | How.INTERSECTION if _is_path(main_part(derivation)):
            yield from _edges(main_part(derivation))
        case How.DEFINITION if derivation.phrase is None and not derivation.rules and _opens(derivation):
            yield from _edges(derivation.parts[0])
        case How.INVERSE:
            (inner,) = derivation.parts
            name = name_of(inner)
            yield Edge(f"{name}^-1", derivation.first, derivation.last, derivation)
        case _:
            yield Edge(name_of(derivation), derivation.first, derivation.last, derivation)


def _is_path(derivation: Derivation) -> bool:
    return derivation.how in {How.COMPOSITION, How.CLOSURE}


def _opens(derivation: Derivation) -> bool:
    """Whether a definition without words of its own is only another name: of something that has some, or a choice."""
    inner = main_part(derivation.parts[0])
    return inner.how is How.DEFINITION and not _is_path(inner)


def main_part(derivation: Derivation) -> Derivation:
    """What carries a pair: the side of a union, the relation of which others only choose pairs.

    Definitions are not opened.
    """
    while derivation.how in {How.UNION, How.DIFFERENCE, How.INTERSECTION}:
        derivation = min(derivation.parts[: 1 if derivation.how is not How.INTERSECTION else 2], key=_is_filter)
    return derivation


def _is_filter(derivation: Derivation) -> bool:
    """Whether a relation only chooses pairs: a product of sets, an identity, a base relation without direction."""
    inner = main_part(derivation) if derivation.how in {How.UNION, How.DIFFERENCE, How.INTERSECTION} else derivation
    return inner.how in {How.PRODUCT, How.IDENTITY} or (
        isinstance(inner.term, Base) and inner.term.name in {"loc", "int", "ext", "ssg", "swg", "ski", "family", "sdv"}
    )


def name_of(derivation: Derivation) -> str:
    """The name by which a step is known: of the innermost definition around what carries the pair.

    A definition with words of its own is not opened.
    """
    found = main_part(derivation)
    while found.how is How.DEFINITION and found.phrase is None:
        inner = main_part(found.parts[0])
        if inner.how is not How.DEFINITION and not isinstance(inner.term, Base):
            break
        found = inner
    return found.name


def without_orders(model: Model) -> tuple[Check, ...]:
    """The checks of a model that rest on no linearisation."""
    names = {order.name for order in model.linearisations}
    return tuple(check for check in model.checks if not mentions(check.term, names))


def mentions(term: SetTerm | RelationTerm, names: Collection[str]) -> bool:
    """Whether base relations or base sets of these names occur in a term."""
    return not _bases_of(term).isdisjoint(names)


@lru_cache(maxsize=1 << 13)
def _bases_of(term: SetTerm | RelationTerm) -> frozenset[str]:
    """The names of the base relations and sets in a term: parts are shared, and asked for again and again."""
    if isinstance(term, Base | BaseSet):
        return frozenset({term.name})
    return frozenset().union(*map(_bases_of, children(term)))
