"""What is said of allowed outcomes where not everything was looked at."""

from __future__ import annotations

import pytest

from mcm import Source, check


def told(*bodies: str, condition: str) -> list[str]:
    threads = [
        f"P{n} (atomic_int* x, atomic_int* y, atomic_int* z, atomic_int* w) {{ {b} }}" for n, b in enumerate(bodies)
    ]
    text = "\n".join(("C t", "{ [x]=0; [y]=0; [z]=0; [w]=0; }", *threads, f"exists ({condition})"))
    (story,) = check(Source("t.litmus", text), model="c11").explain().stories
    return [sentence.text for sentence in story.sentences]


def side(mine: str, other: str, number: int = 0) -> str:
    """One side of store buffering."""
    return f"{store(mine)} {load(other, number)}"


def store(place: str) -> str:
    return f"atomic_store_explicit({place}, 1, memory_order_relaxed);"


def load(place: str, number: int) -> str:
    return f"int r{number} = atomic_load_explicit({place}, memory_order_relaxed);"


CUT = "not all executions were looked at: one may be nearer to an interleaving"
TWICE = (side("x", "y"), side("y", "x"), side("z", "w"), side("w", "z"))
BOTH = r"0:r0=0 /\ 1:r0=0 /\ 2:r0=0 /\ 3:r0=0"


@pytest.mark.slow
def test_where_all_ways_are_looked_at_nothing_is_left_out() -> None:
    assert CUT not in told(*TWICE, condition=BOTH)


@pytest.mark.slow
def test_where_there_are_more_ways_it_is_said() -> None:
    looks = " ".join(load(place, number) for number, place in enumerate("xyz"))

    assert CUT in told(*TWICE, looks, condition=BOTH)


def test_one_deviation_is_the_least_however_many_ways_there_are() -> None:
    looks = " ".join(load(place, number) for number, place in enumerate("xyxy"))

    assert CUT not in told(*TWICE[:2], looks, condition=r"0:r0=0 /\ 1:r0=0")


def test_of_many_events_nothing_is_said_of_what_is_nearest() -> None:
    more = " ".join(load("z", number) for number in range(1, 41))
    sentences = told(f"{more} {TWICE[0]}", TWICE[1], condition=r"0:r0=0 /\ 1:r0=0")

    assert "what comes nearest to forbidding it is looked for among 40 events at most: it has 48" in sentences
    assert not [text for text in sentences if text.startswith("no other memory order")]


def test_an_initial_value_is_not_executed_later() -> None:
    add = "atomic_fetch_add_explicit({}, 1, memory_order_relaxed);"
    found = told(f"{add.format('x')} {add.format('y')}", load("y", 0) + load("x", 1), condition=r"1:r0=1 /\ 1:r1=0")

    assert "P0 line 3:67 takes effect on x at another time than in any interleaving of the rest" in " ".join(found), (
        found
    )
    assert not any("executed later" in sentence for sentence in found)
