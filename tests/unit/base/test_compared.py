"""Values that are compared without some of their fields."""

import pickle
from typing import ClassVar

import pytest
from msgspec.structs import replace

from mcm.base.compared import PartlyCompared


class Node(PartlyCompared, frozen=True, kw_only=True):
    span: int = 0


class Pair(Node, frozen=True):
    left: int
    right: tuple[int, ...] = ()


class Rank(Node, frozen=True):
    left: int


class Nothing(Node, frozen=True):
    pass


class Seen(PartlyCompared, frozen=True):
    not_compared: ClassVar = frozenset({"witness"})

    span: int
    witness: list[int]


def test_equality_and_hash_leave_out_what_is_not_compared() -> None:
    assert Pair(1, (2,), span=3) == Pair(1, (2,), span=4)
    assert hash(Pair(1, (2,), span=3)) == hash(Pair(1, (2,), span=4))
    assert Pair(1) != Pair(2)
    assert Pair(1) != Rank(1)
    assert Nothing(span=1) == Nothing(span=2)


def test_a_class_says_itself_what_is_not_compared() -> None:
    assert Seen(1, []) == Seen(1, [2])
    assert hash(Seen(1, [])) == hash(Seen(1, [2]))
    assert Seen(1, []) != Seen(2, [])


def test_representation_leaves_out_what_is_not_compared() -> None:
    assert repr(Pair(1, (2,), span=3)) == "Pair(left=1, right=(2,))"


def test_values_are_frozen_and_keep_all_fields_through_replace_and_pickling() -> None:
    pair = Pair(1, span=5)
    with pytest.raises(AttributeError):
        pair.left = 2  # type: ignore[misc]
    assert replace(pair, left=2).span == 5
    assert pickle.loads(pickle.dumps(pair)).span == 5  # noqa: S301 - our own bytes
