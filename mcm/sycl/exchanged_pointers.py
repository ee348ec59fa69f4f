"""Names of memory that a host program exchanges: what each means is known at every statement.

`std::swap(a, b)` between two kernels is how programs take turns with two arrays. Where such statements stand in loops
that are written out only, each statement is that with the names of the memory that is meant there, so that commands
may copy it and device memory may be exchanged too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.sycl import tree
from mcm.sycl.changes import named_objects
from mcm.sycl.moved_pointers import outside_kernels
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import changed_variable, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.sycl.context import Object
    from mcm.syntax.ast import Node

_KINDS: Final = frozenset({"malloc_shared", "malloc_host", "malloc_device"})


class ExchangedNames:
    """What some names mean, statement after statement: each has a meaning of its own at first."""

    def __init__(self, names: frozenset[str] = frozenset()) -> None:
        self.names: Final = names
        self._meant: Final = {name: name for name in names}

    def moves_in(self, node: Node) -> bool:
        """Whether a statement, or one in it, moves a name."""
        return any((move := move_of(one)) is not None and move[0] in self.names for one in _reached(node))

    def move(self, node: Node) -> bool:
        """Take note of a statement that moves a name; False for any other statement."""
        move = move_of(node)
        if move is None or move[0] not in self.names:
            return False
        name, value = move
        self._meant[name] = self._meant[value]
        return True

    def meant(self, node: Node) -> Node:
        """A statement with the names of what is meant there."""

        def renamed(part: Node) -> Node:
            if isinstance(part, ast.Name) and part.text in self._meant:
                return ast.Name(self._meant[part.text], span=part.span)
            return part

        return mapped(node, renamed)


NOTHING_EXCHANGED: Final = ExchangedNames()


def exchanged_names(body: ast.Block, memory: Mapping[str, Object]) -> ExchangedNames:
    """The names that a host program exchanges, if they can be followed.

    They are followed where pointers that hold addresses would not do: where memory is the device's, or a command copies
    or fills it by a name.
    """
    found = {name for name, item in memory.items() if item.kind in _KINDS}
    moves = [move for node in _reached(body) if (move := move_of(node)) is not None]
    names = {name for name, _ in moves} & found
    while more := {one for move in moves if not names.isdisjoint(move) for one in move} - names:
        names |= more
    is_needed = any(memory[name].kind == "malloc_device" for name in names & found) or _is_copied(body, names)
    is_followed = is_needed and _changes(body, names, memory) == sum(name in names for name, _ in moves)
    return ExchangedNames(frozenset(names)) if is_followed else NOTHING_EXCHANGED


def move_of(node: Node) -> tuple[str, str] | None:
    """The name that a statement gives the address that another one has, and that one; None for other statements."""
    match node:
        case ast.ExpressionStatement(ast.Assignment("=", ast.Name(name), ast.Name(value))):
            return name, value
        case ast.Declaration(_, (ast.Declarator(ast.Name(name), _, None, ast.Name(value)),)):
            return name, value
        case _:
            return None


def _reached(node: Node) -> Iterator[Node]:
    """The statements of a body that are executed in any case, in loops perhaps."""
    match node:
        case ast.Block(statements):
            for one in statements:
                yield from _reached(one)
        case ast.For(body=body) | ast.While(body=body) | ast.DoWhile(body=body):
            yield from _reached(body)
        case _:
            yield node


def _changes(body: ast.Block, names: set[str], memory: Mapping[str, Object]) -> int:
    """How often some names are written or declared, but for the declarations of memory."""
    found = 0
    for node in walk([body]):
        if isinstance(node, ast.Declarator | tree.ObjectDeclarator | ast.Parameter) and node.name.text in names:
            item = memory.get(node.name.text)
            found += item is None or node.name.span != item.span
        elif isinstance(node, tree.ReferenceDeclaration):
            found += 2 * any(name in names for name in named_objects(node.initializer))
        elif changed_variable(node) in names:
            found += 1
        elif isinstance(node, tree.Lambda) and not node.parameters and "&" in node.capture:
            # A host task with references sees what they are when it runs.
            found += 2 * any(isinstance(part, ast.Name) and part.text in names for part in walk([node]))
        elif isinstance(node, ast.Member | tree.MemberCall) and node.name.text in names:
            # A member of that name would be renamed with it.
            found += 2
    return found


def _is_copied(body: ast.Block, names: set[str]) -> bool:
    """Whether a command copies or fills memory by one of some names."""
    return any(
        isinstance(node, tree.MemberCall)
        and node.name.text in {"memcpy", "copy", "fill", "memset"}
        and any(isinstance(part, ast.Name) and part.text in names for part in outside_kernels(node.arguments))
        for node in walk([body])
    )
