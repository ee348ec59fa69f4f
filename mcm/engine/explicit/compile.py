"""Compiles a model to a plan: each distinct term becomes one operator, after those of its operands.

Terms are hash-consed, so a term that occurs in several checks is computed once. A few terms are compiled to an
equivalent that is cheaper to compute: compositions and intersections with identities and products become restrictions,
and `irreflexive r ; s` becomes `empty r & s^-1`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, assert_never

from msgspec import Struct

from mcm.cat.model import Shape
from mcm.engine.explicit import operators
from mcm.engine.explicit.plan import EVERYTHING, NOTHING, ORDERABLE, READABLE, WRITTEN, CompiledCheck, Plan
from mcm.engine.explicit.unknowns import ReadsFrom, TotalOrder
from mcm.execution.vocabulary import DYNAMIC
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
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Term,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.cat.model import Check, Flag, Linearisation, Model
    from mcm.engine.explicit.operators import Operator


@lru_cache(maxsize=64)
def compile_model(model: Model) -> Plan:
    """The plan of a model; the plans of the last models are kept."""
    compiler = _Compiler(model)
    checks = [check_of for check in model.checks for check_of in compiler.checks_of(check)]
    checks += [compiler.containment(linearisation) for linearisation in model.linearisations]
    flags = [compiler.check_of(flag) for flag in model.flags]
    return Plan(
        compiler.size,
        tuple(compiler.operators),
        compiler.sets,
        compiler.written,
        compiler.written_relations,
        compiler.relations,
        compiler.reads_from,
        tuple(compiler.orders),
        tuple(compiler.set(linearisation.events) for linearisation in model.linearisations),
        tuple(checks),
        tuple(flags),
    )


class _Compiler:
    """Gives each term a slot and an operator. `scope` has the slots of the recursion variables around a term."""

    def __init__(self, model: Model) -> None:
        self.size = WRITTEN + 1
        self.operators: list[Operator] = []
        self.sets: dict[str, int] = {}
        self.written: dict[str, int] = {}
        self.written_relations: dict[str, int] = {}
        self.relations: dict[str, int] = {}
        self._slots: dict[Term, int] = {}
        self._slots_as_written: dict[Term, int | None] = {}
        self.reads_from = ReadsFrom(self._new_slot(), READABLE)
        self.orders = [TotalOrder(self._new_slot(), 0, ORDERABLE)]
        self.operators += [self.reads_from, *self.orders]
        self._unknowns = {"rf": self.reads_from.index, "mo": self.orders[0].index}
        for number, linearisation in enumerate(model.linearisations, start=1):
            events = linearisation.events
            domain = self.relation(Difference(Product(events, events), Identity(Everything())))
            order = TotalOrder(self._new_slot(), number, domain)
            self.orders.append(order)
            self.operators.append(order)
            self._unknowns[linearisation.name] = order.index

    def checks_of(self, check: Check) -> Iterable[CompiledCheck]:
        """A check, compiled; an irreflexive union as several checks."""
        if check.shape is Shape.IRREFLEXIVE and not check.negated and not isinstance(check.term, SetTerm):
            return self._irreflexive(check.term)
        return [self.check_of(check)]

    def _irreflexive(self, term: RelationTerm) -> Iterator[CompiledCheck]:
        """Checks that a relation is irreflexive, where possible without a composition.

        `r ; s` relates an event to itself exactly where `r & s^-1` is not empty, and an intersection is much cheaper.
        """
        match bare(term):
            case Union(one, other):
                yield from self._irreflexive(one)
                yield from self._irreflexive(other)
            case Compose(one, other) if not (isinstance(bare(one), Identity) or isinstance(bare(other), Identity)):
                match bare(other):
                    case Union(several, Identity(Everything())):
                        yield from self._irreflexive(Compose(one, several))
                        yield from self._irreflexive(one)
                    case _:
                        if Inverse(one) in self._slots:
                            one, other = other, one
                        yield CompiledCheck(
                            self._add(operators.Intersection, None, self.relation(one), self._inverse_of(other)),
                            diagonal=False,
                            negated=False,
                        )
            case plain:
                yield CompiledCheck(self.relation(plain), diagonal=True, negated=False)

    def _inverse_of(self, term: RelationTerm) -> int:
        plain = bare(term)
        return self.relation(plain.body if isinstance(plain, Inverse) else Inverse(term))

    def check_of(self, check: Check | Flag) -> CompiledCheck:
        """A check or flag, compiled."""
        term = check.term
        if isinstance(term, SetTerm):
            return CompiledCheck(self.set(term), diagonal=False, negated=check.negated, is_set=True)
        match check.shape:
            case Shape.ACYCLIC:
                return CompiledCheck(self.relation(Closure(term)), diagonal=True, negated=check.negated)
            case Shape.IRREFLEXIVE:
                return CompiledCheck(self.relation(term), diagonal=True, negated=check.negated)
            case Shape.EMPTY:
                return CompiledCheck(self.relation(term), diagonal=False, negated=check.negated)
            case _:
                assert_never(check.shape)

    def containment(self, linearisation: Linearisation) -> CompiledCheck:
        """The check that a linearisation contains its order."""
        events = linearisation.events
        inside = Intersection(linearisation.order, Product(events, events))
        return CompiledCheck(self.relation(Difference(inside, Base(linearisation.name))), diagonal=False, negated=False)

    def set(self, term: SetTerm) -> int:
        """The slot of a set."""
        found = self._slots.get(term)
        if found is None:
            found = self._slots[term] = self._compile_set(term)
        return found

    def relation(self, term: RelationTerm, scope: _RecursionScope | None = None) -> int:
        """The slot of a relation."""
        if scope is not None and scope.binds(term):
            return self._compile_relation(term, scope)
        found = self._slots.get(term)
        if found is None:
            found = self._slots[term] = self._compile_relation(term, None)
        return found

    def _compile_set(self, term: SetTerm) -> int:
        match term:
            case BaseSet(name):
                return self._base(self.sets, name)
            case Everything():
                return EVERYTHING
            case Nothing():
                return NOTHING
            case SetUnion(left, right):
                return self._add(operators.Union, None, self.set(left), self.set(right))
            case SetIntersection(left, right):
                return self._add(operators.Intersection, None, self.set(left), self.set(right))
            case SetDifference(left, right):
                return self._add(operators.Difference, None, self.set(left), self._subtrahend(right, None))
            case Domain(relation):
                return self._add(operators.Domain, None, self.relation(relation))
            case Range(relation):
                return self._add(operators.Range, None, self.relation(relation))
            case DefinedSet(_, body):
                return self.set(body)
            case _:
                assert_never(term)

    def _compile_relation(self, term: RelationTerm, scope: _RecursionScope | None) -> int:
        match term:
            # What is frequent comes first: each case before the right one takes time.
            case Compose(one, other):
                return self._composition(one, other, scope)
            case Defined(_, body):
                return self.relation(body, scope)
            case Intersection(one, other):
                return self._intersection(one, other, scope)
            case Union(one, other):
                return self._add(operators.Union, scope, self.relation(one, scope), self.relation(other, scope))
            case Product(left, right):
                return self._add(operators.Product, scope, self.set(left), self.set(right))
            case Identity(events):
                return self._add(operators.Identity, scope, self.set(events))
            case Difference(one, other):
                return self._add(operators.Difference, scope, self.relation(one, scope), self._subtrahend(other, scope))
            case Base(name):
                known = self._unknowns.get(name)
                return self._base(self.relations, name) if known is None else known
            case Inverse(body):
                return self._add(operators.Inverse, scope, self.relation(body, scope))
            case Closure(body):
                return self._add(operators.Closure, scope, self.relation(body, scope))
            case Empty():
                return NOTHING
            case RecursionVariable(name):
                assert scope is not None, "the loader binds every variable"
                return scope.variables[name]
            case Recursive(name, equations):
                return self._fixpoint(name, equations, scope)
            case _:
                assert_never(term)

    def _subtrahend(self, term: Term, scope: _RecursionScope | None) -> int:
        """The slot of the right operand of a difference whose left operand has executed events only.

        It may have other events too: a term over what the program fixes is then exact before control flow is known.
        """
        slot = self._as_written(term)
        if slot is not None:
            return slot
        return self.set(term) if isinstance(term, SetTerm) else self.relation(term, scope)

    def _as_written(self, term: Term) -> int | None:
        """The slot of a term over what the program fixes, evaluated with all events, executed or not; else None."""
        if term not in self._slots_as_written:
            self._slots_as_written[term] = self._compile_as_written(term)
        return self._slots_as_written[term]

    def _compile_as_written(self, term: Term) -> int | None:
        match term:
            case BaseSet(name):
                return self._base(self.written, name)
            case Base(name) if name not in DYNAMIC and name not in self._unknowns:
                return self._base(self.written_relations, name)
            case Everything():
                return WRITTEN
            case DefinedSet(_, body) | Defined(_, body):
                return self._as_written(body)
            case Inverse(body):
                return self._add_as_written(operators.Inverse, body)
            case Identity(events):
                return self._add_as_written(operators.Identity, events)
            case SetUnion(left, right):
                return self._add_as_written(operators.Union, left, right)
            case SetIntersection(left, right):
                return self._add_as_written(operators.Intersection, left, right)
            case SetDifference(left, right):
                return self._add_as_written(operators.Difference, left, right)
            case Product(left, right):
                return self._add_as_written(operators.Product, left, right)
            case Union(one, other):
                return self._add_as_written(operators.Union, one, other)
            case Intersection(one, other):
                return self._intersection_as_written(one, other)
            case Difference(one, other):
                return self._add_as_written(operators.Difference, one, other)
            case _:
                return None

    def _add_as_written(self, kind: type[Operator], *operands: Term) -> int | None:
        slots = [slot for slot in map(self._as_written, operands) if slot is not None]
        return self._add(kind, None, *slots) if len(slots) == len(operands) else None

    def _intersection_as_written(self, one: RelationTerm, other: RelationTerm) -> int | None:
        """As `_intersection`: of a program without conditions both are computed alike."""
        for product, rest in ((bare(one), other), (bare(other), one)):
            if isinstance(product, Product):
                relation, ends, starts = map(self._as_written, (rest, product.right, product.left))
                if relation is None or ends is None or starts is None:
                    return None
                restricted = self._add(operators.RangeRestriction, None, relation, ends)
                return self._add(operators.DomainRestriction, None, restricted, starts)
        return self._add_as_written(operators.Intersection, one, other)

    def _intersection(self, one: RelationTerm, other: RelationTerm, scope: _RecursionScope | None) -> int:
        for product, rest in ((bare(one), other), (bare(other), one)):
            if isinstance(product, Product):
                ends = self._add(operators.RangeRestriction, scope, self.relation(rest, scope), self.set(product.right))
                return self._add(operators.DomainRestriction, scope, ends, self.set(product.left))
        return self._add(operators.Intersection, scope, self.relation(one, scope), self.relation(other, scope))

    def _composition(self, one: RelationTerm, other: RelationTerm, scope: _RecursionScope | None) -> int:
        start, end = bare(one), bare(other)
        if isinstance(start, Identity):
            return self._add(operators.DomainRestriction, scope, self.relation(other, scope), self.set(start.set))
        if isinstance(end, Identity):
            return self._add(operators.RangeRestriction, scope, self.relation(one, scope), self.set(end.set))
        return self._add(operators.Composition, scope, self.relation(one, scope), self.relation(other, scope))

    def _fixpoint(
        self, name: str, equations: tuple[tuple[str, RelationTerm], ...], outer: _RecursionScope | None
    ) -> int:
        # Imported here: few models have recursive definitions.
        from mcm.engine.explicit.fixpoint import Fixpoint  # noqa: PLC0415

        variables = {variable: self._new_slot() for variable, _ in equations}
        scope = _RecursionScope({**(outer.variables if outer else {}), **variables}, [], outer.known if outer else {})
        solved = tuple((variables[variable], self.relation(body, scope)) for variable, body in equations)
        own = {*variables.values(), *(operator.index for operator in scope.operators)}
        used = [operand for operator in scope.operators for operand in operator.operands]
        operands = tuple(sorted({*used, *(body for _, body in solved)} - own))
        fixpoint = Fixpoint(self._new_slot(), variables[name], solved, tuple(scope.operators), operands)
        (self.operators if outer is None else outer.operators).append(fixpoint)
        return fixpoint.index

    def _base(self, bases: dict[str, int], name: str) -> int:
        if name not in bases:
            bases[name] = self._new_slot()
        return bases[name]

    def _add(self, kind: type[Operator], scope: _RecursionScope | None, *operands: int) -> int:
        operator = kind(self._new_slot(), *operands)
        (self.operators if scope is None else scope.operators).append(operator)
        return operator.index

    def _new_slot(self) -> int:
        self.size += 1
        return self.size - 1


class _RecursionScope(Struct, frozen=True):
    """The slots of recursion variables, and the operators that depend on them; `known` has free variables of terms."""

    variables: dict[str, int]
    operators: list[Operator]
    known: dict[Term, frozenset[str]]

    def binds(self, term: RelationTerm) -> bool:
        """Whether a variable of this scope is free in a term."""
        return not self.variables.keys().isdisjoint(free_variables(term, self.known))
