"""Writes of one location that may come in any order: the value after them is the same."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, isfinite
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant, ReadValue, UnaryValue
from mcm.program.float_arithmetic import float_of, rounded
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.substitution import Substitution

# Operators whose updates of one location may come in any order, if all are of one class.
_CLASSES: Final = {"+": "+", "-": "+", "|": "|", "&": "&", "^": "^", "min": "min", "max": "max"}

# The class of updates that add floats, and the digits of a number of so many bits.
_FLOATS: Final = "float +"
_DIGITS: Final = {16: 11, 32: 24, 64: 53}

# The class of updates that do something else with what they read.
UPDATE: Final = "update"


def commuting(event: Event) -> tuple[str, Scalar] | None:
    """The class of operators and the type of an update that commutes with others of the same; None if it does not."""
    if event.kind is not EventKind.UPDATE:
        return None
    match event.value:
        case BinaryValue(symbol, ReadValue(read), operand, Scalar() as type_) if (
            read == event.identifier and symbol in _CLASSES and not type_.is_floating
        ):
            return None if read in reads_of(operand) else (_CLASSES[symbol], type_)
        case _:
            return None


class Addend(Struct, frozen=True):
    """What an update adds to a float, or takes from it: the number, its type, and whether memory holds its bits."""

    number: Expression
    type: Scalar
    is_held: bool


def addend(event: Event) -> Addend | None:
    """What an update adds to the float that it reads; None if it does something else."""
    if event.kind is not EventKind.UPDATE:
        return None
    value, own = event.value, ReadValue(event.identifier)
    is_held = isinstance(value, UnaryValue) and value.operator == "bits"
    sum_ = value.operand if isinstance(value, UnaryValue) and is_held else value
    match sum_:
        case BinaryValue("+" | "-", before, number, Scalar() as type_) if type_.is_floating:
            read = before.operand if isinstance(before, UnaryValue) and before.operator == "bits" else before
            if read is not own or (before is not own) is not is_held or event.identifier in reads_of(number):
                return None
            return Addend(number, type_, is_held)
        case _:
            return None


def is_summand(event: Event) -> bool:
    """Whether an update makes something of what it reads itself, so that others may come in any order with it."""
    return event.kind is EventKind.UPDATE and event.value is not None and event.identifier in reads_of(event.value)


def in_any_order(event: Event) -> tuple[str, Scalar] | Expression | str | None:
    """What an atomic write has in common with those of its location that may come in any order with it.

    They commute, or all write the same, whatever is read; those that add floats do if sums are exact
    (`are_exact`), and other updates if they come to the same (`reachable.py`). None where each order may leave another
    value.
    """
    found = commuting(event)
    if found is not None or event.order is None:
        return found
    added = addend(event)
    if added is not None:
        return _FLOATS, added.type
    if event.value is not None and not reads_of(event.value):
        return event.value
    return UPDATE if is_summand(event) else None


def are_exact(writes: Sequence[Event], known: Substitution) -> bool:
    """Whether no sum of floats is rounded, in whatever order comes what writes of one location add.

    All numbers are whole multiples of a power of two, of which the sum of all magnitudes has as many as a number of the
    type can tell apart. A sum is -0.0 where all numbers are, in whatever order. `known` is what reads return; what is
    not known may be rounded.
    """
    added = {event.identifier: found for event in writes if (found := addend(event)) is not None}
    if not added:
        return True
    first = next(iter(added.values()))
    if any((other.type, other.is_held) != (first.type, first.is_held) for other in added.values()):
        return False
    bits = first.type.bits
    numbers: list[float] = []
    for event in writes:
        own = added.get(event.identifier)
        value = known.optional(event.value if own is None else own.number)
        if not isinstance(value, Constant) or not isinstance(value.value, (int, float)):
            return False
        is_held = own is None and first.is_held
        numbers.append(float_of(int(value.value), bits) if is_held else float(value.value))
    if not all(map(isfinite, numbers)):
        return False
    parts = [Fraction(number) for number in numbers]
    step = max(part.denominator for part in parts)
    whole = [abs(part.numerator) * (step // part.denominator) for part in parts]
    common = gcd(*whole)
    # The largest power of two that divides all of them.
    lowest = max(1, common & -common)
    is_told_apart = sum(whole) // lowest <= 1 << _DIGITS[bits]
    return is_told_apart and isfinite(rounded(sum(map(abs, numbers)), bits))
