"""Relations over n events packed into one int: bit `a * n + b` stands for the pair (a, b).

Set operations are then single machine-near operations on ints, and a composition is n multiplications: a column of
ones times a row lays the row into every place where the column has a one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# How much is remembered of each operation: so many results, but no more than so many bits.
_RESULTS: Final = 20_000
_BITS: Final = 1 << 28
_Key = TypeVar("_Key")


class Square:
    """The operations on relations over `size` events. Results of the costly ones are remembered."""

    __slots__ = (
        "_closures",
        "_column",
        "_columns",
        "_inverses",
        "_products",
        "_remembered",
        "_row",
        "_rows",
        "full",
        "identity",
        "size",
    )

    def __init__(self, size: int) -> None:
        self.size: Final = size
        self._row: Final = (1 << size) - 1
        self._column: Final = sum(1 << a * size for a in range(size))
        self.identity: Final = sum(1 << a * size + a for a in range(size))
        self.full: Final = (1 << size * size) - 1
        self._rows: Final[dict[int, int]] = {}
        self._columns: Final[dict[int, int]] = {}
        self._inverses: Final[dict[int, int]] = {0: 0}
        self._closures: Final[dict[int, int]] = {0: 0}
        self._remembered: Final = min(_RESULTS, 1 + _BITS // (3 * size * size + 1))
        self._products: Final[dict[tuple[int, int], int]] = {}

    def column(self, events: int) -> int:
        """The pairs (a, 0) with `a` in `events`."""
        found = self._columns.get(events)
        if found is None:
            found = sum(1 << a * self.size for a in range(self.size) if events >> a & 1)
            self._columns[events] = found
        return found

    def from_(self, events: int) -> int:
        """All pairs that start in `events`."""
        found = self._rows.get(events)
        if found is None:
            found = self._rows[events] = self.column(events) * self._row
        return found

    def into(self, events: int) -> int:
        """All pairs that end in `events`."""
        return self._column * events

    def product(self, first: int, second: int) -> int:
        """All pairs that start in `first` and end in `second`."""
        return self.column(first) * second

    def pack(self, rows: Iterable[int]) -> int:
        """A relation given by the successors of each event."""
        return sum(row << a * self.size for a, row in enumerate(rows))

    def pair(self, first: int, second: int) -> int:
        """One pair."""
        return 1 << first * self.size + second

    def pairs(self, relation: int) -> Iterator[tuple[int, int]]:
        """The pairs of a relation in order."""
        while relation:
            lowest = relation & -relation
            yield divmod(lowest.bit_length() - 1, self.size)
            relation ^= lowest

    def successors(self, relation: int, event: int) -> int:
        """The events that `event` is related to."""
        return relation >> event * self.size & self._row

    def domain(self, relation: int) -> int:
        """The events that are related to something."""
        events = 0
        bit = 1
        while relation:
            if relation & self._row:
                events |= bit
            relation >>= self.size
            bit <<= 1
        return events

    def range(self, relation: int) -> int:
        """The events that something is related to."""
        events = 0
        while relation:
            events |= relation
            relation >>= self.size
        return events & self._row

    def compose(self, first: int, second: int) -> int:
        """`first ; second`."""
        if not first or not second:
            return 0
        key = (first, second)
        found = self._products.get(key)
        if found is None:
            found = self._compose(first, second)
            self._remember(self._products, key, found)
        return found

    def _compose(self, first: int, second: int) -> int:
        result = 0
        column, row, size = self._column, self._row, self.size
        middle = 0
        while second:
            successors = second & row
            if successors:
                predecessors = first >> middle & column
                if predecessors:
                    result |= predecessors * successors
            second >>= size
            middle += 1
        return result

    def inverse(self, relation: int) -> int:
        """The pairs, turned round."""
        found = self._inverses.get(relation)
        if found is None:
            found = 0
            rest = relation
            start = 0
            while rest:
                row = rest & self._row
                if row:
                    found |= self.column(row) << start
                rest >>= self.size
                start += 1
            self._remember(self._inverses, relation, found)
        return found

    def closure(self, relation: int) -> int:
        """The transitive closure, by Warshall's algorithm."""
        found = self._closures.get(relation)
        if found is None:
            found = relation
            column, row, size = self._column, self._row, self.size
            for middle in range(size):
                predecessors = found >> middle & column
                if predecessors:
                    successors = found >> middle * size & row
                    if successors:
                        found |= predecessors * successors
            self._remember(self._closures, relation, found)
        return found

    def _remember(self, table: dict[_Key, int], key: _Key, value: int) -> None:
        if len(table) >= self._remembered:
            table.clear()
        table[key] = value
