"""Whether an address is a multiple of the size of what is accessed there, as far as the text of a body shows it.

Objects and private variables begin at addresses that are multiples of all sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program import instruction as hir
from mcm.program.resolve.conversions import is_null
from mcm.program.resolve.pointees import given, pointee
from mcm.program.types import AllocationKind, Location, PointerType, Region, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.program.program import MemoryObject, Register
    from mcm.program.resolve.pointees import Pointees, Variable

# Bits, from the largest size of a vector on: a variable is a multiple of one of them at least.
_SIZES: Final = (1024, 512, 256, 128, 64, 32, 16, 8)
_LARGEST: Final = _SIZES[0]
# The type of the difference of two addresses that integers hold: that of two pointers is a `long`.
OF_INTEGERS: Final = Scalar.ULONG

# Variables of programs, and of the host: where they begin depends on their types.
_ANYWHERE: Final = frozenset(
    {AllocationKind.PROGRAM_SCOPE, AllocationKind.SYSTEM_SVM, AllocationKind.SYSTEM_SVM_ATOMICS}
)


class Alignment:
    """Of what size the pointers in a body are multiples, in bits; `objects` are as memory holds them."""

    def __init__(
        self, block: hir.Block, registers: Iterable[Register], objects: Sequence[MemoryObject], pointees: Pointees
    ) -> None:
        self._objects: Final = objects
        self._pointees: Final = pointees
        self._known: Final[dict[Variable, int]] = {}
        self._starts: Final = {
            one.name: self._of_location(one.initial) for one in registers if isinstance(one.initial, Location)
        }
        sources = self._sources(block)
        for variable in sources:
            self._known[variable] = self._starts.get(variable[0], _LARGEST)
        before = None
        # Variables may be given one another: what cannot be is left out, until nothing changes.
        while before != self._known:
            before = dict(self._known)
            for variable, pointers in sources.items():
                self._known[variable] = min(before[variable], *(self.of(pointer) for pointer in pointers))

    def of(self, pointer: hir.Expression) -> int:
        """The largest of the sizes of which an address is a multiple in all executions, in bits."""
        match pointer:
            case hir.Literal(Location() as place):
                return self._of_location(place)
            case hir.Convert(operand) if isinstance(operand.type, PointerType) or isinstance(operand, hir.Convert):
                return self.of(operand)
            case hir.Binary("+" | "-", left, right, PointerType()) if isinstance(pointer.type, PointerType):
                base, offset = (left, right) if isinstance(left.type, PointerType) else (right, left)
                return min(self.of(base), self._of_offset(offset, base))
            case hir.Conditional(_, then, otherwise):
                return min(self.of(then), self.of(otherwise))
            case hir.Sequence(_, right) | hir.Assign(_, right):
                return self.of(right)
            case hir.AddressOfRegister(hir.RegisterPlace()):
                return _LARGEST
            case hir.AddressOfRegister(hir.ElementPlace(_, _, index, Scalar() as type_)):
                return _size_of(multiple(index) * type_.bits)
            case hir.Read(hir.RegisterPlace() | hir.ElementPlace() as place):
                return self._of_variable(place)
            case hir.Modify(_, hir.RegisterPlace() | hir.ElementPlace() as place):
                return self._of_variable(place)
            case _:
                return _LARGEST if is_null(pointer) else _SIZES[-1]

    def _of_variable(self, place: hir.RegisterPlace | hir.ElementPlace) -> int:
        variable = self._pointees.variable(place)
        return self._known.get(variable, self._starts.get(variable[0], _SIZES[-1]))

    def _of_location(self, place: Location) -> int:
        type_ = self._objects[place.object].type
        return _size_of(place.offset * type_.bits) if isinstance(type_, Scalar) else _SIZES[-1]

    def _of_offset(self, offset: hir.Expression, pointer: hir.Expression) -> int:
        each = pointee(pointer.type)
        return _SIZES[-1] if each is None else _size_of(multiple(offset) * each.bits)

    def _sources(self, block: hir.Block) -> dict[Variable, list[hir.Expression]]:
        """The pointers that each private variable is given, or moved by."""
        found: dict[Variable, list[hir.Expression]] = {}
        for node in walk(block):
            match node:
                case hir.Modify("+" | "-", hir.RegisterPlace() | hir.ElementPlace() as place, value, PointerType()):
                    read = hir.Read(place, place.type, span=place.span)
                    moved: hir.Expression = hir.Binary("+", read, value, place.type, place.type, span=node.span)
                    found.setdefault(self._pointees.variable(place), []).append(moved)
                case _:
                    where = given(node)
                    if where is not None:
                        found.setdefault(self._pointees.variable(where[0]), []).extend(where[1])
        return found


def begins_aligned(item: MemoryObject) -> bool:
    """Whether an object is known to begin at a multiple of all sizes: one that the host makes by the API is."""
    is_made = item.allocation not in _ANYWHERE
    return is_made and item.region in {Region.GLOBAL, Region.CONSTANT}


def _size_of(bits: int) -> int:
    """The largest of the sizes that divides a number of bits."""
    return next(size for size in _SIZES if bits % size == 0)


def multiple(offset: hir.Expression) -> int:
    """A power of two that divides an offset in all executions, `_LARGEST` at most.

    Numbers that wrap keep such factors.
    """
    match offset:
        case hir.Literal(int(value)):
            return _power(value)
        case hir.Binary("*", left, right):
            return min(multiple(left) * multiple(right), _LARGEST)
        case hir.Binary("+" | "-" | "|" | "^", left, right):
            return min(multiple(left), multiple(right))
        case hir.Binary("&", left, right):
            return max(multiple(left), multiple(right))
        case hir.Binary("<<", left, hir.Literal(int(count))) if 0 <= count < _LARGEST:
            return min(multiple(left) << min(count, _SIZES[-1]), _LARGEST)
        case hir.Convert(operand) if isinstance(operand.type, Scalar) and not operand.type.is_floating:
            return multiple(operand)
        case hir.Conditional(_, then, otherwise):
            return min(multiple(then), multiple(otherwise))
        case _:
            return 1


def _power(value: int) -> int:
    """The largest power of two that divides a number, `_LARGEST` at most.

    >>> _power(12), _power(0), _power(-2), _power(7)
    (4, 1024, 2, 1)
    """
    return min(value & -value, _LARGEST) if value else _LARGEST
