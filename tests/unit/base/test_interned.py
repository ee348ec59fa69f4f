"""Interned values: what is built alike is one object, for as long as somebody has it."""

import gc
import pickle

from mcm.base import interned
from mcm.base.interned import Interned
from mcm.base.record import record


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Leaf(Interned):
    name: str


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Pair(Interned):
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
