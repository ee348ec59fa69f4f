"""Threads that are exchanged with their numbers, where these are copied from place to place; images of states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from smt_inputs import query

from mcm.answer.query import Limits, SolverName
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt import awaiting
from mcm.engine.smt.awaiting import shown_of
from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.decide import decide
from mcm.engine.smt.decode import Decoder
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.ordering import Ordering
from mcm.engine.smt.states import StateSearch
from mcm.execution.awaited import Part
from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from mcm.answer.query import Query
    from mcm.engine.smt.symmetry import Symmetry

# Each work-item puts its node on a stack, and then takes one.
STACK = """OPENCL stack
{{ [top]={first}; {next} next[{size}]; int value[{size}]; int out[{number}]; }}
kernel k (global atomic_int* top, global {next}* next, global int* value, global int* out) {{
  int me = get_global_id(0);
  int node = me + 1;
  value[node] = 10 + me;
  int old = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
  next[node] = old;
  atomic_compare_exchange_strong_explicit(top, &old, node, memory_order_release, memory_order_relaxed,
                                          memory_scope_device);
  int head = atomic_load_explicit(top, memory_order_acquire, memory_scope_device);
  if (head != 0 && atomic_compare_exchange_strong_explicit(top, &head, next[head], memory_order_acquire,
                                                           memory_order_relaxed, memory_scope_device)) {{
    {take}
  }}
}}
launch k global {number}, local 1, dev 0;
exists ({condition})
"""


LB_CONTROL = """C LB+ctrls
{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  if (r0 == 1) { atomic_store_explicit(y, 1, memory_order_relaxed); }
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  if (r0 == 1) { atomic_store_explicit(x, 1, memory_order_relaxed); }
}
exists (0:r0=1 /\\ 1:r0=1)
"""


def stack(
    number: int, take: str = "out[me] = value[head];", condition: str = "out[0]=10", next_: str = "int", first: int = 0
) -> str:
    return STACK.format(number=number, size=number + 1, take=take, condition=condition, next=next_, first=first)


def asked(text: str) -> Query:
    return query(text, "opencl-3.0", limits=Limits(nodes=20_000))


def encoding_of(text: str) -> Encoding:
    made = asked(text)
    return Encoding(made.skeletons[0], made.model, Budget(Limits()))


def symmetry(text: str) -> Symmetry:
    return encoding_of(text).symmetry(copies=True)


def test_work_items_are_exchanged_with_the_nodes_that_they_put_on_a_stack() -> None:
    encoding = encoding_of(stack(3))
    assert len(encoding.symmetry(copies=True).ordered) == 2
    # What is read is not known without the values that the formula has.
    assert encoding.symmetry().ordered == []
    for exchange in encoding.symmetry(copies=True).generators:
        assert exchange.values is not None
        # Nodes at the top and in their elements, and what they hold there and where it is copied to.
        exchanged = [dict(values) for values in exchange.values.locations.values()]
        assert {1: 2, 2: 1} in exchanged or {2: 3, 3: 2} in exchanged
        assert {10: 11, 11: 10} in exchanged or {11: 12, 12: 11} in exchanged


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (stack(3, "out[me] = head;"), 2),
        (stack(3, "out[me] = head == node;"), 2),
        (stack(3, "next[head] = node;"), 2),
        (stack(3, next_="atomic_int"), 2),
        # Numbers are computed with.
        (stack(3, "out[me] = head + 1;"), 0),
        (stack(3, "out[me] = head > node;"), 0),
        (stack(3, "out[head % 3] = 1;"), 0),
        # One of them is known by name: the others are exchanged.
        (stack(3, "if (head == 1) { out[me] = 7; }"), 1),
        (stack(3, first=3), 1),
        (stack(3, first=2), 0),
    ],
)
def test_what_tells_nodes_apart(text: str, expected: int) -> None:
    assert len(symmetry(text).ordered) == expected


WHOLE = "out[0]=10 /\\ out[1]=10 /\\ out[2]=10"


def test_states_have_images() -> None:
    made = asked(stack(3, condition=WHOLE))
    ordering = Ordering(Encoding(made.skeletons[0], made.model, Budget(Limits())), (), made.observed, moves=True)
    assert len(ordering.assumptions) == 2
    orbit = [*ordering.orbit(made.observed, (11, 0, 0))]
    assert orbit[0] == (11, 0, 0)
    # Who has it, and whose it is.
    assert {*orbit} == {
        tuple(v if i == at else 0 for i in range(3)) for at in range(3) for v in (10, 11, 12) if v != at + 10
    }
    assert {*ordering.orbit(made.observed, (10, 0, 0))} == {(10, 0, 0), (0, 11, 0), (0, 0, 12)}


def test_images_are_given_one_by_one_within_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """n units may have n! of them."""

    def end(_: Encoding) -> None:
        raise UndecidedError("timeout")

    made = asked(stack(3, condition=WHOLE))
    encoding = Encoding(made.skeletons[0], made.model, Budget(Limits()))
    monkeypatch.setattr(Encoding, "check_limits", end)
    orbit = Ordering(encoding, (), made.observed, moves=True).orbit(made.observed, (11, 0, 0))
    assert next(orbit) == (11, 0, 0)
    with pytest.raises(UndecidedError):
        next(orbit)


def test_what_is_observed_may_stay_and_hold_another_value() -> None:
    made = asked(stack(3))
    ordering = Ordering(Encoding(made.skeletons[0], made.model, Budget(Limits())), (), made.observed, moves=True)
    assert len(ordering.assumptions) == 1
    assert [*ordering.orbit(made.observed, (11,))] == [(11,), (12,)]
    assert [*ordering.orbit(made.observed, (10,))] == [(10,)]


@pytest.mark.parametrize(
    "text",
    [
        stack(2, condition="out[0]=10 /\\ out[1]=10"),
        stack(2, "out[me] = head;", "out[0]=1 /\\ out[1]=1 /\\ next[1]=0 /\\ next[2]=0"),
        stack(2, "out[me] = head;", "top=1", next_="atomic_int"),
        stack(2, "out[me] = head == 1;", "out[0]=1 /\\ out[1]=1"),
    ],
)
def test_answers_are_those_of_the_search(text: str) -> None:
    made = asked(text)
    found, searched = decide(made), decide_by_search(made)
    assert searched.undecided is None
    assert [(s.values, s.thin_air) for s in found.states] == [(s.values, s.thin_air) for s in searched.states]
    assert {flag.name for flag in found.flags} == {flag.name for flag in searched.flags}


def test_states_that_are_known_may_be_those_of_another_skeleton() -> None:
    made = asked(stack(2, condition="out[0]=10 /\\ out[1]=10"))
    whole = decide(made).states
    twice = replace(made, skeletons=made.skeletons * 2, known=whole[:1])
    assert [state.values for state in decide(twice).states] == [state.values for state in whole]


def test_an_image_of_a_known_state_is_told_only_if_an_execution_ends_in_it() -> None:
    made = asked(stack(2, condition="out[0]=10 /\\ out[1]=10"))
    whole = decide(made).states
    # As a run may end that goes round a loop more often than the formula does.
    beyond = replace(whole[0], values=(11, 11))
    found = decide(replace(made, known=(beyond,))).states
    assert {state.values for state in found} == {state.values for state in whole} | {(11, 11)}


def test_nothing_is_asked_about_waits_where_numbers_go_round(monkeypatch: pytest.MonkeyPatch) -> None:
    made = asked(stack(3))
    skeleton = made.skeletons[0]
    first, second, *_ = (event.identifier for event in skeleton.events if event.kind is EventKind.UPDATE)
    questions: list[object] = []
    monkeypatch.setattr(awaiting, "Encoding", lambda *given: questions.append(given) or Encoding(*given))
    assert shown_of(Part(skeleton, (), ((first, second),)), made.model, Limits(), SolverName.AUTO) == (
        frozenset(),
        frozenset(),
    )
    assert questions == []
    # Where they do not, it is.
    (plain,) = asked(
        stack(3, next_="atomic_int").replace("next[head], memory_order_acquire", "0, memory_order_acquire")
    ).skeletons
    shown_of(Part(plain, (), ((first, second),)), made.model, Limits(), SolverName.AUTO)
    assert len(questions) == 1


@pytest.mark.parametrize("is_one_enough", [True, False])
def test_a_state_is_out_of_thin_air_only_if_it_has_no_other_execution(is_one_enough: bool) -> None:
    made = query(LB_CONTROL, "c11")
    encoding = Encoding(made.skeletons[0], made.model, Budget(Limits()))
    search = StateSearch(encoding, Decoder(encoding), made.observed, wants_witnesses=False)
    found = [(state, thin_air) for state, thin_air, _ in search.states([], [], is_one_enough=is_one_enough)]
    assert sorted(found) == [((0, 0), False), ((1, 1), True)]
    assert found[0] == ((0, 0), False) or not is_one_enough
