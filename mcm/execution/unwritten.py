"""Objects that nobody writes: a read of one returns its initial value under every model.

Dependencies on what such a read returns are lost where its value takes its place; who asks for it says that none are
looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program import instruction as hir
from mcm.program.types import Location, PointerType
from mcm.program.walk import walk_once

if TYPE_CHECKING:
    from mcm.program.instruction import Expression, Written
    from mcm.program.program import Program


def unwritten_objects(program: Program) -> frozenset[int]:
    """The numbers of objects that no thread may write; none where that is not plain.

    Pointers are followed whatever the order of assignments, and whichever thread makes them; kernels are passed some by
    who enqueues them.
    """
    if program.used_parts or program.has_pipes or any(thread.has_copies for thread in program.threads):
        return frozenset()
    search = _Search(program)
    written = search.written()
    return frozenset() if written is None else frozenset(range(len(program.objects))) - written


class _UnknownError(Exception):
    """A pointer comes from somewhere else than another one."""


class _Search:
    def __init__(self, program: Program) -> None:
        self._pointers: dict[str, list[Expression]] = {}
        self._addresses: list[Expression] = []
        self._starts: dict[str, set[int]] = {}
        self._seen: set[str] = set()
        for thread in program.threads:
            for register in thread.registers:
                if isinstance(register.initial, Location):
                    self._starts.setdefault(register.name, set()).add(register.initial.object)
        self._nodes = list(walk_once(thread.body for thread in program.threads))

    def written(self) -> set[int] | None:
        """The numbers of the objects that may be written; None where it is not known."""
        try:
            for node in self._nodes:
                self._note(node)
            found: set[int] = set()
            for address in self._addresses:
                found |= self._of(address)
        except _UnknownError:
            return None
        return found

    def _note(self, node: Written) -> None:
        """Note what a node writes, or which pointer it assigns."""
        match node:
            case hir.AddressOfRegister(place) if isinstance(place.type, PointerType):
                raise _UnknownError
            case hir.Assign(hir.RegisterPlace(register), value) if isinstance(value.type, PointerType):
                self._pointers.setdefault(register, []).append(value)
            case hir.Declare(register, PointerType(), None, (value,)):
                self._pointers.setdefault(register, []).append(value)
            case hir.Enqueue(operands=operands, passed=passed):
                for register, operand in zip(passed, operands, strict=True):
                    if isinstance(operand.type, PointerType):
                        self._pointers.setdefault(register, []).append(operand)
            case hir.CompareExchange(address, expected):
                if isinstance(expected.type, PointerType):
                    raise _UnknownError
                self._addresses.append(address)
                if isinstance(expected, hir.MemoryPlace):
                    self._addresses.append(expected.address)
            case hir.Assign(hir.MemoryPlace(address)) | hir.Modify(_, hir.MemoryPlace(address)):
                self._addresses.append(address)
            case hir.AtomicStore() | hir.AtomicInit() | hir.AtomicUpdate() | hir.LegacyCompareExchange():
                self._addresses.append(node.address)
            case _:
                pass

    def _of(self, address: Expression) -> set[int]:
        """The objects that an address may lie in; private variables are none."""
        match address:
            case hir.Literal(Location(number, _)):
                return {number}
            case hir.Literal() | hir.AddressOfRegister():
                return set()
            case hir.Read(hir.RegisterPlace(register)):
                return self._of_register(register)
            case hir.Binary(_, left, right):
                return self._of(left if isinstance(left.type, PointerType) else right)
            case hir.Convert(operand) if isinstance(operand.type, PointerType):
                return self._of(operand)
            case hir.Conditional(_, then, otherwise):
                return self._of(then) | self._of(otherwise)
            case hir.Sequence(_, right) | hir.Assign(_, right):
                return self._of(right)
            case _:
                raise _UnknownError

    def _of_register(self, register: str) -> set[int]:
        if register in self._seen:
            return set()
        self._seen.add(register)
        found = set(self._starts.get(register, ()))
        for value in self._pointers.get(register, ()):
            found |= self._of(value)
        return found
