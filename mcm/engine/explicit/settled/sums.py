"""Sums of what updates return: between which values they lie, and which conditions on them hold never."""

from __future__ import annotations

from math import gcd
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.algebra import conjuncts, is_never_by
from mcm.execution.expression import BinaryValue, Constant, ReadValue, UnaryValue, is_large
from mcm.program.types import Location, PointerType, Scalar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.execution.expression import Expression
    from mcm.program.types import Type

    # The least and the greatest value.
    Interval = tuple[int, int]
    # Reads, and how often what each returns is added.
    Terms = tuple[tuple[int, int], ...]
    # What is known of sums besides.
    Known = Mapping[Terms, Interval]

_NOTHING: Final[Known] = MappingProxyType({})
_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_OPPOSITES: Final = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}


class Sum(Struct, frozen=True):
    """A constant and what some reads return, each so often; of the elements of an object, if it is an address."""

    object: int | None
    constant: int
    terms: Terms

    def mirrored(self) -> Sum:
        """The sum with all signs changed."""
        return Sum(self.object, -self.constant, tuple((read, -count) for read, count in self.terms))

    def plus(self, other: Sum, factor: int = 1) -> Sum | None:
        """The sum with another one, so often; None where these are addresses that cannot be added."""
        if self.object is not None and other.object is not None:
            if factor != -1 or self.object != other.object:
                return None
            place = None
        elif other.object is not None and factor != 1:
            return None
        else:
            place = self.object if other.object is None else other.object
        counts = dict(self.terms)
        for read, count in other.terms:
            counts[read] = counts.get(read, 0) + factor * count
        terms = tuple(sorted((read, count) for read, count in counts.items() if count))
        return Sum(place, self.constant + factor * other.constant, terms)


class Sums:
    """Expressions as sums of what updates return; `returned` has the least and the greatest value of each.

    No sum leaves the range of a type in which it is computed, so all of this is said of whole numbers.
    """

    def __init__(self, returned: Mapping[int, Interval]) -> None:
        self._returned: Final = returned
        self._sums: Final[dict[Expression, Sum | None]] = {}

    def sum_of(self, expression: Expression) -> Sum | None:
        """An expression as a sum; None if it is none."""
        if expression not in self._sums:
            self._sums[expression] = None if is_large(expression) else self._sum_of(expression)
        return self._sums[expression]

    def _sum_of(self, expression: Expression) -> Sum | None:
        match expression:
            case Constant(Location(number, offset)):
                return Sum(number, offset, ())
            case Constant(int(value)):
                return Sum(None, value, ())
            case ReadValue(read):
                return Sum(None, 0, ((read, 1),)) if read in self._returned else None
            case UnaryValue("convert", operand, type_):
                return self._within(self.sum_of(operand), type_)
            case BinaryValue("+" | "-" | "*" | "<<" as operator, left, right, type_):
                one, other = self.sum_of(left), self.sum_of(right)
                return None if one is None or other is None else self._within(_applied(operator, one, other), type_)
            case _:
                return None

    def _within(self, found: Sum | None, type_: Type) -> Sum | None:
        """The sum, if it has a value of the type whatever is returned."""
        if found is None or found.object is not None or isinstance(type_, PointerType):
            return found
        if not isinstance(type_, Scalar) or type_.is_floating or type_ is Scalar.BOOL:
            return None
        low, high = self.interval(found)
        return found if type_.low <= low and high <= type_.high else None

    def interval(self, of: Sum, known: Known = _NOTHING) -> Interval:
        """The least and the greatest value of a sum, or of the offset if it is an address."""
        low = high = of.constant
        for read, count in of.terms:
            least, most = self._returned[read]
            low += count * (least if count > 0 else most)
            high += count * (most if count > 0 else least)
        terms, factor = _normal(of.terms)
        if terms in known:
            ends = [of.constant + factor * end for end in known[terms]]
            low, high = max(low, min(ends)), min(high, max(ends))
        return low, high

    def known_of(self, condition: Expression) -> Known | None:
        """What the parts of a condition say of sums; None if they contradict each other."""
        known: Known | None = {}
        for part in conjuncts(condition):
            if known is not None:
                known = self._narrowed(known, part, True)  # noqa: FBT003
        return known

    def is_never(self, condition: Expression) -> bool:
        """Whether a condition cannot hold; False also where it takes long to find that out."""
        return is_never_by(condition, _NOTHING, self._narrowed)

    def _narrowed(self, known: Known, condition: Expression, holds: bool) -> Known | None:  # noqa: FBT001 - a callback
        """What is known if a comparison holds, or if it does not; None where that cannot be."""
        while isinstance(condition, UnaryValue) and condition.operator == "!":
            condition, holds = condition.operand, not holds
        if not (isinstance(condition, BinaryValue) and condition.operator in _OPPOSITES):
            return known
        one, other = self.sum_of(condition.left), self.sum_of(condition.right)
        difference = None if one is None or other is None else one.plus(other, -1)
        if difference is None or difference.object is not None:
            return known
        operator = condition.operator if holds else _OPPOSITES[condition.operator]
        terms, factor = _normal(difference.terms)
        if not factor:
            return known if _lies(difference.constant, difference.constant, operator) else None
        low, high = _limited(operator if factor > 0 else _MIRRORED[operator], -difference.constant, factor)
        least, most = self.interval(Sum(None, 0, terms), known)
        if not _lies(*self.interval(difference, known), operator):
            return None
        if low is high is None:
            # Not equal: that says something of an end.
            least += factor * least == -difference.constant
            most -= factor * most == -difference.constant
        least, most = (least if low is None else max(least, low)), (most if high is None else min(most, high))
        return {**known, terms: (least, most)} if least <= most else None


def _applied(operator: str, one: Sum, other: Sum) -> Sum | None:
    """An operator on two sums; None if that is no sum."""
    if operator in {"+", "-"}:
        return one.plus(other, 1 if operator == "+" else -1)
    if operator == "*" and one.object is None and not one.terms:
        one, other = other, one
    if one.object is not None or other.object is not None or other.terms or other.constant < 0:
        return None
    return Sum(None, 0, ()).plus(one, other.constant if operator == "*" else 1 << min(other.constant, 64))


def _normal(terms: Terms) -> tuple[Terms, int]:
    """Terms without a common factor, of which the first is added, and the factor; that is 0 for none."""
    if not terms:
        return terms, 0
    factor = gcd(*(count for _, count in terms)) * (1 if terms[0][1] > 0 else -1)
    return tuple((read, count // factor) for read, count in terms), factor


def _limited(operator: str, bound: int, factor: int) -> tuple[int | None, int | None]:
    """The least and the greatest x for which `factor * x` compares so with a bound, for a factor not 0.

    The operator is that for a factor above 0.
    """
    size = abs(factor)
    bound = bound if factor > 0 else -bound
    match operator:
        case "<":
            return None, (bound - 1) // size
        case "<=":
            return None, bound // size
        case ">":
            return bound // size + 1, None
        case ">=":
            return -(-bound // size), None
        case "==":
            return -(-bound // size), bound // size
        case _:
            return None, None


def _lies(low: int, high: int, operator: str) -> bool:
    """Whether some number from `low` to `high` compares so with 0."""
    match operator:
        case "<":
            return low < 0
        case "<=":
            return low <= 0
        case ">":
            return high > 0
        case ">=":
            return high >= 0
        case "==":
            return low <= 0 <= high
        case _:
            return not low == high == 0
