r"""Terms as cat text.

>>> from mcm.relation.term import Base, BaseSet, Closure, Compose, Everything, Identity, Union
>>> show(Compose(Union(Base("po"), Base("rf")), Identity(BaseSet("W"))))
'(po | rf) ; [W]'
>>> show(Union(Closure(Base("rf")), Identity(Everything())))
'rf*'
"""

from __future__ import annotations

from enum import IntEnum
from typing import assert_never

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
    SetUnion,
    Term,
    Union,
)


class _Binding(IntEnum):
    """How tightly the outermost operator of a text binds."""

    UNION = 0
    COMPOSE = 1
    DIFFERENCE = 2
    INTERSECTION = 3
    PRODUCT = 4
    PREFIX = 5
    POSTFIX = 6
    ATOM = 7


def show(term: Term) -> str:
    """The text of a term with as few parentheses as reading it back allows; definitions are shown by name."""
    return _show(term)[0]


def _show(term: Term) -> tuple[str, _Binding]:
    match term:
        case (
            BaseSet(name)
            | Base(name)
            | RecursionVariable(name)
            | DefinedSet(name, _)
            | Defined(name, _)
            | Recursive(name, _)
        ):
            return name, _Binding.ATOM
        case Everything():
            return "_", _Binding.ATOM
        case Nothing():
            return "emptyset", _Binding.ATOM
        case Empty():
            return "0", _Binding.ATOM
        case Domain(relation):
            return f"domain({show(relation)})", _Binding.ATOM
        case Range(relation):
            return f"range({show(relation)})", _Binding.ATOM
        case Identity(Everything()):
            return "id", _Binding.ATOM
        case Identity(events):
            return f"[{show(events)}]", _Binding.ATOM
        case Inverse(body):
            return f"{_within(body, _Binding.POSTFIX)}^-1", _Binding.POSTFIX
        case Closure(Closure(body)):
            # `++` is an operator of cat's.
            return f"({show(Closure(body))})+", _Binding.POSTFIX
        case Closure(body):
            return f"{_within(body, _Binding.POSTFIX)}+", _Binding.POSTFIX
        case Union(Closure(body), Identity(Everything())):
            return f"{_within(body, _Binding.POSTFIX)}*", _Binding.POSTFIX
        case Union(body, Identity(Everything())):
            return f"{_within(body, _Binding.POSTFIX)}?", _Binding.POSTFIX
        case SetDifference(Everything(), right) | Difference(Product(Everything(), Everything()), right):
            return f"~{_within(right, _Binding.PREFIX)}", _Binding.PREFIX
        case SetUnion(left, right) | Union(left, right):
            return _infix(left, "|", right, _Binding.UNION)
        case Compose(left, right):
            return _infix(left, ";", right, _Binding.COMPOSE)
        case SetDifference(left, right) | Difference(left, right):
            return _infix(left, "\\", right, _Binding.DIFFERENCE)
        case SetIntersection(left, right) | Intersection(left, right):
            return _infix(left, "&", right, _Binding.INTERSECTION)
        case Product(left, right):
            return _infix(left, "*", right, _Binding.PRODUCT)
        case _:
            assert_never(term)


def _infix(left: Term, symbol: str, right: Term, binding: _Binding) -> tuple[str, _Binding]:
    # All infix operators associate to the left here, as the loader reads them.
    return f"{_within(left, binding)} {symbol} {_within(right, _Binding(binding + 1))}", binding


def _within(term: Term, least: _Binding) -> str:
    text, binding = _show(term)
    return text if binding >= least else f"({text})"
