"""The words of a text, as the grammar names them."""

from __future__ import annotations

from typing import final


@final
class Token:
    """The characters of one word or mark, its name in the grammar (`SEMICOLON`), and where it stands.

    The driver fills in the slots itself: most values that it makes are tokens.
    """

    __slots__ = ("end", "start", "text", "type")

    text: str
    type: str
    start: int
    end: int

    @classmethod
    def unwritten(cls, kind: str, offset: int) -> Token:
        """A word of this name that is not in the text, as if it stood at `offset`."""
        token = cls()
        token.text, token.type, token.start, token.end = "", kind, offset, offset
        return token
