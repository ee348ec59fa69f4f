"""Interned values: what is built alike is one object, for as long as somebody has it."""

import gc
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from mcm.base import interned
from mcm.base.interned import Interned


class Leaf(Interned, frozen=True):
    name: str


class Pair(Interned, frozen=True):
    left: object
    right: object


def entries() -> int:
    return sum(key[0] in {Leaf, Pair} for key in interned._TABLE)


def test_values_built_alike_are_one_object() -> None:
    one = Pair(Leaf("a"), Leaf("b"))

    assert Pair(Leaf("a"), Leaf("b")) is one
    assert Pair(Leaf("b"), Leaf("a")) is not one
    assert one.left is Leaf("a")


def test_classes_are_told_apart() -> None:
    assert Leaf("a") is not Pair("a", "a")


def test_values_go_when_nobody_has_them_and_can_be_made_anew() -> None:
    gc.collect()
    before = entries()
    value = Pair(Leaf("a"), Leaf("b"))
    assert entries() == before + 3

    del value
    assert entries() == before

    again = Pair(Leaf("a"), Leaf("b"))
    assert Pair(Leaf("a"), Leaf("b")) is again


def test_pickling_keeps_identity() -> None:
    value = Pair(Leaf("a"), Leaf("b"))
    assert pickle.loads(pickle.dumps(value)) is value  # noqa: S301 - our own bytes


def test_a_value_does_not_change() -> None:
    value = Leaf("a")
    with pytest.raises(AttributeError):
        value.name = "b"  # type: ignore[misc]


def test_threads_that_build_the_same_values_get_the_same_objects() -> None:
    threads, rounds = 4, 300
    meeting = Barrier(threads)
    usual = sys.getswitchinterval()

    def build(_: int) -> list[Pair]:
        meeting.wait()
        made = []
        for number in range(rounds):
            Pair(Leaf("dropped"), number)  # made and forgotten all the time, by all threads
            made.append(Pair(Leaf(f"kept {number}"), Leaf("x")))
        return made

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(threads) as pool:
            first, *others = pool.map(build, range(threads))
    finally:
        sys.setswitchinterval(usual)

    for other in others:
        assert all(mine is theirs for mine, theirs in zip(first, other, strict=True))


def test_a_value_forgotten_while_another_is_entered_is_no_deadlock() -> None:
    class Loud:
        """Drops an interned value while it is compared, which happens while the table is searched under the lock."""

        def __init__(self) -> None:
            self.held: object = None

        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            self.held = None
            return False

    one, other = Loud(), Loud()
    kept = Pair(one, 0)
    one.held = other.held = Leaf("dropped")
    assert Pair(other, 0) is not kept
