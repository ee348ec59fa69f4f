"""What is known on a path: facts, and alternatives of which one is left."""

from mcm.execution.algebra import FALSE, TRUE, binary, conjunction, disjunction, negation, truth
from mcm.execution.expression import Constant, Expression, ReadValue
from mcm.execution.knowledge import NOTHING_KNOWN
from mcm.program.types import Scalar


def equals(read: int, value: int) -> Expression:
    return binary("==", ReadValue(read), Constant(value), Scalar.INT)


ONE, TWO, THREE = (equals(0, value) for value in (1, 2, 3))


def test_conjuncts_hold_and_their_negations_do_not() -> None:
    known = NOTHING_KNOWN.with_condition(conjunction(ONE, negation(TWO))).facts
    assert (known[ONE], known[negation(ONE)], known[TWO]) == (TRUE, FALSE, FALSE)


def test_the_last_alternative_holds() -> None:
    either = NOTHING_KNOWN.with_condition(disjunction(ONE, TWO, THREE))
    assert TWO not in either.facts
    two_left = either.with_condition(negation(ONE))
    assert TWO not in two_left.facts
    one_left = two_left.with_condition(negation(THREE))
    assert one_left.facts[TWO] is TRUE
    assert one_left.alternatives == ()


def test_a_conjunction_that_does_not_hold_is_a_choice_too() -> None:
    known = NOTHING_KNOWN.with_condition(negation(conjunction(negation(ONE), negation(TWO))))
    assert known.with_condition(negation(TWO)).facts[ONE] is TRUE


def test_what_follows_decides_further_alternatives() -> None:
    first = NOTHING_KNOWN.with_condition(disjunction(ONE, conjunction(TWO, equals(1, 5))))
    second = first.with_condition(disjunction(negation(TWO), THREE))
    assert second.with_condition(negation(ONE)).facts[THREE] is TRUE


def test_alternatives_of_which_one_holds_say_nothing_any_more() -> None:
    known = NOTHING_KNOWN.with_condition(disjunction(ONE, TWO)).with_condition(ONE)
    assert known.alternatives == ()
    assert TWO not in known.facts


def test_each_fact_depends_on_the_oldest_event_or_a_newer_one() -> None:
    first, second = truth(ReadValue(4)), binary("<", ReadValue(2), ReadValue(7), Scalar.INT)

    known = NOTHING_KNOWN.with_condition(second)
    assert known.oldest == 7
    assert known.with_condition(first).oldest == 4
    # That one of two holds, and the first does not, tells of the second.
    of_two = NOTHING_KNOWN.with_condition(disjunction(second, first)).with_condition(negation(second))
    assert of_two.facts[first] is TRUE
    assert of_two.oldest == 4
