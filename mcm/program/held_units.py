"""Elements that memory holds in units, as they were declared (ADR 105)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.value_arithmetic import apply_unary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.program.program import MemoryObject
    from mcm.program.types import Scalar, Type, Value


def together(units: Iterable[Value], bits: int, whole: Scalar) -> Value:
    """What units of so many bits, the lowest first, mean as a number of a type."""
    found = 0
    for number, unit in enumerate(units):
        assert isinstance(unit, int), "units are whole numbers"
        found |= unit << (number * bits)
    return apply_unary("bits" if whole.is_floating else "convert", found, whole)


def declared_type(item: MemoryObject) -> Type:
    """The type that an object was declared with."""
    return item.whole or item.type


def declared_values(item: MemoryObject) -> tuple[Value | None, ...]:
    """The initial values of an object's elements as they were declared; None where one is indeterminate."""
    if item.whole is None:
        return item.initial
    found: list[Value | None] = []
    for first in range(0, len(item.initial), item.units):
        units = [value for value in item.initial[first : first + item.units] if value is not None]
        found.append(together(units, item.unit_bits, item.whole) if len(units) == item.units else None)
    return tuple(found)
