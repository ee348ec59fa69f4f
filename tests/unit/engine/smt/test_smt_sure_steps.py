"""What of a closure is sure, and which steps it makes superfluous, where some events are executed only with others."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from smt_inputs import seeded

from mcm.base.bits import elements, transposed
from mcm.engine.smt.circuit import FALSE
from mcm.engine.smt.relation import Relation, reduced, surely_closed
from mcm.relation.evaluate import closure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

SIZE = 7


def conditional(implied: list[int]) -> Any:
    """An execution of which it is only known which events are executed with which."""
    everything = (1 << len(implied)) - 1
    together = [everything] * len(implied)
    return SimpleNamespace(implied=implied, implying=transposed(implied), possible=everything, together=together)


def random_implications(random: Random) -> list[int]:
    """For each event, the events with it; each is executed whenever another one is that needs all that it needs."""
    conditions = [frozenset(c for c in "abc" if random.random() < 0.3) for _ in range(SIZE)]
    return [sum(1 << i for i, other in enumerate(conditions) if other <= mine) for mine in conditions]


def executed_sets(implied: list[int]) -> Iterator[int]:
    for chosen in product((0, 1), repeat=len(implied)):
        mask = sum(bit << event for event, bit in enumerate(chosen))
        if all(implied[event] & ~mask == 0 for event in elements(mask)):
            yield mask


def within(rows: list[int], executed: int) -> list[int]:
    return [row & executed if executed >> event & 1 else 0 for event, row in enumerate(rows)]


@pytest.mark.parametrize("seed", range(60))
def test_what_is_surely_closed_is_in_the_closure_of_each_execution(seed: int) -> None:
    random = seeded(seed)
    implied = random_implications(random)
    rows = [sum(1 << b for b in range(SIZE) if random.random() < 0.3) for _ in range(SIZE)]

    sure = surely_closed(rows, conditional(implied))

    assert all(row & ~found == 0 for row, found in zip(rows, sure, strict=True))
    for executed in executed_sets(implied):
        full = closure(tuple(within(rows, executed)))
        assert all(found & ~row == 0 for found, row in zip(within(sure, executed), full, strict=True))


@pytest.mark.parametrize("seed", range(60))
def test_where_all_is_executed_the_closure_is_sure(seed: int) -> None:
    random = seeded(seed)
    numbers = list(range(SIZE))
    random.shuffle(numbers)
    rows = [0] * SIZE
    for place, a in enumerate(numbers):
        rows[a] = sum(1 << b for b in numbers[place + 1 :] if random.random() < 0.4)

    assert surely_closed(rows, conditional([(1 << SIZE) - 1] * SIZE)) == list(closure(tuple(rows)))


@pytest.mark.parametrize("seed", range(60))
def test_without_superfluous_steps_the_closure_is_the_same(seed: int) -> None:
    random = seeded(seed)
    implied = random_implications(random)
    must = [sum(1 << b for b in range(SIZE) if random.random() < 0.25) for _ in range(SIZE)]
    may = [row | sum(1 << b for b in range(SIZE) if random.random() < 0.15) for row in must]
    execution = conditional(implied)

    left = reduced(Relation(execution, may, must, lambda _, __: FALSE), execution)

    for executed in executed_sets(implied):
        steps, kept = within(may, executed), within(left, executed)
        assert closure(tuple(steps)) == closure(tuple(kept))


def test_two_steps_are_both_kept_where_each_makes_the_other_superfluous() -> None:
    # 0 is executed only with 1 and 2; these are related both ways, and neither implies the other.
    implied = [0b111, 0b010, 0b100]
    rows = [0b110, 0b100, 0b010]
    execution = conditional(implied)

    assert reduced(Relation(execution, rows, rows, lambda _, __: FALSE), execution) == rows
