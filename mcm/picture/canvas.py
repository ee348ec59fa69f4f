"""A sheet of characters on which lines join where they meet."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.picture.measure import cells

if TYPE_CHECKING:
    from collections.abc import Sequence

# Directions as bits.
NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8

# The line that goes into just these directions.
_LINES: Final = {
    NORTH | SOUTH: "│",
    EAST | WEST: "─",
    SOUTH | EAST: "┌",
    SOUTH | WEST: "┐",
    NORTH | EAST: "└",
    NORTH | WEST: "┘",
    NORTH | SOUTH | EAST: "├",
    NORTH | SOUTH | WEST: "┤",
    EAST | WEST | SOUTH: "┬",
    EAST | WEST | NORTH: "┴",
    NORTH | EAST | SOUTH | WEST: "┼",
    NORTH: "│",
    SOUTH: "│",
    EAST: "─",
    WEST: "─",
}
_DIRECTIONS: Final = {(0, -1): NORTH, (1, 0): EAST, (0, 1): SOUTH, (-1, 0): WEST}
_HEADS: Final = {NORTH: "▲", EAST: "▶", SOUTH: "▼", WEST: "◀"}

_ASCII: Final = str.maketrans(
    dict.fromkeys("│", "|")
    | dict.fromkeys("─═", "-")
    | dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯", "+")
    | {"▲": "^", "▶": ">"}
    | {"▼": "v", "◀": "<", "→": "->", "…": "~", "·": "-"}
)

Cell = tuple[int, int]


def to_ascii(text: str) -> str:
    """A drawing in characters that every terminal has; others are escaped."""
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")


class Canvas:
    """Lines and texts at columns and rows, counted from 0. Texts lie over lines."""

    def __init__(self) -> None:
        self._lines: dict[Cell, int] = {}
        self._texts: dict[Cell, str] = {}

    def line(self, points: Sequence[Cell], *, head: bool) -> None:
        """Draw a line through points that are beside or above each other, if wanted with an arrow head at its end."""
        direction = 0
        for (x, y), (end_x, end_y) in pairwise(points):
            steps = max(abs(end_x - x), abs(end_y - y))
            across, down = (end_x > x) - (end_x < x), (end_y > y) - (end_y < y)
            direction = _DIRECTIONS.get((across, down), direction)
            for step in range(steps):
                self._join((x + across * step, y + down * step), direction)
                self._join((x + across * (step + 1), y + down * (step + 1)), _opposite(direction))
        if head and direction:
            self.text(points[-1], _HEADS[direction])

    def box(self, corner: Cell, width: int, height: int) -> None:
        """Draw a rectangle."""
        x, y = corner
        right, bottom = x + width - 1, y + height - 1
        self.line([(x, y), (right, y), (right, bottom), (x, bottom), (x, y)], head=False)

    def text(self, start: Cell, text: str) -> None:
        """Write a text over what is there."""
        x, y = start
        for character in text:
            size = cells(character)
            if not size:
                self._texts[x - 1, y] = self._texts.get((x - 1, y), "") + character
                continue
            self._texts[x, y] = character
            if size == 2:
                self._texts[x + 1, y] = ""
            x += size

    def is_free(self, start: Cell, length: int) -> bool:
        """Whether no text stands there."""
        x, y = start
        return all((x + offset, y) not in self._texts for offset in range(length))

    def render(self) -> str:
        """All rows, each with a line end."""
        rows: dict[int, dict[int, str]] = {}
        for (x, y), directions in self._lines.items():
            rows.setdefault(y, {})[x] = _LINES[directions]
        for (x, y), character in self._texts.items():
            rows.setdefault(y, {})[x] = character
        return "".join(f"{_row(rows.get(y, {}))}\n" for y in range(max(rows, default=-1) + 1))

    def _join(self, cell: Cell, direction: int) -> None:
        self._lines[cell] = self._lines.get(cell, 0) | direction


def _opposite(direction: int) -> int:
    return direction << 2 if direction < SOUTH else direction >> 2


def _row(characters: dict[int, str]) -> str:
    return "".join(characters.get(x, " ") for x in range(max(characters, default=-1) + 1)).rstrip()
