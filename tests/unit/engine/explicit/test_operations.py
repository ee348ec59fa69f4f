"""Values that are one operator applied to what an update reads, however they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.engine.explicit.settled.operations import as_operation
from mcm.execution.algebra import binary, negation, select
from mcm.execution.evaluate import evaluate
from mcm.execution.expression import Constant, ReadValue
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.execution.expression import Expression

OWN: Final = ReadValue(1)
FIVE: Final = Constant(5)
BIT: Final = Constant(4)
INT: Final = Scalar.INT


def compared(symbol: str, left: Expression, right: Expression) -> Expression:
    return binary(symbol, left, right, INT)


def has_bit(left: Expression = OWN, right: Expression = BIT) -> Expression:
    return compared("!=", binary("&", left, right, INT), Constant(0))


MAX: Final = binary("max", OWN, FIVE, INT)
MIN: Final = binary("min", OWN, FIVE, INT)
SET: Final = binary("|", OWN, BIT, INT)


@pytest.mark.parametrize(
    ("value", "operation"),
    [
        pytest.param(select(compared("<", OWN, FIVE), FIVE, OWN), MAX, id="larger"),
        pytest.param(select(compared(">", FIVE, OWN), FIVE, OWN), MAX, id="larger-turned-round"),
        pytest.param(select(compared(">=", OWN, FIVE), OWN, FIVE), MAX, id="larger-is-kept"),
        pytest.param(select(negation(compared(">=", OWN, FIVE)), FIVE, OWN), MAX, id="not-larger-yet"),
        pytest.param(select(compared("<=", OWN, FIVE), OWN, FIVE), MIN, id="smaller"),
        pytest.param(select(compared(">", OWN, FIVE), FIVE, OWN), MIN, id="smaller-where-larger"),
        pytest.param(binary("max", FIVE, OWN, INT), MAX, id="operands-turned-round"),
        pytest.param(binary("|", BIT, OWN, INT), SET, id="a-bit-first"),
        pytest.param(select(has_bit(), OWN, SET), SET, id="a-bit-that-is-not-set"),
        pytest.param(select(negation(has_bit()), SET, OWN), SET, id="a-bit-that-is-not-set-turned-round"),
    ],
)
def test_these_are(value: Expression, operation: Expression) -> None:
    assert as_operation(value, OWN) is operation
    for number in range(-10, 11):
        assert evaluate(value, {OWN.event: number}, ()) == evaluate(operation, {OWN.event: number}, ())


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(select(compared("<", OWN, FIVE), BIT, OWN), id="something-else-is-written"),
        pytest.param(select(compared("==", OWN, FIVE), FIVE, OWN), id="equal"),
        pytest.param(select(binary("<", OWN, Constant(5.0), Scalar.FLOAT), Constant(5.0), OWN), id="a-float"),
        pytest.param(binary("-", FIVE, OWN, INT), id="another-difference"),
        pytest.param(binary("+", Constant(5.0), OWN, Scalar.FLOAT), id="a-sum-of-floats"),
        pytest.param(select(has_bit(OWN, Constant(6)), OWN, binary("|", OWN, Constant(6), INT)), id="two-bits"),
        pytest.param(select(has_bit(), SET, OWN), id="a-bit-that-is-set"),
        pytest.param(select(has_bit(), OWN, binary("|", OWN, Constant(8), INT)), id="another-bit"),
        pytest.param(select(has_bit(), OWN, binary("+", OWN, BIT, INT)), id="a-bit-that-is-added"),
        pytest.param(select(has_bit(ReadValue(2)), OWN, SET), id="a-bit-of-something-else"),
    ],
)
def test_these_are_not(value: Expression) -> None:
    found = as_operation(value, OWN)
    # At most what it does is asked the other way round.
    for number in range(-10, 11):
        reads = {OWN.event: number, 2: 4}
        assert evaluate(found, reads, ()) == evaluate(value, reads, ())
    assert found not in {MAX, MIN, SET}
