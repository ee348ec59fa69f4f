"""Between which values an integer lies whatever is read: what remainders, masks, shifts and comparisons say of it.

Rings and tables are indexed so: `ring[head % SIZE]` is an element, and which it may be is known without the counter.
"""

from __future__ import annotations

from operator import add, mul, sub
from typing import TYPE_CHECKING, Final

from mcm.execution.expression import BinaryValue, Constant, Select, UnaryValue
from mcm.program.types import Location, PointerType, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.execution.expression import Expression

    # The least and the greatest value.
    Interval = tuple[int, int]

# Operators are looked at in so many operands of operands: of what lies deeper hardly anything is known that matters.
_DEPTH: Final = 6

# The greatest and the least result are those of ends of intervals.
_MONOTONE: Final[dict[str, Callable[[int, int], int]]] = {"+": add, "-": sub, "*": mul, "min": min, "max": max}


def elements_of(address: Expression, depth: int = _DEPTH) -> tuple[int, int, int] | None:
    """The number of the object that an address points into, its least and its greatest offset; None if unknown.

    The offsets may lie outside the object.
    """
    match address:
        case Constant(Location(number, offset)):
            return number, offset, offset
        case BinaryValue("+" | "-" as operator, left, right, PointerType()) if depth:
            base, moved = elements_of(left, depth - 1), interval_of(right, depth - 1)
            if base is None and operator == "+":
                base, moved = elements_of(right, depth - 1), interval_of(left, depth - 1)
            if base is None or moved is None:
                return None
            low, high = moved if operator == "+" else (-moved[1], -moved[0])
            return base[0], base[1] + low, base[2] + high
        case _:
            return None


def interval_of(value: Expression, depth: int = _DEPTH) -> Interval | None:
    """The least and the greatest integer that an expression may be; None if it may be any, or an address."""
    match value:
        case Constant(int(number)):
            return number, number
        case UnaryValue("!") | BinaryValue("<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||"):
            return 0, 1
        case UnaryValue("convert", operand, Scalar() as type_) if depth:
            return _within(interval_of(operand, depth - 1), type_)
        case Select(_, then, otherwise) if depth:
            one, other = interval_of(then, depth - 1), interval_of(otherwise, depth - 1)
            return None if one is None or other is None else (min(one[0], other[0]), max(one[1], other[1]))
        case BinaryValue(operator, left, right, Scalar() as type_) if depth and not type_.is_floating:
            one, other = interval_of(left, depth - 1), interval_of(right, depth - 1)
            return _within(_combined(operator, one, other, type_), type_)
        case _:
            return None


def _within(found: Interval | None, type_: Scalar) -> Interval | None:
    """The interval, if the type has all of it; None where values wrap."""
    return found if found is not None and type_.low <= found[0] and found[1] <= type_.high else None


def _combined(operator: str, one: Interval | None, other: Interval | None, type_: Scalar) -> Interval | None:
    """The interval of an operator on two operands of a type, as if no result could leave the range of the type.

    What is computed of an address without being one is 0.
    """
    match operator:
        case "&":
            masks = [known[1] for known in (one, other) if known is not None and known[0] >= 0]
            return (0, min(masks)) if masks else None
        case "%" if other is not None:
            most = max(abs(other[0]), abs(other[1]), 1) - 1
            return (0, most) if _natural(one, type_) else (-most, most)
        case "/" if other is not None and 0 < other[0] == other[1]:
            natural = _natural(one, type_)
            return None if natural is None else (natural[0] // other[0], natural[1] // other[0])
        case ">>" if other is not None and 0 <= other[0] == other[1] < type_.bits:
            natural = _natural(one, type_)
            return None if natural is None else (natural[0] >> other[0], natural[1] >> other[0])
        case "+" | "-" | "*" | "min" | "max" if one is not None and other is not None:
            ends = [_MONOTONE[operator](first, second) for first in one for second in other]
            return min(ends), max(ends)
        case _:
            return None


def _natural(known: Interval | None, type_: Scalar) -> Interval | None:
    """The interval of an operand that is not negative, by its type if by nothing else; None for others."""
    if known is None:
        return None if type_.signed else (0, type_.high)
    return known if known[0] >= 0 else None
