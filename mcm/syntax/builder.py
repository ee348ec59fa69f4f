"""The state that the functions that build nodes share: the source, and the problems that the grammar cannot tell.

A function is named after the rule, or the word of the grammar, whose children it receives. All tokens are among the
children, so a node's span runs from its first child to its last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span
from mcm.lalr.token import Token

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.syntax.ast import Node

# The children of a rule, in the order of the grammar: tokens, nodes, lists of such, or None for what is optional.
Children = list[Any]


class Builder:
    """The nodes of one source are built with it; `problems` collects diagnostics about them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []

    def span(self, first: Node | Token, last: Node | Token) -> Span:
        """The span from the first child to the last."""
        start = first.start if type(first) is Token else first.span.start
        return Span(self.source, start, last.end if type(last) is Token else last.span.end)

    def refuse(self, code: str, message: str, span: Span) -> None:
        """Add a diagnostic to `problems`."""
        self.problems.append(Diagnostic(code, message, span))
