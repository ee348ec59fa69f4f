"""What both engines say of executions in which units stop: problems, loops that wait, units that wait for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.query import Query, Sought
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.evaluate import evaluate_model
from mcm.engine.choose import EngineName, decide, excluded_by
from mcm.execution.algebra import TRUE, binary
from mcm.execution.elaborate import elaborate
from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.skeleton import StopKind
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.execution.skeleton import Skeleton

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)
RACES = Sought(frozenset({"data_race"}))

PLAIN_FLAG = """C plain-flag
{ x = 0; f = 0; }
P0 (int* x, int* f) { *x = 1; *f = 1; }
P1 (int* x, int* f) { while (*f == 0) {} int r = *x; }
exists (1:r=0)
"""
MESSAGE = """C message
{ d = 0; f = 0; }
P0 (int* d, atomic_int* f) { *d = 1; atomic_store_explicit(f, 1, memory_order_release); }
P1 (int* d, atomic_int* f) { while (atomic_load_explicit(f, memory_order_acquire) == 0) {} int r = *d; }
exists (1:r=0)
"""
NOBODY_WRITES = """C nobody-writes
{ f = 0; g = 0; }
P0 (atomic_int* f, atomic_int* g) { while (atomic_load(f) == 0) {} atomic_store(g, 1); }
P1 (atomic_int* f, atomic_int* g) { while (atomic_load(g) == 0) {} }
exists (g=1)
"""
EXCHANGES = """C exchanges
{ l = 1; }
P0 (atomic_int* l) { while (atomic_exchange(l, 1) == 1) {} }
P1 (atomic_int* l) { while (atomic_exchange(l, 1) == 1) {} }
exists (l=0)
"""
WEAK = """C weak
{ l = 0; }
P0 (atomic_int* l) { int e = 0; while (!atomic_compare_exchange_weak(l, &e, 1)) { e = 0; } }
exists (l=1)
"""


OWN_STORE = """C own-store
{ x = 0; y = 0; }
P0 (atomic_int* x, atomic_int* y) {
  while (atomic_load(x) == 0) {}
  int r = 0; do { r = atomic_load(y); } while (r == 0);
  atomic_store(x, r);
}
P1 (atomic_int* x, atomic_int* y) { atomic_store(y, 1); }
exists (x=1)
"""


def query(text: str, model: str = "c11", bound: int = 1, **options: object) -> Query:
    source = Source("test.litmus", text)
    program = read_test(source).program
    proposition = None if program.condition is None else program.condition.proposition
    model_asked = registry.get(model)
    return Query(elaborate(program, bound), model_asked, observed_by(program), proposition, program.filter, **options)


def waiting(asked: Query) -> Query:
    """The query with loops that wait for the last read of their iterations where the bound cut them."""

    def changed(skeleton: Skeleton) -> Skeleton:
        stops = [replace(stop, kind=StopKind.WAIT, reads=(max(reads_of(stop.condition)),)) for stop in skeleton.stops]
        return replace(skeleton, stops=tuple(stops))

    return replace(asked, skeletons=tuple(map(changed, asked.skeletons)))


def places(answer: Answer) -> list[list[tuple[int, str]]]:
    return [[(unit.thread, unit.span.text.split(" {")[0]) for unit in blocked.units] for blocked in answer.blocked]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_race_counts_where_no_execution_ends(engine: EngineName) -> None:
    answer = decide(query(PLAIN_FLAG), engine)
    assert [flag.name for flag in answer.flags] == ["data_race"]
    assert answer.states == ()
    assert answer.complete_exists is False
    assert answer.reachable is False
    evaluation = evaluate_model(answer.flags[0].witness, registry.get("c11"))
    assert evaluation.violated == ()
    assert evaluation.raised == ("data_race",)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_that_waits_is_told_apart_from_one_that_is_cut(engine: EngineName) -> None:
    cut = decide(query(MESSAGE), engine)
    assert (len(cut.bounded), cut.waits, cut.blocked, cut.complete_exists) == (1, (), (), True)
    waits = decide(waiting(query(MESSAGE)), engine)
    assert (waits.bounded, waits.blocked, waits.complete_exists) == ((), (), True)
    assert [(unit.thread, unit.barrier) for unit in waits.waits] == [(1, None)]
    assert waits.flags == ()
    assert [state.values for state in waits.states] == [(1,)]


@pytest.mark.parametrize("engine", ENGINES)
def test_units_wait_for_ever_for_what_nobody_writes(engine: EngineName) -> None:
    asked = waiting(query(NOBODY_WRITES))
    answer = decide(asked, engine)
    assert places(answer) == [[(0, "while (atomic_load(f) == 0)"), (1, "while (atomic_load(g) == 0)")]]
    blocked = answer.blocked[0]
    assert [unit.locations for unit in blocked.units] == [
        tuple(blocked.witness.locations[stop.reads[0]] for stop in asked.skeletons[0].stops if stop.thread == thread)
        for thread in (0, 1)
    ]
    assert evaluate_model(blocked.witness, asked.model).violated == ()
    assert answer.complete_exists is False
    assert excluded_by(asked) == ()


@pytest.mark.parametrize("engine", ENGINES)
def test_what_waiting_loops_write_back_ends_no_wait(engine: EngineName) -> None:
    assert [{thread for thread, _ in found} for found in places(decide(waiting(query(EXCHANGES)), engine))] == [{0, 1}]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_fails_by_chance_is_not_waited_for_for_ever(engine: EngineName) -> None:
    asked = query(WEAK)
    (skeleton,) = asked.skeletons
    # The compare-exchange of the last iteration, as the load that it is when it fails.
    failing = max(event.identifier for event in skeleton.events if event.kind is EventKind.READ)
    (stop,) = skeleton.stops
    stuck = replace(stop, kind=StopKind.WAIT, reads=(failing,))
    differs = binary("!=", ReadValue(failing), Constant(0), Scalar.INT)
    for persists, count in ((TRUE, 1), (differs, 0)):
        stops = (replace(stuck, persists=persists),)
        answer = decide(replace(asked, skeletons=(replace(skeleton, stops=stops),)), engine)
        assert len(answer.blocked) == count
        assert len(answer.waits) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_filter_speaks_of_what_has_finished(engine: EngineName) -> None:
    text = PLAIN_FLAG.replace("*f = 1; }", "*f = 1; int k = 7; }")
    assert decide(query(text.replace("exists", "filter (0:k=7) exists")), engine).flags != ()
    assert decide(query(text.replace("exists", "filter (0:k=8) exists")), engine).flags == ()
    # P1 has not finished: what r will be is not known.
    assert decide(query(text.replace("exists", "filter (1:r=8) exists")), engine).flags != ()


@pytest.mark.parametrize("engine", ENGINES)
def test_complete_executions_exist_whatever_the_filter_and_the_proposition_say(engine: EngineName) -> None:
    filtered = decide(query(MESSAGE.replace("exists", "filter (1:r=8) exists")), engine)
    assert (filtered.states, filtered.complete_exists) == ((), True)
    pushed = decide(query(MESSAGE, wants_states=False), engine)
    assert (pushed.states, pushed.reachable, pushed.complete_exists) == ((), False, True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_does_not_end_by_what_is_stored_behind_it(engine: EngineName) -> None:
    # What P0 stores is known by reads whose guards depend on the value that P0 waits for.
    answer = decide(query(OWN_STORE, "rc11", bound=2), engine)
    assert (answer.states, answer.complete_exists, len(answer.bounded)) == ((), False, 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_problem_ends_the_search(engine: EngineName) -> None:
    racy = query(MESSAGE.replace("release", "relaxed"), first_problem=RACES)
    answer = decide(racy, engine)
    assert [flag.name for flag in answer.flags] == ["data_race"]
    assert (answer.undecided, answer.reachable) == (None, None)
    safe = decide(query(MESSAGE, first_problem=RACES), engine)
    assert (safe.flags, safe.reachable, len(safe.states)) == ((), False, 1)
    other = decide(replace(racy, first_problem=Sought(frozenset({"unsequenced_race"}))), engine)
    assert len(other.flags) == 1
    assert len(other.states) == len(decide(replace(racy, first_problem=None), engine).states)


@pytest.mark.parametrize("engine", ENGINES)
def test_flags_alone_can_be_asked_for(engine: EngineName) -> None:
    answer = decide(query(PLAIN_FLAG, wants_outcomes=False), engine)
    assert [flag.name for flag in answer.flags] == ["data_race"]
    assert (answer.states, answer.bounded, answer.complete_exists) == ((), (), None)
