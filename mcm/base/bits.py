"""Sets of small numbers as the bits of an int."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def members(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, smallest first.

    >>> list(members(0b1010))
    [1, 3]
    """
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
