"""Accesses of several units of memory at once: one plain access of each, of which the bits are put together (ADR 105).

The units of one access come one after the other, the lowest bits first. The address has to be a multiple of the
size of what is accessed; one that is not is a fault like an index outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program import instruction as hir
from mcm.program.program import Register
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.unit_values import joined, taken_apart
from mcm.program.types import Location, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.base.source import Span
    from mcm.program.program import MemoryObject
    from mcm.program.types import Type

# Expressions of so few nodes, which change nothing and read single private variables only, are written several times:
# an element of an array may be among what the access changes.
_SHORT: Final = 12
_PLAIN: Final = (
    *(hir.Literal, hir.Unary, hir.Binary, hir.Convert, hir.AddressOfRegister),
    *(hir.Read, hir.RegisterPlace, hir.ElementPlace),
)
# No variable of a program has this name.
_HELD: Final = "of units"


_BYTE: Final = 8


class Wide:
    """Makes such accesses in one body.

    `private` are the units of private variables, and `lengths` how many elements those that are arrays have.
    `registers` are those that the accesses need. `names_objects`: addresses of objects stand in the body, of which
    other work-groups may have copies.
    """

    def __init__(
        self, objects: Sequence[MemoryObject], private: Mapping[str, Scalar], lengths: Mapping[str, int | None]
    ) -> None:
        self._objects: Final = objects
        self._private: Final = private
        self._lengths: Final = lengths
        self._count = 0
        self.registers: Final[list[Register]] = []
        self.names_objects = False

    # --- accesses -----------------------------------------------------------------------------------------------------

    def read(
        self, before: list[hir.Expression], places: Sequence[hir.Place], type_: Scalar, span: Span
    ) -> hir.Expression:
        """The value that some units have together, behind what stands `before`."""
        reads = self._reads(places, before, span)
        return in_sequence(before, joined(reads, type_, span), span)

    def _reads(self, places: Sequence[hir.Place], before: list[hir.Expression], span: Span) -> list[hir.Expression]:
        """Reads of some units, one after the other: no other order could make a difference, nor is one looked at."""
        reads = [hir.Read(place, place.type, span=span) for place in places]
        return [self.held(one, before) if isinstance(one.place, hir.MemoryPlace) else one for one in reads]

    def write(
        self,
        before: list[hir.Expression],
        places: Sequence[hir.Place],
        value: hir.Expression,
        span: Span,
        *,
        is_used: bool,
    ) -> hir.Expression:
        """The store of a value in some units; the value of the expression is what is stored.

        Where that `is_used`, the stores are not sequenced before what uses it, as in C.
        """
        value = self.held(value, before)
        stores = self._stores(places, value, span)
        if is_used and isinstance(value.type, Scalar):
            return in_sequence(before, joined(stores, value.type, span), span)
        return in_sequence([*before, *stores], value, span)

    def modify(
        self, before: list[hir.Expression], places: Sequence[hir.Place], node: hir.Modify, operand: hir.Expression
    ) -> hir.Expression:
        """A compound assignment to some units."""
        type_, span = node.type, node.span
        assert isinstance(type_, Scalar)
        operand = self.held(operand, before)
        reads = self._reads(places, before, node.place.span)
        old = self.held(joined(reads, type_, span), before)
        computed = hir.Binary(
            node.operator, converted(old, node.operands), operand, node.operands, node.operands, span=span
        )
        new = self.held(converted(computed, type_), before)
        return in_sequence([*before, *self._stores(places, new, span)], old if node.returns_old else new, span)

    def behind(self, before: Sequence[hir.Expression], value: hir.Expression) -> hir.Expression:
        """A value behind what is evaluated before it."""
        return in_sequence(before, value, value.span)

    def _stores(self, places: Sequence[hir.Place], value: hir.Expression, span: Span) -> list[hir.Expression]:
        unit = places[0].type
        assert isinstance(unit, Scalar)
        parts = taken_apart(value, unit, span)
        return [hir.Assign(place, part, unit, span=span) for place, part in zip(places, parts, strict=True)]

    def strided(self, node: hir.AsyncCopy, many: int) -> hir.Expression:
        """A copy with strides of elements of so many units: one of each unit, which joins those before it."""
        before: list[hir.Expression] = []
        one = hir.Literal(1, Scalar.LONG, span=node.span)
        target, source = self.held(node.target, before), self.held(node.source, before)
        count = self.held(node.count, before)
        strides = [times(self.held(each or one, before), many) for each in (node.target_stride, node.source_stride)]
        event = node.event
        for number in range(many):
            event = replace(
                node,
                target=_further(target, number),
                source=_further(source, number),
                count=count,
                target_stride=strides[0],
                source_stride=strides[1],
                event=event,
                site=f"{node.site}, unit {number}",
            )
        return in_sequence(before, event, node.span)

    # --- places -------------------------------------------------------------------------------------------------------

    def in_memory(
        self, address: hir.Expression, count: int, unit: Scalar, before: list[hir.Expression], span: Span
    ) -> list[hir.Place]:
        """The units from an address on, which is evaluated once."""
        address = self.held(address, before)
        return [hir.MemoryPlace(_further(address, number), unit, span=span) for number in range(count)]

    def in_private(
        self, place: hir.RegisterPlace | hir.ElementPlace, index: hir.Expression | None, before: list[hir.Expression]
    ) -> list[hir.Place]:
        """The units of a private variable, or of the element of an array that has this index."""
        name = place.register if isinstance(place, hir.RegisterPlace) else place.array
        type_, unit = place.type, self._private[name]
        assert isinstance(type_, Scalar)
        each = type_.bits // unit.bits
        length = (self._lengths[name] or 1) * each
        first: hir.Expression = hir.Literal(0, Scalar.LONG, span=place.span)
        if index is not None:
            first = self.held(times(index, each), before)
        return [
            hir.ElementPlace(units_name(name), length, _plus(first, number), unit, span=place.span)
            for number in range(each)
        ]

    def checked(
        self,
        address: hir.Expression,
        bits: int,
        why: str,
        targets: Iterable[tuple[Scalar, int | str]],
        before: list[hir.Expression],
        span: Span,
    ) -> hir.Expression:
        """An address that leads to some targets; that it is no multiple of so many bits is a fault, and `why` it is."""
        address = self.held(address, before)
        found = self._rest(address, bits, targets, span)
        before.append(hir.Inside(found, 1, why, Scalar.LONG, span=span))
        return address

    def rest(
        self,
        address: hir.Expression,
        bits: int,
        targets: Iterable[tuple[Scalar, int | str]],
        before: list[hir.Expression],
        span: Span,
    ) -> hir.Expression:
        """What is left of an address by so many bits, in bytes."""
        places = sorted(targets, key=str)
        found = self._rest(self.held(address, before), bits, places, span)
        sizes = {unit.bits for unit, _ in places}
        assert len(sizes) == 1, "an address leads to numbers of one size"
        size = hir.Literal(sizes.pop() // _BYTE, Scalar.LONG, span=span)
        return hir.Binary("*", found, size, Scalar.LONG, Scalar.LONG, span=span)

    def _rest(
        self, address: hir.Expression, bits: int, targets: Iterable[tuple[Scalar, int | str]], span: Span
    ) -> hir.Expression:
        """The same in what memory holds."""
        found: hir.Expression | None = None
        places = sorted(targets, key=str)
        for unit, where in places:
            count = hir.Literal(max(bits // unit.bits, 1), Scalar.LONG, span=span)
            base = self._base(where, unit, address.type, span)
            distance = hir.Binary("-", address, base, address.type, Scalar.LONG, span=span)
            rest: hir.Expression = hir.Binary("%", distance, count, Scalar.LONG, Scalar.LONG, span=span)
            if len(places) > 1:
                objects = frozenset({where} if isinstance(where, int) else ())
                is_there = hir.InRegion(address, objects, isinstance(where, str), Scalar.INT, span=span)
                none: hir.Expression = hir.Literal(0, Scalar.LONG, span=span)
                rest = hir.Conditional(is_there, rest, none if found is None else found, Scalar.LONG, span=span)
            found = rest
        assert found is not None, "it leads somewhere"
        return found

    def _base(self, where: int | str, unit: Scalar, pointer: Type, span: Span) -> hir.Expression:
        """The address at which an object, or a private variable, begins."""
        if isinstance(where, int):
            self.names_objects |= self._objects[where].group is not None
            return hir.Literal(Location(where), pointer, span=span)
        zero = hir.Literal(0, Scalar.LONG, span=span)
        length = self._lengths[where]
        place: hir.RegisterPlace | hir.ElementPlace = hir.RegisterPlace(where, unit, span=span)
        if where in self._private:
            place = hir.ElementPlace(units_name(where), length or 1, zero, unit, span=span)
        elif length is not None:
            place = hir.ElementPlace(where, length, zero, unit, span=span)
        return hir.AddressOfRegister(place, pointer, span=span)

    # --- what is evaluated once ---------------------------------------------------------------------------------------

    def held(self, value: hir.Expression, before: list[hir.Expression]) -> hir.Expression:
        """A value as an expression that may be written several times: where it may not, a register has it `before`."""
        if _is_short(value):
            return value
        self._count += 1
        name, type_, span = f"{_HELD}#{self._count}", value.type, value.span
        self.registers.append(Register(name, type_, is_hidden=True))
        place = hir.RegisterPlace(name, type_, span=span)
        before.append(hir.Assign(place, value, type_, span=span))
        return hir.Read(place, type_, span=span)


def units_name(register: str) -> str:
    """The array that holds the units of a private variable."""
    return f"{register}#units"


def in_sequence(before: Sequence[hir.Expression], value: hir.Expression, span: Span) -> hir.Expression:
    """A value behind other expressions, from left to right."""
    for one in reversed(before):
        value = hir.Sequence(one, value, value.type, span=span)
    return value


def times(offset: hir.Expression, count: int) -> hir.Expression:
    """An offset that counts units, of which each element has so many."""
    if count == 1:
        return offset
    if isinstance(offset, hir.Literal) and isinstance(offset.value, int):
        return hir.Literal(offset.value * count, Scalar.LONG, span=offset.span)
    size = hir.Literal(count, Scalar.LONG, span=offset.span)
    return hir.Binary("*", converted(offset, Scalar.LONG), size, Scalar.LONG, Scalar.LONG, span=offset.span)


def _further(address: hir.Expression, count: int) -> hir.Expression:
    if not count:
        return address
    number = hir.Literal(count, Scalar.LONG, span=address.span)
    return hir.Binary("+", address, number, address.type, address.type, span=address.span)


def _plus(index: hir.Expression, count: int) -> hir.Expression:
    if isinstance(index, hir.Literal) and isinstance(index.value, int):
        return hir.Literal(index.value + count, Scalar.LONG, span=index.span)
    if not count:
        return index
    number = hir.Literal(count, Scalar.LONG, span=index.span)
    return hir.Binary("+", index, number, Scalar.LONG, Scalar.LONG, span=index.span)


def _is_short(value: hir.Expression) -> bool:
    """Whether an expression may be written several times: it is short, changes nothing, and reads single variables."""
    parts = walk(value)
    if len(parts) > _SHORT or not all(isinstance(part, _PLAIN) for part in parts):
        return False
    return all(isinstance(part.place, hir.RegisterPlace) for part in parts if isinstance(part, hir.Read))
