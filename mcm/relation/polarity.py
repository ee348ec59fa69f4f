r"""Monotonicity: whether a term grows or shrinks as the relations of some names grow.

>>> from mcm.relation.term import Base, Closure, Difference, Union
>>> grow = frozenset({"rf", "mo"})
>>> polarity(Closure(Union(Base("po"), Base("rf"))), grow).value
'increasing'
>>> polarity(Difference(Base("po"), Base("rf")), grow).value
'decreasing'
>>> polarity(Difference(Base("mo"), Base("rf")), grow).value
'mixed'
"""

from __future__ import annotations

from enum import Enum
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from mcm.relation.term import (
    Base,
    BaseSet,
    Difference,
    Everything,
    RecursionVariable,
    Recursive,
    SetDifference,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.relation.term import Term


class Polarity(Enum):
    """Whether a term is constant, increasing or decreasing in some names, or neither increasing nor decreasing."""

    CONSTANT = "constant"
    INCREASING = "increasing"
    DECREASING = "decreasing"
    MIXED = "mixed"

    def __or__(self, other: Polarity) -> Polarity:
        """The polarity of what depends on two terms in the same sense."""
        if self is other or other is Polarity.CONSTANT:
            return self
        return other if self is Polarity.CONSTANT else Polarity.MIXED

    def __neg__(self) -> Polarity:
        """The polarity of a complement."""
        match self:
            case Polarity.INCREASING:
                return Polarity.DECREASING
            case Polarity.DECREASING:
                return Polarity.INCREASING
            case Polarity.CONSTANT | Polarity.MIXED:
                return self


def polarity(term: Term, growing: frozenset[str]) -> Polarity:
    """The polarity of a term when the sets, relations and recursion variables named in `growing` grow.

    `_` in `growing` says that the set of all events grows.
    """
    return _polarity(term, growing, {}, {})


def _polarity(
    term: Term, growing: frozenset[str], variables: Mapping[str, Polarity], known: dict[Term, Polarity]
) -> Polarity:
    """`variables` says how the variables of enclosing recursions depend on what grows; `known` holds under it."""
    found = known.get(term)
    if found is not None:
        return found

    def of(part: Term) -> Polarity:
        return _polarity(part, growing, variables, known)

    match term:
        case BaseSet(name) | Base(name):
            found = Polarity.INCREASING if name in growing else Polarity.CONSTANT
        case RecursionVariable(name):
            free = Polarity.INCREASING if name in growing else Polarity.CONSTANT
            found = variables.get(name, free)
        case Everything():
            found = Polarity.INCREASING if "_" in growing else Polarity.CONSTANT
        case SetDifference(left, right) | Difference(left, right):
            found = of(left) | -of(right)
        case Recursive(name, equations):
            found = _solution(equations, growing, variables)[name]
        case _:
            # Every other operator is monotone in all of its operands.
            found = reduce(or_, map(of, children(term)), Polarity.CONSTANT)
    known[term] = found
    return found


def _solution(
    equations: tuple[tuple[str, Term], ...], growing: frozenset[str], outer: Mapping[str, Polarity]
) -> dict[str, Polarity]:
    """The polarities of mutually recursive definitions: the least that agree with their own bodies."""
    solution = {name: Polarity.CONSTANT for name, _ in equations}
    while True:
        variables = {**outer, **solution}
        known: dict[Term, Polarity] = {}
        step = {name: _polarity(body, growing, variables, known) for name, body in equations}
        if step == solution:
            return solution
        solution = step
