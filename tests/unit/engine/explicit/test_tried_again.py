"""Those who try a compare-exchange until they succeed are supposed to succeed at once, where that shows everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide, open_skeleton
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.explicit.settled.retries import is_tried, where_all_succeed
from mcm.execution.algebra import TRUE, binary, negation
from mcm.execution.awaited import Shown
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.skeleton import Fault, Stop, StopKind
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.condition import RegisterName
from mcm.program.types import Scalar
from mcm.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton

RELAXED: Final = "memory_order_relaxed"
DEVICE: Final = "memory_scope_device"


def loading(scope: str = DEVICE) -> str:
    return f"o = atomic_load_explicit(c, {RELAXED}, {scope});"


def attempt(new: str, success: str = RELAXED, scope: str = DEVICE, strength: str = "weak") -> str:
    return f"atomic_compare_exchange_{strength}_explicit(c, &o, {new}, {success}, {RELAXED}, {scope})"


def retry(new: str = "o + v", success: str = RELAXED, scope: str = DEVICE, strength: str = "weak") -> str:
    return f"{loading(scope)} while (!{attempt(new, success, scope, strength)}) {{ }}"


def tried_where(test: str, new: str, success: str = RELAXED) -> str:
    return f"{loading()} while (({test}) && !{attempt(new, success)}) {{ }}"


def guessing(new: str = "o + v", guess: str = "0", test: str = "1", success: str = RELAXED, how: str = "weak") -> str:
    return f"o = {guess}; while (({test}) && !{attempt(new, success, strength=how)}) {{ }}"


def text_of(body: str, items: int = 4, local: int = 2, observed: str = "c; a") -> str:
    return f"""OPENCL retries
{{ c = 0; int a[8]; p = 0; }}
kernel K (global atomic_int* c, global int* a, global int* p) {{
  int me = get_global_id(0); int v = me + 1; int o; int r = 0;
  {body}
}}
launch K global {items}, local {local}, dev 0;
locations [{observed};]
"""


def skeleton_of(body: str, items: int = 4, local: int = 2, observed: str = "c; a") -> Skeleton:
    text = text_of(body, items, local, observed)
    (skeleton,) = elaborate(read_test(Source("retries", text)).program, waiting=True)
    return skeleton


def left(skeleton: Skeleton, model: str = "opencl-3.0") -> list[EventKind]:
    """The kinds of the events that threads may execute in what is left to be decided."""
    found = without_settled(skeleton, registry.get(model), observed_by(skeleton.program))
    return [event.kind for event in found.events if event.thread is not None]


@pytest.mark.parametrize(
    ("body", "total"),
    [
        pytest.param(retry(), 10, id="weak"),
        pytest.param(retry(strength="strong"), 10, id="strong"),
        pytest.param(retry("o | (1 << me)"), 15, id="or"),
        pytest.param(retry("max(o, v)"), 4, id="max"),
        pytest.param(retry(success="memory_order_acq_rel"), 10, id="acq_rel"),
        pytest.param("o = atomic_load(c); while (!atomic_compare_exchange_strong(c, &o, o + v)) { }", 10, id="seq_cst"),
        pytest.param(
            f"do {{ o = atomic_load_explicit(c, {RELAXED}, {DEVICE}); }} while (!atomic_compare_exchange_weak_explicit("
            f"c, &o, o + v, {RELAXED}, {RELAXED}, {DEVICE}));",
            10,
            id="loaded-anew",
        ),
        pytest.param(f"{retry()} {retry('o + 1')}", 14, id="twice"),
        pytest.param(f"for (int i = 0; i < 3; i++) {{ {retry()} }}", 30, id="in-a-loop"),
        pytest.param(f"{retry()} barrier(CLK_GLOBAL_MEM_FENCE); a[me] = 1;", 10, id="before-a-barrier"),
        pytest.param(tried_where("o < v", "v"), 4, id="where-it-is-larger"),
        pytest.param(tried_where("o < v", "v", "memory_order_seq_cst"), 4, id="where-it-is-larger-seq_cst"),
        pytest.param(tried_where("!(o & (1 << me))", "o | (1 << me)"), 15, id="where-the-bit-is-not-set"),
        pytest.param(tried_where("o < 3", "o + 1"), 3, id="up-to-a-limit"),
        pytest.param(
            f"{loading()} while (o < 3) {{ if ({attempt('o + 1')}) break; }}", 3, id="up-to-a-limit-tested-first"
        ),
        pytest.param(f"{loading()} do {{ if (o >= v) break; }} while (!{attempt('v')});", 4, id="where-it-breaks"),
        pytest.param(
            f"{tried_where('o < v', 'v')} barrier(CLK_GLOBAL_MEM_FENCE); a[me] = 1;", 4, id="a-test-before-a-barrier"
        ),
        pytest.param(guessing(), 10, id="a-guess"),
        pytest.param(guessing(guess="7"), 10, id="a-wrong-guess"),
        pytest.param(guessing(how="strong"), 10, id="a-guess-strong"),
        pytest.param(guessing(success="memory_order_release"), 10, id="a-guess-release"),
        pytest.param(guessing(success="memory_order_acquire"), 10, id="a-wrong-guess-orders-less"),
        pytest.param("o = 0; while (!atomic_compare_exchange_weak(c, &o, o + v)) { }", 10, id="a-guess-seq_cst"),
        pytest.param(guessing("v", test="o < v"), 4, id="a-guess-where-it-is-larger"),
        pytest.param(guessing("o | 1 << me", test="!(o & 1 << me)"), 15, id="a-guess-where-the-bit-is-not-set"),
        pytest.param(f"for (int i = 0; i < 3; i++) {{ {guessing()} }}", 30, id="a-guess-in-a-loop"),
        pytest.param(f"if (me) {{ {guessing()} }}", 9, id="a-guess-of-some"),
    ],
)
def test_nothing_is_left_of_them(body: str, total: int) -> None:
    skeleton = skeleton_of(body)
    assert set(left(skeleton)) <= {EventKind.ENTRY, EventKind.EXIT}
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)
    answer = decide(query, many_events=1)
    assert [state.values[0] for state in answer.states] == [total]
    assert [answer.flags, answer.faults, answer.bounded, answer.waits, answer.blocked] == [()] * 5


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{retry()} a[o & 7] = 1;", id="what-was-read-is-used"),
        pytest.param(f"{retry('2 * o + v')}", id="the-order-matters"),
        pytest.param(tried_where("o < 3", "o + v"), id="which-of-them-try-matters"),
        pytest.param(f"{tried_where('o < v', 'v')} if (o < v) {{ a[me] = 1; }}", id="whether-it-was-tried-is-used"),
        pytest.param(f"{tried_where('o < v', 'v')} r = *p; a[me] = 8 / (o - 1);", id="a-fault-of-what-was-loaded"),
        pytest.param(f"if (*p == 0) {{ {retry()} }} else {{ *p = 1; }}", id="not-in-any-case"),
        pytest.param(retry(scope="memory_scope_work_group"), id="scopes-that-race"),
        pytest.param(retry("8 / o"), id="a-fault-of-those-who-fail"),
        pytest.param(f"*p = 1; {retry(success='memory_order_acq_rel')}", id="what-is-open-may-be-ordered-by-them"),
        pytest.param(f"*p = 1; {guessing(success='memory_order_acq_rel')}", id="open-beside-a-guess"),
        pytest.param("int at = *p; " + retry().replace("(c", "(c + at"), id="somewhere"),
        pytest.param(
            f"o = atomic_load_explicit(c, {RELAXED}, {DEVICE}); r = *p; while (!atomic_compare_exchange_weak_explicit("
            f"c, &o, o + v, {RELAXED}, {RELAXED}, {DEVICE})) {{ }}",
            id="something-between",
        ),
        pytest.param(f"{retry()} atomic_store_explicit(c, 1, {RELAXED}, {DEVICE});", id="somebody-else-writes"),
        pytest.param(f"int k = 0; {retry().replace('{ }', '{ r = 8 / k; }')}", id="a-fault-behind-those-who-fail"),
        pytest.param(f"{retry()} r = sub_group_non_uniform_reduce_add(1);", id="who-comes-to-a-call"),
        pytest.param(f"{guessing()} a[o & 7] = 1;", id="what-a-guess-has-become-is-used"),
        pytest.param(guessing("2 * o + v"), id="the-order-matters-to-a-guess"),
        pytest.param(f"o = 0; if (!{attempt('9')}) {{ while (!{attempt('o + v')}) {{ }} }}", id="a-guess-of-another"),
    ],
)
def test_of_others_everything_is_left(body: str) -> None:
    skeleton = skeleton_of(body)
    assert EventKind.UPDATE in left(skeleton)
    # Nor is it forgotten that some fail.
    found = without_settled(skeleton, registry.get("opencl-3.0"), observed_by(skeleton.program))
    assert len(found.stops) == len(skeleton.stops) > 0
    assert not found.paired


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            f"do {{ o = atomic_load_explicit(c, memory_order_acquire, {DEVICE}); }} while ("
            f"!atomic_compare_exchange_weak_explicit(c, &o, o + v, {RELAXED}, {RELAXED}, {DEVICE}));",
            id="loads-that-differ",
        ),
        pytest.param(
            f"while (1) {{ o = atomic_load_explicit(c, {RELAXED}, {DEVICE}); int done ="
            f" atomic_compare_exchange_weak_explicit(c, &o, o + v, {RELAXED}, {RELAXED}, {DEVICE}); r = a[me];"
            " if (done) break; }",
            id="who-fails-does-more",
        ),
        pytest.param(
            f"do {{ o = atomic_load_explicit(c, {RELAXED}, {DEVICE}); r = 5; }} while ("
            f"!atomic_compare_exchange_weak_explicit(c, &r, o + v, {RELAXED}, {RELAXED}, {DEVICE}));",
            id="expects-something-else",
        ),
    ],
)
def test_these_do_not_try_what_they_have_read(body: str) -> None:
    skeleton = skeleton_of(body)
    assert where_all_succeed(skeleton, registry.get("opencl-3.0"), ()) is None
    assert EventKind.UPDATE in left(skeleton)


def test_who_expects_what_was_read_once_may_wait_for_ever() -> None:
    """No float is compared with what was read of it: the loop that waits is the one that expects it again."""
    exchange = f"atomic_compare_exchange_strong_explicit(s, &e, o + 1.0f, {RELAXED}, {RELAXED}, {DEVICE})"
    text = f"""OPENCL once
{{ atomic_float s = 0.0; }}
kernel K (global atomic_float* s) {{
  float o = atomic_load_explicit(s, {RELAXED}, {DEVICE}); float e = o; while (!{exchange}) {{ e = o; }}
}}
launch K global 2, local 1, dev 0;
locations [s;]
"""
    (skeleton,) = elaborate(read_test(Source("once", text)).program, waiting=True)
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)
    answer = decide(query, many_events=1)
    assert [state.values for state in answer.states] == [(2.0,)]
    assert len(answer.blocked) == 1
    assert len(answer.waits) == 2


@pytest.mark.parametrize(("body", "races"), [(f"*p = 1; {retry()}", True), (retry(), False)])
def test_who_still_fails_may_race_where_no_complete_execution_passes_the_filter(body: str, races: bool) -> None:
    text = text_of(body, items=2, local=1).replace("locations", "filter (c=100)\nlocations")
    program = read_test(Source("filtered", text)).program
    query = Query(
        elaborate(program, waiting=True),
        registry.get("opencl-3.0"),
        observed_by(program),
        filter=program.filter,
        wants_witnesses=False,
    )
    reduced, searched = decide(query, many_events=1), decide(query)
    assert len(reduced.flags) == len(searched.flags) == races
    assert not reduced.states
    # Where nothing can be raised, nothing is left of those who try.
    assert any(event.thread is not None for event in open_skeleton(query.skeletons[0], query, 1).events) is races


@pytest.mark.parametrize(
    "check",
    [
        pytest.param("empty [RMW]", id="not-every-interleaving"),
        pytest.param("acyclic (po & data) | rf", id="dependencies"),
    ],
)
def test_that_all_succeed_is_not_supposed_of_every_model(check: str, tmp_path: Path) -> None:
    skeleton = skeleton_of(retry())
    path = tmp_path / "never.cat"
    path.write_text(f'"never"\ninclude "opencl-3.0.cat"\n{check} as never\n')
    model = Session().load_model(str(path)).model
    assert where_all_succeed(skeleton, model, ()) is None
    assert where_all_succeed(skeleton, registry.get("opencl-3.0"), ()) is not None


@pytest.mark.parametrize(
    "known",
    [
        pytest.param({"supposed": {1: Constant(0)}}, id="suppositions"),
        pytest.param({"shown": Shown((), frozenset(), frozenset())}, id="shown-waits"),
    ],
)
def test_that_all_succeed_is_not_supposed_besides(known: dict[str, object]) -> None:
    """What is supposed or shown is about all events."""
    skeleton = replace(skeleton_of(retry()), **known)
    assert where_all_succeed(skeleton, registry.get("opencl-3.0"), ()) is None


def _first(skeleton: Skeleton) -> int:
    """The first compare-exchange that is tried until it succeeds."""
    return next(event.identifier for event in skeleton.events if is_tried(event, skeleton.events))


def loaded(skeleton: Skeleton) -> ReadValue:
    return ReadValue(_first(skeleton) - 1)


def updated(skeleton: Skeleton) -> ReadValue:
    return ReadValue(_first(skeleton))


def failed(skeleton: Skeleton) -> ReadValue:
    return ReadValue(_first(skeleton) + 1)


def _is_zero(value: Expression) -> Expression:
    return binary("==", value, Constant(0), Scalar.INT)


def _stopping(skeleton: Skeleton, **how: object) -> Skeleton:
    stop = Stop(StopKind.WAIT, skeleton.program.threads[-1].index, TRUE, skeleton.events[-1].span)
    return replace(skeleton, stops=(*skeleton.stops, replace(stop, **how)))


def _failing(skeleton: Skeleton, **how: object) -> Skeleton:
    fault = Fault("assertion", "ASSERT", _is_zero(updated(skeleton)), "it is said")
    return replace(skeleton, faults=(replace(fault, **how),))


def _storing(skeleton: Skeleton, value: Expression) -> Skeleton:
    return replace(skeleton, events=(*skeleton.events[:-1], replace(skeleton.events[-1], value=value)))


@pytest.mark.parametrize(
    ("also", "is_supposed"),
    [
        pytest.param(_stopping, True, id="a-stop"),
        pytest.param(lambda of: _stopping(of, reads=(loaded(of).event,)), False, id="a-stop-that-reads-it"),
        pytest.param(lambda of: _stopping(of, condition=_is_zero(loaded(of))), False, id="a-stop-that-asks"),
        pytest.param(lambda of: _stopping(of, persists=_is_zero(failed(of))), False, id="a-wait-that-asks"),
        pytest.param(lambda of: _stopping(of, condition=negation(Choice(0))), False, id="a-stop-of-those-who-fail"),
        pytest.param(
            lambda of: _stopping(of, kind=StopKind.BARRIER, condition=negation(Choice(0))),
            True,
            id="who-waits-for-them",
        ),
        pytest.param(_failing, True, id="a-fault"),
        pytest.param(lambda of: _failing(of, events=(loaded(of).event,)), False, id="a-fault-of-the-load"),
        pytest.param(lambda of: _failing(of, condition=_is_zero(loaded(of))), False, id="a-fault-that-asks"),
        pytest.param(lambda of: _failing(of, condition=negation(Choice(0))), False, id="a-fault-of-those-who-fail"),
        pytest.param(lambda of: _failing(of, condition=Choice(0)), True, id="a-fault-of-those-who-succeed"),
        pytest.param(lambda of: _storing(of, loaded(of)), True, id="what-was-loaded-is-written"),
        pytest.param(lambda of: _storing(of, failed(of)), False, id="what-failed-is-written"),
        pytest.param(
            lambda of: replace(of, constraints=(*of.constraints, _is_zero(failed(of)))), False, id="a-constraint"
        ),
        pytest.param(
            lambda of: replace(of, registers={**of.registers, RegisterName(0, "r"): failed(of)}), False, id="seen"
        ),
        pytest.param(
            lambda of: replace(of, registers={**of.registers, RegisterName(0, "o"): failed(of)}), True, id="not-seen"
        ),
    ],
)
def test_nothing_else_may_speak_of_what_failed(also: Callable[[Skeleton], Skeleton], is_supposed: bool) -> None:
    skeleton = also(skeleton_of(f"{retry(strength='strong')} *p = 1;"))
    found = where_all_succeed(skeleton, registry.get("opencl-3.0"), [RegisterName(0, "r")])
    assert (found is not None) is is_supposed


def test_who_fails_goes_on_only_where_the_model_lets_it(tmp_path: Path) -> None:
    """Something else is open: which fence is the last one depends on who has stopped."""
    fence = f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, {DEVICE});"
    skeleton = skeleton_of(f"{fence} *p = 1; {retry()}")
    path = tmp_path / "last.cat"
    for flag, is_left in (("[F] ; po ; [F]", False), ("[F \\ domain(po ; [F])]", True)):
        path.write_text(f'"last"\ninclude "opencl-3.0.cat"\nflag ~empty {flag} as last\n')
        found = without_settled(skeleton, Session().load_model(str(path)).model, observed_by(skeleton.program))
        assert any(event.kind is EventKind.UPDATE for event in found.events) is is_left


def test_updates_alone_try_nothing() -> None:
    add = f"atomic_fetch_add_explicit(c, 1, {RELAXED}, {DEVICE});"
    skeleton = skeleton_of(f"{add} {add} {add}")
    assert not any(is_tried(event, skeleton.events) for event in skeleton.events)
    retried = skeleton_of(retry())
    assert sum(is_tried(event, retried.events) for event in retried.events) == 4


def test_a_place_that_is_not_known_is_no_place_to_try_at() -> None:
    events = skeleton_of(retry()).events
    at = next(event.identifier for event in events if is_tried(event, events))
    somewhere = [replace(event, address=ReadValue(0)) if abs(event.identifier - at) < 2 else event for event in events]
    assert not is_tried(somewhere[at], somewhere)


@pytest.mark.parametrize("body", [retry(), guessing()])
def test_sixteen_take_a_moment(body: str) -> None:
    skeleton = skeleton_of(body, items=16, local=8)
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)
    answer = decide(query)
    assert answer.undecided is None
    assert [state.values[0] for state in answer.states] == [136]
