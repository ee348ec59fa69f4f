"""The words of a text, as the grammar names them."""

from __future__ import annotations

from typing import final

from msgspec import Struct


@final
class Token(Struct, frozen=True, gc=False):
    """The characters of one word or mark, its name in the grammar (`SEMICOLON`), and where it stands."""

    text: str
    type: str
    start: int
    end: int

    @classmethod
    def unwritten(cls, kind: str, offset: int) -> Token:
        """A word of this name that is not in the text, as if it stood at `offset`."""
        return cls("", kind, offset, offset)
