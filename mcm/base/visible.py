"""A stranger's text for a terminal: nothing in it moves the cursor, reverses the line or cannot be seen."""

from __future__ import annotations

import re
from typing import Final

# Unicode's default ignorable code points that `str.isprintable` takes for letters or marks: fillers, joiners and
# variation selectors. It knows all others (control and format characters, surrogates, unusual blanks). As text: it is
# compiled when there is a text that is not ASCII.
_IGNORABLE: Final = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"


def visible(text: str, *, kept: str = "") -> str:
    r"""The text with each character that is not shown as itself as its escape; those in `kept` stay.

    >>> print(visible("MP\x1b[2K\u202e\n\udcff"))
    MP\x1b[2K\u202e\x0a\udcff
    >>> visible("a\tb", kept="\t")
    'a\tb'
    """
    if text.isprintable() and (text.isascii() or not re.search(_IGNORABLE, text)):
        return text
    return "".join(
        character
        if character in kept or (character.isprintable() and not re.match(_IGNORABLE, character))
        else _escape(ord(character))
        for character in text
    )


def _escape(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
