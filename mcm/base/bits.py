"""Sets of small numbers as the bits of an int."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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


def mask_of(numbers: Iterable[int]) -> int:
    """The bits of different numbers.

    >>> mask_of([1, 3])
    10
    """
    return sum(1 << number for number in numbers)


def nth(mask: int, number: int) -> int:
    """The place of a set bit, by its number among all set bits from the lowest on; it is not listed for a long mask.

    >>> [nth(0b10110, number) for number in range(3)]
    [1, 2, 4]
    """
    place, width = 0, mask.bit_length()
    while width > 1:
        half = width // 2
        low = mask & ((1 << half) - 1)
        below = low.bit_count()
        if number < below:
            mask, width = low, half
        else:
            mask, width, place, number = mask >> half, width - half, place + half, number - below
    return place
