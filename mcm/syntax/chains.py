"""Chains of binary operators and of connectives, which may be long."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from mcm.syntax.ast import Infix
from mcm.syntax.limits import LONG_CHAIN
from mcm.syntax.question import Connective

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.base.source import Span
    from mcm.syntax.ast import Expression
    from mcm.syntax.question import Proposition


def long_chain(node: Infix) -> list[Infix]:
    """The operators of `a + b + c …` from right to left, if there are more than `LONG_CHAIN`; else none.

    Each is the left operand of the one before it.
    """
    chain = [node]
    left = node.left
    while isinstance(left, Infix):
        chain.append(left)
        left = left.left
    return chain if len(chain) > LONG_CHAIN else []


def items_of(node: Expression) -> tuple[Expression, ...]:
    """The expressions of `a, b, c`."""
    return (*items_of(node.left), node.right) if isinstance(node, Infix) and node.operator == "," else (node,)


def together(items: Iterable[Expression], span: Span) -> Expression:
    """`a, b, c` of these expressions, of which there is one at least."""
    return reduce(lambda one, other: Infix(",", one, other, span=span), items)


# These group to the left in chains of any length, and how they are grouped makes no difference.
_ASSOCIATIVE: Final = frozenset({"/\\", "\\/"})


def operands_of_chain(node: Connective) -> list[Proposition]:
    r"""The operands of a chain of one connective, `a /\ b /\ c`, from left to right: at least two."""
    operands: list[Proposition] = [node.right]
    left = node.left
    while isinstance(left, Connective) and left.operator == node.operator and node.operator in _ASSOCIATIVE:
        operands.append(left.right)
        left = left.left
    operands.append(left)
    operands.reverse()
    return operands
