"""How relations are drawn: one table of colours and dash patterns, for models and for every form of picture.

Colours are those that herd7 uses. No two relations of the table have the same dash pattern and weight, so that a
picture can be read without colours.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from msgspec import Struct


class Colour(Enum):
    """Colours by name, each with what is shown on a light and on a dark ground: both stand out there."""

    BLACK = ("black", "#24292f", "#d0d7de")
    GREY = ("grey", "#6e7781", "#9aa4af")
    RED = ("red", "#c4181f", "#ff7b72")
    CRIMSON = ("crimson", "#a3004f", "#ff6fae")
    ORANGE = ("orange", "#b35900", "#ffa657")
    BROWN = ("brown", "#7a4a21", "#d2a679")
    GREEN = ("green", "#1a7f37", "#57cb6f")
    TEAL = ("teal", "#0a7b83", "#4fd1d9")
    BLUE = ("blue", "#0550d0", "#79b8ff")
    INDIGO = ("indigo", "#4b0f9c", "#a5a0ff")
    VIOLET = ("violet", "#a02fc0", "#e08cff")

    def __init__(self, word: str, light: str, dark: str) -> None:
        self.word = word
        self.light = light
        self.dark = dark


class Dash(Enum):
    """Dash patterns by name, as lengths of dashes and gaps."""

    SOLID = ("solid", ())
    DASHED = ("dashed", (7, 4))
    DOTTED = ("dotted", (2, 4))
    DASH_DOT = ("dash-dot", (9, 3, 2, 3))
    LONG_DASH = ("long-dash", (14, 5))
    SHORT_DASH = ("short-dash", (4, 3))
    DOUBLE_DOT = ("dash-dot-dot", (9, 3, 2, 3, 2, 3))

    def __init__(self, word: str, pattern: tuple[int, ...]) -> None:
        self.word = word
        self.pattern = pattern


class Style(Struct, frozen=True):
    """A colour, a dash pattern, and the width of the line."""

    colour: Colour
    dash: Dash = Dash.SOLID
    width: float = 1.6

    @property
    def words(self) -> str:
        """The words that `style_named` reads."""
        return f"{self.colour.word} {self.dash.word}"


STYLES: Final[dict[str, Style]] = {
    "po": Style(Colour.BLACK, width=1.1),
    "rf": Style(Colour.RED),
    "fr": Style(Colour.ORANGE, Dash.DASHED),
    "mo": Style(Colour.BLUE, Dash.DASH_DOT),
    "co": Style(Colour.BLUE, Dash.DASH_DOT),
    "sw": Style(Colour.VIOLET, Dash.LONG_DASH, 2.0),
    "hb": Style(Colour.INDIGO, Dash.DOTTED, 2.0),
    "data": Style(Colour.TEAL, Dash.SHORT_DASH, 1.1),
    "addr": Style(Colour.TEAL, Dash.DOUBLE_DOT, 1.1),
    "ctrl": Style(Colour.TEAL, Dash.DOTTED, 1.1),
}

# Definitions of models that pictures show though the models do not say so: what synchronises.
SHOWN: Final = frozenset({"sw", "gsw", "lsw"})

# Relations that neither the table nor their model says anything of.
OTHER: Final = Style(Colour.GREY, Dash.DOUBLE_DOT)

# Two accesses that race, and other pairs that a problem is about.
PROBLEM: Final = Style(Colour.CRIMSON, Dash.SHORT_DASH, 2.4)


def style_of(name: str) -> Style | None:
    """The style of a relation: that of the table, or of what it is a kind of (`ghb`, `hb-loc`, `sw-g-1`), or none.

    >>> style_of("ghb") is STYLES["hb"], style_of("loc")
    (True, None)
    """
    if name in STYLES:
        return STYLES[name]
    if "hb" in name:
        return STYLES["hb"]
    return STYLES["sw"] if name.startswith("sw") or name.endswith("sw") else None


def style_named(text: str) -> Style | None:
    """The style of the words `COLOUR [DASH]`; None where they are not such.

    >>> style_named("violet long-dash").colour.word
    'violet'
    """
    words = text.split()
    colours = {colour.word: colour for colour in Colour}
    dashes = {dash.word: dash for dash in Dash}
    match words:
        case [colour] if colour in colours:
            return Style(colours[colour])
        case [colour, dash] if colour in colours and dash in dashes:
            return Style(colours[colour], dashes[dash])
        case _:
            return None
