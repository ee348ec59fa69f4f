"""Large expressions: each part is looked at once, without recursion, and the value is that of the written-out text."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcm.execution.algebra import TRUE
from mcm.execution.evaluate import evaluate, probe
from mcm.execution.expression import (
    LARGE,
    BinaryValue,
    Choice,
    Constant,
    Expression,
    GroupResult,
    ReadValue,
    Select,
    UnaryValue,
    is_large,
    parts,
    size_of,
    unfilled,
)
from mcm.execution.renaming import Renaming
from mcm.execution.substitution import Substitution
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary, apply_unary, is_true

if TYPE_CHECKING:
    from mcm.program.types import Value

INT = Scalar.INT
READ = ReadValue(0)


def chain(length: int) -> Expression:
    expression: Expression = READ
    for _ in range(length):
        expression = BinaryValue("+", expression, Constant(1), INT)
    return expression


def doubled(times: int) -> Expression:
    expression: Expression = READ
    for _ in range(times):
        expression = BinaryValue("+", expression, expression, INT)
    return expression


def test_a_deep_expression_has_a_value() -> None:
    assert evaluate(chain(20_000), {0: 5}, []) == 20_005
    missing: list[ReadValue | Choice] = []
    assert probe(chain(20_000), {}, [], missing) is None
    assert missing == [READ]


def test_shared_parts_are_looked_at_once() -> None:
    assert evaluate(doubled(31), {0: 3}, []) == -(1 << 31)
    assert sum(1 for _ in parts(doubled(1000))) == 1001
    assert size_of(doubled(1000)) == LARGE + 1


def test_a_large_expression_is_renamed_and_substituted() -> None:
    placeholder = GroupResult(0)
    deep: Expression = placeholder
    for _ in range(5000):
        deep = UnaryValue("-", BinaryValue("*", deep, READ, INT), INT)
    filled = Substitution({placeholder: READ}).apply(deep)
    assert set(parts(filled)).isdisjoint({placeholder})
    renamed = Renaming([1, 0], []).expression(filled)
    assert ReadValue(1) in set(parts(renamed))
    assert evaluate(renamed, {1: -1}, []) == evaluate(filled, {0: -1}, []) == -1


def test_an_expression_that_was_pickled_is_the_same_object() -> None:
    for expression in (chain(20), doubled(20), UnaryValue("-", READ, INT), Select(Choice(0), READ, TRUE)):
        assert pickle.loads(pickle.dumps(expression)) is expression  # noqa: S301 - our own


# --- any expression ---------------------------------------------------------------------------------------------------

LEAVES = st.one_of(st.integers(-2, 3).map(Constant), st.integers(0, 3).map(ReadValue), st.integers(0, 1).map(Choice))


@st.composite
def shared_expressions(draw: st.DrawFn) -> Expression:
    """An expression whose parts occur many times, most often a large one."""
    pool: list[Expression] = draw(st.lists(LEAVES, min_size=2, max_size=4))
    for _ in range(draw(st.integers(3, 9))):
        one, two, three = (draw(st.sampled_from(pool[-4:])) for _ in range(3))
        kind = draw(st.sampled_from(["+", "*", "&&", "||", "==", "!", "?"]))
        if kind == "!":
            pool.append(UnaryValue("!", one, INT))
        elif kind == "?":
            pool.append(Select(one, two, three))
        else:
            pool.append(BinaryValue(kind, one, two, INT))
    return pool[-1]


def written_out(expression: Expression, reads: dict[int, Value], choices: list[bool | None]) -> Value | None:
    """The value by the rules of the language, part by part as often as it occurs."""
    match expression:
        case Constant(value):
            return value
        case GroupResult():
            raise unfilled(expression)
        case ReadValue(event):
            return reads.get(event)
        case Choice(index):
            choice = choices[index]
            return None if choice is None else int(choice)
        case UnaryValue(symbol, operand, type_):
            inner = written_out(operand, reads, choices)
            return None if inner is None else apply_unary(symbol, inner, type_)
        case Select(condition, then, otherwise):
            test = written_out(condition, reads, choices)
            return None if test is None else written_out(then if is_true(test) else otherwise, reads, choices)
        case BinaryValue(symbol, left, right, type_):
            sides = written_out(left, reads, choices), written_out(right, reads, choices)
            if symbol in {"&&", "||"}:
                decisive = symbol == "||"
                if any(side is not None and is_true(side) is decisive for side in sides):
                    return int(decisive)
                return None if None in sides else int(not decisive)
            one, other = sides
            return None if one is None or other is None else apply_binary(symbol, one, other, type_)


@settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    shared_expressions(),
    st.dictionaries(st.integers(0, 3), st.integers(-2, 3)),
    st.lists(st.sampled_from([True, False, None]), min_size=2, max_size=2),
)
def test_the_value_is_that_of_the_expression_written_out(
    expression: Expression, reads: dict[int, Value], choices: list[bool | None]
) -> None:
    expected = written_out(expression, reads, choices)
    assert evaluate(expression, reads, choices) == expected
    missing: list[ReadValue | Choice] = []
    assert probe(expression, reads, choices, missing) == expected
    assert bool(missing) is (expected is None)
    if expected is None:
        # Each of them is needed: what is known of the others does not give a value.
        assert all(
            part.event not in reads if isinstance(part, ReadValue) else choices[part.index] is None for part in missing
        )


@pytest.mark.parametrize("expression", [chain(10), doubled(2), READ])
def test_small_expressions_are_not_large(expression: Expression) -> None:
    assert not is_large(expression)
