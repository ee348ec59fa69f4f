"""Variables of the host that end with their block, while commands may still use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.sycl import tree
from mcm.sycl.containers import KIND, VECTOR
from mcm.sycl.data import DATA_COMMANDS
from mcm.sycl.kernels import LAUNCHES
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.sycl.aliases import Aliases
    from mcm.sycl.context import Object
    from mcm.syntax.ast import Node

_COMMANDS: Final = frozenset({*LAUNCHES, *DATA_COMMANDS})


def used_by_commands(block: ast.Block, memory: Mapping[str, Object], aliases: Aliases) -> Iterator[str]:
    """The variables and containers that a block declares, and that commands in it name, what is declared last first."""
    declared = [name for statement in block.statements for name in declared_here(statement, memory)]
    if not declared:
        return
    named = {name for node in walk([block]) for name in _named(node)}
    yield from (name for name in reversed(declared) if not named.isdisjoint({name, *aliases.leading_to({name})}))


def declared_here(statement: Node, memory: Mapping[str, Object]) -> Iterator[str]:
    """The variables of the host that a statement declares, and whose memory is that of the block."""
    match statement:
        case ast.Declaration(type_, declarators) if "static" not in type_.qualifiers:
            names = [one.name for one in declarators]
        case tree.ObjectDeclaration(_, _, made):
            names = [one.name for one in made]
        case _:
            return
    for name in names:
        item = memory.get(name.text)
        if item is not None and item.span == name.span and item.kind in {KIND, VECTOR}:
            yield name.text


def _named(node: Node) -> Iterator[str]:
    """The names that a call of a command has among its arguments."""
    if isinstance(node, tree.MemberCall) and node.name.text in _COMMANDS:
        yield from (one.text for one in walk(node.arguments) if isinstance(one, ast.Name))
