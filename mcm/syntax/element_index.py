"""The number that the index of an element in a list of values is: `[2]`, or `[(0 + 1) + 1]`, as `enum` names one."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from mcm.syntax.ast import Expression, Infix, NumberLiteral
from mcm.syntax.number import integer_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Beyond it the type of the numbers would matter, as it would below 0.
_MOST: Final = 0x7FFFFFFF
_LONGEST_SHIFT: Final = 31
_SHIFTS: Final = frozenset({"<<", ">>"})
_OPERATORS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def element_index(node: Expression) -> int | None:
    """The number; None where it is not that simple."""
    chain: list[Infix] = []
    while isinstance(node, Infix):
        chain.append(node)
        node = node.left
    found = integer_value(node.text) if isinstance(node, NumberLiteral) else None
    for one in reversed(chain):
        right, apply = element_index(one.right), _OPERATORS.get(one.operator)
        if found is None or right is None or apply is None or (one.operator in _SHIFTS and right > _LONGEST_SHIFT):
            return None
        found = apply(found, right)
        if not 0 <= found <= _MOST:
            return None
    return found if found is None or found <= _MOST else None
