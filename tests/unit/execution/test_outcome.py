"""Final states against propositions."""

from __future__ import annotations

from functools import reduce

from mcm.execution.outcome import decisive, holds
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, RegisterName, Truth

PLACES = [RegisterName(0, f"r{number}") for number in range(3)]
ARE_ONE = [Comparison("=", Observed(place), Fixed(1)) for place in PLACES]


def state(*values: int) -> dict[RegisterName, int]:
    return dict(zip(PLACES, values, strict=True))


def test_of_what_is_true_in_several_ways_the_first_decides() -> None:
    assert decisive(reduce(Or, ARE_ONE), state(0, 1, 1)) == ARE_ONE[1]
    assert decisive(Not(reduce(And, ARE_ONE)), state(1, 0, 0)) == Not(ARE_ONE[1])


def test_of_what_takes_all_parts_all_decide() -> None:
    assert decisive(reduce(And, ARE_ONE), state(1, 1, 1)) == reduce(And, ARE_ONE)
    assert decisive(Not(reduce(Or, ARE_ONE)), state(0, 0, 0)) == Not(reduce(Or, ARE_ONE))


def test_what_decides_has_the_same_value() -> None:
    proposition = Or(And(ARE_ONE[0], Not(ARE_ONE[1])), And(ARE_ONE[2], Truth(value=True)))
    for number in range(8):
        final = state(number & 1, number >> 1 & 1, number >> 2)

        assert holds(decisive(proposition, final), final) is holds(proposition, final)
