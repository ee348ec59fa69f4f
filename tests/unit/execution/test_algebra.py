"""Guards fold: what is decided disappears, and the two sides of a branch join to what was before it."""

from mcm.execution.algebra import (
    FALSE,
    TRUE,
    binary,
    conjunction,
    disjunction,
    facts,
    is_never,
    leaves,
    negation,
    select,
    truth,
    under,
)
from mcm.execution.expression import Constant, Expression, ReadValue
from mcm.program.types import Scalar

A = truth(ReadValue(1))
B = truth(ReadValue(2))
C = truth(ReadValue(3))


def test_the_sides_of_a_branch_join() -> None:
    assert disjunction(conjunction(A, B), conjunction(A, negation(B))) is A
    assert disjunction(B, negation(B)) is TRUE


def test_contradictions_are_false() -> None:
    assert conjunction(A, B, negation(A)) is FALSE


def test_double_negation() -> None:
    for condition in (A, conjunction(A, B), binary("<", ReadValue(1), Constant(3), Scalar.INT)):
        assert negation(negation(condition)) is condition


def test_a_variable_assigned_on_both_sides_is_known_on_each() -> None:
    value = select(conjunction(A, negation(B)), Constant(2), select(conjunction(A, B), Constant(1), Constant(0)))
    assert under(value, facts(conjunction(A, B))) is Constant(1)
    assert under(value, facts(conjunction(A, negation(B)))) is Constant(2)
    assert under(value, facts(A)) is select(negation(B), Constant(2), select(B, Constant(1), Constant(0)))


def test_operators_on_choices_between_constants_fold() -> None:
    assert binary("==", select(A, Constant(1), Constant(0)), Constant(1), Scalar.INT) is A
    assert binary("+", select(A, Constant(1), Constant(2)), Constant(1), Scalar.INT) is select(
        A, Constant(2), Constant(3)
    )


def test_leaves() -> None:
    nested = select(A, Constant(5), select(C, Constant(6), Constant(7)))
    assert leaves(nested) == (
        (A, Constant(5)),
        (conjunction(negation(A), C), Constant(6)),
        (conjunction(negation(A), negation(C)), Constant(7)),
    )


def test_what_cannot_hold_is_seen_by_cases() -> None:
    # Whoever waits for A, then B, then C has gone on after one of these, or has stopped.
    ways = [A, conjunction(negation(A), B), conjunction(negation(A), negation(B), C)]
    stopped = conjunction(*map(negation, (A, B, C)))

    assert is_never(negation(disjunction(*ways, stopped)))
    assert is_never(FALSE)
    assert not is_never(negation(disjunction(*ways)))
    assert not is_never(conjunction(disjunction(A, B), negation(A)))
    assert not is_never(TRUE)


def all_neighbours_differ(count: int) -> Expression:
    """That each of some truths in a circle differs from the next one: not possible for an odd number of them."""
    truths = [truth(ReadValue(number)) for number in range(count)]
    pairs = zip(truths, [*truths[1:], truths[0]], strict=True)
    return conjunction(
        *(disjunction(conjunction(one, negation(other)), conjunction(negation(one), other)) for one, other in pairs)
    )


def test_a_large_condition_is_taken_to_hold_in_some_case() -> None:
    assert is_never(all_neighbours_differ(3))
    assert not is_never(all_neighbours_differ(4))
    assert not is_never(all_neighbours_differ(21))


def test_what_is_older_than_all_facts_is_not_looked_at() -> None:
    old = select(A, Constant(1), select(B, Constant(2), Constant(3)))
    both = select(C, Constant(4), old)
    asked: dict[Expression, Expression] = {}

    assert under(old, facts(C), asked, oldest=3) is old
    assert under(both, facts(negation(C)), asked, oldest=3) is old
    assert B not in asked


def test_a_fact_is_found_in_what_depends_on_newer_events_too() -> None:
    mixed = select(C, select(A, Constant(1), Constant(2)), Constant(3))

    assert under(mixed, facts(A), oldest=1) is select(C, Constant(1), Constant(3))
