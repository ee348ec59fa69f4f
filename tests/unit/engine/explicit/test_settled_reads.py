"""Where all is known but from which writes reads take their values, states are read off: those of a search."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.leaf_results import LeafResults
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    import pytest

ORDERS = {"load": ("relaxed", "acquire", "seq_cst"), "store": ("relaxed", "release", "seq_cst")}


def query_of(*threads: str, locations: str = "") -> Query:
    lines = [f"P{number} (atomic_int* x, atomic_int* y) {{ {code} }}" for number, code in enumerate(threads)]
    program = read_test(Source("settled", "\n".join(["C settled", "{}", *lines, locations]))).program
    return Query(elaborate(program, 2), registry.get("rc11"), observed_by(program), wants_witnesses=False)


def read_off(query: Query, monkeypatch: pytest.MonkeyPatch) -> tuple[list[tuple[object, ...]], int]:
    """The states, asserted to be those of a search that shows an execution of each, and how many were read off."""
    times = 0
    add = LeafResults.add_state

    def counted(*given: object) -> None:
        nonlocal times
        times += 1
        add(*given)

    with monkeypatch.context() as patch:
        patch.setattr(LeafResults, "add_state", counted)
        states = [state.values for state in decide(query, many_ways=1 << 60).states]
    assert states == [state.values for state in decide(replace(query, wants_witnesses=True)).states]
    return states, times


def load(register: str, location: str, order: str = "relaxed") -> str:
    return f"int {register} = atomic_load_explicit({location}, memory_order_{order});"


def store(location: str, value: object, order: str = "relaxed") -> str:
    return f"atomic_store_explicit({location}, {value}, memory_order_{order});"


def random_thread(random: Random, number: int) -> str:
    code = []
    for place in range(random.choice((1, 2, 2, 3))):
        location = random.choice("xy")
        if random.random() < 0.5:
            code.append(load(f"r{place}", location, random.choice(ORDERS["load"])))
        else:
            code.append(store(location, 3 * number + place + 1, random.choice(ORDERS["store"])))
    return " ".join(code)


def test_each_state_is_read_off_once(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(f"{store('x', 1)} {store('y', 1, 'release')}", f"{load('r0', 'y', 'acquire')} {load('r1', 'x')}")

    # The final values of x and y come last.
    assert read_off(query, monkeypatch) == ([(0, 0, 1, 1), (0, 1, 1, 1), (1, 1, 1, 1)], 3)


def test_registers_that_share_a_read_have_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(store("x", 1), f"{load('r0', 'x')} int r1 = r0; {load('r2', 'y')}", store("y", 1))

    states, times = read_off(query, monkeypatch)

    assert ([state[:3] for state in states], times) == ([(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)], 4)


def test_what_depends_on_a_read_is_known_once_this_has_its_write(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(f"{load('r0', 'x')} {store('y', 'r0 + 1')}", f"{load('r0', 'y')} {store('x', 1)}")

    states, times = read_off(query, monkeypatch)

    assert (len(states), times) == (3, 2)


def test_locations_with_several_last_writes_are_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(
        store("x", 1), f"{store('x', 2)} {load('r0', 'y')}", store("y", 1), locations="locations [x; 1:r0;]"
    )

    states, times = read_off(query, monkeypatch)

    assert (states, times) == ([(0, 1), (0, 2), (1, 1), (1, 2)], 0)


def test_random_programs_have_the_states_that_are_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(11)  # noqa: S311 - nothing secret
    total = 0
    for _ in range(300):
        threads = [random_thread(random, number) for number in range(random.choice((2, 3)))]
        if any("int r" in code for code in threads):
            total += read_off(query_of(*threads), monkeypatch)[1]

    assert total > 500
