"""Boolean matrices: a relation over n events is one int in which bit `a * n + b` stands for the pair (a, b).

Set operations are then single operations on ints. A composition takes one multiplication for each event that is in the
range of the first relation: the product of a column and a row has the row in every row in which the column has a one.
"""

from __future__ import annotations

from functools import lru_cache, partial, reduce
from itertools import zip_longest
from operator import or_
from typing import TYPE_CHECKING, Final

from mcm.base.bits import listed, members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    _OnOne = Callable[[int], int]

# How many results of each operation are remembered, and how many bits at most.
_RESULTS: Final = 20_000
_BITS: Final = 1 << 28
# Programs of at most so many events share what is remembered with others of their size, each size so many results.
_SMALL: Final = 16
_SHARED_RESULTS: Final = 1024

# From so many events on, a product costs more than the rows that it has pairs in, where these are few.
_MANY_EVENTS: Final = 256
# From so many rows on, it takes long to move all that is packed for each.
_MANY_ROWS: Final = 48
# From so many events on, closures are made row by row: a multiplication for each event moves the whole relation. So
# are compositions with so many events in the middle.
_BY_ROWS: Final = 200
_MANY_MIDDLES: Final = 64
# For how many sizes the relations that all programs of a size have in common are kept.
_SIZES: Final = 64


@lru_cache(3 * _SIZES)
def _spaced(count: int, step: int) -> int:
    """So many ones, each `step` bits after the one before; added up, as a number, if these are at one place."""
    if not step:
        return count
    # What there is is doubled, so that all bits are moved a few times only.
    ones, found = 1, 1
    while ones < count:
        more = min(ones, count - ones)
        found |= (found & (1 << more * step) - 1) << ones * step
        ones += more
    return found if count else 0


def matrices_of(size: int) -> BitMatrices:
    """The operations for a program of so many events: small ones of one size have many relations in common."""
    return _shared(size) if size <= _SMALL else BitMatrices(size)


@lru_cache(_SMALL + 1)
def _shared(size: int) -> BitMatrices:
    return BitMatrices(size, _SHARED_RESULTS)


def packed(rows: Iterable[int], width: int) -> int:
    """Rows of so many bits, one behind the other."""
    parts = list(rows)
    if len(parts) < _MANY_ROWS:
        found = 0
        for row in reversed(parts):
            found = found << width | row
        return found
    # Neighbours are joined, and then pairs of them: each step moves all bits once.
    while len(parts) > 1:
        parts = [low | high << width for low, high in zip_longest(parts[::2], parts[1::2], fillvalue=0)]
        width *= 2
    return parts[0]


def unpacked(relation: int, size: int) -> list[int]:
    """The rows of a relation over so many events; halves are taken apart, so that each step moves all bits once."""
    parts, count = [relation], 1 << (size - 1).bit_length()
    while count > 1:
        count //= 2
        low = (1 << count * size) - 1
        parts = [half for part in parts for half in (part & low, part >> count * size)]
    return parts[:size]


def _composed(first: Sequence[int], second: Sequence[int]) -> Iterator[int]:
    """The rows of a composition."""
    known: dict[int, int] = {}
    for row in first:
        if row not in known:
            known[row] = reduce(or_, (second[middle] for middle in members(row)), 0)
        yield known[row]


