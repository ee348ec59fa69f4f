"""Buffers whose end writes nothing back: of a pair of iterators, and of memory that is const (SYCL 2020, 4.7.2.3).

Such a buffer is an object of its own, which begins with copies of the elements of that memory. One of const memory that
commands only read is that memory itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.sycl import tree
from mcm.sycl.command_groups import only_reads
from mcm.sycl.containers import AS_CONST, CONTAINERS, named_memory, without_const
from mcm.sycl.context import number
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.syntax.ast import Expression, Node, Statement

_BUFFER: Final = "buffer"
_ENDS: Final = frozenset({"end", "cend"})
_ACCESSORS: Final = frozenset({"accessor", "host_accessor"})
_GETTERS: Final = frozenset({"get_access", "get_host_access"})
_QUESTIONS: Final = frozenset({"get_range", "size", "get_count", "byte_size", "get_size"})


class Copied(Struct, frozen=True):
    """What a buffer has copies of: so many elements of some memory, from one on; all of them where no number is said.

    `waits`: its end waits for the commands on it.
    """

    memory: ast.Name
    first: int
    count: int | None
    waits: bool


class Copies:
    """Says of each buffer of a host program whether it has copies."""

    def __init__(self, body: Node) -> None:
        nodes = list(walk([body]))
        self._const: Final = frozenset(_const_names(nodes))
        self._written: Final = frozenset(_written(nodes)) if self._const or _names_const(nodes) else frozenset()

    def of(self, one: tree.ObjectDeclarator, constant: Callable[[Node], int | None]) -> Copied | None:
        """What a buffer has copies of; None where it is of memory that its end writes to, or of its own."""
        if len(one.arguments) > 1 and (pair := _of_pair(one.arguments[0], one.arguments[1], constant)) is not None:
            return pair
        first = one.arguments[0] if one.arguments else None
        if first is None or one.name.text not in self._written:
            return None
        name = named_memory(without_const(first))
        if name is None or (name.text not in self._const and without_const(first) is first):
            return None
        return Copied(name, 0, None, waits=True)


def copies_made(buffer: ast.Name, copied: Copied, count: int, node: Node) -> list[Statement]:
    """What gives the elements of a buffer their values."""
    found: list[Statement] = []
    for place in range(count):
        to: Expression = ast.Index(ast.Name(buffer.text, span=node.span), number(place, node), span=node.span)
        memory = ast.Name(copied.memory.text, span=copied.memory.span)
        value = ast.Index(memory, number(copied.first + place, node), span=node.span)
        assigned = ast.Assignment("=", to, value, span=node.span)
        found.append(ast.ExpressionStatement(assigned, span=node.span))
    return found


def _of_pair(first: Node, last: Node, constant: Callable[[Node], int | None]) -> Copied | None:
    """The elements between two iterators, or two pointers; None for other arguments."""
    begin, end = _moved(without_const(first), constant), _moved(without_const(last), constant)
    if begin is None:
        return None
    match without_const(last):
        case tree.MemberCall(ast.Name(text), ".", ast.Name(member), None, ()) if member in _ENDS:
            return Copied(begin[0], begin[1], None, waits=False) if text == begin[0].text else None
        case _:
            pass
    if end is None or end[0].text != begin[0].text or not isinstance(last, ast.Infix | ast.Prefix):
        return None
    return Copied(begin[0], begin[1], end[1] - begin[1], waits=False)


def _moved(node: Node, constant: Callable[[Node], int | None]) -> tuple[ast.Name, int] | None:
    """The memory that an iterator is of, and the number of its element."""
    if isinstance(node, ast.Infix) and node.operator == "+":
        base, places = named_memory(without_const(node.left)), constant(node.right)
    elif isinstance(node, ast.Prefix) and node.operator == "&" and isinstance(node.operand, ast.Index):
        base, places = named_memory(node.operand.base), constant(node.operand.index)
    else:
        base, places = named_memory(node), 0
    return None if base is None or places is None else (base, places)


def _const_names(nodes: list[Node]) -> Iterator[str]:
    """The names of the memory of a host program that is const."""
    for node in nodes:
        match node:
            case tree.ObjectDeclaration(qualifiers, class_, made) if plain(class_.name) in CONTAINERS:
                yield from (one.name.text for one in made if "const" in qualifiers)
            case ast.Declaration(ast.TypeName(qualifiers), made) if "const" in qualifiers:
                yield from (one.name.text for one in made if one.length is not None or one.is_counted or one.pointers)
            case _:
                pass


def _names_const(nodes: list[Node]) -> bool:
    return any(isinstance(node, ast.Name) and plain(node.text) == AS_CONST for node in nodes)


def _written(nodes: list[Node]) -> Iterator[str]:
    """The names of the buffers that something other than accessors for reading is made of."""
    buffers = {
        one.name.text
        for node in nodes
        if isinstance(node, tree.ObjectDeclaration) and plain(node.type.name) == _BUFFER
        for one in node.declarators
    }
    reading = {id(name) for node in nodes for name in _read(node)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.text in buffers and id(node) not in reading:
            yield node.text


def _read(node: Node) -> Iterator[Node]:
    """The names of buffers that a part of a program only reads, or declares."""
    match node:
        case tree.ObjectDeclaration(_, class_, made) if plain(class_.name) == _BUFFER:
            yield from (one.name for one in made)
        case tree.ObjectDeclaration(_, class_, made) if plain(class_.name) in _ACCESSORS:
            yield from (one.arguments[0] for one in made if only_reads(one.arguments, class_.arguments or ()))
        case tree.Construction(class_, _, arguments) if plain(class_.name) in _ACCESSORS:
            if only_reads(arguments, class_.arguments or ()):
                yield arguments[0]
        case tree.MemberCall(base, _, ast.Name(name), templates, arguments):
            if name in _QUESTIONS or (name in _GETTERS and only_reads(arguments, templates or ())):
                yield base
        case _:
            pass
