"""Which numbers a pointer leads to, and of what types they are: it may have been cast to a pointer to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mcm.program import instruction as hir
from mcm.program.resolve.conversions import is_null
from mcm.program.types import Location, PointerType, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.program.program import MemoryObject, Register
    from mcm.program.types import Type

    # A private variable or array, and which of its declarations is meant; 0 for a parameter of the thread.
    Variable = tuple[str, int]


class Target(NamedTuple):
    """Numbers that a pointer may lead to: their type, and where they are.

    That is the number of a memory object, or the name of a private variable or array; None where it is not known.
    """

    type: Scalar
    where: int | str | None


_NONE: Final[frozenset[Target]] = frozenset()


def pointee(type_: Type) -> Scalar | None:
    """The type of the numbers that a pointer of this type points at; None where it is no pointer to numbers."""
    match type_:
        case PointerType(Scalar() as target):
            return target
        case _:
            return None


def given(node: hir.Written) -> tuple[hir.Written, tuple[hir.Expression, ...]] | None:
    """The place or the declaration of a private variable that is given pointers to numbers, and the pointers."""
    match node:
        case hir.Assign(hir.RegisterPlace() | hir.ElementPlace() as place, value) if pointee(place.type) is not None:
            return place, (value,)
        case hir.Declare(_, type_, _, tuple(values)) if pointee(type_) is not None:
            return node, values
        case _:
            return None


def _makes_address(node: hir.Written) -> bool:
    """Whether an integer becomes an address by a cast."""
    is_integer = isinstance(node, hir.Convert) and isinstance(node.type, Scalar) and node.type is not Scalar.BOOL
    return is_integer and isinstance(node, hir.Convert) and isinstance(node.operand.type, PointerType)


def _given_integer(node: hir.Written) -> tuple[hir.Written, hir.Expression] | None:
    """The place or the declaration of a private variable that is given an integer, and the integer."""
    match node:
        case hir.Assign(hir.RegisterPlace(_, Scalar()) | hir.ElementPlace(_, _, _, Scalar()) as place, value):
            return place, value
        case hir.Declare(_, Scalar(), None, (value,)):
            return node, value
        case _:
            return None


class Pointees:
    """What the pointers in the body of a thread lead to.

    Whatever the order of the assignments, a variable leads to all that it is given between its declaration and the
    next one of its name, such as that in the next call of a function. A pointer that is read from memory is taken to
    lead to what its type says, or to the units of what was declared so. `private` are the units of private variables.
    """

    def __init__(
        self,
        block: hir.Block,
        registers: Iterable[Register],
        objects: Sequence[MemoryObject],
        private: Mapping[str, Scalar],
    ) -> None:
        nodes = walk(block)
        self._objects: Final = objects
        self._private: Final = private
        self._in_units: Final = [number for number, item in enumerate(objects) if item.whole is not None]
        self._variables: Final = _variables(nodes)
        self._known: Final[dict[Variable, frozenset[Target]]] = {
            (one.name, number): self._from_the_start(one)
            for one in registers
            if one.initial is not None
            for number in (0, 1)
        }
        sources: dict[Variable, list[hir.Expression]] = {}
        for where, values in filter(None, map(given, nodes)):
            sources.setdefault(self._variables[id(where)], []).extend(values)
        if any(_makes_address(node) for node in nodes):
            for where, value in filter(None, map(_given_integer, nodes)):
                sources.setdefault(self._variables[id(where)], []).append(value)
        for variable in sources:
            self._known.setdefault(variable, _NONE)
        # Variables may be given one another.
        before = None
        while before != self._known:
            before = dict(self._known)
            for variable, pointers in sources.items():
                self._known[variable] = before[variable].union(*map(self.of, pointers))

    def variable(self, where: hir.Written) -> Variable:
        """The variable that a place or a declaration in the body means."""
        return self._variables[id(where)]

    def of(self, pointer: hir.Expression) -> frozenset[Target]:
        """The numbers that a pointer to numbers may lead to; none where it is null."""
        match pointer:
            case hir.Literal(Location(number)):
                return self._in_object(number, pointer.type)
            case hir.AddressOfRegister(hir.RegisterPlace(name, Scalar() as type_)):
                return frozenset({Target(self._private.get(name, type_), name)})
            case hir.AddressOfRegister(hir.ElementPlace(name, _, _, Scalar() as type_)):
                return frozenset({Target(self._private.get(name, type_), name)})
            case hir.Convert(operand) if isinstance(operand.type, PointerType) or isinstance(operand, hir.Convert):
                return self.of(operand)
            case hir.Convert(hir.Read() as operand, PointerType()):
                # An integer that holds an address.
                return self.of(operand) or self._by_type(pointer.type)
            case hir.Binary(_, left, right, PointerType()):
                return self.of(left if isinstance(left.type, PointerType) else right)
            case hir.Conditional(_, then, otherwise):
                return self.of(then) | self.of(otherwise)
            case hir.Sequence(_, right) | hir.Assign(_, right):
                return self.of(right)
            case hir.Read(place) | hir.Modify(_, place) if id(place) in self._variables:
                return self.of_variable(place)
            case _:
                return _NONE if is_null(pointer) else self._by_type(pointer.type)

    def of_variable(self, where: hir.Written) -> frozenset[Target]:
        """The same of what a private variable holds, by a place or declaration of it in the body."""
        assert isinstance(where, (hir.RegisterPlace, hir.ElementPlace, hir.Declare))
        known = self._known.get(self._variables[id(where)])
        return self._by_type(where.type) if known is None else known

    def _from_the_start(self, register: Register) -> frozenset[Target]:
        where = register.initial
        return self._in_object(where.object if isinstance(where, Location) else None, register.type)

    def _in_object(self, number: int | None, pointer: Type) -> frozenset[Target]:
        held = None if number is None else self._objects[number].type
        return frozenset({Target(held, number)}) if isinstance(held, Scalar) else self._by_type(pointer)

    def _by_type(self, type_: Type) -> frozenset[Target]:
        """What a pointer may lead to of which nothing but the type is known."""
        target = pointee(type_)
        if target is None:
            return _NONE
        found = {Target(target, None)}
        for number in self._in_units:
            item = self._objects[number]
            if isinstance(item.type, Scalar) and item.whole is not None and item.whole.bits == target.bits:
                found.add(Target(item.type, number))
        return frozenset(found)


def _variables(nodes: list[hir.Written]) -> dict[int, Variable]:
    """The variable of each place and declaration in a body, by the identity of the node."""
    declarations: dict[str, int] = {}
    found: dict[int, Variable] = {}
    for node in nodes:
        match node:
            case hir.Declare(name):
                declarations[name] = declarations.get(name, 0) + 1
                found[id(node)] = name, declarations[name]
            case hir.RegisterPlace(name) | hir.ElementPlace(name):
                found[id(node)] = name, declarations.get(name, 0)
            case _:
                pass
    return found
