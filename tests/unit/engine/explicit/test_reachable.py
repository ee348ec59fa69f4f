"""Updates that no rule says anything of come in any order if they commute on all values that they can come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.base.source import Source
from mcm.engine.explicit.settled.commuting import UPDATE, in_any_order
from mcm.engine.explicit.settled.reachable import leave_the_same
from mcm.execution.algebra import binary, select, unary
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.front_end.read import read_test
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression

TEXT: Final = """OPENCL updates
{ s = 0; }
kernel K (global atomic_int* s) { atomic_fetch_add_explicit(s, 1, memory_order_relaxed, memory_scope_device); }
launch K global 1, local 1, dev 0;
"""
(SKELETON,) = elaborate(read_test(Source("updates", TEXT)).program)
INITIAL, ADD = SKELETON.events
NOTHING: Final = Substitution({})
OTHER: Final = ReadValue(99)


def updates(*makes: Callable[[ReadValue], Expression]) -> list[Event]:
    """Updates of one location, each of which makes this of what it reads."""
    return [replace(ADD, identifier=at, value=make(ReadValue(at))) for at, make in enumerate(makes, 1)]


def larger(number: float, type_: Scalar = Scalar.FLOAT) -> Callable[[ReadValue], Expression]:
    """Keeps the larger float, whose bits are in memory."""

    def make(own: ReadValue) -> Expression:
        before = unary("bits", own, type_)
        is_less = binary("<", before, Constant(number), type_)
        return select(is_less, unary("bits", Constant(number), Scalar.UINT), own)

    return make


def times(number: int, added: int = 0) -> Callable[[ReadValue], Expression]:
    return lambda own: binary("+", binary("*", own, Constant(number), Scalar.INT), Constant(added), Scalar.INT)


def up_to(most: int, step: int) -> Callable[[ReadValue], Expression]:
    def make(own: ReadValue) -> Expression:
        return select(binary("<", own, Constant(most), Scalar.INT), binary("+", own, Constant(step), Scalar.INT), own)

    return make


def keeps_higher_byte(number: int) -> Callable[[ReadValue], Expression]:
    """Keeps the number whose second byte is larger."""

    def make(own: ReadValue) -> Expression:
        byte = binary(">>", own, Constant(8), Scalar.INT)
        return select(binary("<", byte, Constant(number >> 8), Scalar.INT), Constant(number), own)

    return make


def smaller(number: int) -> Callable[[ReadValue], Expression]:
    return lambda own: select(binary(">", own, Constant(number), Scalar.INT), Constant(number), own)


def unless(kept: int, number: int) -> Callable[[ReadValue], Expression]:
    """Writes a number unless it finds another one."""
    return lambda own: select(binary("==", own, Constant(kept), Scalar.INT), Constant(kept), Constant(number))


def test_one_update_has_one_order() -> None:
    assert leave_the_same([[INITIAL], updates(times(3))], NOTHING)
    assert leave_the_same([[INITIAL], *([event] for event in updates(times(3), times(2, 1)))], NOTHING)


@pytest.mark.parametrize(
    "makes",
    [
        pytest.param((larger(1.0), larger(2.5), larger(0.5)), id="the-larger-float"),
        pytest.param((times(3), times(5)), id="products-of-zero"),
        pytest.param((times(2, 1), times(2, 1), times(2, 1)), id="the-same-without-end"),
        pytest.param((up_to(5, 1), up_to(5, 1)), id="the-same-up-to-a-limit"),
        pytest.param((keeps_higher_byte(0x307), keeps_higher_byte(0x105)), id="by-a-part-of-it"),
    ],
)
def test_these_come_to_the_same(makes: tuple[Callable[[ReadValue], Expression], ...]) -> None:
    events = updates(*makes)
    assert {in_any_order(event) for event in events} == {UPDATE}
    assert leave_the_same([[INITIAL], events], NOTHING)


@pytest.mark.parametrize(
    "makes",
    [
        pytest.param((times(3, 1), times(5)), id="a-product-of-a-sum"),
        pytest.param((up_to(5, 2), up_to(5, 3)), id="up-to-a-limit-by-different-steps"),
        pytest.param((keeps_higher_byte(0x307), keeps_higher_byte(0x305)), id="who-comes-first"),
        pytest.param((keeps_higher_byte(0x700), smaller(3)), id="the-higher-and-the-smaller"),
        pytest.param((unless(3, 1), unless(3, 2), unless(2, 3)), id="higher-to-some-only"),
        pytest.param((times(3), lambda _: OTHER), id="something-that-is-not-known"),
        pytest.param((times(3), lambda own: select(Choice(0), own, Constant(1))), id="a-choice"),
        pytest.param([lambda own, n=n: select(Choice(n), own, Constant(n)) for n in (1, 2)], id="choices"),
        pytest.param((times(2, 1), times(2, 3)), id="too-many"),
    ],
)
def test_these_need_not(makes: tuple[Callable[[ReadValue], Expression], ...]) -> None:
    assert not leave_the_same([[INITIAL], updates(*makes)], NOTHING)


@pytest.mark.slow
@pytest.mark.parametrize("same", [False, True])
def test_the_highest_of_hundreds_is_left_whoever_comes_first(same: bool) -> None:
    """Of two that are as high, who comes first matters, and too many are possible to try them out."""
    makes = [keeps_higher_byte(number << 8) for number in range(400)]
    if same:
        makes.append(keeps_higher_byte((399 << 8) + 1))
    assert leave_the_same([[INITIAL], updates(*makes)], NOTHING) is not same


def test_what_is_known_of_other_reads_counts() -> None:
    events = updates(larger(1.0), lambda own: binary("*", own, OTHER, Scalar.INT))
    assert not leave_the_same([[INITIAL], events], NOTHING)
    assert leave_the_same([[INITIAL], events], Substitution({OTHER: Constant(1)}))
    assert not leave_the_same([[INITIAL], events], Substitution({OTHER: Constant(2)}))


def doubled(own: ReadValue) -> Expression:
    return select(binary("<", own, Constant(9), Scalar.INT), binary("*", own, Constant(2), Scalar.INT), own)


def two_for_one(own: ReadValue) -> Expression:
    return select(binary("==", own, Constant(1), Scalar.INT), Constant(2), own)


@pytest.mark.parametrize(("value", "is_same"), [(Constant(0), True), (Constant(1), False), (OTHER, False)])
def test_it_depends_on_what_is_written_before(value: Expression, is_same: bool) -> None:
    """Of 0 both make 0; of 1 they make 4 in one order, and 2 in the other one."""
    store = replace(ADD, kind=EventKind.WRITE, value=value)
    assert leave_the_same([[INITIAL], [store], updates(doubled, two_for_one)], NOTHING) is is_same


def test_updates_of_other_layers_count() -> None:
    """What one that comes earlier or later makes may be what they read, as far as is known here."""
    one, *both = updates(up_to(1, 1), doubled, two_for_one)
    assert leave_the_same([[INITIAL], both], NOTHING)
    assert not leave_the_same([[INITIAL], [one], both], NOTHING)
    assert leave_the_same([[INITIAL], [one], both[:1]], NOTHING)


def test_what_commutes_by_a_rule_is_not_tried_out() -> None:
    adding = updates(*(lambda own, by=by: binary("+", own, Constant(by), Scalar.INT) for by in (1, 2)))
    assert in_any_order(adding[0]) == ("+", Scalar.INT)
    assert leave_the_same([[INITIAL], adding], NOTHING)
