"""Rows that are made when they are looked at are those that a tuple would hold."""

from __future__ import annotations

import pickle
from random import Random

import pytest

from mcm.execution.rows import OtherEvents, ShiftedRows, rows_of

# More than a tuple is used for.
MANY = 3000


def test_shifted_rows_are_the_masks_behind_nothing() -> None:
    masks, shifts = [n % 7 for n in range(MANY)], [n // 2 for n in range(MANY)]
    rows = ShiftedRows(masks, shifts)
    expected = tuple(mask << shift for mask, shift in zip(masks, shifts, strict=True))
    assert tuple(rows) == expected
    assert rows == expected
    assert hash(rows) == hash(expected)
    assert rows[-1] == expected[-1]
    assert rows[3:8] == expected[3:8]
    assert rows == ShiftedRows(masks, shifts)
    assert rows != ShiftedRows(masks, [shift + 1 for shift in shifts])


def test_rows_of_some_events_are_the_rows() -> None:
    pick = Random("sparse")  # noqa: S311 - no secret
    related = {n: sorted({pick.randrange(MANY) for _ in range(n % 4 + 1)}) for n in range(0, MANY, 3)}
    rows = [sum(1 << other for other in related.get(n, ())) for n in range(MANY)]
    assert tuple(rows_of(related, MANY)) == tuple(rows)


def test_other_events_are_all_but_those_of_the_row() -> None:
    rows = tuple(0b1111 << n // 4 * 4 for n in range(MANY))
    found = OtherEvents(rows)
    everything = (1 << MANY) - 1
    assert tuple(found) == tuple(everything & ~row for row in rows)
    assert OtherEvents(rows[:8]) == (0b11110000,) * 4 + (0b1111,) * 4


def test_rows_outside_their_events_are_none() -> None:
    with pytest.raises(IndexError):
        ShiftedRows([0] * MANY, [0] * MANY)[MANY]


def test_rows_of_large_kernels_take_memory_in_proportion_to_the_events() -> None:
    related = {n: range(n // 28 * 28, n // 28 * 28 + 28) for n in range(MANY)}
    rows = [((1 << 28) - 1) << n // 28 * 28 for n in range(MANY)]
    plain, kept = len(pickle.dumps(rows)), len(pickle.dumps(rows_of(related, MANY)))
    assert kept < plain / 5
