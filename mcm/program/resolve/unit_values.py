"""Values put together from the units that memory holds, and taken apart into them, the lowest bits first (ADR 105)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program import instruction as hir
from mcm.program.resolve.conversions import converted, same_bits
from mcm.program.resolve.units import UNSIGNED, units_of_value
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Span


def joined(units: Sequence[hir.Expression], type_: Scalar, span: Span) -> hir.Expression:
    """The number of a type that has the bits of some units."""
    wide = _computed_in(type_)
    found: hir.Expression | None = None
    for number, unit in enumerate(units):
        assert isinstance(unit.type, Scalar)
        part = converted(same_bits(unit, UNSIGNED[unit.type.bits], span), wide)
        if number:
            count = hir.Literal(number * unit.type.bits, Scalar.INT, span=span)
            part = hir.Binary("<<", part, count, wide, wide, span=span)
        found = part if found is None else hir.Binary("|", found, part, wide, wide, span=span)
    assert found is not None, "there is a unit"
    return same_bits(converted(found, UNSIGNED[type_.bits]), type_, span)


def taken_apart(value: hir.Expression, unit: Scalar, span: Span) -> list[hir.Expression]:
    """The units of a value, each in the type of these; the value is evaluated for each of them."""
    type_ = value.type
    assert isinstance(type_, Scalar)
    each, count = UNSIGNED[unit.bits], type_.bits // unit.bits
    if isinstance(value, hir.Literal) and isinstance(value.value, (int, float)):
        parts = units_of_value(value.value, type_, unit.bits)
        return [same_bits(hir.Literal(part, each, span=value.span), unit, span) for part in parts if part is not None]
    wide = _computed_in(type_)
    whole = converted(same_bits(value, UNSIGNED[type_.bits], span), wide)
    found: list[hir.Expression] = []
    for number in range(count):
        shift = hir.Literal(number * unit.bits, Scalar.INT, span=span)
        part = hir.Binary(">>", whole, shift, wide, wide, span=span) if number else whole
        found.append(same_bits(converted(part, each), unit, span))
    return found


def _computed_in(type_: Scalar) -> Scalar:
    """The unsigned type in which the units of a type are put together: C computes in no smaller one than `uint`."""
    return UNSIGNED[max(type_.bits, Scalar.UINT.bits)]
