"""A model, compiled: its terms as a list of operators, each once and after its operands."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, assert_never

from msgspec import Struct

from mcm.cat.model import Shape
from mcm.engine.explicit.operators import (
    Chain,
    Columns,
    Cross,
    Diagonal,
    Ends,
    Join,
    Meet,
    Minus,
    Operator,
    Reach,
    Rows,
    Starts,
    Turn,
)
from mcm.engine.explicit.variables import Fixpoint, ReadsFrom, TotalOrder
from mcm.relation.occurrence import free_variables
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
    Recursive,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Term,
    Union,
    Variable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.cat.model import Check, Flag, Linearisation, Model

# The places of what every plan has: no event and no pair, all executed events, the pairs that rf and mo may have, and
# all events, executed or not.
NOTHING, EVERYTHING, READABLE, ORDERABLE, WRITTEN = range(5)


class Target(Struct, frozen=True):
    """What a check is about: it holds if the node has nothing in common with `pairs` (unless it is negated).

    `diagonal` stands for the pairs of an event with itself, else everything is meant.
    """

    node: int
    diagonal: bool
    negated: bool
    is_set: bool = False


class Plan(Struct, frozen=True, dict=True):
    """`size` places for bounds; `sets` and `relations` say where the base sets and relations stand, `linearised`
    where the sets of events of the linearisations do. `written` has the base sets once more, as the program has them:
    with the events that are not executed.
    """

    size: int
    operators: tuple[Operator, ...]
    sets: dict[str, int]
    written: dict[str, int]
    relations: dict[str, int]
    reads_from: ReadsFrom
    orders: tuple[TotalOrder, ...]
    linearised: tuple[int, ...]
    checks: tuple[Target, ...]
    flags: tuple[Target, ...]

    @cached_property
    def scaffolding(self) -> tuple[Operator, ...]:
        """The operators that say what takes part in the orders."""
        wanted = {*(order.index for order in self.orders), *self.linearised}
        found = []
        for operator in reversed(self.operators):
            if operator.index in wanted:
                found.append(operator)
                wanted.update(operator.operands)
        return tuple(reversed(found))


@lru_cache(maxsize=64)
def plan_of(model: Model) -> Plan:
    """The plan of a model."""
    compiler = _Compiler(model)
    checks = [target for check in model.checks for target in compiler.targets(check)]
    checks += [compiler.containment(linearisation) for linearisation in model.linearisations]
    flags = [compiler.target(flag) for flag in model.flags]
    return Plan(
        compiler.size,
        tuple(compiler.operators),
        compiler.sets,
        compiler.written,
        compiler.relations,
        compiler.reads_from,
        tuple(compiler.orders),
        tuple(compiler.set(linearisation.events) for linearisation in model.linearisations),
        tuple(checks),
        tuple(flags),
    )


class _Compiler:
    """Allots places. `scope` maps the recursion variables around a term to their places."""

    def __init__(self, model: Model) -> None:
        self.size = WRITTEN + 1
        self.operators: list[Operator] = []
        self.sets: dict[str, int] = {}
        self.written: dict[str, int] = {}
        self.relations: dict[str, int] = {}
        self._places: dict[Term, int] = {}
        self._places_as_written: dict[Term, int | None] = {}
        self.reads_from = ReadsFrom(self._place(), READABLE)
        self.orders = [TotalOrder(self._place(), 0, ORDERABLE)]
        self.operators += [self.reads_from, *self.orders]
        self._variables = {"rf": self.reads_from.index, "mo": self.orders[0].index}
        for number, linearisation in enumerate(model.linearisations, start=1):
            events = linearisation.events
            domain = self.relation(Difference(Product(events, events), Identity(Everything())))
            order = TotalOrder(self._place(), number, domain)
            self.orders.append(order)
            self.operators.append(order)
            self._variables[linearisation.name] = order.index

    def targets(self, check: Check) -> Iterable[Target]:
        """What a check is about, in parts that are quick to evaluate."""
        if check.shape is Shape.IRREFLEXIVE and not check.negated and not isinstance(check.term, SetTerm):
            return self._irreflexive(check.term)
        return [self.target(check)]

    def _irreflexive(self, term: RelationTerm) -> Iterator[Target]:
        """A composition relates something to itself where one part of it is the other one, turned round.

        That says the same without a composition, and many checks have happens-before as a part.
        """
        match _bare(term):
            case Union(one, other):
                yield from self._irreflexive(one)
                yield from self._irreflexive(other)
            case Compose(one, other) if not (isinstance(_bare(one), Identity) or isinstance(_bare(other), Identity)):
                match _bare(other):
                    case Union(several, Identity(Everything())):
                        yield from self._irreflexive(Compose(one, several))
                        yield from self._irreflexive(one)
                    case _:
                        if Inverse(one) in self._places:
                            one, other = other, one
                        yield Target(
                            self._add(Meet, None, self.relation(one), self._turned(other)),
                            diagonal=False,
                            negated=False,
                        )
            case bare:
                yield Target(self.relation(bare), diagonal=True, negated=False)

    def _turned(self, term: RelationTerm) -> int:
        bare = _bare(term)
        return self.relation(bare.body if isinstance(bare, Inverse) else Inverse(term))

    def target(self, check: Check | Flag) -> Target:
        """What a check or flag is about."""
        term = check.term
        if isinstance(term, SetTerm):
            return Target(self.set(term), diagonal=False, negated=check.negated, is_set=True)
        match check.shape:
            case Shape.ACYCLIC:
                return Target(self.relation(Closure(term)), diagonal=True, negated=check.negated)
            case Shape.IRREFLEXIVE:
                return Target(self.relation(term), diagonal=True, negated=check.negated)
            case Shape.EMPTY:
                return Target(self.relation(term), diagonal=False, negated=check.negated)
            case _:
                assert_never(check.shape)

    def containment(self, linearisation: Linearisation) -> Target:
        """The check that a linearisation contains its order."""
        events = linearisation.events
        inside = Intersection(linearisation.order, Product(events, events))
        return Target(self.relation(Difference(inside, Base(linearisation.name))), diagonal=False, negated=False)

    def set(self, term: SetTerm) -> int:
        """The place of a set."""
        found = self._places.get(term)
        if found is None:
            found = self._places[term] = self._compile_set(term)
        return found

    def relation(self, term: RelationTerm, scope: _Scope | None = None) -> int:
        """The place of a relation."""
        if scope is not None and scope.binds(term):
            return self._compile_relation(term, scope)
        found = self._places.get(term)
        if found is None:
            found = self._places[term] = self._compile_relation(term, None)
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
                return self._add(Join, None, self.set(left), self.set(right))
            case SetIntersection(left, right):
                return self._add(Meet, None, self.set(left), self.set(right))
            case SetDifference(left, right):
                return self._add(Minus, None, self.set(left), self._subtrahend(right, None))
            case Domain(relation):
                return self._add(Starts, None, self.relation(relation))
            case Range(relation):
                return self._add(Ends, None, self.relation(relation))
            case DefinedSet(_, body):
                return self.set(body)
            case _:
                assert_never(term)

    def _compile_relation(self, term: RelationTerm, scope: _Scope | None) -> int:
        match term:
            case Base(name):
                known = self._variables.get(name)
                return self._base(self.relations, name) if known is None else known
            case Empty():
                return NOTHING
            case Identity(events):
                return self._add(Diagonal, scope, self.set(events))
            case Product(left, right):
                return self._add(Cross, scope, self.set(left), self.set(right))
            case Union(one, other):
                return self._add(Join, scope, self.relation(one, scope), self.relation(other, scope))
            case Intersection(one, other):
                return self._intersection(one, other, scope)
            case Difference(one, other):
                return self._add(Minus, scope, self.relation(one, scope), self._subtrahend(other, scope))
            case Compose(one, other):
                return self._composition(one, other, scope)
            case Inverse(body):
                return self._add(Turn, scope, self.relation(body, scope))
            case Closure(body):
                return self._add(Reach, scope, self.relation(body, scope))
            case Defined(_, body):
                return self.relation(body, scope)
            case Variable(name):
                assert scope is not None, "the loader binds every variable"
                return scope.variables[name]
            case Recursive(name, equations):
                return self._fixpoint(name, equations, scope)
            case _:
                assert_never(term)

    def _subtrahend(self, term: Term, scope: _Scope | None) -> int:
        """The place of what is taken away from something that has executed events only.

        Others may be taken away as well, so what the program fixes is known here before it is known what is executed.
        """
        place = self._as_written(term)
        if place is not None:
            return place
        return self.set(term) if isinstance(term, SetTerm) else self.relation(term, scope)

    def _as_written(self, term: Term) -> int | None:
        """The place of a term over base sets alone, with the events that are not executed; None for other terms."""
        if term not in self._places_as_written:
            self._places_as_written[term] = self._compile_as_written(term)
        return self._places_as_written[term]

    def _compile_as_written(self, term: Term) -> int | None:
        match term:
            case BaseSet(name):
                return self._base(self.written, name)
            case Everything():
                return WRITTEN
            case DefinedSet(_, body) | Defined(_, body):
                return self._as_written(body)
            case Identity(events):
                return self._add_as_written(Diagonal, events)
            case SetUnion(left, right):
                return self._add_as_written(Join, left, right)
            case SetIntersection(left, right):
                return self._add_as_written(Meet, left, right)
            case SetDifference(left, right):
                return self._add_as_written(Minus, left, right)
            case Product(left, right):
                return self._add_as_written(Cross, left, right)
            case Union(one, other):
                return self._add_as_written(Join, one, other)
            case Intersection(one, other):
                return self._add_as_written(Meet, one, other)
            case Difference(one, other):
                return self._add_as_written(Minus, one, other)
            case _:
                return None

    def _add_as_written(self, kind: type[Operator], *operands: Term) -> int | None:
        places = [place for place in map(self._as_written, operands) if place is not None]
        return self._add(kind, None, *places) if len(places) == len(operands) else None

    def _intersection(self, one: RelationTerm, other: RelationTerm, scope: _Scope | None) -> int:
        for product, rest in ((_bare(one), other), (_bare(other), one)):
            if isinstance(product, Product):
                ends = self._add(Columns, scope, self.relation(rest, scope), self.set(product.right))
                return self._add(Rows, scope, ends, self.set(product.left))
        return self._add(Meet, scope, self.relation(one, scope), self.relation(other, scope))

    def _composition(self, one: RelationTerm, other: RelationTerm, scope: _Scope | None) -> int:
        start, end = _bare(one), _bare(other)
        if isinstance(start, Identity):
            return self._add(Rows, scope, self.relation(other, scope), self.set(start.set))
        if isinstance(end, Identity):
            return self._add(Columns, scope, self.relation(one, scope), self.set(end.set))
        return self._add(Chain, scope, self.relation(one, scope), self.relation(other, scope))

    def _fixpoint(self, name: str, equations: tuple[tuple[str, RelationTerm], ...], outer: _Scope | None) -> int:
        variables = {variable: self._place() for variable, _ in equations}
        scope = _Scope({**(outer.variables if outer else {}), **variables}, [], outer.known if outer else {})
        solved = tuple((variables[variable], self.relation(body, scope)) for variable, body in equations)
        own = {*variables.values(), *(operator.index for operator in scope.operators)}
        used = [operand for operator in scope.operators for operand in operator.operands]
        operands = tuple(sorted({*used, *(body for _, body in solved)} - own))
        fixpoint = Fixpoint(self._place(), variables[name], solved, tuple(scope.operators), operands)
        (self.operators if outer is None else outer.operators).append(fixpoint)
        return fixpoint.index

    def _base(self, bases: dict[str, int], name: str) -> int:
        if name not in bases:
            bases[name] = self._place()
        return bases[name]

    def _add(self, kind: type[Operator], scope: _Scope | None, *operands: int) -> int:
        operator = kind(self._place(), *operands)
        (self.operators if scope is None else scope.operators).append(operator)
        return operator.index

    def _place(self) -> int:
        self.size += 1
        return self.size - 1


class _Scope(Struct, frozen=True):
    """Recursion variables with their places, and the operators that depend on them."""

    variables: dict[str, int]
    operators: list[Operator]
    known: dict[Term, frozenset[str]]

    def binds(self, term: RelationTerm) -> bool:
        """Whether a term depends on a variable of this scope."""
        return not self.variables.keys().isdisjoint(free_variables(term, self.known))


def _bare(term: RelationTerm) -> RelationTerm:
    """A relation without the names that the model gives it."""
    while isinstance(term, Defined):
        term = term.body
    return term
