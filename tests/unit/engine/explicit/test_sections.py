"""What critical sections do to one location is taken for an update, where their order is of no account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm import Options, Session
from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.weaken import removable_rules, weakened
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.settled import sections
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.smt.decide import decide as decide_by_solver
from mcm.execution.awaited import Shown
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Constant
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from pathlib import Path

DEVICE: Final = "memory_scope_device"
ACQUIRE, RELEASE, RELAXED = (f"memory_order_{name}" for name in ("acquire", "release", "relaxed"))


def exchanging(order: str = ACQUIRE, scope: str = DEVICE, held: str = "1", free: str = "0") -> str:
    return f"while (atomic_exchange_explicit(lock, {held}, {order}, {scope}) != {free});"


def compared(order: str = ACQUIRE) -> str:
    return f"atomic_compare_exchange_strong_explicit(lock, &e, 1, {order}, {RELAXED}, {DEVICE})"


def comparing(order: str = ACQUIRE) -> str:
    return f"e = 0; while (!{compared(order)}) e = 0;"


def freeing(order: str = RELEASE, scope: str = DEVICE, how: str = "store", free: str = "0") -> str:
    return f"atomic_{how}_explicit(lock, {free}, {order}, {scope});"


TEST: Final = f"while (atomic_load_explicit(lock, {RELAXED}, {DEVICE}) != 0);"


def looking(scope: str = DEVICE) -> str:
    test = TEST.replace(DEVICE, scope)
    return f"do {{ {test} }} while (atomic_exchange_explicit(lock, 1, {ACQUIRE}, {DEVICE}));"


ONCE: Final = f"r = atomic_exchange_explicit(lock, 1, {ACQUIRE}, {DEVICE}); while (r != 0);"


def until_it_is_not_free(strength: str, before: str = "") -> str:
    """A loop that is left, too, when the exchange fails although the lock is free."""
    how = compared().replace("strong", strength)
    return f"bool taken; do {{ {before} e = 0; taken = {how}; }} while (!taken && e != 0);"


FENCE: Final = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_{}, memory_scope_device);"
RIGHT: Final = f"{exchanging()} *x += v; {freeing()}"
# With functions that say no order.
LEGACY: Final = (
    f"while (atomic_xchg(y, 1) != 0); {FENCE.format('acquire')} *x += v; {FENCE.format('release')} atomic_xchg(y, 0);"
)


def text_of(body: str, items: int = 3, local: int = 1, first: str = "lock = 0", kept: str = "") -> str:
    return f"""OPENCL sections
{{ {first}; gate = 0; x = 0; y = 0; int a[4]; }}
kernel K (global atomic_int* lock, global atomic_int* gate, global int* x, global int* y, global int* a) {{
  int me = get_global_id(0); int v = me + 1; int e; int r = 0; local int m; local atomic_int l;
  {body}
}}
launch K global {items}, local {local}, dev 0;
{kept}
locations [lock; x; y; a;]
"""


def query_about(text: str, model: str = "opencl-3.0") -> Query:
    program = read_test(Source("sections", text)).program
    return Query(
        elaborate(program, 1, waiting=True),
        registry.get(model),
        observed_by(program),
        filter=program.filter,
        limits=Limits(nodes=50_000, seconds=600),
        wants_witnesses=False,
    )


def are_updates(query: Query) -> bool:
    """Whether sections are taken for updates, which leaves nothing to be decided."""
    filtered = query.filter is not None
    (left,) = (without_settled(each, query.model, query.observed, filtered=filtered) for each in query.skeletons)
    return bool(left.waiting)


def said(query: Query, monkeypatch: pytest.MonkeyPatch) -> tuple[object, object]:
    """What an answer says with sections as updates, where they are, and without."""

    def parts() -> tuple[object, ...]:
        answer = decide(query, many_events=1)
        assert answer.undecided is None
        states = [state.values for state in answer.states]
        flags = {flag.name for flag in answer.flags}
        return states, flags, len(answer.faults), answer.waits, len(answer.blocked), answer.complete_exists

    found = parts()
    with monkeypatch.context() as patch:
        patch.setattr(sections, "where_sections_are_updates", lambda *_: None)
        return found, parts()


@pytest.mark.parametrize(("type_", "free"), [("int", "100000"), ("float", "1.0e20f"), ("double", "1.0e200")])
def test_a_lock_may_be_free_with_a_value_that_few_types_have(type_: str, free: str) -> None:
    body = f"{comparing().replace('e = 0', f'e = {free}')} *x += v; {freeing(free=free)}"
    text = text_of(body, first=f"lock = {free.removesuffix('f')}").replace("int e;", f"{type_} e;")

    assert are_updates(query_about(text.replace("atomic_int* lock", f"atomic_{type_}* lock")))


def test_a_lock_may_be_held_at_first_with_a_value_that_few_types_have() -> None:
    assert not are_updates(query_about(text_of(f"{comparing()} *x += v; {freeing()}", first="lock = 100000")))


@pytest.mark.parametrize(
    "body",
    [
        RIGHT,
        f"{comparing()} *x += v; {freeing()}",
        f"{comparing().replace('strong', 'weak')} *x += v; {freeing()}",
        f"{comparing('memory_order_seq_cst')} *x += v; {freeing('memory_order_seq_cst')}",
        f"{looking()} *x += v; {freeing()}",
        f"do {{ {TEST} e = 0; }} while (!{compared()}); *x += v; {freeing()}",
        f"{exchanging()} *x += v; {freeing(how='exchange')}",
        f"{exchanging(held='2')} *x += v; {freeing()}",
        f"{exchanging(RELAXED)} {FENCE.format('acquire')} *x += v; {FENCE.format('release')} {freeing(RELAXED)}",
        f"{exchanging()} *x += v; *y = max(*y, v); *x -= 1; {freeing()}",
        f"{exchanging()} *x += v; a[me] = v; {freeing()}",
        f"{exchanging()} *x += (ulong)v; {freeing()}",
        f"{exchanging()} int t = *x; *x = t | v; {freeing()}",
        f"{exchanging()} *x += a[3]; {freeing()}",
        LEGACY,
        f"a[me] = 5; {RIGHT} a[me] = a[me] + 1;",
        f"if (me != 7) {{ {RIGHT} }}",
        f"{exchanging()} {freeing()}",
        f"{until_it_is_not_free('strong')} *x += v; {freeing()}",
        f"{RIGHT} {RIGHT.replace('lock', 'gate').replace('*x', '*y')}",
    ],
)
def test_sections_are_updates(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_about(text_of(body, 2))
    found, without_them = said(query, monkeypatch)

    assert are_updates(query)
    assert found == without_them


@pytest.mark.parametrize(
    "body",
    [
        f"{exchanging(RELAXED)} *x += v; {freeing()}",
        f"{exchanging()} *x += v; {freeing(RELAXED)}",
        f"{exchanging(scope='memory_scope_work_group')} *x += v; {freeing(scope='memory_scope_work_group')}",
        f"{exchanging()} *x += v; {freeing(scope='memory_scope_work_group')}",
        f"{exchanging(RELAXED)} *x += v; {FENCE.format('acquire')} {FENCE.format('release')} {freeing(RELAXED)}",
        f"{exchanging()} *x += v;",
        f"{exchanging()} *x += v; {freeing(free='1')}",
        f"{exchanging()} *x += v; {freeing(free='3')}",
        f"{exchanging()} *x += v; {freeing()} {freeing()}",
        f"{exchanging()} *x += v; {freeing()} r = atomic_load_explicit(lock, {RELAXED}, {DEVICE});",
        f"{exchanging()} *x += v; a[me] = atomic_exchange_explicit(lock, 0, {RELEASE}, {DEVICE});",
        f"{exchanging()} a[me] = *x; *x += v; {freeing()}",
        f"{exchanging()} r = *x; *x = r + v; {freeing()} a[me] = r;",
        f"{exchanging()} *x = 2 * *x + v; {freeing()}",
        f"{exchanging()} *x = v; {freeing()}",
        f"{exchanging()} *x += v; *y += *x; {freeing()}",
        f"{exchanging()} if (*x < 2) *x += v; {freeing()}",
        f"{RIGHT} a[me] = *x;",
        f"r = *x; {RIGHT}",
        f"if (me == 0) *x = 4; {RIGHT}",
        f"{exchanging()} *x += v; if (v > 1) {freeing()}",
        f"if (me == 0) {{ {RIGHT} }}",
        f"if (*y == 1) {{ {RIGHT} }}",
        f"if (atomic_load_explicit(gate, {RELAXED}, {DEVICE}) == me) {{ {RIGHT} }}",
        f"{exchanging()} {exchanging()} *x += v; {freeing()} {freeing()}",
        f"{RIGHT} atomic_add(x, 1);",
        f"e = 1; while (!{compared()}) e = 1; *x += v; {freeing()}",
        f"{LEGACY} a[me] = *y;",
        f"if (me == 0) *y = 0; {LEGACY}",
        f"{looking('memory_scope_work_group')} *x += v; {freeing()}",
        f"{exchanging()} *x += v; if (atomic_load_explicit(gate, {RELAXED}, {DEVICE}) == 1) {freeing()}",
        f"{exchanging()} if (atomic_load_explicit(gate, {RELAXED}, {DEVICE}) == 1) *x += v; {freeing()}",
        f"if (me == 0) {{ {RIGHT} }} else {{ {RIGHT.replace('lock', 'gate')} }}",
        f"{RIGHT} {RIGHT.replace('lock', 'gate')}",
        f"{exchanging()} {RIGHT.replace('lock', 'gate')} *y += v; {freeing()}",
        f"if (me == 0) {{ {RIGHT} }} else {{ {ONCE} *x += v; {freeing()} }}",
        f"{until_it_is_not_free('weak')} *x += v; {freeing()}",
        f"{until_it_is_not_free('weak', TEST)} *x += v; {freeing()}",
        f"{until_it_is_not_free('weak', TEST)} if (taken) {{ *x += v; {freeing()} }}",
        # Who finds it held by others is let in, or whoever finds it held; or looks once, and waits for nothing.
        f"e = 0; while (!{compared().replace(', 1,', ', v,')} && e == v) e = 0; *x += v; {freeing()}",
        f"while (atomic_exchange_explicit(lock, 2, {ACQUIRE}, {DEVICE}) & 1); *x += v; {freeing()}",
        f"{RIGHT} e = 0; {compared()}; while (e != 0); *x += v; {freeing()}",
        # Nobody finds a lock held that is his own.
        f"if (me == 0) {{ {RIGHT} }} else {{ {RIGHT.replace('lock', 'gate').replace('*x', '*y')} }}",
    ],
)
def test_other_sections_are_left_as_they_are(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_about(text_of(body, 2))
    found, without_them = said(query, monkeypatch)

    assert not are_updates(query)
    assert found == without_them


def test_who_only_waits_until_a_lock_is_free_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_about(text_of(f"if (me < 2) {{ {RIGHT} }} else {{ {TEST} }}"))
    found, without_them = said(query, monkeypatch)

    assert not are_updates(query)
    assert found == without_them


def test_a_lock_is_free_at_first() -> None:
    assert not are_updates(query_about(text_of(RIGHT, 2, first="lock = 1")))
    assert not are_updates(query_about(text_of(RIGHT.replace("lock", "&l"), 2, 2)))


def test_it_is_asked_that_all_have_finished_where_executions_are_filtered() -> None:
    assert are_updates(query_about(text_of(RIGHT, 2)))
    assert not are_updates(query_about(text_of(RIGHT, 2, kept="filter (x=3)")))


def test_who_waits_at_a_barrier_in_a_section_is_not_waited_for() -> None:
    fence = "barrier(CLK_GLOBAL_MEM_FENCE);"
    assert are_updates(query_about(text_of(f"{fence} if (get_local_id(0) == 0) {{ {RIGHT} }} {fence}", 4, 2)))
    inside = f"{exchanging()} {fence} *x += v; {freeing()}"
    assert not are_updates(query_about(text_of(inside, 2)))


def test_who_comes_to_a_lock_after_all_others_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    body = f"if (me == 0) {{ {RIGHT} }} barrier(CLK_GLOBAL_MEM_FENCE); if (me == 1) {{ {RIGHT} }}"
    query = query_about(text_of(body, 2, 2))
    found, without_them = said(query, monkeypatch)

    assert not are_updates(query)
    assert found == without_them


def test_who_is_run_after_others_waits_for_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    body = RIGHT.replace(DEVICE, "memory_scope_all_svm_devices")
    text = f"""OPENCL commands
{{ fine_svm atomic_int lock = 0; fine_svm int x = 0; queue q = in_order dev 0; }}
kernel K (global atomic_int* lock, global int* x) {{ int v = 1; {body} }}
P0@host (global atomic_int* lock, global int* x) {{
  event e = clEnqueueNDRangeKernel(q, K, 1, 1);
  event f = clEnqueueNDRangeKernel(q, K, 1, 1);
}}
locations [x;]
"""
    query = query_about(text)
    found, without_them = said(query, monkeypatch)

    assert not are_updates(query)
    assert are_updates(query_about(text.replace("K, 1, 1", "K, 2, 1")))
    assert found == without_them


def test_what_follows_a_barrier_reads_what_all_have_added() -> None:
    query = query_about(text_of(f"{RIGHT} barrier(CLK_GLOBAL_MEM_FENCE); a[me] = *x;", 3, 3))
    answer = decide(query, many_events=1)

    assert are_updates(query)
    assert [state.values for state in answer.states] == [(0, 6, 0, 6, 6, 6, 0)]


def test_a_lock_in_global_memory_orders_nothing_in_local_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = "if (me == 0) { m = 0; atomic_init(&l, 0); } barrier(CLK_LOCAL_MEM_FENCE);"
    body = f"{begin} {exchanging()} m += v; {freeing()}"
    query = query_about(text_of(body, 2, 2))
    found, without_them = said(query, monkeypatch)

    assert not are_updates(query)
    assert found == without_them


@pytest.mark.parametrize("rule", removable_rules(registry.get("opencl-3.0")))
def test_rules_that_are_left_out_are_not_relied_on(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_about(text_of(RIGHT, 2))
    weaker = replace(query, model=weakened(query.model, [rule]))
    found, without_them = said(weaker, monkeypatch)

    assert found == without_them


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("empty [RMW & ACQ] as never", id="not-every-interleaving"),
        pytest.param("acyclic (po & data) | rf as never", id="dependencies"),
        pytest.param("flag ~empty [RMW & ACQ] as taken", id="flag-of-takes"),
        pytest.param("flag ~empty [W & REL] as freed", id="flag-of-releases"),
        pytest.param("flag ~empty [R \\ A] ; po as read", id="flag-of-reads"),
        pytest.param("irreflexive mo ; po ; [REL] as last", id="order-of-releases"),
    ],
)
def test_models_that_say_more_of_locks(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "more.cat"
    path.write_text(f'"more"\ninclude "opencl-3.0.cat"\n{line}\n', encoding="utf-8")
    query = replace(query_about(text_of(RIGHT, 2)), model=Session().load_model(str(path)).model)
    found, without_them = said(query, monkeypatch)

    assert found == without_them


@pytest.mark.parametrize("model", ["opencl-2.0", "opencl-3.1", "opencl-scoped", "opencl-3.0+sc-both", "rc11", "sc"])
def test_other_models(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, without_them = said(query_about(text_of(RIGHT, 2), model), monkeypatch)

    assert found == without_them


@pytest.mark.parametrize("known", [{"supposed": {1: Constant(0)}}, {"shown": Shown((), frozenset(), frozenset())}])
def test_nothing_else_is_supposed_or_shown(known: dict[str, object]) -> None:
    query = query_about(text_of(RIGHT, 2))
    (skeleton,) = query.skeletons

    assert sections.where_sections_are_updates(skeleton, query.model, query.observed) is not None
    assert sections.where_sections_are_updates(replace(skeleton, **known), query.model, query.observed) is None


def test_the_solver_tells_who_waits_of_what_is_left() -> None:
    query = query_about(text_of(RIGHT, 2))
    left = tuple(without_settled(each, query.model, query.observed) for each in query.skeletons)

    answer = decide_by_solver(replace(query, skeletons=left))

    assert answer.waits == decide(query).waits
    assert len(answer.waits) == 2


@pytest.mark.slow
def test_many_groups_take_a_lock() -> None:
    body = f"if (get_local_id(0) == 0) {{ {RIGHT} }}"
    (result,) = Session().results(Source("many", text_of(body, 128, 2).replace("a[4]", "a[1]")), Options())

    assert result.complete
    assert [state.values for state in result.states] == [result.states[0].values]
    assert 2 * sum(range(64)) + 64 in result.states[0].values.values()
