"""Of what types the numbers are that a pointer leads to, which may have been cast to a pointer to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program import instruction as hir
from mcm.program.resolve.conversions import is_null
from mcm.program.types import Location, PointerType, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.program.program import MemoryObject, Register
    from mcm.program.types import Type

    # A private variable or array, and which of its declarations is meant; 0 for a parameter of the thread.
    Variable = tuple[str, int]

_NONE: Final[frozenset[Scalar]] = frozenset()


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


class Pointees:
    """What the pointers in the body of a thread lead to.

    Whatever the order of the assignments, a variable leads to all that it is given between its declaration and the
    next one of its name, such as that in the next call of a function. A pointer that is read from memory is taken to
    lead to what its type says.
    """

    def __init__(self, block: hir.Block, registers: Iterable[Register], objects: Sequence[MemoryObject]) -> None:
        nodes = walk(block)
        self._variables: Final = _variables(nodes)
        self._known: Final[dict[Variable, frozenset[Scalar]]] = {
            (one.name, number): _from_the_start(one, objects)
            for one in registers
            if one.initial is not None
            for number in (0, 1)
        }
        sources: dict[Variable, list[hir.Expression]] = {}
        for where, values in filter(None, map(given, nodes)):
            sources.setdefault(self._variables[id(where)], []).extend(values)
        for variable in sources:
            self._known.setdefault(variable, _NONE)
        # Variables may be given one another.
        before = None
        while before != self._known:
            before = dict(self._known)
            for variable, pointers in sources.items():
                self._known[variable] = before[variable].union(*map(self.of, pointers))

    def of(self, pointer: hir.Expression) -> frozenset[Scalar]:
        """The types of the numbers that a pointer to numbers may lead to; none where it is null."""
        match pointer:
            case hir.Convert(operand) if isinstance(operand.type, PointerType) or isinstance(operand, hir.Convert):
                return self.of(operand)
            case hir.Binary(_, left, right, PointerType()):
                return self.of(left if isinstance(left.type, PointerType) else right)
            case hir.Conditional(_, then, otherwise):
                return self.of(then) | self.of(otherwise)
            case hir.Sequence(_, right) | hir.Assign(_, right):
                return self.of(right)
            case hir.Read(place) | hir.Modify(_, place) if id(place) in self._variables:
                return self.of_variable(place)
            case _:
                return _NONE if is_null(pointer) else _by_type(pointer.type)

    def of_variable(self, where: hir.Written) -> frozenset[Scalar]:
        """The same of what a private variable holds, by a place or declaration of it in the body."""
        assert isinstance(where, (hir.RegisterPlace, hir.ElementPlace, hir.Declare))
        known = self._known.get(self._variables[id(where)])
        return _by_type(where.type) if known is None else known


def _from_the_start(register: Register, objects: Sequence[MemoryObject]) -> frozenset[Scalar]:
    where = register.initial
    held = objects[where.object].type if isinstance(where, Location) else None
    return frozenset({held}) if isinstance(held, Scalar) else _by_type(register.type)


def _by_type(type_: Type) -> frozenset[Scalar]:
    target = pointee(type_)
    return _NONE if target is None else frozenset({target})


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
