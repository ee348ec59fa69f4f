"""Sizes of texts in the drawing's font, and texts cut to a size."""

from __future__ import annotations

from typing import Final
from unicodedata import combining, east_asian_width

from mcm.base.visible import visible

# The width of a letter of a monospaced font, as a part of the font's size; no common one has wider letters.
_ADVANCE: Final = 0.62

ELLIPSIS: Final = "…"


def cells(text: str) -> int:
    """How many letters wide a text is: wide characters count twice, combining ones not at all.

    >>> cells("x = 1"), cells("読")
    (5, 2)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def width_of(text: str, size: float) -> float:
    """The width of a text in a font of this size."""
    return cells(text) * size * _ADVANCE


def cut(text: str, limit: int) -> str:
    """A text of one line that is at most `limit` letters wide; where something is missing it ends in `…`.

    >>> cut("a_long_name", 6), cut("short", 6)
    ('a_lon…', 'short')
    """
    # What cannot fit is not looked at: a name may have thousands of characters.
    shown = visible(text[: limit + 1])
    if len(text) <= limit and cells(shown) <= limit:
        return shown
    width, kept = 0, 0
    for kept, character in enumerate(shown):  # noqa: B007 - where it ends counts
        width += cells(character)
        if width > limit - 1:
            break
    return shown[:kept] + ELLIPSIS


def cut_to(text: str, width: float, size: float) -> str:
    """A text cut to a width in a font of this size."""
    return cut(text, max(1, int(width / (size * _ADVANCE))))
