"""Accesses of memory through pointers to numbers of another type: floats seen as integers, `int` seen as `uint`.

An element is one location: accesses to parts of it, or to several at once, are refused.

Memory holds values of the types that it was declared with. So `*(global uint*)p` with `global float* p` is read as a
float, of which the bits are taken, and written with the float that has these bits. The loop that adds to a float by
`atomic_cmpxchg` is made of such accesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program import instruction as hir
from mcm.program.operators import UpdateOperator
from mcm.program.resolve.conversions import converted, same_bits
from mcm.program.resolve.pointees import Pointees, given, pointee
from mcm.program.resolve.type_names import show_type
from mcm.program.types import PointerType, Scalar
from mcm.program.walk import part_names, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.program.program import MemoryObject, Register
    from mcm.program.resolve.complaints import Complaints

# What is known only when the program runs, or has no form in terms of one element.
_REFUSED: Final = "not yet supported: {what}, as memory of type '{declared}' seen as '{seen}'"

_BYTE: Final = 8
_COMPUTING: Final = (
    *(hir.Literal, hir.Unary, hir.Binary, hir.Logical, hir.Conditional, hir.Convert),
    *(hir.Read, hir.RegisterPlace, hir.ElementPlace),
)

# These keep no pointer that is a part of them: it is told apart from null, or is what they are worth.
_PASSING: Final = (hir.InRegion, hir.Logical, hir.Conditional, hir.Sequence, hir.Evaluate, hir.If, hir.Loop)

# What such an update writes depends on the type in which the bits are read.
_ORDERED: Final = frozenset({UpdateOperator.MIN, UpdateOperator.MAX})


def as_declared(
    block: hir.Block, registers: Iterable[Register], objects: Sequence[MemoryObject], complaints: Complaints
) -> hir.Block:
    """The body in which memory is accessed as it was declared; errors for what has no such form."""
    found = _Views(Pointees(block, registers, objects), complaints).part(block)
    assert isinstance(found, hir.Block)
    return found


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


class _Views:
    """Goes through a body."""

    def __init__(self, pointees: Pointees, complaints: Complaints) -> None:
        self._pointees: Final = pointees
        self._complaints: Final = complaints

    def part(self, node: hir.Written) -> hir.Written:
        """A part of the body."""
        address = _accessed(node)
        if address is not None and self._others(address):
            return self._access(node, address)
        match node:
            case hir.CompareExchange():
                return self._compare_exchange(node)
            case hir.AsyncCopy():
                return self._copy(node)
            case hir.Binary("+" | "-", operands=PointerType()):
                return self._moved(node)
            case hir.Modify(_, place, value, PointerType()):
                moved = self._elements(hir.Read(place, place.type, span=place.span), self._expression(value))
                return replace(node, value=moved)
            case hir.Binary() | hir.Convert():
                # A pointer is compared, or cast: who asks for it looks at what it leads to.
                return self._with_parts(node)
            case hir.AddressOfRegister(place):
                self._check(hir.Read(place, place.type, span=node.span), "a pointer whose address is taken")
                return self._with_parts(node)
            case _:
                self._check_parts(node)
                return self._with_parts(node)

    def _check_parts(self, node: hir.Written) -> None:
        """Refuse a pointer among the parts of a node that is to keep it, where what it leads to would be forgotten."""
        kept = given(node)
        if kept is not None:
            if len(self._pointees.of_variable(kept[0])) > 1:
                for value in kept[1]:
                    self._check(value, "a pointer that is kept in a variable")
        elif not _passes(node):
            for part in parts_of(node):
                if isinstance(part, hir.Expression):
                    self._check(part, "a pointer that is not used for one access")

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

    def _others(self, pointer: hir.Expression) -> list[Scalar]:
        """The types of the numbers that a pointer leads to, if there are others among them than its type says."""
        own = pointee(pointer.type)
        found = () if own is None else self._pointees.of(pointer)
        return sorted(found, key=lambda one: one.spelling) if any(one is not own for one in found) else []

    def _declared(self, address: hir.Expression) -> Scalar:
        """The type of the numbers at an address that is accessed."""
        seen = pointee(address.type)
        assert seen is not None
        others = self._others(address)
        if len(others) > 1:
            self._check(address, "an access that may be of memory of several types")
        declared = others[0] if others else seen
        if declared.bits != seen.bits or (declared is not seen and declared.is_floating and seen.is_floating):
            self._check(address, "an access of another size")
        return declared

    def _check(self, pointer: hir.Expression, what: str) -> None:
        """Refuse a pointer to what was declared as something else."""
        seen = pointee(pointer.type)
        others = [one for one in self._others(pointer) if one is not seen]
        if others and seen is not None:
            message = _REFUSED.format(what=what, declared=show_type(others[0]), seen=show_type(seen))
            if others[0].bits == _BYTE < seen.bits:
                message += (
                    f"; a buffer that is stated as '{show_type(seen)} x[4]' in the initial state has such elements"
                )
            self._complaints.fail("E100", pointer.span, message)

    def _moved(self, node: hir.Binary) -> hir.Expression:
        """Elements of the size that the pointer says further on, or how many lie between two pointers."""
        found = self._with_parts(node)
        assert isinstance(found, hir.Binary)
        if isinstance(node.type, PointerType):
            if isinstance(node.left.type, PointerType):
                return replace(found, right=self._elements(node.left, found.right))
            return replace(found, left=self._elements(node.right, found.left))
        scale = self._scale(node.left)
        if self._scale(node.right) != scale:
            self._check(node.left, "arithmetic in another size")
            self._check(node.right, "arithmetic in another size")
        if scale == 1:
            return found
        size = hir.Literal(scale, node.type, span=node.span)
        return hir.Binary("*", found, size, node.type, node.type, span=node.span)

    def _elements(self, pointer: hir.Expression, offset: hir.Expression) -> hir.Expression:
        """How many elements of what a pointer leads to an offset is that counts what its type says."""
        scale = self._scale(pointer)
        count = offset if scale == 1 else _in_elements(offset, scale)
        if count is None and _only_computes(offset):
            return self._divided(pointer, offset, scale)
        if count is None:
            self._check(pointer, "arithmetic in another size")
        return count or offset

    def _divided(self, pointer: hir.Expression, offset: hir.Expression, scale: int) -> hir.Expression:
        """An offset divided by the size of an element; one that is no multiple of it is a fault."""
        declared = max(self._others(pointer), key=lambda one: one.bits)
        why = f"the offset is no multiple of {scale}, the size of '{show_type(declared)}'"
        span, whole = offset.span, converted(offset, Scalar.LONG)
        size = hir.Literal(scale, Scalar.LONG, span=span)
        count = hir.Binary("/", whole, size, Scalar.LONG, Scalar.LONG, span=span)
        rest = hir.Binary("%", whole, size, Scalar.LONG, Scalar.LONG, span=span)
        none = hir.Inside(rest, 1, why, Scalar.LONG, span=span)
        return hir.Binary("+", count, none, Scalar.LONG, Scalar.LONG, span=span)

    def _scale(self, pointer: hir.Expression) -> int:
        """How many of what the type of a pointer says are as large as an element of what it leads to."""
        seen, others = pointee(pointer.type), self._others(pointer)
        sizes = {one.bits for one in others}
        if seen is None or sizes <= {seen.bits}:
            return 1
        if len(sizes) > 1 or max(sizes) % seen.bits:
            self._check(pointer, "arithmetic in another size")
        return max(sizes) // seen.bits

    # --- accesses -----------------------------------------------------------------------------------------------------

    def _place(self, place: hir.MemoryPlace, declared: Scalar) -> hir.Place:
        """What is at an address, as it was declared."""
        address = inner = self._expression(place.address)
        while isinstance(inner, hir.Convert):
            inner = inner.operand
        return (
            inner.place if isinstance(inner, hir.AddressOfRegister) else replace(place, address=address, type=declared)
        )

    def _access(self, node: hir.Written, at: hir.Expression) -> hir.Expression:
        """An access of what was declared as something else."""
        declared, seen = self._declared(at), pointee(at.type)
        assert seen is not None
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
        """The object and the place of the expected value, each as it was declared."""
        if not isinstance(node.object_type, Scalar):
            found = self._with_parts(node)
            assert isinstance(found, hir.CompareExchange)
            return found
        declared, place = self._declared(node.address), node.expected
        if isinstance(place, hir.MemoryPlace):
            expected = self._place(place, self._declared(place.address))
        else:
            found = self._with_parts(place)
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

    def _copy(self, node: hir.AsyncCopy) -> hir.AsyncCopy:
        """A copy between memory that was declared alike."""
        target, source = self._declared(node.target), self._declared(node.source)
        if target is not source:
            for one in (node.target, node.source):
                self._check(one, "a copy to memory of another type")
        found = self._with_parts(node)
        assert isinstance(found, hir.AsyncCopy)
        return replace(found, element=target)
