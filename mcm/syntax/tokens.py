"""The words of a text, as the grammar names them."""

from __future__ import annotations


class Token(str):
    """The characters of one word or mark, its name in the grammar (`SEMICOLON`), and where it stands."""

    __slots__ = ("end", "start", "type")

    type: str
    start: int
    end: int

    @classmethod
    def unwritten(cls, kind: str, offset: int) -> Token:
        """A word of this name that is not in the text, as if it stood at `offset`."""
        token = cls()
        token.type, token.start, token.end = kind, offset, offset
        return token
