"""What is said of a test that has no form in the other language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import Diagnostic, InputError

if TYPE_CHECKING:
    from mcm.syntax import ast


def refused(node: ast.Node, reason: str) -> InputError:
    """The complaint that there is no form in the other language."""
    return InputError(Diagnostic("E100", f"no form in the other language: {reason}", node.span))
