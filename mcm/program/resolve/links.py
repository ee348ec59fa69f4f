"""Links: pointers to structures that are held in memory, as in lists and trees, and what stands for them.

Most pointers to structures are variables, which are taken apart: a pointer for each member. One in memory is a single
address: that of the first number among the members, the head of the structure. The others are found from there.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.spelling import ATOMICS, SCALARS, base_of, scalar_name
from mcm.program.resolve.typed_walk import Measured, TypedWalk, name_of, scalar_of
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Structures = Mapping[str, ast.Structure]


class Link(Struct, frozen=True):
    """What stands for pointers to a structure: the member that is its head, and its type."""

    head: ast.Name
    type: ast.TypeName


def links_of(tree: ast.Litmus, complaints: Complaints) -> dict[str, Link]:
    """The structures to which memory holds pointers, by their types."""
    structures = {name_of(unit): unit for unit in tree.units if isinstance(unit, ast.Structure) and not unit.is_union}
    if not structures:
        return {}
    found: dict[str, Link] = {}
    exchanged = _Exchanged(tree, structures)
    exchanged.test(tree)
    for name in sorted({*_in_circles(structures), *_held(tree, structures), *exchanged.found}):
        link = _link(structures[name])
        if link is None:
            message = (
                "pointers in memory to a structure that has no number among its members; keep the number of the element"
            )
            complaints.error("E100", structures[name].name.span, f"not yet supported: {message}")
        else:
            found[name] = link
    return found


def declared(unit: ast.Structure) -> Iterator[tuple[ast.TypeName, ast.Declarator]]:
    """The members of a structure, each with the type before its stars."""
    for declaration in unit.members:
        yield from ((declaration.type, one) for one in declaration.declarators)


def _link(unit: ast.Structure) -> Link | None:
    for type_, one in declared(unit):
        word = scalar_name(type_.qualifiers, type_.base)
        is_one = not (one.pointers or one.length or one.inner)
        if is_one and (word in SCALARS or word in ATOMICS):
            return Link(one.name, type_)
    return None


def _pointed(name: str, structures: Structures, around: frozenset[str] = frozenset()) -> Iterator[str]:
    """The structures to which one, or one in it, has pointers."""
    for type_, one in declared(structures[name]):
        target = base_of(type_)
        if target not in structures:
            continue
        if one.pointers:
            yield target
        elif target not in around:
            yield from _pointed(target, structures, around | {name})


def _in_circles(structures: Structures) -> Iterator[str]:
    """The structures from which pointers lead back to one of the same type."""
    pointed = {name: {*_pointed(name, structures)} for name in structures}
    for name in structures:
        reached: set[str] = set()
        waiting = [*pointed[name]]
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += pointed[one]
        if name in reached:
            yield name


def _held(tree: ast.Litmus, structures: Structures) -> Iterator[str]:
    """The structures to which there are pointers that something points to: as such, or as members of what it is."""
    for unit in tree.units:
        for one in walk([unit]):
            for type_, depth in _written(one):
                name = base_of(type_)
                if name in structures and depth > 1:
                    yield name
        if isinstance(unit, ast.Thread | ast.Kernel | ast.FileVariables):
            for type_ in _in_memory(unit):
                if base_of(type_) in structures:
                    yield from _pointed(base_of(type_), structures)


def _written(node: ast.Node) -> Iterator[tuple[ast.TypeName, int]]:
    """The types that a node names, and through how many pointers their objects are reached."""
    match node:
        case ast.Declaration(type_, declarators):
            yield from ((type_, len(one.pointers)) for one in declarators)
        case ast.Parameter(type_, _, length):
            yield type_, len(type_.pointers) + (length is not None)
        case ast.Cast(type_):
            yield type_, len(type_.pointers)
        case _:
            pass


class _Exchanged(TypedWalk):
    """Finds the structures whose addresses are held by integers, by the casts from and to these."""

    def __init__(self, tree: ast.Litmus, structures: Structures) -> None:
        # What is wrong with the test, others say.
        super().__init__(tree, Complaints())
        self.found: Final[set[str]] = set()
        self._of: Final = structures

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        with suppress(UnresolvedError):
            match node:
                case ast.Cast(type_, operand) if len(type_.pointers) == 1 and base_of(type_) in self._of:
                    if scalar_of(self.type_of(operand)) is not None:
                        self.found.add(base_of(type_))
                # A number that is computed with, as in a test of alignment, is no address that is kept.
                case ast.Call(_, arguments):
                    self._look_at(*arguments)
                case ast.Assignment(_, _, value):
                    self._look_at(value)
                case ast.Infix("==" | "!=", left, right):
                    self._look_at(left, right)
        return super().node(node)

    def declarator(self, type_: ast.TypeName, node: ast.Declarator) -> ast.Declarator:
        """A variable, which may hold an address from the beginning."""
        if isinstance(node.initializer, ast.Cast):
            with suppress(UnresolvedError):
                self._look_at(node.initializer)
        return super().declarator(type_, node)

    def _look_at(self, *values: ast.Expression) -> None:
        for value in values:
            if isinstance(value, ast.Cast) and scalar_of(Measured(value.type)) is not None:
                found = self.type_of(value.operand)
                stars = len(found.type.pointers) + bool(found.lengths or found.is_passed)
                if stars == 1 and base_of(found.type) in self._of:
                    self.found.add(base_of(found.type))


def _in_memory(unit: ast.Thread | ast.Kernel | ast.FileVariables) -> Iterator[ast.TypeName]:
    """The types of what a thread or kernel is given in memory, or of what memory of the program has."""
    if isinstance(unit, ast.FileVariables):
        yield unit.declaration.type
        return
    for one in unit.parameters:
        if one.type.pointers or one.length is not None:
            yield one.type
