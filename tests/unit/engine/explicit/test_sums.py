"""What is said of sums is what their values say."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from mcm.engine.explicit.settled.sums import Sums
from mcm.execution.algebra import binary, conjunction, disjunction, negation, unary
from mcm.execution.evaluate import evaluate
from mcm.execution.expression import Constant, ReadValue
from mcm.program.types import Location, Scalar
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.execution.expression import Expression
    from mcm.program.types import Value

RETURNED: Final = {0: (0, 3), 1: (-2, 2), 2: (250, 255)}
TYPES: Final = (Scalar.INT, Scalar.INT, Scalar.UINT, Scalar.UCHAR, Scalar.LONG)


def expression(random: Random, depth: int) -> Expression:
    if depth == 0:
        return random.choice([ReadValue(0), ReadValue(1), ReadValue(2), *map(Constant, (0, 1, 2, -1, 5, 255))])
    if random.random() < 0.15:
        return unary("convert", expression(random, depth - 1), random.choice(TYPES))
    operator, type_ = random.choice(("+", "+", "-", "*", "<<")), random.choice(TYPES)
    return binary(operator, expression(random, depth - 1), expression(random, depth - 1), type_)


def condition(random: Random, depth: int) -> Expression:
    if depth == 0:
        operator = random.choice(("<", "<=", ">", ">=", "==", "!="))
        return binary(operator, expression(random, 1), expression(random, 1), Scalar.INT)
    one, other = condition(random, depth - 1), condition(random, depth - 1)
    return random.choice((conjunction, conjunction, disjunction, lambda first, _: negation(first)))(one, other)


def all_reads() -> Iterator[dict[int, Value]]:
    for values in product(*(range(low, high + 1) for low, high in RETURNED.values())):
        yield dict(enumerate(values))


@pytest.mark.parametrize("seed", range(60))
def test_a_sum_has_the_values_of_its_expression(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - nothing secret
    sums = Sums(RETURNED)
    of = expression(random, 2)
    found = sums.sum_of(of)
    if found is None:
        return
    low, high = sums.interval(found)
    for reads in all_reads():
        value = found.constant + sum(count * int(str(reads[read])) for read, count in found.terms)
        assert value == evaluate(of, reads, ())
        assert low <= value <= high


@pytest.mark.parametrize("seed", range(200))
def test_what_is_never_holds_for_no_values(seed: int) -> None:
    asked = condition(Random(seed), 2)  # noqa: S311 - nothing secret
    holds = [reads for reads in all_reads() if is_true(evaluate(asked, reads, ()) or 0)]
    sums = Sums(RETURNED)

    if sums.is_never(asked):
        assert not holds
    known = sums.known_of(asked)
    assert known is not None or not holds
    for reads in holds if known is not None else ():
        for terms, (low, high) in known.items():
            assert low <= sum(count * int(str(reads[read])) for read, count in terms) <= high


def test_many_conditions_that_never_hold_are_found() -> None:
    conditions = [condition(Random(seed), 2) for seed in range(200)]  # noqa: S311 - nothing secret
    never = [c for c in conditions if not any(is_true(evaluate(c, reads, ()) or 0) for reads in all_reads())]

    assert len(never) > 20
    assert sum(map(Sums(RETURNED).is_never, never)) > len(never) * 2 // 3


def test_addresses_are_sums_of_one_object() -> None:
    sums = Sums(RETURNED)
    base = Constant(Location(4, 2))
    address = sums.sum_of(binary("+", base, ReadValue(0), Scalar.INT))
    behind = binary(">=", binary("+", base, ReadValue(0), Scalar.INT), Constant(Location(4, 6)), Scalar.INT)

    assert address is not None
    assert (address.object, sums.interval(address)) == (4, (2, 5))
    assert sums.is_never(behind)
    assert not sums.is_never(
        binary(">=", binary("+", base, ReadValue(0), Scalar.INT), Constant(Location(5, 6)), Scalar.INT)
    )
