"""Rows: what a configuration has of each thread or location. A long one is kept in blocks, which configurations share.

A step changes one item, and a tuple of thousands of them would be copied for it. Items are counted from the start.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ItemT = TypeVar("ItemT")

_BLOCK_BITS: Final = 6
_BLOCK: Final = 1 << _BLOCK_BITS
_WITHIN: Final = _BLOCK - 1
# Up to here to copy a tuple takes less than to find an item in a block.
_LONGEST_TUPLE: Final = 128


class Blocks(Generic[ItemT]):
    """A long row, in blocks of equal size but for the last. Equal to other ones with the same items."""

    __slots__ = ("_blocks", "_length")

    def __init__(self, blocks: tuple[tuple[ItemT, ...], ...], length: int) -> None:
        self._blocks = blocks
        self._length = length

    def __getitem__(self, index: int) -> ItemT:
        """The item at an index, which is not negative."""
        return self._blocks[index >> _BLOCK_BITS][index & _WITHIN]

    def __iter__(self) -> Iterator[ItemT]:
        """All items in order."""
        return chain.from_iterable(self._blocks)

    def __len__(self) -> int:
        """The number of items."""
        return self._length

    def __eq__(self, other: object) -> bool:
        """Whether the items are equal, in order."""
        return self._blocks == other._blocks if isinstance(other, Blocks) else NotImplemented

    def __hash__(self) -> int:
        """Equal for equal rows."""
        return hash(self._blocks)

    def replaced(self, index: int, item: ItemT) -> Blocks[ItemT]:
        """The row with another item at an index."""
        block = index >> _BLOCK_BITS
        blocks = list(self._blocks)
        changed = list(blocks[block])
        changed[index & _WITHIN] = item
        blocks[block] = tuple(changed)
        return Blocks(tuple(blocks), self._length)


Row = tuple[ItemT, ...] | Blocks[ItemT]


def row(items: Sequence[ItemT]) -> Row[ItemT]:
    """The items as a row: rows of one length are of one kind."""
    if len(items) <= _LONGEST_TUPLE:
        return tuple(items)
    return Blocks(tuple(tuple(items[at : at + _BLOCK]) for at in range(0, len(items), _BLOCK)), len(items))


def replaced(items: Row[ItemT], index: int, item: ItemT) -> Row[ItemT]:
    """The row with another item at an index."""
    if isinstance(items, Blocks):
        return items.replaced(index, item)
    # With a list in between: the fastest way for a hundred items, and as fast as others for two.
    changed = list(items)
    changed[index] = item
    return tuple(changed)
