"""Accesses of memory through pointers to another type: numbers of a floating type seen as integers, or the other way.

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
from mcm.program.resolve.type_names import show_type
from mcm.program.types import PointerType, Scalar
from mcm.program.walk import part_names, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.program.resolve.complaints import Complaints
    from mcm.program.types import Type

# What is known only when the program runs, or would need the value before and after in two types.
_REFUSED: Final = "not yet supported: {what}, as memory of type '{declared}' seen as '{seen}'"


def as_declared(block: hir.Block, parameters: Iterable[str], complaints: Complaints) -> hir.Block:
    """The body in which memory is accessed as it was declared; errors for what has no such form."""
    nodes = walk(block)
    if not any(_is_view(node) for node in nodes):
        return block
    found = _Views(_pointers(nodes, parameters), complaints).part(block)
    assert isinstance(found, hir.Block)
    return found


def _is_view(node: hir.Written) -> bool:
    """Whether a conversion makes a pointer to numbers one to numbers of another kind or size."""
    return isinstance(node, hir.Convert) and _differ(_target(node.operand), _target(node))


def _differ(one: Scalar | None, other: Scalar | None) -> bool:
    """Whether memory of one type is seen as another one, so that its values are others."""
    if one is None or other is None or one is other:
        return False
    return one.is_floating or other.is_floating or one.bits != other.bits


def _given(node: hir.Written) -> tuple[str, hir.Expression] | None:
    """The private variable that is given a value, and the value."""
    match node:
        case hir.Assign(hir.RegisterPlace(register), value):
            return register, value
        case hir.Declare(register, _, None, (value,)):
            return register, value
        case _:
            return None


def _pointers(nodes: Iterable[hir.Written], parameters: Iterable[str]) -> dict[str, Scalar]:
    """What the variables point at whose only values are such conversions, all from one type."""
    found: dict[str, set[Scalar | None]] = {name: {None} for name in parameters}
    for given in filter(None, map(_given, nodes)):
        register, value = given
        origin = _target(_origin(value))
        declared = origin if _differ(origin, _target(value)) else None
        found.setdefault(register, set()).add(declared)
    return {name: one for name, types in found.items() for one in types if one is not None and len(types) == 1}


def _origin(address: hir.Expression) -> hir.Expression:
    """The pointer that an address was converted from, elements further on."""
    match address:
        case hir.Convert(operand) if isinstance(operand.type, PointerType):
            return _origin(operand)
        case hir.Binary(_, left, _, PointerType()) if isinstance(left.type, PointerType):
            return _origin(left)
        case _:
            return address


def _target(pointer: hir.Expression) -> Scalar | None:
    match pointer.type:
        case PointerType(Scalar() as target):
            return target
        case _:
            return None


def _bits(value: hir.Expression, type_: Type) -> hir.Expression:
    return hir.Unary("bits", value, type_, span=value.span)


class _Views:
    """Goes through a body; `pointers` are variables that point at memory of another type than theirs says."""

    def __init__(self, pointers: dict[str, Scalar], complaints: Complaints) -> None:
        self._pointers: Final = pointers
        self._complaints: Final = complaints

    def part(self, node: hir.Written) -> hir.Written:
        """A part of the body; of what is inside first."""
        given = _given(node)
        if given is not None and _differ(_target(_origin(given[1])), _target(given[1])):
            register, value = given
            return node if register in self._pointers else self._refuse(value, "a pointer that is kept in a variable")
        if isinstance(node, hir.Convert) and _is_view(node):
            target = _target(node)
            if target is not None and _target(_origin(node)) is target:
                return self._address(node, target)
            return self._refuse(node, "a pointer that is not used for one access")
        seen = self._seen(node)
        if seen is not None:
            return self._access(node, *seen)
        return self._with_parts(node)

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

    def _seen(self, node: hir.Written) -> tuple[hir.Expression, Scalar, Scalar] | None:
        """The address of an access, the type of the memory, and that in which it is accessed, where these differ."""
        match node:
            case hir.Read(hir.MemoryPlace(address)) | hir.Assign(hir.MemoryPlace(address)):
                pass
            case hir.Modify(_, hir.MemoryPlace(address)):
                pass
            case hir.AtomicLoad(address) | hir.AtomicStore(address) | hir.AtomicInit(address):
                pass
            case hir.AtomicUpdate(_, address) | hir.CompareExchange(address) | hir.LegacyCompareExchange(address):
                pass
            case _:
                return None
        origin, accessed = _origin(address), _target(address)
        declared = _target(origin)
        if isinstance(origin, hir.Read) and isinstance(origin.place, hir.RegisterPlace):
            declared = self._pointers.get(origin.place.register, declared)
        if declared is None or accessed is None or not _differ(declared, accessed):
            return None
        return address, declared, accessed

    def _access(self, node: hir.Written, address: hir.Expression, declared: Scalar, seen: Scalar) -> hir.Expression:
        if declared.bits != seen.bits or (declared.is_floating and seen.is_floating):
            return self._refuse(node, "an access of another size", declared, seen)
        there = self._address(address, declared)
        match node:
            case hir.Read(hir.MemoryPlace() as place):
                found = replace(node, place=replace(place, address=there, type=declared), type=declared)
                return _bits(found, seen)
            case hir.Assign(hir.MemoryPlace() as place, value):
                stored = _bits(self._expression(value), declared)
                place = replace(place, address=there, type=declared)
                return _bits(replace(node, place=place, value=stored, type=declared), seen)
            case hir.AtomicLoad():
                return _bits(replace(node, address=there, type=declared), seen)
            case hir.AtomicStore(_, value) | hir.AtomicInit(_, value):
                stored = _bits(self._expression(value), declared)
                return _bits(replace(node, address=there, value=stored, type=declared), seen)
            case hir.AtomicUpdate(UpdateOperator.EXCHANGE, _, operand):
                stored = _bits(self._expression(operand), declared)
                return _bits(replace(node, address=there, operand=stored, type=declared), seen)
            case hir.AtomicUpdate(_, _, operand):
                operand = self._expression(operand)
                return _bits(replace(node, address=there, operand=operand, type=declared, seen=seen), seen)
            case hir.CompareExchange(_, hir.RegisterPlace() | hir.ElementPlace() as place, desired):
                new, expected = _bits(self._expression(desired), declared), self._with_parts(place)
                return replace(node, address=there, expected=expected, desired=new, object_type=declared, seen=seen)
            case hir.LegacyCompareExchange(_, expected, desired):
                old, new = (_bits(self._expression(one), declared) for one in (expected, desired))
                return _bits(replace(node, address=there, expected=old, desired=new, type=declared), seen)
            case _:
                return self._refuse(node, "this operation", declared, seen)

    def _address(self, address: hir.Expression, declared: Scalar) -> hir.Expression:
        """The address, as one of an element of the type that is there."""
        match address:
            case hir.Convert(operand) if isinstance(operand.type, PointerType):
                return self._address(operand, declared)
            case hir.Binary(_, left, right, PointerType()) if isinstance(left.type, PointerType):
                pointer = self._address(left, declared)
                return replace(
                    address, left=pointer, right=self._expression(right), operands=pointer.type, type=pointer.type
                )
            case _:
                return self._expression(address)

    def _expression(self, node: hir.Expression) -> hir.Expression:
        found = self.part(node)
        assert isinstance(found, hir.Expression)
        return found

    def _refuse(
        self, node: hir.Written, what: str, declared: Scalar | None = None, seen: Scalar | None = None
    ) -> hir.Expression:
        """Report what has no form in terms of the type that was declared."""
        if declared is None and isinstance(node, hir.Convert):
            declared, seen = _target(node.operand), _target(node)
        shown = (show_type(one) if one is not None else "" for one in (declared, seen))
        message = _REFUSED.format(what=what, **dict(zip(("declared", "seen"), shown, strict=True)))
        return self._complaints.fail("E100", node.span, message)