class _Operations:
    """The operations that take longer than to look up a result. They are functions of the size and of their arguments.

    Nothing here refers to results, so that these go with the `BitMatrices` that remember them.
    """

    __slots__ = ("_columns", "_corner", "_folds", "_rest", "_spread", "_starts", "column_of_all", "row_of_all", "size")

    def __init__(self, size: int) -> None:
        self.size: Final = size
        self.row_of_all: Final = (1 << size) - 1
        self.column_of_all: Final = _spaced(size, size)
        # How far to shift a relation so that one half of its rows falls on the other half, again and again.
        self._folds: Final = tuple(size << k for k in reversed(range(size.bit_length())) if 1 << k < size)
        # All events but the last, and what spreads a set of them over the rows: with the last, copies would overlap.
        self._rest: Final = self.row_of_all >> 1
        self._corner: Final = (size - 1) ** 2
        self._spread: Final = _spaced(size, size - 1)
        # All places of a row but the last.
        self._starts: Final = self.column_of_all * self._rest
        # Where the digits of each column are among those of a relation.
        self._columns: Final = tuple([slice(place, None, size) for place in range(size)])

    def column(self, events: int) -> int:
        """The pairs (a, 0) with `a` in `events`."""
        rest = events & self._rest
        # The product has a copy of the set for each row, shifted so that the place of its own event begins the row.
        return rest * self._spread & self.column_of_all | (events ^ rest) << self._corner

    def starting_in(self, events: int) -> int:
        """All pairs that start in `events`."""
        return self.column(events) * self.row_of_all

    def domain(self, relation: int) -> int:
        """The events that are related to something."""
        if not relation:
            return 0
        starts = self._starts
        # The addition carries into the last place of a row, the first digit, if a place before it is taken.
        return int(self._digits((relation & starts) + starts | relation)[:: self.size], 2)

    def _digits(self, relation: int) -> str:
        """A digit for each pair, the last one first."""
        return f"{relation:0{self.size * self.size}b}"

    def range(self, relation: int) -> int:
        """The events that something is related to."""
        for fold in self._folds:
            relation |= relation >> fold
        return relation & self.row_of_all

    def compose(self, first: int, second: int) -> int:
        """`first ; second`."""
        if not first or not second:
            return 0
        found = 0
        column, row, size = self.column_of_all, self.row_of_all, self.size
        middles = listed(self.range(first))
        if size >= _BY_ROWS and len(middles) >= _MANY_MIDDLES:
            return packed(_composed(unpacked(first, size), unpacked(second, size)), size)
        for middle in middles:
            successors = second >> middle * size & row
            if successors:
                found |= (first >> middle & column) * successors
        return found

    def inverse(self, relation: int) -> int:
        """The pairs `(b, a)` for all pairs `(a, b)`."""
        if not relation:
            return 0
        # A column is every n-th digit. Python converts binary digits in linear time.
        return int("".join(map(self._digits(relation).__getitem__, self._columns)), 2)

    def closure(self, relation: int) -> int:
        """The transitive closure, by Warshall's algorithm: on a path, all events but the first are in the range."""
        if self.size >= _BY_ROWS and relation:
            # Imported here: only large programs need it.
            from mcm.engine.explicit.closing import closed_rows  # noqa: PLC0415

            return packed(closed_rows(unpacked(relation, self.size)), self.size)
        found = relation
        column, row, size = self.column_of_all, self.row_of_all, self.size
        for middle in listed(self.range(relation)):
            successors = found >> middle * size & row
            if successors:
                found |= (found >> middle & column) * successors
        return found


class BitMatrices:
    """The operations on relations over `size` events. Results of those that `_Operations` has are remembered.

    `ending_in` are all pairs that end in some events.
    """

    __slots__ = (
        "_of_rows",
        "_row",
        "closure",
        "column",
        "compose",
        "domain",
        "ending_in",
        "full",
        "identity",
        "inverse",
        "range",
        "size",
        "starting_in",
    )

    def __init__(self, size: int, results: int = _RESULTS) -> None:
        operations = _Operations(size)
        remembered = lru_cache(min(results, 1 + _BITS // (3 * size * size + 1)))
        self.size: Final = size
        self.identity: Final = _spaced(size, size + 1)
        self.full: Final = (1 << size * size) - 1
        self._row: Final = operations.row_of_all
        self.ending_in: Final[_OnOne] = operations.column_of_all.__mul__
        self.column: Final[_OnOne] = remembered(operations.column)
        self.starting_in: Final[_OnOne] = remembered(operations.starting_in)
        self.domain: Final[_OnOne] = remembered(operations.domain)
        self.range: Final[_OnOne] = remembered(operations.range)
        self.inverse: Final[_OnOne] = remembered(operations.inverse)
        self.closure: Final[_OnOne] = remembered(operations.closure)
        self.compose: Final[Callable[[int, int], int]] = remembered(operations.compose)
        self._of_rows: Final[Callable[[tuple[int, ...]], int]] = remembered(partial(packed, width=size))

    def product(self, first: int, second: int) -> int:
        """All pairs that start in `first` and end in `second`."""
        return self.column(first) * second

    def pack(self, rows: Iterable[int]) -> int:
        """A relation given by the successors of each event."""
        return self._of_rows(rows) if type(rows) is tuple else packed(rows, self.size)

    def squares(self, sets: Iterable[int]) -> int:
        """All pairs of members of the same set."""
        if self.size < _MANY_EVENTS:
            return reduce(or_, (self.product(events, events) for events in sets), 0)
        rows = [0] * self.size
        for events in sets:
            for event in members(events):
                rows[event] |= events
        return self.pack(rows)

    def pair(self, first: int, second: int) -> int:
        """One pair."""
        return 1 << first * self.size + second

    def pairs(self, relation: int) -> Iterator[tuple[int, int]]:
        """The pairs of a relation in order."""
        if self.size >= _MANY_EVENTS:
            # To take a pair out moves all the bits.
            yield from (
                (first, second) for first, row in enumerate(unpacked(relation, self.size)) for second in members(row)
            )
            return
        while relation:
            lowest = relation & -relation
            yield divmod(lowest.bit_length() - 1, self.size)
            relation ^= lowest

    def successors(self, relation: int, event: int) -> int:
        """The events that `event` is related to."""
        return relation >> event * self.size & self._row
