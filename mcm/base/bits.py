"""Sets of small numbers as the bits of an int."""

from __future__ import annotations

from functools import lru_cache
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


@lru_cache(maxsize=4096)
def listed(bits: int) -> tuple[int, ...]:
    """The same as a tuple, which is remembered: for sets that come back again and again, and for those of thousands.

    >>> listed(0b1010)
    (1, 3)
    """
    return tuple(number for number, bit in enumerate(reversed(f"{bits:b}")) if bit == "1")
