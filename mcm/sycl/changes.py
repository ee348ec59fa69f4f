"""Which variables of a body change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.sycl import tree
from mcm.syntax import ast
from mcm.syntax.walk import changed_variable, walk

if TYPE_CHECKING:
    from mcm.syntax.ast import Node


def changed_variables(body: Node) -> frozenset[str]:
    """The variables that are assigned, or whose address is taken, in a body."""
    found: set[str] = set()
    for node in walk([body]):
        match node:
            case tree.ReferenceDeclaration(_, _, ast.Name(text)):
                found.add(text)
            case tree.BindingDeclaration(_, True, _, ast.Name(text)):
                found.add(text)
            case _ if (name := changed_variable(node)) is not None:
                found.add(name)
            case _:
                pass
    return frozenset(found)
