"""Limits on how deep brackets and trees may be, so that everything that walks over trees may be recursive."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span
from mcm.syntax.ast import Infix, Node
from mcm.syntax.chains import long_chain, operands_of_chain
from mcm.syntax.limits import MAX_CHAIN, MAX_DEPTH, MAX_NESTING
from mcm.syntax.question import Connective
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Source

# As text: it is compiled when there are many.
_BRACKET: Final = r"[(){}\[\]]"
# Every node that has children owns at least one such character, so a text with few of them cannot be a deep tree.
_PUNCTUATION: Final = re.compile(r"[^\w\s]")


def check_nesting(source: Source, text: str, start: int, end: int) -> Diagnostic | None:
    """A diagnostic for the first bracket between two offsets that is nested too deep; None if there is none."""
    if end - start <= MAX_NESTING or sum([text.count(bracket, start, end) for bracket in "({["]) <= MAX_NESTING:
        return None
    depth = 0
    for found in re.compile(_BRACKET).finditer(text, start, end):
        depth += 1 if found.group() in "({[" else -1
        if depth > MAX_NESTING:
            message = f"'{found.group()}' is nested deeper than the limit of {MAX_NESTING} brackets"
            return Diagnostic("E032", message, Span(source, *found.span()))
    return None


def check_depth(roots: Sequence[Node], text: str) -> Diagnostic | None:
    """A diagnostic for the first node below `roots` that is nested too deep, or None; `text` is their source text."""
    if len(text) - text.count(" ") < MAX_DEPTH or len(_PUNCTUATION.findall(text)) < MAX_DEPTH:
        return None
    level = list(roots)
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children_of_node(node)]
        if not level:
            return None
    deepest = level[0]
    shown = deepest.span.text if len(deepest.span.text) < 40 else deepest.span.text[:40] + "…"
    return Diagnostic("E032", f"'{shown}' is nested deeper than the limit of {MAX_DEPTH} levels", deepest.span)


def check_chains(root: Node, text: str) -> Diagnostic | None:
    """A diagnostic for the first chain of more operators than code outside litmus tests may have, or None."""
    if len(text) < MAX_CHAIN or len(_PUNCTUATION.findall(text)) < MAX_CHAIN:
        return None
    for node in walk([root]):
        if isinstance(node, Infix) and (number := len(long_chain(node))) > MAX_CHAIN:
            message = f"an expression of {number} operators in a row, more than the limit of {MAX_CHAIN}"
            return Diagnostic("E032", f"{message}; compute it in several statements", node.span)
    return None


def levels(root: Node) -> int:
    """How many levels a tree has; as many as are allowed if it has more."""
    level, number = [root], 0
    while level and number < MAX_DEPTH:
        level = [child for node in level for child in _children_of_node(node)]
        number += 1
    return number


def _children_of_node(node: Node) -> list[Node]:
    if isinstance(node, Connective):
        return list(operands_of_chain(node))
    if isinstance(node, Infix) and (chain := long_chain(node)):
        return [*(operator.right for operator in chain), chain[-1].left]
    return parts_of(node)
