"""Interned values: what is built alike is one object, for as long as somebody has it."""

from __future__ import annotations

import gc
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from threading import Barrier, Event
from typing import TYPE_CHECKING

import pytest

from mcm.base import interned
from mcm.base.interned import Interned, derived

if TYPE_CHECKING:
    from collections.abc import Generator


class Leaf(Interned):
    name: str


class Pair(Interned):
    left: object
    right: object


def entries() -> int:
    interned._SWEEPING.sweep()
    return sum(key[0] in {Leaf, Pair} for key in interned._VALUES)


def test_values_built_alike_are_one_object() -> None:
    one = Pair(Leaf("a"), Leaf("b"))

    assert Pair(Leaf("a"), Leaf("b")) is one
    assert Pair(Leaf("b"), Leaf("a")) is not one
    assert one.left is Leaf("a")


def test_classes_are_told_apart() -> None:
    assert Leaf("a") is not Pair("a", "a")


@pytest.mark.parametrize("usual", [list, frozenset, enumerate, reversed, tuple, str])
def test_a_call_that_has_made_other_things_makes_no_second_value(usual: type) -> None:
    def make(kind: type, argument: object) -> object:
        return kind(argument)

    for _ in range(100):  # until the interpreter has a short way from this call to the class that it calls
        make(usual, "a")

    assert make(Leaf, "a") is Leaf("a")


@pytest.mark.parametrize("arguments", [(), ("a",), ("a", "b", "c")])
def test_other_numbers_of_arguments_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(TypeError, match="Pair is made of left, right; given are"):
        Pair(*arguments)


def test_a_field_may_follow_from_others() -> None:
    class Long(Interned):
        words: str
        length: int = derived(lambda value: len(value.words))

    value = Long("some words")

    assert value.length == 10
    assert repr(value) == "Long(words='some words')"


def test_values_go_when_nobody_has_them_and_can_be_made_anew() -> None:
    before = entries()
    value = Pair(Leaf("a"), Leaf("b"))
    assert entries() == before + 3

    del value
    assert entries() == before

    again = Pair(Leaf("a"), Leaf("b"))
    assert Pair(Leaf("a"), Leaf("b")) is again


def test_the_table_does_not_grow_with_what_nobody_has() -> None:
    kept = [Leaf(str(number)) for number in range(1000)]
    before = entries()
    most = interned._SWEEPING.most
    for number in range(2 * most):
        Pair(Leaf("dropped"), number)

    # It may become twice as large as what was left at the last sweep, which was no more than `most`.
    assert len(interned._VALUES) <= 2 * most
    assert entries() == before
    assert all(Leaf(str(number)) is value for number, value in enumerate(kept))


def test_what_is_deep_is_let_go_without_recursion() -> None:
    before = entries()
    value: object = Leaf("bottom")
    for _ in range(50_000):
        value = Pair(value, None)
    del value

    assert entries() == before


def test_a_value_saved_from_the_garbage_by_a_finaliser_stays_the_one() -> None:
    saved: list[object] = []

    def suspended(value: object) -> Generator[None, object]:
        itself = yield
        try:
            yield
        finally:
            saved.append((value, itself))

    # given: garbage that is a cycle, a value in it, and a finaliser that takes the value out again
    holder = (object(),)  # a value that the garbage collector would look at
    generator = suspended(Leaf(holder))  # type: ignore[arg-type]
    next(generator)
    generator.send(generator)
    del generator
    # when
    gc.collect()
    # then
    ((value, _),) = saved
    assert Leaf(holder) is value  # type: ignore[arg-type]


def test_pickling_and_copying_keep_identity() -> None:
    value = Pair(Leaf("a"), Leaf("b"))
    assert copy(value) is value
    assert deepcopy(value) is value
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


def test_values_that_are_swept_while_other_threads_build_them_stay_one() -> None:
    stop = Event()
    usual = sys.getswitchinterval()

    def build(_: int) -> int:
        wrong = 0
        while not stop.is_set():
            value = Pair(Leaf("x"), "y")
            wrong += Pair(Leaf("x"), "y") is not value
        return wrong

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(3) as pool:
            found = pool.map(build, range(3))
            for _ in range(60):
                with interned._LOCK:
                    interned._SWEEPING.sweep()
            stop.set()
    finally:
        sys.setswitchinterval(usual)

    assert sum(found) == 0


def test_values_may_be_built_while_another_is_entered() -> None:
    class Loud:
        """Builds an interned value while it is compared, which happens while the table is searched under the lock."""

        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            return Leaf("built") is other

    one, other = Loud(), Loud()
    kept = Pair(one, 0)
    assert Pair(other, 0) is not kept
