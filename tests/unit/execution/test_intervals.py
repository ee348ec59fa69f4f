"""Between which values integers lie, beside what they are for many values of what is read."""

from __future__ import annotations

from random import Random

import pytest

from mcm import check, parse
from mcm.execution.elaborate import elaborate
from mcm.execution.evaluate import evaluate
from mcm.execution.expression import BinaryValue, Constant, Expression, ReadValue, Select, UnaryValue
from mcm.execution.intervals import elements_of, interval_of
from mcm.program.types import Location, PointerType, Region, Scalar
from mcm.program.value_arithmetic import convert

TYPES = (Scalar.INT, Scalar.UINT, Scalar.UCHAR, Scalar.SHORT, Scalar.ULONG, Scalar.LONG)
OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", ">>", "<<", "min", "max", "<", ">=", "==", "&&", "||")
NUMBERS = (0, 1, 2, 3, 7, 8, 31, 100, 255, 4096)


def expression(random: Random, type_: Scalar, depth: int) -> Expression:
    """An expression whose value is of a type; reads 0 to 2 return values of it."""
    kind = (
        random.choice(("read", "constant", *("binary",) * 5, "select", "convert"))
        if depth
        else random.choice(("read", "constant"))
    )
    match kind:
        case "read":
            return UnaryValue("convert", ReadValue(random.randrange(3)), type_)
        case "constant":
            return Constant(convert(random.choice(NUMBERS), type_))
        case "select":
            one, other = expression(random, type_, depth - 1), expression(random, type_, depth - 1)
            return Select(expression(random, Scalar.INT, 0), one, other)
        case "convert":
            return UnaryValue("convert", expression(random, random.choice(TYPES), depth - 1), type_)
        case _:
            one, other = expression(random, type_, depth - 1), expression(random, type_, depth - 1)
            return BinaryValue(random.choice(OPERATORS), one, other, type_)


@pytest.mark.parametrize("number", range(20))
def test_values_lie_between_the_ends(number: int) -> None:
    random = Random(f"intervals {number}")  # noqa: S311 - nothing secret
    known = 0
    for _ in range(300):
        type_ = random.choice(TYPES)
        of = expression(random, type_, 3)
        interval = interval_of(of)
        known += interval is not None and of.size > 1
        for _ in range(12):
            values = {read: random.choice((*NUMBERS, -1, -2, -100, 1 << 31, (1 << 64) - 1)) for read in range(3)}
            value = evaluate(of, values, ())
            assert interval is None or interval[0] <= value <= interval[1], (of, values)
            moved = BinaryValue("+", Constant(Location(0, 5)), of, PointerType(Region.GLOBAL, Scalar.INT, atomic=False))
            place, elements = evaluate(moved, values, ()), elements_of(moved)
            assert isinstance(place, Location)
            assert elements is None or elements[1] <= place.offset <= elements[2]
    assert known > 60


RING = """OPENCL ring
{{ [x] = 0; ring[8] = {{0}}; }}
P0@wg 0 (global atomic_{type}* x, global int* ring) {{ {type} r0 = atomic_load(x); ring[{index}] = 1; }}
P1@wg 1 (global atomic_{type}* x, global int* ring) {{ atomic_store(x, 11); }}
exists (ring[3] = 1)
"""


@pytest.mark.parametrize(
    ("type_", "index", "reached"),
    [
        ("uint", "r0 % 8", 8),
        ("uint", "r0 % 4", 4),
        ("uint", "4 + r0 % 2 * 2", 3),
        ("int", "r0 & 7", 8),
        ("uint", "(r0 >> 30) + 1", 4),
        ("int", "r0 == 11", 2),
        ("uint", "r0 % 8 / 3", 3),
        ("int", "r0 % 1", 1),
    ],
)
def test_what_is_in_the_ring_is_never_out_of_bounds(type_: str, index: str, reached: int) -> None:
    test = parse(RING.format(type=type_, index=index))
    (skeleton,) = elaborate(test.program, 2)
    (write,) = (event for event in skeleton.events if event.thread == 0 and event.kind.writes)
    assert len(write.locations) == reached
    assert not skeleton.faults
    assert check(RING.format(type=type_, index=index)).verdict.value != "undefined"


@pytest.mark.parametrize(
    ("type_", "index"), [("uint", "r0 % 12"), ("int", "(r0 - 20) % 8"), ("uint", "r0 & 15"), ("int", "r0 / 1")]
)
def test_what_may_leave_the_ring_is_out_of_bounds(type_: str, index: str) -> None:
    result = check(RING.format(type=type_, index=index))
    assert [problem.kind for problem in result.undefined] == ["out-of-bounds"]


@pytest.mark.parametrize(
    "threads",
    [
        "P0@wg 0 (global int* x, global int* ring) { uint r0 = ((global uint*)x)[0]; ring[r0 % 8] = 1; }\n",
        (
            "P0@wg 0 (global uint* x, global int* ring) { uint r0 = *x; ring[r0 % 8] = 1; }\n"
            "P1@wg 1 (global int* x) { int r0 = *x; }\n"
        ),
    ],
)
def test_nothing_is_lost_where_numbers_are_seen_as_others(threads: str) -> None:
    """What is read is in the range of the type that it is seen as."""
    test = parse(f"OPENCL other\n{{ int x = -1; int ring[8]; }}\n{threads}exists (ring[7] = 1)\n")
    (skeleton,) = elaborate(test.program, 2)
    (write,) = (event for event in skeleton.events if event.kind.writes and event.thread == 0)
    assert len(write.locations) == 8
    assert not skeleton.faults
    assert check(test.source).verdict.value == "allowed"
