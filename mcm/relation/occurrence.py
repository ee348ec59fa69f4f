"""Where recursion variables occur in a term, and how deep a term is."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

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
    SetDifference,
    SetIntersection,
    SetUnion,
    Union,
    Variable,
)

if TYPE_CHECKING:
    from mcm.relation.term import Term


def parts(term: Term) -> tuple[Term, ...]:
    """The terms from which a term is built directly."""
    match term:
        case BaseSet() | Everything() | Nothing() | Base() | Empty() | Variable():
            return ()
        case Domain(body) | Range(body) | Inverse(body) | Closure(body) | Defined(_, body):
            return (body,)
        case Identity(body) | DefinedSet(_, body):
            return (body,)
        case Product(left, right) | SetUnion(left, right) | SetIntersection(left, right) | SetDifference(left, right):
            return (left, right)
        case Union(left, right) | Intersection(left, right) | Difference(left, right) | Compose(left, right):
            return (left, right)
        case Recursive(_, equations):
            return tuple(body for _, body in equations)
        case _:
            assert_never(term)


def free_variables(term: Term) -> frozenset[str]:
    """The recursion variables that no `Recursive` inside the term binds."""
    seen: dict[Term, frozenset[str]] = {}

    def visit(inner: Term) -> frozenset[str]:
        found = seen.get(inner)
        if found is None:
            found = frozenset().union(*(visit(part) for part in parts(inner)))
            if isinstance(inner, Variable):
                found |= {inner.name}
            elif isinstance(inner, Recursive):
                found -= {name for name, _ in inner.equations}
            seen[inner] = found
        return found

    return visit(term)


def variables_in_sets(term: Term) -> frozenset[str]:
    """The free recursion variables of a relation that occur inside one of its sets."""
    seen: dict[Term, frozenset[str]] = {}

    def visit(inner: Term) -> frozenset[str]:
        found = seen.get(inner)
        if found is None:
            if isinstance(inner, (Identity, Product)):
                found = free_variables(inner)
            else:
                found = frozenset().union(*(visit(part) for part in parts(inner)))
            seen[inner] = found
        return found

    return visit(term) & free_variables(term)


def depth(term: Term, known: dict[Term, int]) -> int:
    """How deeply a term is nested, definitions counted with what they stand for; `known` keeps results."""
    found = known.get(term)
    if found is None:
        found = known[term] = 1 + max((depth(part, known) for part in parts(term)), default=0)
    return found
