"""What leaves a statement of the host early: `break`, `continue` and `return`, but those of kernels and other loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from mcm.sycl import tree
from mcm.syntax import ast
from mcm.syntax.walk import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.syntax.ast import Node

_LOOPS: TypeAlias = ast.While | ast.DoWhile | ast.For


def early_ends(node: Node) -> Iterator[Node]:
    """The statements in a statement that leave it; a `return` in a lambda leaves the lambda."""
    match node:
        case tree.Lambda():
            return
        case ast.Break() | ast.Continue() | ast.Return():
            yield node
        case _:
            for one in (one for part in parts_of(node) for one in early_ends(part)):
                is_of_loop = isinstance(node, _LOOPS) and not isinstance(one, ast.Return)
                if not is_of_loop and not (isinstance(node, ast.Switch) and isinstance(one, ast.Break)):
                    yield one
