"""What an address is taken of, and that is then accessed through: `*&x` is `x`, and `(&x)->a` is `x.a`.

C says so (6.5.3.2): neither operator is evaluated. Macros that take pointers are called like that: `SWAP(&a, &b)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.syntax import ast
from mcm.syntax.mapped import mapped

if TYPE_CHECKING:
    from mcm.syntax.ast import Litmus


def without_addressed(tree: Litmus) -> Litmus:
    """The test in which such accesses are plain ones."""
    return mapped(tree, _plain)


def _plain(node: ast.Node) -> ast.Node:
    match node:
        case ast.Prefix("*", ast.Prefix("&", operand)):
            return operand
        case ast.Member(ast.Prefix("&", operand), "->"):
            return replace(node, base=operand, operator=".")
        case _:
            return node
