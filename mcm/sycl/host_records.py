"""What structures and vectors in memory of the host begin with, as far as constants say it.

Structures are those that are made of nothing but values for their members: where a constructor, or the text of a
member, says what an object is, code does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.record_layouts import layout_of
from mcm.sycl import tree
from mcm.sycl.types import vector_size, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.syntax.ast import Node


class Aggregates(Struct, frozen=True):
    """The structures of a file, and the types of those that are `constructed`: not made of values alone."""

    structures: dict[str, ast.Structure]
    constructed: frozenset[str]

    def has(self, type_: ast.TypeName) -> bool:
        """Whether what is of a type is made of values alone."""
        return type_.base not in self.constructed

    def size(self, name: str, constant: Callable[[Node], int | None]) -> int | None:
        """The bytes of a structure of the file; None where they are not known."""
        found = layout_of(ast.TypeName((), name, span=self.structures[name].span), self.structures, constant)
        return None if found is None else found.size

    def row(
        self, node: Node, type_: ast.TypeName, literal: Callable[[Node], ast.Expression | None]
    ) -> ast.InitializerList | None:
        """The values of one structure or vector; None where some are no constants."""
        if not self.has(type_):
            return None
        size = vector_size(type_)
        match node:
            case ast.InitializerList():
                listed = node
            case tree.Construction(class_, _, arguments) if _is_of(class_, type_, node):
                listed = _list_of(arguments, node)
            case ast.NumberLiteral("0"):
                # Of `{}`, or of nothing where that means zeros.
                listed = _list_of((node,), node)
            case _ if size is not None:
                listed = _list_of((node,), node)
            case _:
                return None
        found = _constants(listed, literal)
        if found is None or size is None:
            return found
        if found.rows or len(found.items) not in {1, size}:
            return None
        return replace(found, items=found.items * size if len(found.items) == 1 else found.items)

    def rows(
        self,
        elements: tuple[Node, ...],
        count: int,
        type_: ast.TypeName,
        literal: Callable[[Node], ast.Expression | None],
    ) -> ast.InitializerList | None:
        """The values of an array, of which what is left out is 0; None where some are no constants."""
        found = [self.row(one, type_, literal) for one in elements]
        known = [one for one in found if one is not None]
        if not elements or len(known) < len(found):
            return None
        zero = ast.InitializerList((ast.NumberLiteral("0", span=elements[0].span),), span=elements[0].span)
        rows = (*known, *[zero] * (count - len(known)))
        return ast.InitializerList((), rows, span=elements[0].span)


def aggregates(units: tuple[Node, ...]) -> Aggregates:
    """The structures of a file, and those that are made of values alone."""
    found: dict[str, ast.Structure] = {}
    constructed: set[str] = set()
    for unit in units:
        if not isinstance(unit, ast.Structure) or unit.is_union:
            continue
        parts: tuple[Node, ...] = unit.parts if isinstance(unit, tree.ClassDefinition) else unit.members
        members = tuple(_without_const(part) for part in parts if isinstance(part, ast.Declaration))
        name = f"struct {unit.name.text}"
        if any(map(_constructs, parts)):
            constructed.add(name)
        if members and not any(isinstance(part, tree.ObjectDeclaration | tree.ReferenceMember) for part in parts):
            found[name] = ast.Structure(unit.name, members, span=unit.span)
    return Aggregates(found, frozenset(constructed))


def _constructs(part: Node) -> bool:
    """Whether a part of a class says what its objects are: a constructor, or a member with a value."""
    match part:
        case tree.MemberFunction():
            return part.kind == "constructor" and not part.is_default
        case ast.Declaration(_, declarators):
            return any(one.initializer is not None for one in declarators)
        case tree.ObjectDeclaration(_, _, made):
            return any(one.form for one in made)
        case _:
            return False


def _without_const(part: ast.Declaration) -> ast.Declaration:
    return replace(part, type=written_type(part.type))


def elements_listed(arguments: tuple[Node, ...], form: str) -> tuple[Node, ...]:
    """The elements that the braces behind a container list, of which an array may have two pairs."""
    found = arguments
    if form == "=":
        match arguments:
            case (ast.InitializerList(items, rows),):
                found = rows or items
            case _:
                pass
    while len(found) == 1 and isinstance(found[0], ast.InitializerList) and _lists_all(found[0]):
        found = found[0].rows
    return found


def _lists_all(node: ast.InitializerList) -> bool:
    """Whether each value of a list is a list itself."""
    return bool(node.rows) and not any(row.is_bare for row in node.rows)


def _is_of(class_: tree.ClassType, type_: ast.TypeName, node: Node) -> bool:
    """Whether a class is that of a structure or vector: `S`, `vec<int, 2>`."""
    name = " ".join(plain(class_.name.removeprefix("struct ")).split())
    return type_.base in {f"struct {name}", written_type(ast.TypeName((), name, span=node.span)).base}


def _list_of(arguments: tuple[Node, ...], node: Node) -> ast.InitializerList:
    """Values in a list; where there are none, 0."""
    listed: list[ast.Expression] = []
    rows: list[ast.InitializerList] = []
    for one in arguments or (ast.NumberLiteral("0", span=node.span),):
        if isinstance(one, ast.InitializerList):
            rows.append(one)
            continue
        assert isinstance(one, ast.Expression)
        listed.append(one)
        rows.append(ast.InitializerList((one,), is_bare=True, span=one.span))
    is_flat = len(listed) == len(rows)
    return ast.InitializerList(tuple(listed) if is_flat else (), () if is_flat else tuple(rows), span=node.span)


def _constants(
    node: ast.InitializerList, literal: Callable[[Node], ast.Expression | None]
) -> ast.InitializerList | None:
    """A list of constants, and of lists of them; None where something else is in it."""
    items = [literal(one) for one in node.items]
    rows = [_constants(one, literal) for one in node.rows]
    if None in items or None in rows or any(one is not None for one in node.designators):
        return None
    known = tuple(one for one in items if one is not None)
    return replace(node, items=known, rows=tuple(one for one in rows if one is not None))
