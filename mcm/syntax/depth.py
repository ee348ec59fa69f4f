"""A limit on how deep a tree may be, so that everything that walks over trees may be recursive."""

from __future__ import annotations

import re
from typing import Any, Final

from mcm.base.diagnostic import Diagnostic
from mcm.syntax.ast import Node

MAX_DEPTH: Final = 200

# Every node that has children owns at least one such character, so a text with few of them cannot be a deep tree.
_PUNCTUATION: Final = re.compile(r"[^\w\s]")


def check_depth(root: Any, text: str) -> Diagnostic | None:
    """A complaint about the first node below `root` that is too deep; `text` is what the tree was made from."""
    if len(text) - text.count(" ") < MAX_DEPTH or len(_PUNCTUATION.findall(text)) < MAX_DEPTH:
        return None
    level: list[Node] = _children(root) if not isinstance(root, Node) else [root]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children_of_node(node)]
        if not level:
            return None
    deepest = level[0]
    shown = deepest.span.text if len(deepest.span.text) < 40 else deepest.span.text[:40] + "…"
    return Diagnostic("E032", f"'{shown}' is nested deeper than the limit of {MAX_DEPTH} levels", deepest.span)


def _children_of_node(node: Node) -> list[Node]:
    return [child for name in node.__struct_fields__ if name != "span" for child in _children(getattr(node, name))]


def _children(value: Any) -> list[Node]:
    if isinstance(value, Node):
        return [value]
    if isinstance(value, tuple):
        return [child for item in value for child in _children(item)]
    return []
