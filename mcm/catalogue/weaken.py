"""A model with some of its rules only, for what the others do to forbid: taking one away never forbids anything.

`rules.without` replaces a definition wherever it stands. Where it stands behind a difference, less of it can mean more
(without an initial write that happens before it, a plain read may read nothing at all), so that an outcome could be
forbidden because a rule is missing. Here a definition is replaced only where the model then forbids less: by less of it
where it adds to what a check excludes, by more of it where it takes from that. What rules make the model weaker by
themselves, such as that scopes have to agree, stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.relation.term import (
    Closure,
    Defined,
    DefinedSet,
    Difference,
    Empty,
    Everything,
    Intersection,
    Nothing,
    Product,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
    map_children,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.cat.model import Check, Definition, Model
    from mcm.relation.term import Term


def removable_rules(model: Model) -> tuple[str, ...]:
    """The leading IDs of the rules that a model can be had without, in its order; rules of flags forbid nothing."""
    stated = [d.rule for d in model.definitions if d.rule is not None and d.without is not d.term]
    stated += [check.rule for check in model.checks if check.rule is not None]
    return tuple(dict.fromkeys(rule.identifier for rule in stated if rule is not None))


def with_only(model: Model, kept: Collection[str]) -> Model:
    """The model that forbids by these of its removable rules only; what has no rule stays."""
    return weakened(model, set(removable_rules(model)).difference(kept))


def weakened(model: Model, removed: Collection[str]) -> Model:
    """The model that forbids nothing by the rules of these (leading) IDs."""

    def is_removed(item: Definition | Check) -> bool:
        return item.rule is not None and item.rule.identifier in removed

    weakener = Weakener([d for d in model.definitions if is_removed(d)])
    return replace(
        model,
        definitions=tuple(replace(d, term=weakener.definition(d)) for d in model.definitions),
        linearisations=tuple(
            replace(s, events=weakener.set(s.events), order=weakener.relation(s.order)) for s in model.linearisations
        ),
        checks=tuple(
            replace(c, term=weakener.term(c.term, less=not c.negated)) for c in model.checks if not is_removed(c)
        ),
    )


class _Replacement(Struct, frozen=True):
    """What a definition becomes; None for a direction in which it must not be replaced."""

    less: Term | None
    more: Term | None


class Weakener:
    """Replaces definitions in terms, by sign: `less` says that less of a term forbids less."""

    def __init__(self, removed: Collection[Definition]) -> None:
        self._replacements: Final = {_named(d.name, d.term): _replacement(d) for d in removed}
        self._sets: dict[tuple[SetTerm, bool], SetTerm] = {}
        self._relations: dict[tuple[RelationTerm, bool], RelationTerm] = {}

    def definition(self, definition: Definition) -> Term:
        """The body that a definition has where less of it forbids less."""
        named = self.term(_named(definition.name, definition.term), less=True)
        assert isinstance(named, Defined | DefinedSet)
        return named.body

    def term(self, term: Term, *, less: bool) -> Term:
        """A set or a relation with all replacements made."""
        return self.set(term, less=less) if isinstance(term, SetTerm) else self.relation(term, less=less)

    def set(self, term: SetTerm, *, less: bool = True) -> SetTerm:
        """A set with all replacements made."""
        key = (term, less)
        if key not in self._sets:
            self._sets[key] = self._new_set(term, less=less)
        return self._sets[key]

    def relation(self, term: RelationTerm, *, less: bool = True) -> RelationTerm:
        """A relation with all replacements made."""
        key = (term, less)
        if key not in self._relations:
            self._relations[key] = self._new_relation(term, less=less)
        return self._relations[key]

    def _new_set(self, term: SetTerm, *, less: bool) -> SetTerm:
        match term:
            case SetDifference(left, right):
                return SetDifference(self.set(left, less=less), self.set(right, less=not less))
            case DefinedSet(name, body):
                new = self._replaced(term, less=less)
                return DefinedSet(name, self.set(new if isinstance(new, SetTerm) else body, less=less))
            case _:
                return map_children(term, lambda s: self.set(s, less=less), lambda r: self.relation(r, less=less))

    def _new_relation(self, term: RelationTerm, *, less: bool) -> RelationTerm:
        match term:
            case Difference(left, right):
                return Difference(self.relation(left, less=less), self.relation(right, less=not less))
            case Defined(name, body):
                new = self._replaced(term, less=less)
                return Defined(name, self.relation(new if isinstance(new, RelationTerm) else body, less=less))
            case _:
                return map_children(term, lambda s: self.set(s, less=less), lambda r: self.relation(r, less=less))

    def _replaced(self, term: Term, *, less: bool) -> Term | None:
        replacement = self._replacements.get(term)
        if replacement is None:
            return None
        return replacement.less if less else replacement.more


def _named(name: str, term: Term) -> Term:
    return DefinedSet(name, term) if isinstance(term, SetTerm) else Defined(name, term)


def _replacement(definition: Definition) -> _Replacement:
    """By what a definition is replaced where, from how its `without` compares with it.

    Where that cannot be seen, it is replaced everywhere, as `--without` does.
    """
    term, without = definition.term, definition.without
    assert without is not None
    if is_within(without, term):
        return _Replacement(without, None)
    if is_within(term, without):
        return _Replacement(None, without)
    return _Replacement(without, without)


def is_within(one: Term, other: Term) -> bool:
    """Whether it can be seen from two terms that the first is contained in the second, whatever the execution."""
    return _Inclusion().holds(one, other)


class _Inclusion:
    """Compares terms, each two once: definitions share their parts."""

    def __init__(self) -> None:
        self._known: dict[tuple[Term, Term], bool] = {}

    def holds(self, one: Term, other: Term) -> bool:
        """As `is_within`."""
        key = (one, other)
        if key not in self._known:
            self._known[key] = self._compare(one, other)
        return self._known[key]

    def _compare(self, one: Term, other: Term) -> bool:
        match one, other:
            case _ if one is other:
                return True
            case ((Empty() | Nothing()), _) | (_, (Everything() | Product(Everything(), Everything()))):
                return True
            case ((Union(left, right) | SetUnion(left, right)), _):
                return self.holds(left, other) and self.holds(right, other)
            case _:
                return self._is_part(one, other) or self._exceeds(one, other)

    def _exceeds(self, one: Term, other: Term) -> bool:
        """Whether something that contains the first is within the second."""
        match one:
            case Intersection(left, right) | SetIntersection(left, right):
                return self.holds(left, other) or self.holds(right, other)
            case Difference(left, _) | SetDifference(left, _):
                return self.holds(left, other)
            case Defined(_, body) | DefinedSet(_, body):
                return self.holds(body, other)
            case _:
                return False

    def _is_part(self, one: Term, other: Term) -> bool:
        """Whether the first is within something that the second contains."""
        match other:
            case Union(left, right) | SetUnion(left, right):
                return self.holds(one, left) or self.holds(one, right)
            case Intersection(left, right) | SetIntersection(left, right):
                return self.holds(one, left) and self.holds(one, right)
            case Closure(body) | Defined(_, body) | DefinedSet(_, body):
                return self.holds(one, body)
            case _:
                return False
