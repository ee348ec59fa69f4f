"""Intervals of terms hold the values that terms have in all structures between two."""

from __future__ import annotations

from random import Random

from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.interval import interval
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Difference,
    Domain,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Product,
    Range,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)

SIZE = 4
ALL = (1 << SIZE) - 1
SETS, RELATIONS = ("R", "W"), ("po", "rf", "mo")


def random_set(random: Random, depth: int) -> SetTerm:
    if depth == 0:
        return random.choice((BaseSet("R"), BaseSet("W"), Everything()))
    match random.randrange(5):
        case 0:
            return SetUnion(random_set(random, depth - 1), random_set(random, depth - 1))
        case 1:
            return SetIntersection(random_set(random, depth - 1), random_set(random, depth - 1))
        case 2:
            return SetDifference(random_set(random, depth - 1), random_set(random, depth - 1))
        case 3:
            return Domain(random_relation(random, depth - 1))
        case _:
            return Range(random_relation(random, depth - 1))


def random_relation(random: Random, depth: int) -> RelationTerm:
    if depth == 0:
        return Base(random.choice(RELATIONS))
    one, other = random_relation(random, depth - 1), random_relation(random, depth - 1)
    match random.randrange(8):
        case 0:
            return Union(one, other)
        case 1:
            return Intersection(one, other)
        case 2 | 3:
            return Difference(one, other)
        case 4:
            return Compose(one, other)
        case 5:
            return random.choice((Inverse(one), Closure(one)))
        case 6:
            return Identity(random_set(random, depth - 1))
        case _:
            return Product(random_set(random, depth - 1), random_set(random, depth - 1))


def structure(sets: dict[str, int], relations: dict[str, tuple[int, ...]]) -> Structure:
    return Structure(SIZE, ALL, sets, relations)


def between(random: Random, least: int, greatest: int) -> int:
    return least | greatest & random.getrandbits(SIZE)


def test_the_value_lies_between() -> None:
    random = Random(3)  # noqa: S311 - nothing secret
    exact = 0
    for _ in range(2000):
        high = structure(
            {name: random.getrandbits(SIZE) for name in SETS},
            {name: tuple(random.getrandbits(SIZE) for _ in range(SIZE)) for name in RELATIONS},
        )
        low = structure(
            {name: between(random, 0, value) for name, value in high.sets.items()},
            {name: tuple(between(random, 0, row) for row in rows) for name, rows in high.relations.items()},
        )
        some = structure(
            {name: between(random, low.sets[name], high.sets[name]) for name in SETS},
            {
                name: tuple(map(lambda a, b: between(random, a, b), low.relations[name], high.relations[name]))
                for name in RELATIONS
            },
        )
        term = random_relation(random, 3)

        least, greatest = interval(term, low, high)

        value = Evaluator(some).relation(term)
        assert all(a & ~b == 0 for a, b in zip(least, value, strict=True))
        assert all(a & ~b == 0 for a, b in zip(value, greatest, strict=True))
        exact += least == greatest
        assert interval(term, some, some) == (value, value)
    assert exact < 2000
