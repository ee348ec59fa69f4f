from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from smt_inputs import LB_DATA, MP, SB, assert_witnessed, counters, query, states

from mcm.answer.answer import Varying
from mcm.answer.query import Limits
from mcm.catalogue.registry import get
from mcm.engine.equations.system import Equations
from mcm.engine.smt.decide import decide
from mcm.program.types import Scalar


def test_store_buffering_is_forbidden_to_sequentially_consistent_atomics() -> None:
    answer = decide(query(SB, "c11"))
    assert states(answer) == [(0, 1), (1, 0), (1, 1)]
    assert answer.reachable is False
    assert answer.engine == "smt"


def test_states_are_sorted_and_say_whether_they_satisfy_the_proposition() -> None:
    answer = decide(query(SB.replace("store(", "store_explicit(").replace(", 1)", ", 1, memory_order_release)"), "c11"))
    assert [(state.values, state.satisfies) for state in answer.states] == [
        ((0, 0), True),
        ((0, 1), False),
        ((1, 0), False),
        ((1, 1), False),
    ]
    assert_witnessed(answer, get("c11"))


def test_message_passing() -> None:
    answer = decide(query(MP, "c11"))
    assert states(answer) == [(0, -1), (1, 1)]
    assert answer.flags == ()
    racy = decide(query(MP.replace("release", "relaxed"), "c11"))
    assert [flag.name for flag in racy.flags] == ["data_race"]
    assert_witnessed(racy, get("c11"))


def test_values_out_of_thin_air_are_marked() -> None:
    answer = decide(query(LB_DATA, "c11"))
    assert [(state.values, state.thin_air) for state in answer.states] == [((0, 0), False), ((42, 42), True)]
    assert answer.reachable is True
    assert states(decide(query(LB_DATA, "rc11"))) == [(0, 0)]


def test_of_values_out_of_thin_air_only_those_that_satisfy_the_proposition_are_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solved: list[bool] = []
    least = Equations.least

    def counting(equations: Equations, *asked: Any) -> Any:
        solution = least(equations, *asked)
        solved.append(solution is not None)
        return solution

    monkeypatch.setattr(Equations, "least", counting)
    never = LB_DATA.replace("0:r0=42 /\\ 1:r0=42", "0:r0=42 /\\ 1:r0=41")
    one = decide(replace(query(never, "c11"), wants_states=False, wants_flags=False))
    assert (one.reachable, solved) == (False, [False])

    one = decide(replace(query(LB_DATA, "c11"), wants_states=False, wants_flags=False))
    assert [(state.values, state.thin_air, state.varying) for state in one.states] == [((42, 42), True, ())]
    assert solved == [False, True]


def test_a_state_with_an_execution_that_is_not_out_of_thin_air_is_not_marked() -> None:
    other = LB_DATA.replace("exists", "P2 (atomic_int* x) { atomic_store(x, 42); }\nexists")
    thin = {state.values: state.thin_air for state in decide(query(other, "c11")).states}
    assert thin[42, 42] is False


def test_a_state_says_of_what_it_is_an_example() -> None:
    text = LB_DATA.replace("y, r0,", "y, r0 + 1,").replace("x, r0,", "x, r0 - 1,").replace("1:r0=42", "1:r0=43")
    answer = decide(query(text, "c11"))
    # 0:r0 reads what 1:r0 - 1 makes of 0:r0 + 1: any number.
    (thin,) = (state for state in answer.states if state.thin_air)
    assert thin.values == (42, 43)
    assert thin.varying == (Varying(0, base=1, offset=-1), Varying(1, type=Scalar.INT))


@pytest.mark.parametrize("text", [SB, MP, LB_DATA, counters(3)])
def test_states_read_off_without_their_executions_are_the_same(text: str) -> None:
    whole, alone = decide(query(text, "c11")), decide(query(text, "c11", wants_witnesses=False))
    assert alone.states == whole.states
    assert all(state.witness is not None for state in whole.states)
    assert all(state.witness is None for state in alone.states)


def test_the_filter_drops_states() -> None:
    answer = decide(query(SB.replace("exists", "filter (0:r0=1)\nexists"), "c11"))
    assert states(answer) == [(1, 0), (1, 1)]


