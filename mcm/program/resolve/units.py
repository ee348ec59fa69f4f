"""Memory that is accessed at several sizes: an object is held as numbers of the smallest one, its units (ADR 105).

Which objects these are is known when all bodies have been resolved, so the program is resolved once more with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.program.float_arithmetic import bits_of
from mcm.program.types import AllocationKind, Location, Part, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Span
    from mcm.program.program import MemoryObject
    from mcm.program.resolve.memory import MemoryObjects
    from mcm.program.resolve.names import InitialRegister
    from mcm.program.types import Value

# The unsigned types by their sizes; nothing else is seen as numbers of another size.
UNSIGNED: Final = {one.bits: one for one in (Scalar.UCHAR, Scalar.USHORT, Scalar.UINT, Scalar.ULONG)}
_NOT_DIVIDED: Final = frozenset({Scalar.BOOL, Scalar.EVENT, Scalar.RESERVATION})
# Images and pipes are not accessed by pointers.
_APART: Final = frozenset({AllocationKind.IMAGE, AllocationKind.PIPE})


class Unit(Struct, frozen=True):
    """The unit of an object: so many bits, and an access because of which it has that size."""

    bits: int
    span: Span
    seen: Scalar


class MemoryUnits(Struct):
    """The units of objects, by their names: those of this resolution, and those that its bodies turn out to need.

    All copies of a local variable have one name, and one unit.
    """

    known: dict[str, Unit] = field(default_factory=dict)
    wanted: dict[str, Unit] = field(default_factory=dict)

    def want(self, item: MemoryObject, bits: int, span: Span, seen: Scalar) -> None:
        """Note that an object needs units of so many bits, or smaller ones."""
        before = self.wanted.get(item.name)
        if before is None or bits < before.bits:
            self.wanted[item.name] = Unit(bits, span, seen)

    @property
    def next(self) -> MemoryUnits:
        """The units for the next resolution."""
        return MemoryUnits({**self.known, **self.wanted})


def may_be_divided(type_: object) -> bool:
    """Whether memory of a type may be seen as numbers of another size."""
    return isinstance(type_, Scalar) and type_ not in _NOT_DIVIDED


def can_have_units(item: MemoryObject) -> bool:
    """Whether an object may be held in units."""
    holds_numbers = all(one is None or isinstance(one, (int, float)) for one in item.initial)
    return holds_numbers and may_be_divided(item.type) and item.allocation not in _APART


def in_units(memory: MemoryObjects, units: MemoryUnits) -> MemoryObjects:
    """The memory, where objects with units are held as these."""
    if not units.known:
        return replace(memory, units=units)
    objects = tuple(_in_units(item, units.known.get(item.name)) for item in memory.objects)
    objects = tuple(replace(item, initial=tuple(_moved(one, objects) for one in item.initial)) for item in objects)
    parts = {name: _part(part, objects) for name, part in memory.parts.items()}
    return replace(memory, objects=objects, parts=parts, units=units)


def registers_in_units(
    registers: dict[int, dict[str, InitialRegister]], memory: MemoryObjects
) -> dict[int, dict[str, InitialRegister]]:
    """The registers of the initial state, in which addresses of elements count units."""
    if not memory.units.known:
        return registers
    return {
        thread: {name: replace(one, value=located(one.value, memory.objects)) for name, one in named.items()}
        for thread, named in registers.items()
    }


def _in_units(item: MemoryObject, unit: Unit | None) -> MemoryObject:
    if unit is None or not isinstance(item.type, Scalar):
        return item
    type_ = UNSIGNED[unit.bits]
    initial = [part for value in item.initial for part in units_of_value(value, item.type, unit.bits)]
    return replace(item, type=type_, whole=item.type, initial=tuple(initial))


def units_of_value(value: Value | None, type_: Scalar, bits: int) -> Sequence[Value | None]:
    """The units of a value of a type, the lowest bits first.

    >>> units_of_value(-2, Scalar.INT, 8), units_of_value(None, Scalar.INT, 16)
    ([254, 255, 255, 255], [None, None])
    """
    count = type_.bits // bits
    if not isinstance(value, (int, float)):
        # It has no value, or is one that cannot be divided.
        return [value] * count
    whole = bits_of(float(value), type_.bits) if type_.is_floating else int(value)
    return [whole >> (bits * number) & ((1 << bits) - 1) for number in range(count)]


def located(value: Value, objects: Sequence[MemoryObject]) -> Value:
    """A value, where the address of an element that was declared is that of its first unit."""
    return value if not isinstance(value, Location) else _first_unit(value, objects)


def _moved(value: Value | None, objects: Sequence[MemoryObject]) -> Value | None:
    return None if value is None else located(value, objects)


def _first_unit(place: Location, objects: Sequence[MemoryObject]) -> Location:
    return Location(place.object, place.offset * objects[place.object].units)


def _part(part: Part, objects: Sequence[MemoryObject]) -> Part:
    each = objects[part.object].units
    return replace(part, first=part.first * each, length=part.length * each)
