"""What is asked is what is answered: states, filters, faults, cuts, thin air and limits."""

from __future__ import annotations

from math import factorial
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from naive import final, is_thin
from small_models import DEMANDING, RELEASE_ACQUIRE, SEQUENTIAL, TOTAL_ORDER, check, model
from small_programs import SPAN, Builder

from mcm.answer.answer import Varying
from mcm.answer.query import Limits, Query
from mcm.cat.model import Shape
from mcm.catalogue.evaluate import evaluate_model
from mcm.engine.explicit.budget import NodeBudget
from mcm.engine.explicit.compile import compile_model
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.findings import Findings
from mcm.engine.explicit.orders import with_last_write
from mcm.engine.explicit.search import Search
from mcm.execution.expression import BinaryValue, Constant, Expression, ReadValue, Select
from mcm.execution.skeleton import Fault, Stop, StopKind
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, RegisterName
from mcm.program.types import Location, Order, Scalar
from mcm.relation.term import Base, Empty, Identity, Nothing, Union

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.base.source import Span
    from mcm.cat.model import Model
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable, Proposition

X, Y = Location(0), Location(1)


def equals(what: Observable, value: int) -> Proposition:
    return Comparison("=", Observed(what), Fixed(value))


def is_one(read: int) -> Expression:
    return BinaryValue("==", ReadValue(read), Constant(1), Scalar.INT)


def bound(condition: Expression, span: Span = SPAN) -> Stop:
    return Stop(StopKind.BOUND, 0, condition, span)


def ask(skeleton: Skeleton, model: Model, **options: Any) -> Answer:
    return decide(Query((skeleton,), model, tuple(skeleton.registers), **options))


def values(answer: Answer) -> set[tuple[object, ...]]:
    return {state.values for state in answer.states}


def message_passing(write: Order = Order.RELEASE, read: Order = Order.ACQUIRE) -> Skeleton:
    builder = Builder(locations=2)
    writer, reader = builder.thread(), builder.thread()
    builder.write(writer, 0, 1)
    builder.write(writer, 1, 1, write)
    builder.read(reader, 1, read)
    builder.read(reader, 0)
    return builder.skeleton()


def load_buffering(copied: int | None = None) -> Skeleton:
    """Both threads write 1, or what they read and possibly something else."""
    builder = Builder(locations=2)
    builder.constants |= {1, 7}
    for place in (0, 1):
        thread = builder.thread()
        read = builder.read(thread, place, Order.RELAXED)
        builder.write(thread, 1 - place, 1 if copied is None else ReadValue(read), Order.RELAXED)
    return builder.skeleton()


def test_states_are_listed_in_order() -> None:
    answer = ask(message_passing(), RELEASE_ACQUIRE)
    assert [state.values for state in answer.states] == [(0, 0), (0, 1), (1, 1)]
    assert answer.engine == "explicit"
    assert answer.undecided is None
    assert answer.reachable is None


@pytest.mark.parametrize(("order", "reachable"), [(Order.RELEASE, False), (Order.RELAXED, True)])
def test_proposition_alone_is_answered_with_one_state(order: Order, *, reachable: bool) -> None:
    skeleton = message_passing(write=order)
    flag_read, data_read = skeleton.registers
    stale = And(equals(flag_read, 1), equals(data_read, 0))
    answer = ask(skeleton, RELEASE_ACQUIRE, proposition=stale, wants_states=False)
    assert answer.reachable is reachable
    assert [state.values for state in answer.states] == ([(1, 0)] if reachable else [])
    complete = ask(skeleton, RELEASE_ACQUIRE, proposition=stale)
    assert complete.reachable is reachable
    assert sum(state.satisfies for state in complete.states) == reachable
    assert {flag.events for flag in answer.flags} == {flag.events for flag in complete.flags}


