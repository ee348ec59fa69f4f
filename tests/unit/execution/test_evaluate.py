"""Arithmetic is that of OpenCL C: wrapping, truncating division, shifts modulo the width."""

from math import inf, nan
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcm.execution.evaluate import Evaluation, evaluate, probe, reads_of
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue, Select, UnaryValue, is_large
from mcm.program.types import Location, PointerType, Region, RegisterPointer, Scalar, Value
from mcm.program.value_arithmetic import apply_binary, apply_unary, convert

INT = Scalar.INT


@pytest.mark.parametrize(
    ("symbol", "left", "right", "type_", "expected"),
    [
        ("+", 2147483647, 1, Scalar.INT, -2147483648),
        ("+", 4294967295, 1, Scalar.UINT, 0),
        ("-", 0, 1, Scalar.UCHAR, 255),
        ("*", 65536, 65536, Scalar.LONG, 1 << 32),
        ("/", -7, 2, Scalar.INT, -3),
        ("%", -7, 2, Scalar.INT, -1),
        ("/", 1, 0, Scalar.INT, 0),
        ("<<", 1, 33, Scalar.INT, 2),
        (">>", -8, 1, Scalar.INT, -4),
        ("<", -1, 1, Scalar.INT, 1),
        ("max", 3, 9, Scalar.INT, 9),
        ("/", 1, 4, Scalar.FLOAT, 0.25),
        ("/", 1.0, -0.0, Scalar.FLOAT, -inf),
        ("/", -1.0, 0.0, Scalar.FLOAT, -inf),
        ("*", 1e30, 1e30, Scalar.FLOAT, inf),
    ],
)
def test_binary(symbol: str, left: float, right: float, type_: Scalar, expected: float) -> None:
    assert apply_binary(symbol, left, right, type_) == expected


def test_float_addition_rounds_to_32_bits() -> None:
    assert apply_binary("+", 16777216, 1, Scalar.FLOAT) == 16777216


def test_what_is_no_number_is_always_the_same_object() -> None:
    nothing = apply_binary("/", 0.0, 0.0, Scalar.FLOAT)
    assert nothing is apply_binary("-", inf, inf, Scalar.FLOAT)
    assert apply_binary("==", nothing, nothing, Scalar.FLOAT) == 0


def test_pointer_arithmetic_counts_elements() -> None:
    pointer = PointerType(INT, Region.GLOBAL)
    assert apply_binary("+", Location(3, 1), 2, pointer) == Location(3, 3)
    assert apply_binary("-", Location(3, 3), Location(3, 1), pointer) == 2
    assert apply_binary("+", 1, RegisterPointer(0, "a"), pointer) == RegisterPointer(0, "a", 1)


def test_an_address_equals_no_number_but_counts_as_true() -> None:
    assert apply_binary("==", Location(0), 0, INT) == 0
    assert apply_unary("!", Location(0), INT) == 0


def test_conversion() -> None:
    assert convert(300, Scalar.UCHAR) == 44
    assert convert(-1, Scalar.UINT) == 4294967295
    assert convert(7, Scalar.BOOL) == 1
    assert convert(-2.5, Scalar.INT) == -2
    assert [convert(value, Scalar.INT) for value in (inf, -inf, nan)] == [0, 0, 0]
    assert convert(-1e300, Scalar.FLOAT) == -inf


def test_constants_of_different_kinds_are_different() -> None:
    assert Constant(1) is Constant(1)
    assert Constant(1.0) is Constant(1.0) is not Constant(1)
    assert (repr(Constant(1).value), repr(Constant(1.0).value)) == ("1", "1.0")
    assert Constant(0.0) is not Constant(-0.0)


def test_evaluation_needs_only_what_decides() -> None:
    either = Select(Choice(0), ReadValue(1), ReadValue(2))
    assert evaluate(either, {1: 5}, [True]) == 5
    assert evaluate(either, {1: 5}, [False]) is None
    assert evaluate(either, {1: 5}, [None]) is None
    guarded = BinaryValue("&&", Constant(0), ReadValue(9), INT)
    assert evaluate(guarded, {}, []) == 0
    assert evaluate(BinaryValue("||", ReadValue(9), Constant(1), INT), {}, []) == 1


