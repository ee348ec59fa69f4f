"""Chains of binary operators, which may be long."""

from __future__ import annotations

from mcm.syntax.ast import Infix
from mcm.syntax.limits import LONG_CHAIN


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
