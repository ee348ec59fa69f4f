"""The transitive closure of a relation over many events, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.bits import members

if TYPE_CHECKING:
    from collections.abc import Sequence


def closed_rows(rows: Sequence[int]) -> list[int]:
    """The transitive closure of a relation that is given by the successors of each event, as masks.

    Events that lead to each other form a component (Tarjan's algorithm), and reach what the components reach that they
    lead to, which are closed before. Where one successor reaches another, only one of them is looked at.

    >>> closed_rows([0b0010, 0b0100, 0b0010, 0b1000])
    [6, 6, 6, 8]
    """
    return _Closing(rows).result()


class _Closing:
    """Depth-first search for components; `closed` are the rows that are complete."""

    def __init__(self, rows: Sequence[int]) -> None:
        self._rows: Final = rows
        self._closed: Final = [0] * len(rows)
        self._new: int = (1 << len(rows)) - 1
        # The events of components that are not complete, in the order of their discovery, also as a mask.
        self._open: Final[list[int]] = []
        self._is_open: int = 0
        self._found: Final = [0] * len(rows)
        # For each open event the earliest open one that it is known to lead to, by the number of its discovery.
        self._lowest: Final = [0] * len(rows)
        self._count = 0

    def result(self) -> list[int]:
        """The rows of the closure."""
        for root, row in enumerate(self._rows):
            if row and self._new >> root & 1:
                self._search(root)
        return self._closed

    def _search(self, root: int) -> None:
        path = [root]
        self._enter(root)
        while path:
            event = path[-1]
            row = self._rows[event]
            new = row & self._new
            if new:
                following = (new & -new).bit_length() - 1
                self._enter(following)
                path.append(following)
                continue
            path.pop()
            lowest = self._lowest[event]
            for other in members(row & self._is_open):
                lowest = min(lowest, self._lowest[other])
            self._lowest[event] = lowest
            if lowest == self._found[event]:
                self._close(event)

    def _enter(self, event: int) -> None:
        self._new &= ~(1 << event)
        self._open.append(event)
        self._is_open |= 1 << event
        self._found[event] = self._lowest[event] = self._count
        self._count += 1

    def _close(self, first: int) -> None:
        """Close the component of the event of it that was discovered first."""
        component, row = 0, 0
        events: list[int] = []
        while not component >> first & 1:
            events.append(self._open.pop())
            component |= 1 << events[-1]
            row |= self._rows[events[-1]]
        self._is_open &= ~component
        reached = row & component
        rest = row & ~component
        if reached:
            reached = component
        while rest:
            other = (rest & -rest).bit_length() - 1
            reached |= 1 << other | self._closed[other]
            rest &= ~reached
        for event in events:
            self._closed[event] = reached