def test_reads_of() -> None:
    assert reads_of(Select(ReadValue(1), ReadValue(2), Constant(0))) == {1, 2}


INT_ATOMS = st.one_of(st.integers(-2, 2).map(Constant), st.integers(0, 3).map(ReadValue), st.integers(0, 1).map(Choice))
EXPRESSIONS = st.recursive(
    INT_ATOMS,
    lambda inner: st.one_of(
        st.builds(lambda operator, operand: UnaryValue(operator, operand, Scalar.INT), st.sampled_from("-~!"), inner),
        st.builds(
            lambda operator, left, right: BinaryValue(operator, left, right, Scalar.INT),
            st.sampled_from(["+", "==", "&&", "||", "/"]),
            inner,
            inner,
        ),
        st.builds(Select, inner, inner, inner),
    ),
    max_leaves=12,
)


@settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    EXPRESSIONS,
    st.dictionaries(st.integers(0, 3), st.integers(-2, 2)),
    st.lists(st.sampled_from([None, False, True]), min_size=2, max_size=2),
)
def test_a_probe_evaluates_and_says_what_is_missing(
    expression: Expression, reads: dict[int, Value], choices: list[bool | None]
) -> None:
    missing: list[ReadValue | Choice] = []
    value = probe(expression, reads, choices, missing)
    assert value == evaluate(expression, reads, choices)
    assert all(evaluate(part, reads, choices) is None for part in missing)
    assert bool(missing) == (value is None)


def shared_expressions(random: Random, count: int) -> list[Expression]:
    """Expressions that are made of each other, the later ones of many parts."""
    made: list[Expression] = [*map(ReadValue, range(6)), Choice(0), Choice(1), Constant(0), Constant(1)]
    for _ in range(count):
        # Mostly of the latest ones, so that they grow.
        one, other, third = (random.choice(made[-8:] if random.random() < 0.7 else made) for _ in range(3))
        match random.randrange(4):
            case 0:
                made.append(Select(one, other, third))
            case 1:
                made.append(UnaryValue(random.choice("-!"), one, Scalar.INT))
            case _:
                made.append(BinaryValue(random.choice(["+", "==", "&&", "||"]), one, other, Scalar.INT))
    return made


@pytest.mark.parametrize("seed", range(60))
def test_what_is_known_of_parts_is_kept_while_more_becomes_known(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - no secret
    expressions = shared_expressions(random, 60)
    assert any(map(is_large, expressions))
    reads: dict[int, Value] = {}
    choices: list[bool | None] = [None, None]
    evaluation = Evaluation(reads, choices)
    unknown: list[ReadValue | Choice] = [*map(ReadValue, range(6)), Choice(0), Choice(1)]
    random.shuffle(unknown)
    for found in unknown:
        seen: set[Expression] = set()
        together: set[ReadValue | Choice] = set()
        apart: set[ReadValue | Choice] = set()
        for expression in random.sample(expressions, 20):
            alone: list[ReadValue | Choice] = []
            value = evaluate(expression, reads, choices)
            assert probe(expression, reads, choices, alone) == value
            assert evaluation.value(expression) == value
            alone = [] if value is not None else alone
            assert set(evaluation.missing(expression, set())) == set(alone)
            assert evaluation.first_missing(expression) == (alone[0] if alone else None)
            together.update(evaluation.missing(expression, seen))
            apart.update(alone)
        assert together == apart
        if random.random() < 0.3:
            reads, choices = dict(reads), list(choices)
            evaluation = evaluation.copy(reads, choices)
        if isinstance(found, ReadValue):
            reads[found.event] = random.randrange(3)
        else:
            choices[found.index] = random.random() < 0.5
        evaluation.learn()
