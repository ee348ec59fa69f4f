"""Colour for terminals: meaning first, escape codes in one place."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Tone(Enum):
    """What a piece of text is, with the code that a terminal shows it in."""

    TITLE = "1"
    GOOD = "32"
    BAD = "1;31"
    DOUBTFUL = "33"


class Palette(Struct, frozen=True):
    """How text is coloured; a palette that is not `enabled` leaves it alone."""

    enabled: bool = False

    def paint(self, text: str, tone: Tone) -> str:
        """The text in a tone."""
        return f"\x1b[{tone.value}m{text}\x1b[0m" if self.enabled and text else text
