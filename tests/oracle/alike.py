"""Models that say the same of one program: what explanations of one are worth holds for the others too.

A model is read with what is the same in all executions of the program in place of what says so. Two models that read
alike then forbid alike, whole and with any of their rules taken away, under the same names of rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.catalogue.weaken import removable_rules, replacement_of
from mcm.explain.reach import Reach
from mcm.relation.term import (
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Intersection,
    Product,
    RecursionVariable,
    Recursive,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from mcm.cat.model import Definition, Model
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import Term

_NEEDS_BOTH = (Intersection, SetIntersection, Compose, Product)
_NEEDS_LEFT = (Difference, SetDifference)
_NEEDS_ANY = (Union, SetUnion)


class Readings:
    """Numbers for how models read on one program, the same for two that read alike."""

    def __init__(self, skeletons: Sequence[Skeleton]) -> None:
        self._skeletons = skeletons
        self._numbers: dict[Hashable, int] = {}
        self._nothing = self._number(("nothing",))

    def of(self, model: Model, *, with_flags: bool) -> int:
        """The number of a model; flags only make a difference where they are wanted."""
        reader = _Reader(model, self._skeletons, self._number, self._nothing)
        flags = tuple((f.name, f.shape, f.negated, reader.term(f.term)) for f in model.flags) if with_flags else ()
        return self._number((reader.model(), flags))

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


class _Reader:
    def __init__(
        self, model: Model, skeletons: Sequence[Skeleton], number: Callable[[Hashable], int], nothing: int
    ) -> None:
        self._model = model
        self._reaches = [Reach(skeleton, model.linearisations) for skeleton in skeletons]
        self._number = number
        self._nothing = nothing
        self._rules = {
            DefinedSet(d.name, d.term) if isinstance(d.term, SetTerm) else Defined(d.name, d.term): d
            for d in model.definitions
            if d.rule is not None and d.without is not d.term
        }
        self._known: dict[Term, int] = {}
        self._free: dict[Term, bool] = {}
        self._ruled: dict[Term, bool] = {}
        self._cited: set[str] = set()

    def model(self) -> int:
        checks = [
            (c.rule.identifier if c.rule else c.name, c.rule.identifiers if c.rule else (), c.shape, c.negated, term)
            for c in self._model.checks
            for term in [self.term(c.term)]
            if c.negated or term != self._nothing
        ]
        orders = [(s.name, self.term(s.events), self.term(s.order)) for s in self._model.linearisations]
        cited = self._cited | {check[0] for check in checks} | {order[0] for order in orders}
        # Rules are tried in their order.
        rules = [rule for rule in removable_rules(self._model) if rule in cited]
        return self._number(("model", tuple(checks), tuple(orders), tuple(rules)))

    def term(self, term: Term) -> int:
        if term not in self._known:
            self._known[term] = self._new(term)
        return self._known[term]

    def _new(self, term: Term) -> int:
        definition = self._rules.get(term)
        if definition is not None:
            return self._of_rule(term, definition)
        if isinstance(term, Defined | DefinedSet):
            return self.term(term.body)
        if not (self._has_rule(term) or self._is_open(term)):
            values = [reach.set(term) if isinstance(term, SetTerm) else reach.relation(term) for reach in self._reaches]
            if all(low == high for low, high in values):
                is_nothing = not any(any(low) if isinstance(low, tuple) else low for low, _ in values)
                return self._nothing if is_nothing else self._number(("value", *(low for low, _ in values)))
        if isinstance(term, Recursive):
            equations = tuple((name, self.term(body)) for name, body in term.equations)
            return self._number(("recursive", term.name, equations))
        parts = [self.term(child) for child in children(term)]
        return self._combined(term, parts)

    def _combined(self, term: Term, parts: list[int]) -> int:
        empty = [part == self._nothing for part in parts]
        if isinstance(term, _NEEDS_BOTH) and any(empty):
            return self._nothing
        if isinstance(term, _NEEDS_LEFT) and empty[0]:
            return self._nothing
        if isinstance(term, (*_NEEDS_LEFT, Closure)) and empty[-1]:
            return parts[0]
        if isinstance(term, _NEEDS_ANY) and any(empty):
            return parts[0] if empty[1] else parts[1]
        if parts and all(empty):
            return self._nothing
        name = () if parts else (getattr(term, "name", None),)
        return self._number((type(term).__name__, *name, *parts))

    def _of_rule(self, term: Term, definition: Definition) -> int:
        assert isinstance(term, Defined | DefinedSet)
        assert definition.rule is not None
        assert definition.without is not None
        body, without = self.term(term.body), self.term(definition.without)
        replaced = replacement_of(definition)
        less, more = (None if one is None else self.term(one) for one in (replaced.less, replaced.more))
        if {body, without, less, more} <= {body, None}:
            return body
        self._cited.add(definition.rule.identifier)
        return self._number(("rule", definition.rule.identifiers, body, without, less, more))

    def _has_rule(self, term: Term) -> bool:
        if term not in self._ruled:
            self._ruled[term] = term in self._rules or any(map(self._has_rule, children(term)))
        return self._ruled[term]

    def _is_open(self, term: Term) -> bool:
        """Whether a variable of a recursion is free in a term."""
        if term not in self._free:
            inner = any(map(self._is_open, children(term)))
            self._free[term] = isinstance(term, RecursionVariable) or (inner and not isinstance(term, Recursive))
        return self._free[term]
