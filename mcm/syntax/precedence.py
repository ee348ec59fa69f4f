"""The precedence of binary operators, for the parser, which folds flat chains, and for the printer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# C's operators; a higher number binds tighter. All of them group to the left.
OPERATORS: Final[dict[str, int]] = {
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 4,
    "&": 5,
    **dict.fromkeys(("==", "!="), 6),
    **dict.fromkeys(("<", ">", "<=", ">="), 7),
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("*", "/", "%"), 10),
}

# The connectives of conditions; an implication groups to the right.
IMPLICATION: Final = "=>"
CONNECTIVES: Final[dict[str, int]] = {IMPLICATION: 1, "\\/": 2, "/\\": 3}

Operand = TypeVar("Operand")


def fold(
    operands: Sequence[Operand],
    operators: Sequence[str],
    strength: Mapping[str, int],
    join: Callable[[str, Operand, Operand], Operand],
) -> Operand:
    """The tree of the chain `operands[0] operators[0] operands[1] …`.

    >>> fold("abc", "+*", OPERATORS, lambda operator, left, right: f"({left}{operator}{right})")
    '(a+(b*c))'
    """
    values = [operands[0]]
    waiting: list[str] = []
    for operator, operand in zip(operators, operands[1:], strict=True):
        # An operator to the left is applied first if it binds tighter, or as tight and groups to the left.
        bound = strength[operator] + (operator == IMPLICATION)
        while waiting and strength[waiting[-1]] >= bound:
            right = values.pop()
            values[-1] = join(waiting.pop(), values[-1], right)
        waiting.append(operator)
        values.append(operand)
    while waiting:
        right = values.pop()
        values[-1] = join(waiting.pop(), values[-1], right)
    return values[0]
