"""Rows of relations over many events, of which a tuple of masks would take memory that grows with their square.

A row is the mask of the events that an event is related to. What is kept here gives the same rows, one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, overload


class _Rows(Sequence[int]):
    """Rows that are made when they are looked at."""

    __slots__ = ()

    @abstractmethod
    def row(self, index: int) -> int:
        """The row of an event, by a number that is not negative."""

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        """A row, or some of them."""
        numbers = range(len(self))[index]
        return self.row(numbers) if isinstance(numbers, int) else tuple(map(self.row, numbers))

    def __eq__(self, other: object) -> bool:
        """Whether the other are the same rows, however they are kept."""
        if isinstance(other, (tuple, _Rows)):
            return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        """That of the rows as a tuple."""
        return hash(tuple(self))


class ShiftedRows(_Rows):
    """Rows of events that are related to events near to each other: of each what stands before the first is left out.

    `masks` are the rows without their lowest bits, as many as `shifts` says.
    """

    __slots__ = ("_masks", "_shifts")

    def __init__(self, masks: Sequence[int], shifts: Sequence[int]) -> None:
        self._masks: Final = tuple(masks)
        self._shifts: Final = tuple(shifts)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._masks)

    def row(self, index: int) -> int:
        """The row of an event."""
        return self._masks[index] << self._shifts[index]


class OtherEvents(_Rows):
    """For each event those that are not in its row of other rows, each of which is that of many events."""

    __slots__ = ("_everything", "_rows")

    def __init__(self, rows: Sequence[int]) -> None:
        self._rows: Final = rows
        self._everything: Final = (1 << len(rows)) - 1

    def __len__(self) -> int:
        """How many there are."""
        return len(self._rows)

    def row(self, index: int) -> int:
        """The row of an event."""
        return self._everything & ~self._rows[index]


def rows_of(related: Mapping[int, Sequence[int]], size: int) -> ShiftedRows:
    """The rows of so many events; `related` has for some of them the events that they are related to, in order."""
    masks, shifts = [0] * size, [0] * size
    for event, others in related.items():
        shifts[event] = others[0]
        masks[event] = sum(1 << other - others[0] for other in others)
    return ShiftedRows(masks, shifts)
