"""What the pointers of a body lead to, and how it is held; what has no such form is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Note
from mcm.program.held_units import declared_type
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.pointees import Pointees, Target, pointee
from mcm.program.resolve.type_names import show_type
from mcm.program.resolve.units import UNSIGNED, can_have_units, may_be_divided

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.program import instruction as hir
    from mcm.program.program import MemoryObject, Register
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.units import MemoryUnits, Unit
    from mcm.program.types import Scalar

# What is known only when the program runs, or has no form in terms of what memory holds.
_REFUSED: Final = "not yet supported: {what}, as memory of type '{declared}' seen as '{seen}'"
_BYTE: Final = 8
_LARGEST: Final = 64


class PointedAt:
    """What pointers lead to; `wanted` are private variables that need units, or smaller ones than they have."""

    def __init__(
        self,
        block: hir.Block,
        registers: Sequence[Register],
        objects: Sequence[MemoryObject],
        units: MemoryUnits,
        private: Mapping[str, Scalar],
        complaints: Complaints,
    ) -> None:
        self.objects: Final = objects
        self.units: Final = units
        self.complaints: Final = complaints
        self.pointees: Final = Pointees(block, registers, objects, private)
        self.wanted: Final[dict[str, Scalar]] = {}

    def types(self, pointer: hir.Expression) -> list[Scalar]:
        """The types of the numbers that a pointer leads to; none where it leads to what is no number."""
        found = () if pointee(pointer.type) is None else self.pointees.of(pointer)
        return sorted({one.type for one in found}, key=lambda one: one.spelling)

    def others(self, pointer: hir.Expression) -> list[Scalar]:
        """The same, if there are others among them than its type says."""
        own, found = pointee(pointer.type), self.types(pointer)
        return found if any(one is not own for one in found) else []

    def declared(self, address: hir.Expression) -> Scalar:
        """The type of the numbers at an address that is accessed; where these are of several, they get one unit."""
        seen, others = pointee(address.type), self.others(address)
        assert seen is not None
        if len(others) > 1:
            what = "an access that may be of memory of several types"
            return self.unite(self.pointees.of(address), address, what)
        return others[0] if others else seen

    def unite(self, targets: Iterable[Target], pointer: hir.Expression, what: str, bits: int = _LARGEST) -> Scalar:
        """Have all that a pointer leads to be held in units of one size, which are as small as its parts, at most."""
        targets = list(targets)
        seen = pointee(pointer.type)
        unit = min(bits, *(one.type.bits for one in targets))
        if seen is None or unit not in UNSIGNED:
            self.check(pointer, what)
            return targets[0].type
        for type_, where in sorted(targets, key=str):
            if type_ is UNSIGNED[unit]:
                continue
            item = self.objects[where] if isinstance(where, int) else None
            if item is not None and (item.whole is not None or can_have_units(item)):
                self.units.want(item, unit, pointer.span, seen)
            elif isinstance(where, str) and may_be_divided(type_):
                self.wanted[where] = UNSIGNED[unit]
            else:
                self.refuse(pointer, what, [one.type for one in targets])
        return UNSIGNED[unit]

    def check(self, pointer: hir.Expression, what: str) -> None:
        """Refuse a pointer to what is held as something else."""
        self.refuse(pointer, what, self.others(pointer))

    def refuse(self, pointer: hir.Expression, what: str, held: Iterable[Scalar]) -> None:
        """Refuse a pointer to what is `held`, if there are other types among these than its own says."""
        seen = pointee(pointer.type)
        others = [one for one in held if one is not seen]
        if not others or seen is None:
            return
        leads_to = (one.where for one in self.pointees.of(pointer))
        if any(isinstance(n, int) and self.complaints.has_said("E129", self.objects[n].name) for n in leads_to):
            raise UnresolvedError
        shown = show_type(others[0])
        for item, unit in self.units_of(pointer):
            if item.units == 1:
                shown = show_type(declared_type(item))
                continue
            message = (
                f"not yet supported: {what}, as '{show_type(seen)}', where parts of '{item.name}' are accessed, too"
            )
            expected = f"; expected nothing smaller than its elements, of type '{show_type(declared_type(item))}'"
            note = Note(f"accessed as '{show_type(unit.seen)}' here", unit.span)
            self.complaints.fail("E100", pointer.span, message + expected, note)
        message = _REFUSED.format(what=what, declared=shown, seen=show_type(seen))
        if others[0].bits == _BYTE < seen.bits:
            message += f"; a buffer that is stated as '{show_type(seen)} x[4]' in the initial state has such elements"
        self.complaints.fail("E100", pointer.span, message)

    def units_of(self, pointer: hir.Expression) -> list[tuple[MemoryObject, Unit]]:
        """The objects with units that a pointer leads to, and these."""
        numbers = sorted(one.where for one in self.pointees.of(pointer) if isinstance(one.where, int))
        items = [self.objects[number] for number in numbers]
        return [(item, self.units.known[item.name]) for item in items if item.whole is not None]

    def size(self, pointer: hir.Expression) -> int:
        """The bits of an element of what a pointer leads to."""
        seen, types = pointee(pointer.type), self.types(pointer)
        sizes = {one.bits for one in types}
        if seen is None or not sizes:
            return 0 if seen is None else seen.bits
        if len(sizes) > 1:
            self.unite(self.pointees.of(pointer), pointer, "arithmetic in another size")
        return min(sizes)
