"""Calls in one expression come in every order that C allows, and in no other."""

from mcm.base.bits import members
from mcm.execution.sequencing import FullExpression


def test_one_call_has_one_order() -> None:
    expression = FullExpression(before={0: 0, 1: 1}, calls=[0b10])
    assert expression.alternatives(8) == [{0: 0, 1: 1}]


def test_two_loose_calls_come_both_ways() -> None:
    expression = FullExpression(before={0: 0, 1: 0}, calls=[0b01, 0b10])
    assert expression.alternatives(8) == [{0: 0, 1: 0b01}, {0: 0b10, 1: 0}]


def test_three_loose_calls_have_six_orders() -> None:
    expression = FullExpression(before={0: 0, 1: 0, 2: 0}, calls=[1, 2, 4])
    assert len(expression.alternatives(8)) == 6
    assert expression.alternatives(5) == []


def test_ordered_calls_keep_their_order() -> None:
    expression = FullExpression(before={0: 0, 1: 1}, calls=[1, 2])
    assert expression.alternatives(8) == [{0: 0, 1: 1}]


def test_plain_accesses_are_unsequenced_with_each_other_but_not_with_a_call() -> None:
    unsequenced = FullExpression(before={0: 0, 1: 0}, plain=[0, 1])
    assert unsequenced.alternatives(8) == [{0: 0, 1: 0}]
    beside_call = FullExpression(before={0: 0, 1: 0}, plain=[0], calls=[2])
    assert sorted(order[1] for order in beside_call.alternatives(8)) == [0, 1]


def test_the_events_of_a_call_stay_together() -> None:
    expression = FullExpression(before={0: 0, 1: 1, 2: 0}, calls=[0b011, 0b100])
    orders = expression.alternatives(8)
    assert len(orders) == 2
    assert {0: 0, 1: 0b1, 2: 0b11} in orders


def test_members() -> None:
    assert list(members(0b10110)) == [1, 2, 4]