def test_without_states_one_witness_is_enough() -> None:
    reachable = decide(query(LB_DATA, "c11", wants_states=False))
    assert reachable.reachable is True
    assert [state.values for state in reachable.states] == [(42, 42)]
    unreachable = decide(query(SB, "c11", wants_states=False))
    assert unreachable.reachable is False
    assert unreachable.states == ()


def test_flags_are_searched_only_when_they_are_wanted() -> None:
    assert decide(query(MP.replace("release", "relaxed"), "c11", wants_flags=False)).flags == ()


def test_a_cut_loop_is_named_and_its_executions_are_no_states() -> None:
    text = """C spin
{ [x]=0; }
P0 (atomic_int* x) { int n = 0; while (atomic_load_explicit(x, memory_order_relaxed) == 0) { n = n + 1; } }
P1 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }
exists (0:n=7)
"""
    answer = decide(query(text, "c11"))
    assert states(answer) == [(0,), (1,), (2,)]
    assert [span.line for span in answer.bounded] == [3]
    assert answer.reachable is False


def test_faults_have_a_witness() -> None:
    text = """C fault
{ [x]=0; }
P0 (atomic_int* x) { int r; if (atomic_load(x) == 1) { r = 1; } int s = r; }
P1 (atomic_int* x) { atomic_store(x, 1); }
exists (0:s=1)
"""
    answer = decide(query(text, "c11"))
    assert [(raised.fault.kind, raised.fault.rule) for raised in answer.faults] == [("uninitialised-read", "INIT-2")]
    assert_witnessed(answer, get("c11"))
    assert 0 in answer.faults[0].witness.read_values.values()


def test_two_orders_of_calls_give_the_union_of_their_states() -> None:
    text = """C calls
{ [x]=0; }
P0 (atomic_int* x) { int r0 = atomic_fetch_add(x, 1) + 2 * atomic_fetch_add(x, 1); }
exists (0:r0=1)
"""
    asked = query(text, "c11")
    assert len(asked.skeletons) == 2
    assert states(decide(asked)) == [(1,), (2,)]


def test_dynamic_addresses() -> None:
    text = """C elements
{ int a[2]={1,2}; [i]=0; }
P0 (atomic_int* i) { atomic_store(i, 1); }
P1 (atomic_int* i, int* a) { int r = atomic_load(i); a[r] = 7; int s = a[0] + a[1]; }
locations [a[0]; a[1];]
exists (1:s=9)
"""
    answer = decide(query(text, "sc"))
    assert states(answer) == [(8, 1, 7), (9, 7, 2)]
    assert_witnessed(answer, get("sc"))


def test_pointers_in_memory() -> None:
    text = """OPENCL pointers
{ [x]=1; [y]=2; int *p = &x; }
P0 (global int* y, global int** p) { *p = y; }
P1 (global int** p) { int* q = *p; *q = 7; }
locations [x; y;]
exists (x=7)
"""
    asked = query(text, "sc")
    assert any(len(event.locations) > 1 for event in asked.skeletons[0].events)
    answer = decide(asked)
    assert states(answer) == [(1, 7), (7, 2)]
    assert_witnessed(answer, get("sc"))


def test_time_that_is_used_up_leaves_the_question_open() -> None:
    # What additions add up to is told; of other operations every order is looked at.
    text = counters(9, "1 << {}").replace("fetch_add", "fetch_xor")
    hard = query(text, "c11", limits=Limits(seconds=0.5))
    answer = decide(hard)
    assert answer.undecided == "timeout"
    assert answer.reachable is None


def test_memory_that_is_used_up_leaves_the_question_open() -> None:
    assert decide(query(counters(8, "1 + {}"), "c11", limits=Limits(megabytes=1))).undecided == "memory"


def test_threads_that_do_the_same_are_exchanged() -> None:
    # Looking at each order of twelve would take days.
    assert states(decide(query(counters(12), "c11", limits=Limits(seconds=100)))) == [(12,)]


def test_threads_that_are_told_apart_are_not_exchanged() -> None:
    text = counters(3).replace("{ atomic", "{ int r = atomic").replace("exists (c=2)", "exists (0:r=2)")
    assert states(decide(query(text, "c11"))) == [(0,), (1,), (2,)]
