from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from smt_inputs import seeded

from mcm.base.bits import elements, transposed
from mcm.engine.smt import rows
from mcm.relation import evaluate

if TYPE_CHECKING:
    from random import Random


def random_rows(random: Random, size: int, density: float = 0.25) -> list[int]:
    return [sum(1 << j for j in range(size) if random.random() < density) for _ in range(size)]


@pytest.mark.parametrize("seed", range(30))
def test_rows_against_the_plain_reading(seed: int) -> None:
    random = seeded(seed)
    first, second = random_rows(random, 7), random_rows(random, 7)
    assert transposed(first) == list(evaluate.inverse(tuple(first)))
    assert rows.composed(first, second) == list(evaluate.compose(tuple(first), tuple(second)))
    assert rows.closed(first) == list(evaluate.closure(tuple(first)))


@pytest.mark.parametrize("density", [0, 0.01, 0.1, 0.5, 1])
@pytest.mark.parametrize("size", [0, 1, 2, 9, 70])
def test_sets_and_rows_are_the_same_however_dense(size: int, density: float) -> None:
    relation = random_rows(seeded(size), size, density)
    members = [[each for each in range(size) if row >> each & 1] for row in relation]

    assert [elements(row) for row in relation] == members
    columns = [[row for row in range(size) if column in members[row]] for column in range(size)]
    assert [elements(column) for column in transposed(relation)] == columns


@pytest.mark.parametrize("seed", range(30))
def test_components_are_mutually_reachable_and_sorted(seed: int) -> None:
    graph = random_rows(seeded(seed), 8)
    among = range(1, 8)
    mask = sum(1 << each for each in among)
    reach = evaluate.closure(tuple(row & mask if mask >> i & 1 else 0 for i, row in enumerate(graph)))
    found = rows.components(graph, among)
    assert sorted(each for component in found for each in component) == list(among)
    place = {each: position for position, component in enumerate(found) for each in component}
    for a in among:
        for b in among:
            mutual = a == b or bool(reach[a] >> b & 1 and reach[b] >> a & 1)
            assert (place[a] == place[b]) == mutual
            if reach[a] >> b & 1:
                assert place[b] <= place[a]
    cyclic = {each for component in rows.cyclic_components(graph, among) for each in component}
    assert cyclic == {each for each in among if reach[each] >> each & 1}
