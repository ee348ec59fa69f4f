"""What the pointers of a host program may lead to: the memory that the text gives them the addresses of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.sycl import tree
from mcm.sycl.moved_pointers import outside_kernels
from mcm.sycl.types import scalar_of, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import changed_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mcm.sycl.context import Object
    from mcm.syntax.ast import Node

_NULL: Final = frozenset({"nullptr", "NULL"})
_CASTS: Final = frozenset({"static_cast", "reinterpret_cast", "const_cast"})


class Aliases:
    """The names of a body through which memory may be accessed. Names that stand for several variables count as one."""

    def __init__(self, body: Node, memory: Mapping[str, Object]) -> None:
        self._memory: Final = memory
        # What each name is given, and what is kept in memory that has the name.
        self._given: Final[dict[str, list[Node]]] = {}
        self._kept: Final[dict[str, list[Node]]] = {}
        self._moved: Final[set[str]] = set()
        nodes = list(outside_kernels([body]))
        self._numbers: Final = frozenset(_numbers(nodes))
        for node in nodes:
            for name, value in _stores(node, memory):
                self._given.setdefault(name, []).append(value)
            for name, value in _kept(node):
                self._kept.setdefault(name, []).append(value)
            if not isinstance(node, ast.Assignment) and (moved := changed_variable(node)) is not None:
                # Who has the address of a pointer may change it.
                self._moved.add(moved)

    def object_of(self, name: str) -> str | None:
        """The memory that a name always is the address of; None where that is not plain."""
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            values = self._given.get(name, [])
            if name in self._memory and not values:
                return name
            if len(values) != 1 or name in self._moved or name in self._memory:
                return None
            value = without_casts(values[0])
            if not isinstance(value, ast.Name):
                return None
            name = value.text
        return None

    def reached_from(self, name: str) -> frozenset[str] | None:
        """The memory that a pointer may lead to; None where the text does not say all that it is given."""
        found = self._closure({name}, self._sources) - _NULL
        values = [
            value
            for one in found - set(self._memory)
            for value in (*self._given.get(one, ()), *self._kept.get(one, ()))
        ]
        is_known = all(self._given.get(one) for one in found - set(self._memory))
        is_plain = all(next(addresses_in(value), None) is not None for value in values)
        return frozenset(one for one in found if one in self._memory) if is_known and is_plain else None

    def leading_to(self, objects: Iterable[str]) -> frozenset[str]:
        """The names by which some memory may be accessed, its own among them."""
        users: dict[str, set[str]] = {}
        for name in {*self._given, *self._kept}:
            for source in self._sources(name):
                users.setdefault(source, set()).add(name)
        return frozenset(self._closure(set(objects), lambda name: users.get(name, set())))

    def _sources(self, name: str) -> set[str]:
        if name in self._numbers:
            return set()
        values = (*self._given.get(name, ()), *self._kept.get(name, ()))
        return {source for value in values for source in addresses_in(value)} - self._numbers

    def _closure(self, names: set[str], step: Callable[[str], set[str]]) -> set[str]:
        found, waiting = set(names), list(names)
        while waiting:
            for one in step(waiting.pop()) - found:
                found.add(one)
                waiting.append(one)
        return found


def _stores(node: Node, memory: Mapping[str, Object]) -> Iterator[tuple[str, Node]]:
    """The names that a node gives values which may be addresses, and these."""
    match node:
        case ast.Declaration(type_, declarators):
            for one in declarators:
                value = one.initializer
                item = memory.get(one.name.text)
                is_made = item is not None and item.span == one.name.span
                is_pointer = bool(one.pointers) or type_.base == "auto" or one.length is not None
                if value is not None and is_pointer and not is_made:
                    yield one.name.text, value
        case tree.ReferenceDeclaration(_, name, value):
            yield name.text, ast.Prefix("&", value, span=value.span)
        case tree.BindingDeclaration(_, _, names, value):
            yield from ((name.text, ast.Prefix("&", value, span=value.span)) for name in names)
        case ast.Assignment(_, ast.Name(text), value):
            yield text, value
        case _:
            return


def _kept(node: Node) -> Iterator[tuple[str, Node]]:
    """The names of what has elements or members that a node gives values which may be addresses, and these."""
    if not isinstance(node, ast.Assignment) or isinstance(node.target, ast.Name):
        return
    root: Node = node.target
    while isinstance(root, ast.Index | ast.Member | ast.Prefix):
        root = root.operand if isinstance(root, ast.Prefix) else root.base
    if isinstance(root, ast.Name):
        yield root.text, node.value


def _numbers(nodes: Iterable[Node]) -> Iterator[str]:
    """The names of variables that hold numbers, and so no addresses."""
    for node in nodes:
        if isinstance(node, ast.Declaration) and scalar_of(written_type(node.type)) is not None:
            yield from (one.name.text for one in node.declarators if not one.pointers)


def addresses_in(node: Node) -> Iterator[str]:
    """The names that a value may be an address of, or an address that is in these."""
    match node:
        case ast.Name(text):
            yield text
        case ast.Infix("+" | "-", left, right):
            yield from addresses_in(left)
            yield from addresses_in(right)
        case ast.Infix(",", _, right):
            yield from addresses_in(right)
        case ast.Conditional(_, then, otherwise):
            yield from addresses_in(then)
            yield from addresses_in(otherwise)
        case ast.Prefix("&", operand):
            while isinstance(operand, ast.Index | ast.Member):
                operand = operand.base
            yield from addresses_in(operand)
        case ast.Cast(_, operand) | ast.Assignment(_, _, operand) | ast.Prefix("*", operand) | ast.Postfix(_, operand):
            yield from addresses_in(operand)
        case ast.Prefix("++" | "--", operand):
            yield from addresses_in(operand)
        case tree.MemberCall(base, _, ast.Name("data" | "begin" | "get")):
            yield from addresses_in(base)
        case ast.Call(_, arguments) | tree.Construction(_, _, arguments) | ast.InitializerList(arguments):
            for one in arguments:
                yield from addresses_in(one)
        case _:
            return


def without_casts(node: Node) -> Node:
    """An expression without conversions of an address around it."""
    while True:
        match node:
            case ast.Cast(_, operand):
                node = operand
            case tree.Construction(tree.ClassType(name), _, (operand,)) if plain(name) in _CASTS:
                node = operand
            case ast.Prefix("&", ast.Index(ast.Name() as base, ast.NumberLiteral("0"))):
                node = base
            case _:
                return node
