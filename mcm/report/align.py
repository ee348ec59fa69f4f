"""Tables in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def align(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows with their columns aligned, for a terminal; columns that are empty everywhere are left out."""
    return Columns().align(rows)


class Columns:
    """The columns of a table that is shown part by part: none becomes narrower."""

    def __init__(self, widths: Sequence[int] = ()) -> None:
        """Columns that have at least these widths."""
        self._widths = list(widths)

    def align(self, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
        """The next rows."""
        shown = [tuple(map(visible, row)) for row in rows]
        for row in shown:
            self._widths += [0] * (len(row) - len(self._widths))
            self._widths = [max(width, len(cell)) for width, cell in zip(self._widths, row, strict=True)]
        for row in shown:
            cells = [cell.ljust(width) for cell, width in zip(row, self._widths, strict=True) if width]
            yield "  ".join(cells).rstrip()
