"""The part of an expression through which alone it depends on what is not known."""

from __future__ import annotations

from typing import Final

import pytest

from mcm.engine.smt.common_part import Shapes
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue, Select, UnaryValue
from mcm.program.types import Scalar

ONE: Final = ReadValue(0)
OTHER: Final = ReadValue(1)
EITHER: Final = Select(Choice(0), ONE, OTHER)


def binary(symbol: str, left: Expression, right: Expression) -> Expression:
    return BinaryValue(symbol, left, right, Scalar.INT)


def without_lowest_bit(part: Expression) -> Expression:
    return binary("&", part, binary("-", part, Constant(1)))


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        (without_lowest_bit(ONE), ONE),
        (without_lowest_bit(EITHER), EITHER),
        (binary("+", ONE, ONE), ONE),
        (Select(binary("<", ONE, Constant(2)), Constant(2), ONE), ONE),
        (binary("-", without_lowest_bit(ONE), without_lowest_bit(ONE)), without_lowest_bit(ONE)),
        (binary("+", UnaryValue("-", without_lowest_bit(EITHER), Scalar.INT), binary("*", EITHER, EITHER)), EITHER),
        # Operands that have nothing else in common, and one operand alone.
        (binary("+", ONE, OTHER), None),
        (EITHER, None),
        (binary("+", without_lowest_bit(ONE), OTHER), None),
        (binary("+", ONE, Constant(1)), None),
        (UnaryValue("-", ONE, Scalar.INT), None),
        (Constant(1), None),
        # What has a value where the part has none.
        (binary("+", binary("&&", ONE, Constant(0)), binary("&&", Constant(0), ONE)), None),
        (binary("&&", ONE, ONE), None),
    ],
)
def test_it_is_what_several_operands_share(expression: Expression, part: Expression | None) -> None:
    assert Shapes().common_part(expression) is part


def test_expressions_of_one_shape_are_evaluated_once_for_each_value() -> None:
    shapes = Shapes()
    for part in (ONE, OTHER, EITHER):
        assert shapes.common_part(without_lowest_bit(part)) is part
        assert list(shapes.by_part(without_lowest_bit(part), (6, 8, 1))) == [(6, 4), (8, 0), (1, 0)]


def test_what_has_no_value_for_one_of_the_part_is_left_out() -> None:
    division = binary("/", ONE, binary("-", ONE, Constant(2)))
    assert [each for each, _ in Shapes().by_part(division, (4, 2, 3))] in ([4, 3], [4, 2, 3])


def test_a_long_expression_is_given_up() -> None:
    long = ONE
    for number in range(200):
        long = binary("+", long, binary("*", ReadValue(number), Constant(3)))
    assert Shapes().common_part(long) is None
