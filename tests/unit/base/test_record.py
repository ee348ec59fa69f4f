"""Records behave as frozen, slotted dataclasses do."""

import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from mcm.base.record import record


@record(frozen=True, slots=True, kw_only=True)
class Placed:
    place: int = field(compare=False, repr=False, default=0)


@record(frozen=True, slots=True)
class Pair(Placed):
    left: int
    right: tuple[int, ...] = ()
    names: list[str] = field(default_factory=list, compare=False)


@record(frozen=True, slots=True, order=True)
class Rank:
    high: int
    low: int = 0


@record(frozen=True, slots=True)
class Nothing:
    pass


def test_construction_and_defaults() -> None:
    pair = Pair(1, place=7)
    assert (pair.left, pair.right, pair.names, pair.place) == (1, (), [], 7)
    assert Pair(1).names is not Pair(1).names
    with pytest.raises(TypeError):
        Pair()  # type: ignore[call-arg]


def test_equality_and_hash_leave_out_what_is_not_compared() -> None:
    assert Pair(1, (2,), place=3) == Pair(1, (2,), ["x"], place=4)
    assert hash(Pair(1, (2,), place=3)) == hash(Pair(1, (2,)))
    assert Pair(1) != Pair(2)
    assert Pair(1) != Rank(1)
    assert Nothing() == Nothing()


def test_representation_leaves_out_what_is_not_shown() -> None:
    assert repr(Pair(1, (2,), place=3)) == "Pair(left=1, right=(2,), names=[])"


def test_values_do_not_change() -> None:
    pair = Pair(1)
    with pytest.raises(FrozenInstanceError):
        pair.left = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del pair.left  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        pair.other = 2  # type: ignore[attr-defined]
    assert not hasattr(pair, "__dict__")


def test_replace_fields_match_and_order() -> None:
    assert replace(Pair(1, place=5), left=2) == Pair(2)
    assert [f.name for f in fields(Pair)] == ["place", "left", "right", "names"]
    match Pair(1, (2,)):
        case Pair(left, (right,)):
            assert (left, right) == (1, 2)
        case _:
            pytest.fail("a record is matched by position")
    assert sorted([Rank(2), Rank(1, 5), Rank(1)]) == [Rank(1), Rank(1, 5), Rank(2)]


def test_pickling() -> None:
    stored = pickle.dumps(Pair(1, (2,), place=3))
    assert pickle.loads(stored) == Pair(1, (2,))  # noqa: S301 - our own bytes


def test_only_immutable_classes_are_records() -> None:
    with pytest.raises(TypeError, match="frozen"):
        record(frozen=False, slots=True)
