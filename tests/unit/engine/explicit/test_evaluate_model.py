"""Evaluating a model on a candidate names what it violates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from small_models import RELEASE_ACQUIRE, TOTAL_ORDER
from small_programs import Builder

from mcm.answer.query import Query
from mcm.catalogue.evaluate import evaluate_model
from mcm.engine.explicit.decide import decide
from mcm.program.types import Location, Order

if TYPE_CHECKING:
    from mcm.execution.candidate import Candidate


def witness() -> Candidate:
    """A writer of 1 and 2 and a reader that sees 2."""
    builder = Builder(locations=1)
    writer, reader = builder.thread(), builder.thread()
    builder.write(writer, 0, 1, Order.SEQ_CST)
    builder.write(writer, 0, 2, Order.SEQ_CST)
    builder.read(reader, 0, Order.SEQ_CST)
    (state,) = (
        state
        for state in decide(Query((builder.skeleton(),), TOTAL_ORDER, tuple(builder.registers))).states
        if state.values == (2,)
    )
    assert state.witness is not None
    return state.witness


def test_consistent_candidate() -> None:
    assert evaluate_model(witness(), TOTAL_ORDER).violated == ()
    assert evaluate_model(witness(), TOTAL_ORDER).is_consistent


def test_modification_order_against_happens_before() -> None:
    turned = replace(witness(), modification_orders={Location(0): (0, 2, 1)})
    assert evaluate_model(turned, RELEASE_ACQUIRE).violated == ("coherence-1",)


def test_linearisation_that_is_not_one() -> None:
    right = witness().linearisations["S"]
    for wrong in (right[:-1], (right[1], right[0], right[2])):
        assert evaluate_model(replace(witness(), linearisations={"S": wrong}), TOTAL_ORDER).violated[0] == "S"


def test_flags_are_told() -> None:
    assert evaluate_model(witness(), RELEASE_ACQUIRE).raised == ("ordered",)
