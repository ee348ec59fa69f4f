"""The memory that host programs make: `int* x = malloc_shared<int>(4, q);`, `buffer<int> b(range<1>(4));`.

Each such place makes one object, which has no value at the beginning. Its size is a constant, or has the name of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.sycl import tree
from mcm.sycl.changes import changed_variables
from mcm.sycl.constants import constant_of
from mcm.sycl.types import written_type
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.syntax.ast import Node

    # How many elements names stand for: constants, and ranges; None for other variables.
    Sizes = dict[str, int | None]

ALLOCATORS: Final = frozenset({"malloc_shared", "malloc_device", "malloc_host"})


def made_by_hosts(units: tuple[Node, ...], complaints: Complaints) -> list[ast.InitialValue]:
    """The objects that host programs make, as items of the initial state."""
    found: list[ast.InitialValue] = []
    outside: Sizes = {}
    for unit in units:
        if isinstance(unit, ast.FileVariables):
            list(_Made(frozenset(), complaints).objects(unit.declaration, outside))
        if isinstance(unit, tree.Host) or (isinstance(unit, ast.Thread) and unit.is_host):
            found += _Made(changed_variables(unit.body), complaints).objects(unit.body, dict(outside))
    return found


class _Made:
    """Goes through a host program in the order of its text."""

    def __init__(self, changed: frozenset[str], complaints: Complaints) -> None:
        self._changed: Final = changed
        self._complaints: Final = complaints

    def objects(self, node: Node, known: Sizes) -> Iterator[ast.InitialValue]:
        """The objects that a part makes; `known` learns the constants and ranges that it declares."""
        match node:
            case tree.Lambda():
                return
            case ast.Declaration(_, declarators):
                for one in declarators:
                    yield from self._declared(one, known)
            case tree.ObjectDeclaration(_, class_, made):
                for each in made:
                    yield from self._constructed(class_, each, known)
            case _:
                inner = dict(known) if isinstance(node, ast.Block) else known
                for part in parts_of(node):
                    yield from self.objects(part, inner)

    def _declared(self, one: ast.Declarator, known: Sizes) -> Iterator[ast.InitialValue]:
        value: Node | None = one.initializer
        if isinstance(value, tree.Construction) and _is_allocation(value):
            size = _count(value.arguments[0], known) if value.arguments else None
            if value.arguments and size is None:
                written = value.arguments[0].span
                self._complaints.error("E212", written, f"expected a constant size, found '{written.text}'")
            yield _object(one.name, plain(value.type.name), value.type, size, value.span)
        self._learn(one.name, None if value is None else _count(value, known), known)

    def _constructed(
        self, class_: tree.ClassType, one: tree.ObjectDeclarator, known: Sizes
    ) -> Iterator[ast.InitialValue]:
        first = one.arguments[0] if one.arguments else None
        size = None if first is None else _count(first, known)
        match plain(class_.name):
            case "buffer" if first is not None and size is not None:
                yield _object(one.name, "buffer", class_, size, first.span)
            case "range":
                self._learn(one.name, size if one.form == "=" else _product(one.arguments, known), known)
            case _:
                self._learn(one.name, None, known)

    def _learn(self, name: ast.Name, size: int | None, known: Sizes) -> None:
        known[name.text] = None if name.text in self._changed else size


def _is_allocation(value: tree.Construction) -> bool:
    return plain(value.type.name) in ALLOCATORS


def _object(name: ast.Name, kind: str, class_: tree.ClassType, count: int | None, size_span: Span) -> ast.InitialValue:
    templates = class_.arguments or ()
    type_ = templates[0] if templates and isinstance(templates[0], ast.TypeName) else None
    scalar = ast.TypeName((), "int", span=class_.span) if type_ is None else written_type(type_)
    length = None if count is None else ast.NumberLiteral(str(count), span=size_span)
    return ast.InitialValue(name, allocation=kind, type=scalar, length=length, is_made=True, span=name.span)


def _count(node: Node, known: Sizes) -> int | None:
    """The number of elements that a range or a constant says; None where it is neither."""
    match node:
        case tree.Construction(tree.ClassType(name), _, parts) if plain(name) == "range":
            return _product(parts, known)
        case ast.Call(ast.Name(name), parts) if plain(name) == "range":
            return _product(parts, known)
        case ast.InitializerList(parts):
            return _product(parts, known)
        case _:
            return constant_of(node, known.get)


def _product(parts: tuple[Node, ...], known: Sizes) -> int | None:
    found = 1
    for part in parts:
        size = _count(part, known)
        if size is None:
            return None
        found *= size
    return found
