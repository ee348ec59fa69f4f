"""Rows: long ones are kept in blocks, and are what a tuple is."""

from __future__ import annotations

import pytest

from mcm.machine.row import Blocks, replaced, row


@pytest.mark.parametrize("length", [0, 1, 128, 129, 191, 192, 193, 1024])
def test_a_row_has_the_items_in_order(length: int) -> None:
    made = row(list(range(length)))
    assert list(made) == list(range(length))
    assert len(made) == length
    assert [made[index] for index in range(length)] == list(range(length))
    assert isinstance(made, Blocks) == (length > 128)


@pytest.mark.parametrize("length", [2, 129, 200, 1024])
def test_one_item_is_replaced_and_the_row_before_stays(length: int) -> None:
    before = row(list(range(length)))
    for index in (0, 1, length // 2, length - 1):
        expected = list(range(length))
        expected[index] = -1
        assert list(replaced(before, index, -1)) == expected
    assert list(before) == list(range(length))


def test_rows_are_equal_by_their_items() -> None:
    one, other = row(list(range(200))), row(list(range(200)))
    assert one == other
    assert hash(one) == hash(other)
    changed = replaced(one, 150, 0)
    assert changed != one
    back = replaced(changed, 150, 150)
    assert back == one
    assert hash(back) == hash(one)
    assert one != tuple(range(200))
