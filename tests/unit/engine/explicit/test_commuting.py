"""Which writes of one location may come in any order, by what they write."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.base.source import Source
from mcm.engine.explicit.settled.commuting import addend, are_exact, commuting, in_any_order
from mcm.execution.algebra import binary, unary
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.front_end.read import read_test
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression

TEXT: Final = """OPENCL updates
{ atomic_float s = 0.0; }
kernel K (global atomic_float* s) {
  atomic_fetch_add_explicit(s, 1.0f, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(s, 1.0f, memory_order_relaxed, memory_scope_device);
}
launch K global 1, local 1, dev 0;
"""
(SKELETON,) = elaborate(read_test(Source("updates", TEXT)).program)
INITIAL, UPDATE, STORE = SKELETON.events
OWN: Final = ReadValue(UPDATE.identifier)
OTHER: Final = ReadValue(INITIAL.identifier)
NOTHING: Final = Substitution({})


def writing(value: Expression, event: Event = UPDATE) -> Event:
    return replace(event, value=value)


def update(value: Expression, at: int) -> Event:
    """The update of this number, with what it reads in the place of what the update above reads."""
    return replace(UPDATE, identifier=at, value=Substitution({OWN: ReadValue(at)}).apply(value))


def adds(number: float, type_: Scalar = Scalar.FLOAT, at: int = UPDATE.identifier) -> Event:
    return update(binary("+", OWN, Constant(number), type_), at)


def adds_bits(number: float, at: int = UPDATE.identifier) -> Event:
    """Adds to the float whose bits memory holds."""
    total = binary("+", unary("bits", OWN, Scalar.FLOAT), Constant(number), Scalar.FLOAT)
    return update(unary("bits", total, Scalar.UINT), at)


def test_integers_come_in_any_order_by_operator_and_type() -> None:
    one, other = (writing(binary("+", OWN, Constant(1), type_)) for type_ in (Scalar.INT, Scalar.UINT))
    assert commuting(one) == ("+", Scalar.INT)
    assert commuting(other) == ("+", Scalar.UINT)
    assert commuting(writing(binary("-", OWN, OTHER, Scalar.INT))) == ("+", Scalar.INT)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(binary("+", OWN, OWN, Scalar.INT), id="twice-itself"),
        pytest.param(binary("+", OTHER, Constant(1), Scalar.INT), id="to-something-else"),
        pytest.param(binary("-", Constant(1), OWN, Scalar.INT), id="the-other-way-round"),
        pytest.param(binary("*", OWN, Constant(3), Scalar.INT), id="another-operator"),
        pytest.param(binary("+", OWN, Constant(1.0), Scalar.FLOAT), id="a-float"),
    ],
)
def test_other_updates_do_not(value: Expression) -> None:
    assert commuting(writing(value)) is None


def test_floats_are_added_as_they_are_or_by_their_bits() -> None:
    assert UPDATE.kind is EventKind.UPDATE
    for event, is_held in ((UPDATE, False), (adds(1.0), False), (adds_bits(1.0), True)):
        found = addend(event)
        assert found is not None
        assert (found.number, found.type, found.is_held) == (Constant(1.0), Scalar.FLOAT, is_held)
    assert addend(writing(binary("-", OWN, OTHER, Scalar.FLOAT))) is not None
    # An update of another type commutes with none of these.
    assert in_any_order(adds(1.0)) != in_any_order(adds(1.0, Scalar.DOUBLE))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(binary("+", OWN, OWN, Scalar.FLOAT), id="twice-itself"),
        pytest.param(binary("+", OTHER, Constant(1.0), Scalar.FLOAT), id="to-something-else"),
        pytest.param(binary("+", Constant(1.0), OWN, Scalar.FLOAT), id="the-other-way-round"),
        pytest.param(unary("bits", binary("+", OWN, Constant(1.0), Scalar.FLOAT), Scalar.UINT), id="bits-of-a-number"),
        pytest.param(binary("+", unary("bits", OWN, Scalar.FLOAT), Constant(1.0), Scalar.FLOAT), id="a-number-of-bits"),
        pytest.param(binary("+", OWN, Constant(1), Scalar.INT), id="an-integer"),
    ],
)
def test_other_updates_add_no_float(value: Expression) -> None:
    assert addend(writing(value)) is None


def test_plain_writes_come_in_no_order() -> None:
    assert in_any_order(STORE) == Constant(1.0)
    assert in_any_order(replace(STORE, order=None, atomic=False)) is None
    assert in_any_order(writing(OTHER, STORE)) is None


@pytest.mark.parametrize(
    ("numbers", "is_exact"),
    [
        ((1.0, 2.0), True),
        ((1.0, inf), False),
        ((nan, 1.0), False),
        # The sum is too large for a float, whatever the number of its digits.
        ((2.0**127, -(2.0**127)), False),
        ((2.0**126, -(2.0**126)), True),
        ((2.0**24, 1.0), False),
        ((2.0**24 - 1, 1.0), True),
        ((-(2.0**24), -1.0), False),
    ],
)
def test_sums_are_exact_where_no_order_rounds_them(numbers: tuple[float, ...], is_exact: bool) -> None:
    assert are_exact([INITIAL, *(adds(number, at=at) for at, number in enumerate(numbers, 1))], NOTHING) is is_exact


def test_what_is_written_before_counts() -> None:
    one = adds(1.0)
    assert are_exact([writing(Constant(-(2.0**23)), INITIAL), one], NOTHING)
    assert not are_exact([writing(Constant(2.0**24), INITIAL), one], NOTHING)
    # Bits are looked at as the number that they are of.
    assert are_exact([writing(Constant(0x3F800000), INITIAL), adds_bits(1.0)], NOTHING)
    assert not are_exact([writing(Constant(1), INITIAL), adds_bits(1.0)], NOTHING)


def test_numbers_of_several_types_are_not_added_up() -> None:
    assert not are_exact([INITIAL, adds(1.0), adds_bits(1.0, at=2)], NOTHING)
    assert not are_exact([INITIAL, adds(1.0), adds(1.0, Scalar.DOUBLE, at=2)], NOTHING)


def test_numbers_that_are_not_known_may_be_rounded() -> None:
    unknown = writing(binary("+", OWN, OTHER, Scalar.FLOAT))
    assert not are_exact([INITIAL, unknown], NOTHING)
    assert are_exact([INITIAL, unknown], Substitution({OTHER: Constant(1.0)}))
