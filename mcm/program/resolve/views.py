"""Accesses of memory through pointers to numbers of another type: floats seen as integers, `int` seen as `uint`.

Memory holds values of the types that it was declared with. So `*(global uint*)p` with `global float* p` is read as a
float, of which the bits are taken, and written with the float that has these bits. The loop that adds to a float by
`atomic_cmpxchg` is made of such accesses.

An access of several elements at once is one of each of them (`wide_accesses`). One of a part of an element makes the
object, or the private variable, memory of such parts, of which the elements consist (ADR 105).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program import instruction as hir
from mcm.program.members import is_member
from mcm.program.operators import UpdateOperator
from mcm.program.resolve.alignment import OF_INTEGERS, Alignment, begins_aligned
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.conversions import converted, holds_address, same_bits
from mcm.program.resolve.pointed_at import PointedAt
from mcm.program.resolve.pointees import given, pointee
from mcm.program.resolve.private_units import PrivateUnits, lengths_of, with_units
from mcm.program.resolve.type_names import show_type
from mcm.program.resolve.units import may_be_divided
from mcm.program.resolve.wide_accesses import Wide, times
from mcm.program.types import PointerType, Scalar
from mcm.program.walk import part_names, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mcm.program.program import MemoryObject, Register
    from mcm.program.resolve.units import MemoryUnits

_COMPUTING: Final = (
    *(hir.Literal, hir.Unary, hir.Binary, hir.Logical, hir.Conditional, hir.Convert),
    *(hir.Read, hir.RegisterPlace, hir.ElementPlace),
)

# These keep no pointer that is a part of them: it is told apart from null, or is what they are worth.
_PASSING: Final = (hir.InRegion, hir.Logical, hir.Conditional, hir.Sequence, hir.Evaluate, hir.If, hir.Loop)

_BYTE: Final = 8
# What such an update writes depends on the type in which the bits are read.
_ORDERED: Final = frozenset({UpdateOperator.MIN, UpdateOperator.MAX})


class Viewed(Struct, frozen=True):
    """A body in which memory is accessed as it is held, and its registers.

    `names_objects`: addresses of objects stand in it that other work-groups have copies of.
    """

    block: hir.Block
    registers: tuple[Register, ...]
    names_objects: bool


def as_declared(
    block: hir.Block,
    registers: tuple[Register, ...],
    objects: Sequence[MemoryObject],
    units: MemoryUnits,
    addresses: Collection[str],
    complaints: Complaints,
) -> Viewed:
    """The body in which memory is accessed as it is held; errors for what has no such form.

    `units` learns which objects need them; `addresses` are integer registers that may hold an address.
    """
    private: dict[str, Scalar] = {}
    while True:
        own = complaints.apart()
        views = _Views(block, registers, objects, units, addresses, private, own)
        found: hir.Written | None = None
        try:
            found = views.body(block)
        except UnresolvedError:
            found = None
        if not views.wanted:
            break
        private |= views.wanted
    if units.wanted:
        # The body is resolved once more, with these.
        return Viewed(block, registers, names_objects=False)
    for one in own.diagnostics:
        complaints.error(one.code, one.span, one.message, *one.notes)
    if found is None:
        raise UnresolvedError
    assert isinstance(found, hir.Block)
    kept = with_units(registers, private)
    return Viewed(found, (*kept, *views.registers), views.wide.names_objects)


def _accessed(node: hir.Written) -> hir.Expression | None:
    """The address of the one access that a node is; None if it is none."""
    match node:
        case hir.Read(hir.MemoryPlace(address)) | hir.Assign(hir.MemoryPlace(address)):
            return address
        case hir.Modify(_, hir.MemoryPlace(address)):
            return address
        case hir.AtomicLoad(address) | hir.AtomicStore(address) | hir.AtomicInit(address):
            return address
        case hir.AtomicUpdate(_, address) | hir.LegacyCompareExchange(address):
            return address
        case _:
            return None


def _passes(node: hir.Written) -> bool:
    """Whether a node keeps no pointer that is a part of it."""
    return isinstance(node, _PASSING) or (isinstance(node, hir.Unary) and node.operator == "!")


def _in_elements(offset: hir.Expression, scale: int) -> hir.Expression | None:
    """An offset divided by the size of an element, where it is seen to be a multiple; None where it is not."""
    match offset:
        case hir.Literal(int(value)) if value % scale == 0:
            return replace(offset, value=value // scale)
        case hir.Binary("*", left, right):
            return _in_product(left, right, offset, scale) or _in_product(right, left, offset, scale)
        case hir.Binary("+" | "-", left, right):
            one, other = _in_elements(left, scale), _in_elements(right, scale)
            return None if one is None or other is None else replace(offset, left=one, right=other)
        case hir.Convert(operand):
            count = _in_elements(operand, scale)
            return None if count is None else replace(offset, operand=count)
        case _:
            return None


def _only_computes(offset: hir.Expression) -> bool:
    """Whether an offset may be evaluated twice: it reads private variables, no memory, and changes none."""
    parts = walk(offset)
    is_constant = not any(isinstance(part, hir.Read) for part in parts)
    return not is_constant and all(isinstance(part, _COMPUTING) for part in parts)


def _in_product(one: hir.Expression, other: hir.Expression, node: hir.Binary, scale: int) -> hir.Expression | None:
    """The same of a product, by one of its factors."""
    count = _in_elements(one, scale)
    return None if count is None else replace(node, left=count, right=other)


class _Views(PointedAt):
    """Goes through a body; `addresses` are integer registers that may hold an address."""

    def __init__(
        self,
        block: hir.Block,
        registers: Sequence[Register],
        objects: Sequence[MemoryObject],
        units: MemoryUnits,
        addresses: Collection[str],
        private: Mapping[str, Scalar],
        complaints: Complaints,
    ) -> None:
        super().__init__(block, registers, objects, units, private, complaints)
        self._registers: Final = registers
        self._objects: Final = objects
        self._addresses: Final = addresses
        self._alignment: Final = Alignment(block, registers, objects, self.pointees)
        self.wide: Final = Wide(objects, private, lengths_of(block))
        self._private: Final = PrivateUnits(private, self.wide, self.part)
        # What is evaluated for what it does alone.
        self._statement: hir.Expression | None = None

    def part(self, node: hir.Written) -> hir.Written:
        """A part of the body."""
        address = _accessed(node)
        if address is not None and self.others(address):
            return self._access(node, address)
        match node:
            case hir.Read(place) | hir.Assign(place) | hir.Modify(_, place) if self._private.has(place):
                before: list[hir.Expression] = []
                return self._on_units(node, before, self._private.places(place, before))
            case hir.Declare(name) if name in self._private.units:
                return self._private.declaration(node)
            case hir.AddressOfRegister(place) if self._private.has(place):
                return self._private.address(node)
            case hir.RegisterPlace() | hir.ElementPlace() if self._private.has(node):
                message = "not yet supported: a private variable of which parts are accessed, in a place that is given"
                return self.complaints.fail("E100", node.span, message)
            case hir.CompareExchange():
                return self._compare_exchange(node)
            case hir.AsyncCopy():
                return self._copy(node)
            case hir.Evaluate(expression):
                self._statement = expression
                self._check_parts(node)
                return self._with_parts(node)
            case hir.Convert(_, Scalar(), count) if count > 1:
                return self._remainder(node)
            case hir.Convert(multiple=count) if count > 1:
                return self._aligned(node)
            case hir.Binary("+" | "-", operands=PointerType()):
                return self._moved(node)
            case hir.Modify(_, place, value, PointerType()):
                moved = self._elements(hir.Read(place, place.type, span=place.span), value)
                return replace(node, value=moved)
            case hir.Binary() | hir.Convert():
                # A pointer is compared, or cast: who asks for it looks at what it leads to.
                return self._with_parts(node)
            case hir.AddressOfRegister(place):
                self.check(hir.Read(place, place.type, span=node.span), "a pointer whose address is taken")
                return self._with_parts(node)
            case _:
                self._check_parts(node)
                return self._with_parts(node)

    def body(self, block: hir.Block) -> hir.Block:
        """The whole body; private variables with units that have a value from the start are given it."""
        found = self.part(block)
        assert isinstance(found, hir.Block)
        given_first = self._private.given_first(self._registers, block.span)
        return replace(found, statements=(*given_first, *found.statements)) if given_first else found

    @property
    def registers(self) -> tuple[Register, ...]:
        """The registers that the body needs beside its own."""
        return (*self._private.registers, *self.wide.registers)

    def _check_parts(self, node: hir.Written) -> None:
        """Refuse a pointer among the parts of a node that is to keep it, where what it leads to would be forgotten."""
        kept = given(node)
        if kept is not None:
            targets = self.pointees.of_variable(kept[0])
            if len({one.type for one in targets}) > 1:
                for value in kept[1]:
                    self.unite(targets, value, "a pointer that is kept in a variable")
        elif not _passes(node):
            for part in parts_of(node):
                if isinstance(part, hir.Expression):
                    self.check(part, "a pointer that is not used for one access")

    def _with_parts(self, node: hir.Written) -> hir.Written:
        changes: dict[str, object] = {}
        for name in part_names(type(node)):
            before = getattr(node, name)
            if isinstance(before, tuple):
                after: object = tuple(self.part(one) for one in before)
            else:
                after = None if before is None else self.part(before)
            changes[name] = after
        return replace(node, **changes) if changes else node

    def _expression(self, node: hir.Expression) -> hir.Expression:
        found = self.part(node)
        assert isinstance(found, hir.Expression)
        return found

    # --- what pointers lead to ----------------------------------------------------------------------------------------

    def _moved(self, node: hir.Binary) -> hir.Expression:
        """Elements of the size that the pointer says further on, or how many lie between two pointers."""
        found = self._with_parts(node)
        assert isinstance(found, hir.Binary)
        if isinstance(node.type, PointerType):
            if isinstance(node.left.type, PointerType):
                return replace(found, right=self._elements(node.left, node.right))
            return replace(found, left=self._elements(node.right, node.left))
        seen, size = pointee(node.left.type), self.size(node.left)
        if node.type is OF_INTEGERS:
            objects = {one.where for one in (*self.pointees.of(node.left), *self.pointees.of(node.right))}
            if len(objects) != 1 or None in objects:
                message = f"'{node.span.text}': how far apart objects lie is up to the implementation"
                self.complaints.fail("E122", node.span, message)
        if self.size(node.right) != size:
            both = [*self.pointees.of(node.left), *self.pointees.of(node.right)]
            self.unite(both, node.left, "arithmetic in another size")
            return found
        if seen is None or size == seen.bits:
            return found
        operator, many = ("*", size // seen.bits) if size > seen.bits else ("/", seen.bits // size)
        scale = hir.Literal(many, node.type, span=node.span)
        return hir.Binary(operator, found, scale, node.type, node.type, span=node.span)

    def _elements(self, pointer: hir.Expression, offset: hir.Expression) -> hir.Expression:
        """How many elements of what a pointer leads to an offset is that counts what its type says."""
        seen, size, moved = pointee(pointer.type), self.size(pointer), self._expression(offset)
        if seen is None or size == seen.bits:
            return moved
        if size < seen.bits:
            return times(moved, seen.bits // size)
        count = _in_elements(moved, size // seen.bits)
        if count is not None:
            return count
        if _only_computes(moved):
            return self._divided(pointer, moved, size // seen.bits)
        self.unite(self.pointees.of(pointer), pointer, "arithmetic in another size", seen.bits)
        return moved

    def _divided(self, pointer: hir.Expression, offset: hir.Expression, scale: int) -> hir.Expression:
        """An offset divided by the size of an element; one that is no multiple of it is a fault."""
        declared = max(self.others(pointer), key=lambda one: one.bits)
        why = f"the offset is no multiple of {scale}, the size of '{show_type(declared)}'"
        span, whole = offset.span, converted(offset, Scalar.LONG)
        size = hir.Literal(scale, Scalar.LONG, span=span)
        count = hir.Binary("/", whole, size, Scalar.LONG, Scalar.LONG, span=span)
        rest = hir.Binary("%", whole, size, Scalar.LONG, Scalar.LONG, span=span)
        none = hir.Inside(rest, 1, why, Scalar.LONG, span=span)
        return hir.Binary("+", count, none, Scalar.LONG, Scalar.LONG, span=span)

    # --- accesses -----------------------------------------------------------------------------------------------------

    def _place(self, place: hir.MemoryPlace, declared: Scalar) -> hir.Place:
        """What is at an address, as it is held."""
        address = inner = self._expression(place.address)
        while isinstance(inner, hir.Convert):
            inner = inner.operand
        return (
            inner.place if isinstance(inner, hir.AddressOfRegister) else replace(place, address=address, type=declared)
        )

    def _access(self, node: hir.Written, at: hir.Expression) -> hir.Written:
        """An access of what is held as something else."""
        declared, seen = self.declared(at), pointee(at.type)
        assert seen is not None
        is_wide = declared.bits < seen.bits
        if not (may_be_divided(declared) and may_be_divided(seen)) and declared.bits != seen.bits:
            self.check(at, "an access of another size")
        if is_wide and not isinstance(getattr(node, "place", None), hir.MemoryPlace):
            self.check(at, "an atomic access of several elements")
        if declared.bits > seen.bits or (is_wide and declared.is_floating):
            # What is a number for one access would be another bit pattern for the other: floats have no parts.
            self.unite(self.pointees.of(at), at, "an access of another size", min(declared.bits, seen.bits))
            return self._with_parts(node)
        return self._wide_access(node, at, declared, seen) if is_wide else self._alike(node, at, declared, seen)

    def _wide_access(self, node: hir.Written, at: hir.Expression, unit: Scalar, seen: Scalar) -> hir.Expression:
        """A plain access of several units."""
        before: list[hir.Expression] = []
        address = self._expression(at)
        if self._alignment.of(at) < seen.bits:
            why = f"the address is no multiple of {seen.bits // _BYTE}, the size of '{show_type(seen)}'"
            address = self.wide.checked(address, seen.bits, why, self._places(at), before, at.span)
        places = self.wide.in_memory(address, seen.bits // unit.bits, unit, before, at.span)
        return self._on_units(node, before, places)

    def _aligned(self, node: hir.Convert) -> hir.Expression:
        """A pointer that has to be a multiple of some bytes; one that is not is a fault."""
        found, bits = self._expression(node.operand), node.multiple * _BYTE
        if self._alignment.of(node.operand) >= bits:
            return found
        before: list[hir.Expression] = []
        why = f"the address is no multiple of {node.multiple}, the alignment of what it is cast to"
        address = self.wide.checked(found, bits, why, self._places(node.operand), before, node.span)
        return self.wide.behind(before, address)

    def _remainder(self, node: hir.Convert) -> hir.Expression:
        """What is left of an address by a power of two; where variables begin is known of buffers only."""
        targets, bits = self.pointees.of(node.operand), node.multiple * _BYTE
        for one in targets:
            is_aligned = isinstance(one.where, int) and begins_aligned(self._objects[one.where])
            if not is_aligned and bits > one.type.bits:
                message = f"the place of '{node.operand.span.text}' is up to the implementation, or not known here"
                self.complaints.fail("E122", node.span, f"{message}: what is left of it by {node.multiple} is open")
        if len({one.type.bits for one in targets}) > 1:
            self.check(node.operand, "what is left of an address that leads to numbers of several sizes")
        zero = hir.Literal(0, node.type, span=node.span)
        if not targets or self._alignment.of(node.operand) >= bits:
            return zero
        before: list[hir.Expression] = []
        found = self.wide.rest(self._expression(node.operand), bits, self._places(node.operand), before, node.span)
        return self.wide.behind(before, converted(found, node.type))

    def _places(self, at: hir.Expression) -> list[tuple[Scalar, int | str]]:
        """Where an address leads to that may be no multiple of the size of the access."""
        found = [(one.type, one.where) for one in self.pointees.of(at) if one.where is not None]
        if len(found) < len(self.pointees.of(at)) or sum(isinstance(where, str) for _, where in found) > 1:
            self.check(at, "an access of several elements at an address that may not be a multiple of its size")
        return found

    def _on_units(self, node: hir.Written, before: list[hir.Expression], places: list[hir.Place]) -> hir.Expression:
        """A plain access of these units."""
        match node:
            case hir.Read(_, Scalar() as type_):
                self._check_copied(node)
                return self.wide.read(before, places, type_, node.span)
            case hir.Assign(_, value):
                if holds_address(value, self._addresses):
                    message = "not yet supported: an address, in memory of which parts are accessed"
                    self.complaints.fail("E100", value.span, message)
                is_used = node is not self._statement
                return self.wide.write(before, places, self._expression(value), node.span, is_used=is_used)
            case hir.Modify(_, _, value):
                return self.wide.modify(before, places, node, self._expression(value))
            case _:
                raise AssertionError(node)

    def _check_copied(self, node: hir.Read) -> None:
        """Refuse a copy of a member that may have no value: its units together are no value that says so (ADR 70)."""
        if not (node.is_copied and isinstance(node.place, hir.MemoryPlace)):
            return
        numbers = [one.where for one in self.pointees.of(node.place.address) if isinstance(one.where, int)]
        if any(is_member(self.objects[number]) and None in self.objects[number].initial for number in numbers):
            self.check(node.place.address, "a copy of a member that may have no value")

    def _alike(self, node: hir.Written, at: hir.Expression, declared: Scalar, seen: Scalar) -> hir.Expression:
        """An access of what is held as something else of the same size."""
        match node:
            case hir.Modify(_, hir.MemoryPlace() as place, value):
                operand = self._expression(value)
                return replace(node, place=self._place(place, declared), value=operand, seen=seen)
            case hir.Read(hir.MemoryPlace() as place):
                found: hir.Expression = replace(node, place=self._place(place, declared), type=declared)
            case hir.Assign(hir.MemoryPlace() as place, value):
                stored = self._as(value, declared)
                found = replace(node, place=self._place(place, declared), value=stored, type=declared)
            case hir.AtomicLoad():
                found = replace(node, address=self._expression(at), type=declared)
            case hir.AtomicStore(_, value) | hir.AtomicInit(_, value):
                stored = self._as(value, declared)
                found = replace(node, address=self._expression(at), value=stored, type=declared)
            case hir.AtomicUpdate(operator, _, operand):
                are_integers = not (declared.is_floating or seen.is_floating)
                keeps_bits = operator is UpdateOperator.EXCHANGE or (are_integers and operator not in _ORDERED)
                operand = self._as(operand, declared) if keeps_bits else self._expression(operand)
                address, view = self._expression(at), None if keeps_bits else seen
                found = replace(node, address=address, operand=operand, type=declared, seen=view)
            case hir.LegacyCompareExchange(_, expected, desired):
                old, new = self._as(expected, declared), self._as(desired, declared)
                found = replace(node, address=self._expression(at), expected=old, desired=new, type=declared)
            case _:
                raise AssertionError(node)
        return same_bits(found, seen, node.span)

    def _as(self, value: hir.Expression, declared: Scalar) -> hir.Expression:
        """A value that is stored, as memory holds it."""
        return same_bits(self._expression(value), declared, value.span)

    def _compare_exchange(self, node: hir.CompareExchange) -> hir.CompareExchange:
        """The object and the place of the expected value, each as it is held."""
        if not isinstance(node.object_type, Scalar):
            found = self._with_parts(node)
            assert isinstance(found, hir.CompareExchange)
            return found
        declared, place = self._of_same_size(node.address, "an atomic access of several elements"), node.expected
        if isinstance(place, hir.MemoryPlace):
            what = "the expected value of several elements"
            expected = self._place(place, self._of_same_size(place.address, what))
        else:
            found = self.part(place)
            assert isinstance(found, (hir.RegisterPlace, hir.ElementPlace))
            expected = found
        return replace(
            node,
            address=self._expression(node.address),
            expected=expected,
            desired=self._as(node.desired, declared),
            object_type=declared,
            seen=None if expected.type is declared else expected.type,
        )

    def _of_same_size(self, address: hir.Expression, what: str) -> Scalar:
        """The type of what is at an address that is accessed as a whole; refused where that is in several units."""
        declared, seen = self.declared(address), pointee(address.type)
        assert seen is not None
        if declared.bits < seen.bits:
            self.check(address, what)
        if declared.bits > seen.bits:
            return self.unite(self.pointees.of(address), address, "an access of another size", seen.bits)
        return declared

    def _copy(self, node: hir.AsyncCopy) -> hir.Expression:
        """A copy between memory that is held alike."""
        target, source = self.declared(node.target), self.declared(node.source)
        found = self._with_parts(node)
        assert isinstance(found, hir.AsyncCopy)
        if target is not source:
            both = [*self.pointees.of(node.target), *self.pointees.of(node.source)]
            self.unite(both, node.target, "a copy to memory of another type")
        seen = pointee(node.target.type)
        if seen is not None and target.bits > seen.bits:
            self.unite(self.pointees.of(node.target), node.target, "an access of another size", seen.bits)
        many = 1 if seen is None else seen.bits // target.bits
        if many > 1 and (node.target_stride is not None or node.source_stride is not None):
            return self.wide.strided(replace(found, element=target), many)
        return replace(found, element=target, count=times(found.count, many) if many > 1 else found.count)
