"""Numbers that count threads, groups or elements, and names of threads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.syntax.ast import Name

if TYPE_CHECKING:
    from mcm.lalr.token import Token
    from mcm.syntax.ast import Node, NumberLiteral
    from mcm.syntax.builder import Builder

_THREAD: Final = re.compile(r"P(\d{1,9})")


def thread_number(builder: Builder, written: Name | NumberLiteral | Token) -> int:
    """The number of a thread that is written `P0`, or `0` in conditions."""
    text = written.text
    found = _THREAD.fullmatch(text)
    if found is not None:
        return int(found.group(1))
    if isinstance(written, Name):
        builder.refuse("E040", f"expected a thread such as 'P0', found '{text}'", written.span)
        return 0
    return small_number(builder, text, written)


def whole_number(builder: Builder, literal: NumberLiteral) -> int:
    """The value of a literal."""
    return small_number(builder, literal.text, literal)


def small_number(builder: Builder, text: str, written: Node | Token) -> int:
    """The value of a decimal number of at most nine digits."""
    if text.isdigit() and len(text) < 10:
        return int(text)
    message = f"expected a decimal number below 1000000000, found '{text[:40]}'"
    builder.refuse("E023", message, builder.span(written, written))
    return 0
