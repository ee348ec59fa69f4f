"""A model with some of its rules only, for what the others do to forbid: taking one away never forbids anything.

`rules.without` replaces a definition wherever it stands. Where it stands behind a difference, less of it can mean more
(without an initial write that happens before it, a plain read may read nothing at all), so that an outcome could be
forbidden because a rule is missing. Here a definition is replaced only where the model then forbids less: by less of it
where it adds to what a check excludes, by more of it where it takes from that. What rules make the model weaker by
themselves, such as that scopes have to agree, stay.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.catalogue.mentions import mentions_of, named
from mcm.relation.containment import is_within
from mcm.relation.term import (
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Domain,
    Empty,
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    Range,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
    children,
    map_children,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mcm.cat.model import Check, Definition, Linearisation, Model
    from mcm.relation.term import Term


# So many terms are kept of the ways in which a model was weakened.
_MOST_KEPT: Final = 1 << 16


@lru_cache(maxsize=8)
def removable_rules(model: Model) -> tuple[str, ...]:
    """The leading IDs of the rules that a model can be had without, in its order; rules of flags forbid nothing.

    A check without a rule counts under its own name, and so does a linearisation whose order comes from no rule.
    """
    stated = [d.rule.identifier for d in model.definitions if d.rule is not None and d.without is not d.term]
    stated += [_identifier(check) for check in model.checks]
    stated += [order.name for order in _orders_without_rules(model, stated)]
    return tuple(dict.fromkeys(stated))


@lru_cache(maxsize=8)
def restricting_rules(model: Model) -> tuple[str, ...]:
    """The leading IDs of the rules without which some definition has more pairs or members, in its order."""
    restricting = [
        d.rule.identifier
        for d in model.definitions
        if d.rule is not None and d.without is not d.term and replacement_of(d).more is not None
    ]
    return tuple(dict.fromkeys(restricting))


def _identifier(item: Definition | Check) -> str:
    """What something is removed by: its rule, or else its name."""
    return item.name if item.rule is None else item.rule.identifier


def _orders_without_rules(model: Model, rules: Collection[str]) -> list[Linearisation]:
    """The linearisations that demand something even without all rules."""
    if not model.linearisations:
        return []
    bare = _weakenings(model).without(rules)
    return [order for order in model.linearisations if not is_nothing(bare.relation(order.order))]


def with_only(model: Model, kept: Collection[str], *, definitions: bool = True) -> Model:
    """The model that forbids by these of its removable rules only; what has no rule stays.

    Engines need no `definitions`: without them the model is made more quickly.
    """
    return weakened(model, set(removable_rules(model)).difference(kept), definitions=definitions)


def weakened(model: Model, removed: Collection[str], *, definitions: bool = True) -> Model:
    """The model that forbids nothing by the rules of these (leading) IDs; `definitions` as in `with_only`."""
    weakener = _weakenings(model).without(removed)
    kept = [check for check in model.checks if _identifier(check) not in removed]
    checks = [replace(check, term=weakener.term(check.term, less=not check.negated)) for check in kept]
    return replace(
        model,
        definitions=tuple(weakener.definition(d) for d in model.definitions if definitions),
        linearisations=tuple(
            replace(
                s,
                events=weakener.set(s.events),
                order=Empty() if s.name in removed else weakener.relation(s.order),
            )
            for s in model.linearisations
        ),
        checks=tuple(c for c in checks if c.negated or not is_nothing(c.term)),
    )


def also_permits(model: Model, rule: str) -> bool:
    """Whether something that a rule defines is taken away from what a check excludes: less of it forbids more there."""
    of_rule = {
        named(d)
        for d in model.definitions
        if d.rule is not None and d.rule.identifier == rule and d.without is not d.term
    }
    return not _subtracted(model).isdisjoint(of_rule)


@lru_cache(maxsize=8)
def _subtracted(model: Model) -> frozenset[Term]:
    """The terms of which less forbids more somewhere in the checks of a model."""
    seen: set[tuple[Term, bool]] = set()
    waiting = [(check.term, not check.negated) for check in model.checks]
    while waiting:
        term, less = waiting.pop()
        if (term, less) in seen:
            continue
        seen.add((term, less))
        if isinstance(term, Difference | SetDifference):
            waiting += [(term.left, less), (term.right, not less)]
        else:
            waiting += [(child, less) for child in children(term)]
    return frozenset(term for term, less in seen if not less)


class Replacement(Struct, frozen=True):
    """What a definition becomes; None for a direction in which it must not be replaced."""

    less: Term | None
    more: Term | None


class Weakenings:
    """What the terms of a model become without some of its rules.

    Rules are masks of the definitions that implement them. What a part of the model becomes is kept, for all that take
    the same out of that part: sets of rules are tried that differ in one.
    """

    def __init__(self, model: Model) -> None:
        self.mentions: Final = mentions_of(model)
        stated = [check.term for check in model.checks]
        stated += [part for order in model.linearisations for part in (order.events, order.order)]
        self._used: Final = reduce(or_, map(self.mentions.mask, stated), 0)
        self._of_rules: dict[str, int] = {}
        for definition in self.mentions.definitions:
            if definition.rule is not None:
                rule, place = definition.rule.identifier, self.mentions.own_mask(named(definition))
                self._of_rules[rule] = self._of_rules.get(rule, 0) | place
        self._replacements: dict[Term, Replacement] = {}
        self.sets: Final[dict[tuple[SetTerm, bool, int], SetTerm]] = {}
        self.relations: Final[dict[tuple[RelationTerm, bool, int], RelationTerm]] = {}

    def definitions_of(self, rules: Iterable[str]) -> int:
        """The definitions that implement these rules; what only flags mention forbids nothing."""
        return reduce(or_, (self._of_rules.get(rule, 0) for rule in rules), 0) & self._used

    def replacement(self, term: Term) -> Replacement:
        """By what a definition with a rule is replaced."""
        found = self._replacements.get(term)
        if found is None:
            found = self._replacements[term] = replacement_of(self.mentions.definition(term))
        return found

    def without(self, rules: Iterable[str]) -> Weakener:
        """What takes these rules out of terms."""
        if len(self.relations) > _MOST_KEPT:
            self.sets.clear()
            self.relations.clear()
        return Weakener(self, self.definitions_of(rules))


@lru_cache(maxsize=8)
def _weakenings(model: Model) -> Weakenings:
    return Weakenings(model)


class Weakener:
    """Replaces definitions in terms, by sign: `less` says that less of a term forbids less."""

    def __init__(self, weakenings: Weakenings, removed: int) -> None:
        self._weakenings: Final = weakenings
        self._removed: Final = removed

    def definition(self, definition: Definition) -> Definition:
        """The definition as it stands where less of it forbids less."""
        whole = named(definition)
        less = self.term(whole, less=True)
        assert isinstance(less, Defined | DefinedSet)
        return definition if less is whole else replace(definition, term=less.body)

    def term(self, term: Term, *, less: bool) -> Term:
        """A set or a relation with all replacements made."""
        return self.set(term, less=less) if isinstance(term, SetTerm) else self.relation(term, less=less)

    def set(self, term: SetTerm, *, less: bool = True) -> SetTerm:
        """A set with all replacements made."""
        lacking = self._weakenings.mentions.mask(term) & self._removed
        if not lacking:
            return term
        known = self._weakenings.sets
        key = (term, less, lacking)
        found = known.get(key)
        if found is None:
            found = known[key] = self._new_set(term, less=less)
        return found

    def relation(self, term: RelationTerm, *, less: bool = True) -> RelationTerm:
        """A relation with all replacements made."""
        lacking = self._weakenings.mentions.mask(term) & self._removed
        if not lacking:
            return term
        known = self._weakenings.relations
        key = (term, less, lacking)
        found = known.get(key)
        if found is None:
            found = known[key] = self._new_relation(term, less=less)
        return found

    def _new_set(self, term: SetTerm, *, less: bool) -> SetTerm:
        match term:
            case SetDifference(left, right):
                one, other = self.set(left, less=less), self.set(right, less=not less)
                return Nothing() if is_nothing(one) else one if is_nothing(other) else SetDifference(one, other)
            case DefinedSet(name, body):
                new = self._replaced(term, less=less)
                return DefinedSet(name, self.set(new if isinstance(new, SetTerm) else body, less=less))
            case _:
                changed = map_children(term, lambda s: self.set(s, less=less), lambda r: self.relation(r, less=less))
                return _simpler_set(changed)

    def _new_relation(self, term: RelationTerm, *, less: bool) -> RelationTerm:
        match term:
            case Difference(left, right):
                first, second = self.relation(left, less=less), self.relation(right, less=not less)
                return Empty() if is_nothing(first) else first if is_nothing(second) else Difference(first, second)
            case Defined(name, body):
                new = self._replaced(term, less=less)
                return Defined(name, self.relation(new if isinstance(new, RelationTerm) else body, less=less))
            case _:
                changed = map_children(term, lambda s: self.set(s, less=less), lambda r: self.relation(r, less=less))
                return _simpler_relation(changed)

    def _replaced(self, term: Term, *, less: bool) -> Term | None:
        if not self._weakenings.mentions.own_mask(term) & self._removed:
            return None
        replacement = self._weakenings.replacement(term)
        return replacement.less if less else replacement.more


def _simpler_set(term: SetTerm) -> SetTerm:
    """The set without operands that are nothing: what is left of a model without most of its rules is small."""
    match term:
        case SetUnion(left, right):
            return right if is_nothing(left) else left if is_nothing(right) else term
        case SetIntersection(left, right) if is_nothing(left) or is_nothing(right):
            return Nothing()
        case Domain(relation) | Range(relation) if is_nothing(relation):
            return Nothing()
        case _:
            return term


def _simpler_relation(term: RelationTerm) -> RelationTerm:
    """As `_simpler_set`."""
    match term:
        case Union(left, right):
            return right if is_nothing(left) else left if is_nothing(right) else term
        case Intersection(one, other) | Compose(one, other) if is_nothing(one) or is_nothing(other):
            return Empty()
        case Product(first, last) if is_nothing(first) or is_nothing(last):
            return Empty()
        case Inverse(body) | Closure(body) if is_nothing(body):
            return Empty()
        case Identity(events) if is_nothing(events):
            return Empty()
        case _:
            return term


def is_nothing(term: Term) -> bool:
    """Whether a term is empty as it stands, or a name for that."""
    while isinstance(term, Defined | DefinedSet):
        term = term.body
    return isinstance(term, Empty | Nothing)


def replacement_of(definition: Definition) -> Replacement:
    """By what a definition is replaced where, from how its `without` compares with it.

    Where that cannot be seen, it is replaced everywhere, as `--without` does.
    """
    assert definition.without is not None
    return _compared(definition.term, definition.without)


@lru_cache(maxsize=1024)
def _compared(term: Term, without: Term) -> Replacement:
    if isinstance(without, Empty | Nothing):
        return Replacement(without, None)
    # Where both can be, what is seen more quickly is tried first.
    if isinstance(without, Difference) and is_within(without, term):
        return Replacement(without, None)
    if without is not term and is_within(term, without):
        return Replacement(None, without)
    is_less = not isinstance(without, Product) and is_within(without, term)
    return Replacement(without, None if is_less else without)
