"""What the lambdas of host tasks have references to."""

from __future__ import annotations

from typing import Final

from mcm.sycl import tree
from mcm.syntax import ast
from mcm.syntax.walk import walk

HOST_TASK: Final = "host_task"


def referred(function: tree.Lambda) -> frozenset[str]:
    """The names that the lambda of a host task may have references to."""
    items = {one.strip() for one in function.capture[1:-1].split(",")}
    found = {one.removeprefix("&").strip() for one in items if one.startswith("&")} - {""}
    if "&" in items:
        named = {node.text for node in walk([function.body]) if isinstance(node, ast.Name)}
        found |= named - items - _declared(function)
    return frozenset(found)


def _declared(function: tree.Lambda) -> set[str]:
    return {one.name.text for one in walk([function.body]) if isinstance(one, ast.Declarator | tree.ObjectDeclarator)}
