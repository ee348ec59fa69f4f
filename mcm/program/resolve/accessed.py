"""Which objects atomic operations may access: those have a modification order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import (
    Assign,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Binary,
    CompareExchange,
    Conditional,
    Convert,
    Declare,
    ElementPlace,
    LegacyCompareExchange,
    Literal,
    Modify,
    Read,
    RegisterPlace,
    Sequence,
)
from mcm.program.types import Location, PointerType, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Sequence as Several

    from mcm.program.instruction import Expression, Written
    from mcm.program.program import MemoryObject, Thread
    from mcm.program.types import Type


def atomically_accessed(
    threads: Iterable[tuple[Thread, Several[Written]]], objects: Several[MemoryObject]
) -> frozenset[int]:
    """The numbers of all objects that an atomic operation of some thread, with the nodes of its body, may access."""
    found: set[int] = set()
    for thread, nodes in threads:
        addresses = [node.address for node in nodes if node.__class__ in ATOMIC]
        if addresses:
            reach = Reach(thread, nodes, objects)
            found.update(*map(reach.of, addresses))
    return frozenset(found)


ATOMIC: Final = (AtomicLoad, AtomicStore, AtomicUpdate, CompareExchange, LegacyCompareExchange)
_GIVING: Final = (Assign, Modify, Declare)


class Reach:
    """Which objects the pointers of one thread may point at, whatever the order of its assignments."""

    def __init__(self, thread: Thread, nodes: Several[Written], objects: Several[MemoryObject]) -> None:
        self._objects = objects
        self._sources: dict[str, list[Expression]] = {}
        self._start = {
            register.name: {register.initial.object}
            for register in thread.registers
            if isinstance(register.initial, Location)
        }
        self._visited: set[str] = set()
        for node in nodes:
            # Most nodes give nothing to a variable.
            if node.__class__ not in _GIVING:
                continue
            match node:
                case Assign(RegisterPlace(register), value, _) | Modify(_, RegisterPlace(register), value, _, _, _):
                    self._sources.setdefault(register, []).append(value)
                case Assign(ElementPlace(array), value):
                    self._sources.setdefault(array, []).append(value)
                case Declare(name, PointerType(), _, tuple(values)) | Declare(name, _, None, tuple(values)):
                    self._sources.setdefault(name, []).extend(values)
                case _:
                    pass

    def of(self, address: Expression) -> set[int]:
        """The objects that an address may lie in."""
        self._visited = set()
        return self._of(address)

    def _of(self, address: Expression) -> set[int]:
        match address:
            case Literal(Location(number, _)):
                return {number}
            case Read(RegisterPlace(name)) if name not in self._start and name not in self._sources:
                # What enqueues the command passes it.
                return self._of_type(address.type)
            case Read(RegisterPlace(name) | ElementPlace(name)):
                return self._of_variable(name)
            case Binary(_, left, right):
                return self._of(left if isinstance(left.type, PointerType) else right)
            case Convert(operand) if isinstance(operand.type, PointerType):
                return self._of(operand)
            case Conditional(_, then, otherwise):
                return self._of(then) | self._of(otherwise)
            case Sequence(_, right) | Assign(_, right):
                return self._of(right)
            case Literal():
                return set()
            case _:
                # It was read from memory.
                return self._of_type(address.type)

    def _of_type(self, pointer: Type) -> set[int]:
        """The objects that a pointer may point at of which no more is known: those of its type, or its size."""
        return {
            number
            for number, target in enumerate(self._objects)
            if isinstance(pointer, PointerType) and _is_alike(target.type, pointer.target)
        }

    def _of_variable(self, name: str) -> set[int]:
        if name in self._visited:
            return set()
        self._visited.add(name)
        found = set(self._start.get(name, ()))
        for value in self._sources.get(name, ()):
            if isinstance(value.type, PointerType):
                found |= self._of(value)
        return found


def _is_alike(one: Type, other: Type) -> bool:
    """Whether a pointer to one type may have been cast from a pointer to the other, by the size of what is there."""
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return one.bits == other.bits
    return one == other
