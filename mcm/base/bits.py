"""Sets of small numbers as the bits of an int."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Where fewer than one in so many bits are set, it is quicker to look at those than at all digits: of a set, of rows.
_SPARSE_SET: Final = 5
_SPARSE_ROWS: Final = 24


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


def elements(mask: int) -> list[int]:
    """The same as a list, which is not remembered.

    >>> elements(0b1010)
    [1, 3]
    """
    if mask.bit_count() * _SPARSE_SET > mask.bit_length():
        return [number for number, bit in enumerate(reversed(f"{mask:b}")) if bit == "1"]
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


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


def transposed(rows: Sequence[int]) -> list[int]:
    """The pairs `(b, a)` for all pairs `(a, b)` of a relation, given by rows: row `a` has bit `b` for each of them.

    >>> transposed([0b10, 0b10])
    [0, 3]
    """
    size = len(rows)
    if size and sum(map(int.bit_count, rows)) * _SPARSE_ROWS > size * size:
        # A column is every n-th digit. Python converts binary digits in linear time.
        digits = "".join(f"{row:0{size}b}" for row in reversed(rows))
        return [int(digits[size - 1 - column :: size], 2) for column in range(size)]
    columns = [0] * size
    for source, row in enumerate(rows):
        if row:
            bit = 1 << source
            for target in elements(row):
                columns[target] |= bit
    return columns


def moves_to_lowest(mask: int) -> tuple[tuple[int, int], ...]:
    """The moves that bring the bits of a mask together at the lowest places, in the same order.

    Each says which bits move, from where they are then, and how far. How far a bit has to go is the sum of its moves,
    the shortest first. Two bits come nearer by no more than the gaps between them, so that none meets another.

    >>> [(f"{bits:b}", distance) for bits, distance in moves_to_lowest(0b1010010)]
    [('10010', 1), ('1000', 2), ('1000000', 4)]
    """
    # Stretches of bits that stay together: where each begins, its length, how far it has to go.
    stretches: list[tuple[int, int, int]] = []
    begin, number = 0, 0
    while mask >> begin:
        begin += _trailing(mask >> begin)
        length = _trailing(~(mask >> begin))
        stretches.append((begin, length, begin - number))
        begin, number = begin + length, number + length
    found = []
    distance = 1
    while stretches and distance <= stretches[-1][2]:
        bits = 0
        for begin, length, all_moves in stretches:
            if all_moves & distance:
                bits |= (1 << length) - 1 << begin - (all_moves & distance - 1)
        found.append((bits, distance))
        distance *= 2
    return tuple(found)


def _trailing(bits: int) -> int:
    """How many of the lowest bits are not set, of which some is."""
    return (bits & -bits).bit_length() - 1


def moved(bits: int, moves: Iterable[tuple[int, int]]) -> int:
    """Some bits of a mask after the moves that bring this together.

    >>> f"{moved(0b1000010, moves_to_lowest(0b1010010)):b}"
    '101'
    """
    for moving, distance in moves:
        here = bits & moving
        bits = bits ^ here | here >> distance
    return bits
