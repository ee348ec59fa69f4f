"""The memory that host programs make: `int* x = malloc_shared<int>(4, q);`, `buffer<int> b(range<1>(4));`.

Each such place makes one object, which has no value at the beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcm.program.resolve.literals import integer_of
from mcm.sycl import tree
from mcm.sycl.types import written_type
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.syntax.ast import Node

ALLOCATORS: Final = frozenset({"malloc_shared", "malloc_device", "malloc_host"})


def made_by_hosts(units: tuple[Node, ...]) -> list[ast.InitialValue]:
    """The objects that host programs make, as items of the initial state."""
    found: list[ast.InitialValue] = []
    for unit in units:
        if isinstance(unit, tree.Host) or (isinstance(unit, ast.Thread) and unit.is_host):
            found += _made(unit.body)
    return found


def _made(node: Node) -> Iterator[ast.InitialValue]:
    if isinstance(node, tree.Lambda):
        return
    if isinstance(node, ast.Declaration):
        for one in node.declarators:
            value: Any = one.initializer
            if isinstance(value, tree.Construction) and _is_allocation(value):
                yield _object(one.name, plain(value.type.name), value.type, value.arguments[:1])
    elif isinstance(node, tree.ObjectDeclaration) and plain(node.type.name) == "buffer":
        for made in node.declarators:
            if made.arguments and _count(made.arguments[0]) is not None:
                yield _object(made.name, "buffer", node.type, made.arguments[:1])
    else:
        for part in parts_of(node):
            yield from _made(part)


def _is_allocation(value: tree.Construction) -> bool:
    return plain(value.type.name) in ALLOCATORS


def _object(name: ast.Name, kind: str, class_: tree.ClassType, size: tuple[Node, ...]) -> ast.InitialValue:
    templates = class_.arguments or ()
    type_ = templates[0] if templates and isinstance(templates[0], ast.TypeName) else None
    scalar = ast.TypeName((), "int", span=class_.span) if type_ is None else written_type(type_)
    count = _count(size[0]) if size else None
    length = None if count is None else ast.NumberLiteral(str(count), span=size[0].span)
    return ast.InitialValue(name, allocation=kind, type=scalar, length=length, is_made=True, span=name.span)


def _count(node: Node) -> int | None:
    """The number of elements that a range says; None where it is no range."""
    match node:
        case ast.NumberLiteral(text):
            return integer_of(text)
        case tree.Construction(tree.ClassType(name), _, parts) if plain(name) == "range":
            return _product(parts)
        case ast.Call(ast.Name(name), parts) if plain(name) == "range":
            return _product(parts)
        case ast.InitializerList(parts):
            return _product(parts)
        case _:
            return None


def _product(parts: tuple[Node, ...]) -> int | None:
    found = 1
    for part in parts:
        size = _count(part)
        if size is None:
            return None
        found *= size
    return found
