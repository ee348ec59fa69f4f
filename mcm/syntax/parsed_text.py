"""The text that a tree was parsed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcm.syntax.ast import Litmus


def text_of(tree: Litmus) -> str:
    """The text that was parsed: what macros stand for, and what is included, is in it, and may be in no source."""
    return tree.span.source.text if tree.parsed is None else tree.parsed