def test_one_state_is_not_looked_for_among_all_last_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four locations with three writes each, in any order, 81 choices of the last ones are left."""
    builder = Builder(locations=4)
    for value in (1, 2, 3):
        thread = builder.thread()
        for place in range(4):
            builder.write(thread, place, value, Order.RELAXED)
    tried: list[int] = []

    def counting(problem: ConstraintProblem, writes: int, last: int) -> ConstraintProblem | None:
        tried.append(last)
        return with_last_write(problem, writes, last)

    monkeypatch.setattr("mcm.engine.explicit.final_states.with_last_write", counting)
    places = tuple(Location(place) for place in range(4))
    is_changed = And(*(And(*(Not(equals(place, 0)) for place in pair)) for pair in (places[:2], places[2:])))
    query = Query((builder.skeleton(),), model("nothing"), places, is_changed, wants_states=False, wants_flags=False)
    assert decide(query).reachable is True
    assert len(tried) == len(places)


@pytest.mark.slow
def test_as_many_locations_as_a_test_has() -> None:
    """Last writes are chosen one location after another, however many there are."""
    builder = Builder(locations=1100)
    thread = builder.thread()
    for place in range(builder.locations):
        builder.write(thread, place, place, Order.RELAXED)
    places = tuple(Location(place) for place in range(builder.locations))
    (state,) = decide(Query((builder.skeleton(),), model("nothing"), places, wants_flags=False)).states
    assert state.values == tuple(range(builder.locations))


def test_filter_drops_executions_with_their_flags() -> None:
    skeleton = message_passing(write=Order.RELAXED)
    flag_read, _ = skeleton.registers
    everything = ask(skeleton, RELEASE_ACQUIRE)
    seen = ask(skeleton, RELEASE_ACQUIRE, filter=equals(flag_read, 1))
    assert values(seen) == {state for state in values(everything) if state[0] == 1}
    last = ask(skeleton, RELEASE_ACQUIRE, filter=equals(X, 5))
    assert (last.states, last.flags) == ((), ())


def test_filter_on_a_location_decides_its_last_write() -> None:
    builder = Builder(locations=1)
    for value in (1, 2):
        builder.write(builder.thread(), 0, value, Order.RELAXED)
    query = Query((builder.skeleton(),), RELEASE_ACQUIRE, (X,), filter=Not(equals(X, 2)))
    assert values(decide(query)) == {(1,)}


def test_load_buffering_is_found_where_it_is_allowed() -> None:
    assert (1, 1) in values(ask(load_buffering(), RELEASE_ACQUIRE))
    assert (1, 1) not in values(ask(load_buffering(), SEQUENTIAL))


def test_one_state_stands_for_all_values_out_of_thin_air_that_satisfy_the_proposition() -> None:
    skeleton = load_buffering(copied=0)
    first, _ = skeleton.registers
    answer = ask(skeleton, RELEASE_ACQUIRE, proposition=equals(first, 5))
    assert {state.values: state.thin_air for state in answer.states} == {(0, 0): False, (5, 5): True}
    same_int = (Varying(0, base=1), Varying(1, type=Scalar.INT))
    assert all(state.varying == same_int for state in answer.states)
    assert all(is_thin(state.witness) == state.thin_air for state in answer.states if state.witness)


def test_thin_air_through_conditions_and_addresses() -> None:
    builder = Builder(locations=3)
    one, other = builder.thread(), builder.thread()
    guard = is_one(builder.read(one, 0, Order.RELAXED))
    builder.write(one, 1, 1, Order.RELAXED, guard)
    place = Select(ReadValue(builder.read(other, 1, Order.RELAXED)), Constant(X), Constant(Location(2)))
    builder.write(other, place, 1, Order.RELAXED)
    answer = ask(builder.skeleton(), RELEASE_ACQUIRE)
    assert {state.values: state.thin_air for state in answer.states} == {(0, 0): False, (1, 1): True}


def test_a_value_that_would_have_to_differ_from_itself_does_not_exist() -> None:
    builder = Builder(locations=2)
    builder.constants |= set(range(4))
    for place in (0, 1):
        thread = builder.thread()
        read = builder.read(thread, place, Order.RELAXED)
        value = BinaryValue("+", ReadValue(read), Constant(place), Scalar.INT)
        builder.write(thread, 1 - place, value, Order.RELAXED)
    assert values(ask(builder.skeleton(), RELEASE_ACQUIRE)) == {(0, 0), (1, 0)}


def test_cut_executions_are_no_outcomes() -> None:
    skeleton = message_passing()
    read = next(event.identifier for event in skeleton.events if event.kind.reads)
    cut = replace(skeleton, stops=(bound(is_one(read)),))
    answer = ask(cut, RELEASE_ACQUIRE)
    assert values(answer) == {(0, 0), (0, 1)}
    assert answer.bounded == (SPAN,)
    never = replace(skeleton, stops=(bound(BinaryValue("==", ReadValue(read), Constant(9), Scalar.INT)),))
    assert ask(never, RELEASE_ACQUIRE).bounded == ()


def test_constraints_drop_executions() -> None:
    skeleton = message_passing()
    read = next(event.identifier for event in skeleton.events if event.kind.reads)
    assert values(ask(replace(skeleton, constraints=(is_one(read),)), RELEASE_ACQUIRE)) == {(1, 1)}


def test_faults_of_consistent_executions_only() -> None:
    skeleton = message_passing()
    flag_read, data_read = (event.identifier for event in skeleton.events if event.kind.reads)
    stale = BinaryValue(
        "&&", is_one(flag_read), BinaryValue("==", ReadValue(data_read), Constant(0), Scalar.INT), Scalar.INT
    )
    possible, impossible = (
        Fault("out-of-bounds", "MEM-BOUNDS", condition, "") for condition in (is_one(flag_read), stale)
    )
    answer = ask(replace(skeleton, faults=(possible, impossible)), RELEASE_ACQUIRE)
    assert [raised.fault for raised in answer.faults] == [possible]
    assert answer.faults[0].witness.read_values[flag_read] == 1


def test_witness_of_a_flag_raises_it() -> None:
    answer = ask(message_passing(write=Order.RELAXED), RELEASE_ACQUIRE)
    races = [flag for flag in answer.flags if flag.name == "data_race"]
    assert [flag.events for flag in races] == [(2, 5)]
    for flag in answer.flags:
        evaluation = evaluate_model(flag.witness, RELEASE_ACQUIRE)
        assert evaluation.is_consistent
        assert flag.name in evaluation.raised


def test_a_model_may_demand_communication() -> None:
    answer = ask(message_passing(), DEMANDING)
    assert (0, 0) not in values(answer)


def writers(number: int) -> Skeleton:
    builder = Builder(locations=1)
    for value in range(number):
        builder.write(builder.thread(), 0, value + 1, Order.RELAXED)
    return builder.skeleton()


def adders(number: int) -> Skeleton:
    builder = Builder(locations=1)
    for _ in range(number):
        builder.update(builder.thread(), 0, 1, Order.RELAXED)
    return builder.skeleton()


@pytest.mark.parametrize("model", [SEQUENTIAL, RELEASE_ACQUIRE, TOTAL_ORDER], ids=lambda model: model.name)
def test_orders_are_decided_only_as_far_as_they_matter(model: Model) -> None:
    answer = decide(Query((writers(20),), model, (X,), limits=Limits(nodes=500)))
    assert answer.undecided is None
    assert values(answer) == {(value + 1,) for value in range(20)}


def test_threads_that_are_alike_are_explored_once() -> None:
    answer = decide(Query((adders(9),), RELEASE_ACQUIRE, (X,), limits=Limits(nodes=500)))
    assert answer.undecided is None
    assert values(answer) == {(9,)}
    observed = decide(Query((adders(4),), RELEASE_ACQUIRE, tuple(adders(4).registers)))
    assert len(observed.states) == 24
    for state in observed.states:
        assert state.witness is not None
        assert evaluate_model(state.witness, RELEASE_ACQUIRE).is_consistent
        assert tuple(final(state.witness, what) for what in adders(4).registers) == state.values


def independent_reads(*written: int) -> Skeleton:
    """A thread writes these values to X, another to Y; two others read both, one of them the other way round."""
    builder = Builder(locations=2)
    for place in (0, 1):
        writer = builder.thread()
        for value in written:
            builder.write(writer, place, value, Order.RELAXED)
    for first in (0, 1):
        reader = builder.thread()
        builder.read(reader, first, Order.RELAXED)
        builder.read(reader, 1 - first, Order.RELAXED)
    return builder.skeleton()


def visited(skeleton: Skeleton) -> int:
    """The search nodes that a question for the registers of a skeleton costs."""
    query = Query((skeleton,), RELEASE_ACQUIRE, tuple(skeleton.registers))
    budget = NodeBudget(query.limits)
    Search(skeleton, compile_model(query.model), Findings(query), budget).run()
    return budget.spent


def test_states_are_aimed_at_one_by_one() -> None:
    skeleton = independent_reads(1)
    assert len(ask(skeleton, RELEASE_ACQUIRE).states) == 16
    # Read after read there would be thirty nodes besides the root: two, four, eight, sixteen.
    assert visited(skeleton) < 30
    # Where several writes write the same, it is not tried out for each state which of them it takes.
    assert visited(independent_reads(1, 1)) < 2 * visited(skeleton)


def test_two_registers_may_show_one_read() -> None:
    skeleton = independent_reads(1)
    copies = {
        RegisterName(what.thread, f"copy of {what.register}"): value for what, value in skeleton.registers.items()
    }
    twice = replace(skeleton, registers={**skeleton.registers, **copies})
    found = values(ask(skeleton, RELEASE_ACQUIRE))
    assert values(ask(twice, RELEASE_ACQUIRE)) == {(*state, *state) for state in found}


def test_outcomes_and_cut_executions_are_looked_for_apart() -> None:
    skeleton = message_passing()
    assert ask(replace(skeleton, stops=(bound(Constant(1)),)), RELEASE_ACQUIRE).states == ()
    read = next(event.identifier for event in skeleton.events if event.kind.reads)
    other = replace(SPAN, start=SPAN.start + 1)
    stops = (bound(is_one(read)), bound(BinaryValue("==", ReadValue(read), Constant(0), Scalar.INT), other))
    answer = ask(replace(skeleton, stops=stops), RELEASE_ACQUIRE)
    assert answer.states == ()
    assert set(answer.bounded) == {SPAN, other}


def test_counts_of_executions() -> None:
    answer = decide(Query((adders(3),), RELEASE_ACQUIRE, (X,), counts=True))
    assert [(state.values, state.executions) for state in answer.states] == [((3,), 6)]


def test_budget_and_time_are_kept_and_said() -> None:
    builder = Builder(locations=6)
    for first in range(6):
        thread = builder.thread()
        for place in range(6):
            builder.write(thread, place, first + 1, Order.RELAXED)
        for place in range(6):
            builder.read(thread, place, Order.RELAXED)
    query = Query((builder.skeleton(),), SEQUENTIAL, tuple(builder.registers))
    assert decide(replace(query, limits=Limits(nodes=0))).undecided == "budget"
    answer = decide(replace(query, limits=Limits(seconds=0.2)))
    assert answer.undecided == "timeout"
    assert answer.reachable is None
    assert decide(replace(query, limits=Limits(megabytes=1))).undecided == "memory"


def test_the_images_of_one_state_take_no_longer_than_is_left() -> None:
    skeleton = adders(10)
    answer = decide(Query((skeleton,), RELEASE_ACQUIRE, tuple(skeleton.registers), limits=Limits(seconds=0.2)))
    assert answer.undecided == "timeout"
    # Of the ten numbers that the threads draw, each has one: ten factorial states.
    assert all(sorted(state.values) == list(range(10)) for state in answer.states)
    assert len(answer.states) < factorial(10)


def test_an_empty_relation_of_a_model_is_empty() -> None:
    nothing = (
        check("order", Shape.ACYCLIC, Union(Base("po"), Empty())),
        check("none", Shape.EMPTY, Identity(Nothing())),
    )
    assert (1, 0) in values(ask(message_passing(), model("empty", *nothing)))
    assert ask(message_passing(), model("never", check("some", Shape.EMPTY, Empty(), negated=True))).states == ()


def test_registers_of_several_skeletons_are_joined() -> None:
    one, other = message_passing(), message_passing(write=Order.RELAXED)
    observed = tuple(name for name in one.registers if isinstance(name, RegisterName))
    answer = decide(Query((one, other), RELEASE_ACQUIRE, observed))
    assert values(answer) == {(0, 0), (0, 1), (1, 1), (1, 0)}
