"""States of independent reads are listed where nothing else depends on them, and searched for elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.many_states import PackedValues
from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.combinations import Combinations, Factor, combinations, images_of
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.symmetry import Exchange
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.condition import Comparison, Fixed, Observed

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.program.types import Value

NEVER = 1 << 60

WRITERS = """C readers
{}
P0 (atomic_int* x, atomic_int* y) { atomic_store_explicit(x, 1, memory_order_release); }
P1 (atomic_int* x, atomic_int* y) { atomic_store_explicit(y, 1, memory_order_release); }
"""
LOAD = "int r%d = atomic_load_explicit(%s, memory_order_%s);"


def query_of(*threads: str, locations: str = "", model: str = "rc11", parameters: str = "") -> Query:
    shared = ", ".join(filter(None, ("atomic_int* x", "atomic_int* y", parameters)))
    lines = [f"P{n} ({shared}) {{ {code} }}" for n, code in enumerate(threads, 2)]
    program = read_test(Source("readers", WRITERS + "\n".join([*lines, locations]))).program
    return Query(elaborate(program, 2), registry.get(model), observed_by(program), wants_witnesses=False)


def reader(*reads: str, order: str = "acquire") -> str:
    return " ".join(LOAD % (number, where, order) for number, where in enumerate(reads))


def combined(query: Query, monkeypatch: pytest.MonkeyPatch) -> tuple[Answer, bool]:
    """The answer, which is asserted to be that of the search, and whether states were combined."""
    done = []
    add = Combinations.add
    with monkeypatch.context() as patch:
        patch.setattr(Combinations, "add", lambda *given: done.append(add(*given)) or done[-1])
        answer = decide(query, many_ways=2)
    assert answer.states == decide(query, many_ways=NEVER).states
    return answer, done[:1] == [True]


def test_reads_of_different_locations_are_independent(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, at_once = combined(query_of(reader("x", "y"), reader("y", "x")), monkeypatch)

    assert (len(answer.states), at_once) == (16, True)


def test_reads_that_hang_together_are_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    # The second read of a location is not older than the first one.
    answer, at_once = combined(query_of(reader("x", "x"), reader("y", "y")), monkeypatch)

    assert (len(answer.states), at_once) == (9, True)


def test_locations_have_each_last_write(monkeypatch: pytest.MonkeyPatch) -> None:
    other = "atomic_store_explicit(x, 2, memory_order_relaxed);"
    locations = "locations [2:r0; 2:r1; x; y;]"

    answer, at_once = combined(query_of(reader("y", "y"), other, locations=locations), monkeypatch)

    assert (len(answer.states), at_once) == (6, True)


def test_a_value_computed_from_a_read_goes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, at_once = combined(query_of(reader("x", "y") + " int r2 = r0 * 2 + 1; int r3 = r0;"), monkeypatch)

    assert at_once
    assert {state.values for state in answer.states} == {(x, y, 2 * x + 1, x, 1, 1) for x in (0, 1) for y in (0, 1)}


@pytest.mark.parametrize(
    ("threads", "why"),
    [
        ((reader("x", "y") + " int r2 = r0 + r1;",), "a value of two reads"),
        ((reader("x") + " if (r0 == 1) { atomic_store_explicit(y, 2, memory_order_relaxed); }",), "control flow"),
        ((reader("x") + " atomic_store_explicit(y, r0 + 2, memory_order_relaxed);",), "a written value"),
        (
            tuple(
                f"{reader(one, order='relaxed')} atomic_store_explicit({other}, r0 * 0 + 1, memory_order_relaxed);"
                for one, other in ("xy", "yx")
            ),
            "a dependency: the values could be out of thin air",
        ),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_other_reads_are_searched_for(threads: tuple[str, ...], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, at_once = combined(query_of(*threads, model="c20"), monkeypatch)

    assert answer.states
    assert not at_once, why


@pytest.mark.parametrize(
    "write",
    [
        "atomic_store_explicit({to}, (c && r1) + 2, memory_order_relaxed);",
        "atomic_store_explicit({to}, c ? r1 : 2, memory_order_relaxed);",
        "if (!(c && r1)) {{ atomic_store_explicit({to}, 2, memory_order_relaxed); }}",
    ],
)
def test_known_values_that_depend_on_themselves_are_out_of_thin_air(
    write: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is read of `z` is known, and so is all that is written, whatever the others return; still it depends on them.
    threads = (
        f"int c = atomic_load_explicit(z, memory_order_relaxed); {LOAD % (1, here, 'relaxed')} {write.format(to=there)}"
        for here, there in ("xy", "yx")
    )

    answer, at_once = combined(query_of(*threads, model="c20", parameters="atomic_int* z"), monkeypatch)

    assert not at_once
    assert {(state.values[1], state.values[3]) for state in answer.states if state.thin_air} == {(2, 2)}


def test_two_readers_that_order_the_same_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each of both can see the writes of x in either order, but not one in one and one in the other.
    second = "atomic_store_explicit(x, 2, memory_order_relaxed);"

    answer, at_once = combined(query_of(second, reader("x", "x"), reader("x", "x")), monkeypatch)

    assert not at_once
    assert (1, 2, 2, 1) not in {state.values for state in answer.states}


def test_reads_that_a_rule_couples_are_decided_together(monkeypatch: pytest.MonkeyPatch) -> None:
    # Store buffering, sequentially consistent: not both loads come first.
    sides = (
        f"atomic_store_explicit({here}, 2, memory_order_seq_cst); {LOAD % (0, there, 'seq_cst')}"
        for here, there in ("xy", "yx")
    )

    answer, _ = combined(query_of(*sides, locations="locations [2:r0; 3:r0;]"), monkeypatch)

    assert (0, 0) not in {state.values for state in answer.states}


def test_a_filter_leaves_states_out(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(reader("x", "y"), reader("y", "x"))
    first = Comparison("=", Observed(query.observed[0]), Fixed(1))

    answer, _ = combined(replace(query, filter=first), monkeypatch)

    assert {state.values[0] for state in answer.states} == {1}


def test_races_of_independent_reads_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(f"{reader('x', 'y')} int c = *z;", reader("y", "x"), "*z = 1;", parameters="int* z")

    answer, at_once = combined(query, monkeypatch)

    assert [flag.name for flag in answer.flags] == ["data_race"]
    assert not at_once


@pytest.mark.parametrize("change", [{"wants_witnesses": True}, {"counts": True}, {"wants_states": False}], ids=str)
def test_executions_are_searched_for_where_they_matter(
    change: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = replace(query_of(reader("x", "y"), reader("y", "x")), **change)

    assert not combined(query, monkeypatch)[1]


def combined_values(factors: tuple[Factor, ...], size: int) -> list[tuple[Value, ...]]:
    packed = PackedValues(size)
    return [packed.unpack(text) for text in combinations(factors, packed)]


def test_combinations_put_values_at_their_positions() -> None:
    factors = (Factor((2,), ((5,),)), Factor((1,), ((7,), (8,))), Factor((0, 3), ((1, 2), (3, 4))))

    assert list(combined_values(factors, 4)) == [(1, 7, 5, 2), (3, 7, 5, 4), (1, 8, 5, 2), (3, 8, 5, 4)]


def test_images_are_those_of_all_states() -> None:
    exchanges = [Exchange((), (), watched, (), ()) for watched in ((1, 0, 2), (0, 2, 1))]
    factors = (Factor((0,), ((1,),)), Factor((1, 2), ((1, 2), (2, 3))))

    images = {values for image in images_of(factors, exchanges) for values in combined_values(image, 3)}

    states = set(combined_values(factors, 3))
    while more := {exchange.image_of_state(values) for exchange in exchanges for values in states} - states:
        states |= more
    assert images == states
