"""Tables in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def align(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows with their columns aligned, for a terminal; columns that are empty everywhere are left out."""
    if not rows:
        return
    rows = [tuple(map(visible, row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width]
        yield "  ".join(cells).rstrip()
