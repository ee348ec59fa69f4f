"""Programs that fall apart at barriers and waits: where, and what is answered from the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm import Options, Verdict, shared_session
from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.weaken import weakened
from mcm.engine import choose
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.findings import watched
from mcm.engine.phases.cut import next_cut
from mcm.engine.phases.decide import decide_by_phases
from mcm.engine.phases.models import falls_apart
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

HOW: Final = "memory_order_relaxed, memory_scope_work_group"
# Everybody competes for a location before the barrier and reads it behind.
COMPETE: Final = f"atomic_store_explicit(&x[0], l + 1, {HOW}); BARRIER r = atomic_load_explicit(&x[0], {HOW});"


def kernel(
    body: str, *, flags: str = "CLK_GLOBAL_MEM_FENCE", groups: int = 1, question: str = "locations [ x; 0:r; 1:r; ]"
) -> Query:
    body = body.replace("BARRIER", f"work_group_barrier({flags});")
    return query_about(f"""OPENCL phases
{{ atomic_int x[2]; int a[4]; float f[2]; }}
kernel K (global atomic_int* x, global int* a, global float* f) {{
  local atomic_int d[2]; local int u[2];
  int l = get_local_id(0); int g = get_global_id(0); int r = 0;
  {body}
}}
launch K global {2 * groups}, local 2, dev 0;
{question}
""")


def query_about(text: str, *, bound: int = 2) -> Query:
    program = read_test(Source("phases", text)).program
    return Query(
        elaborate(program, bound, waiting=True),
        registry.get("opencl-3.0"),
        observed_by(program),
        limits=Limits(seconds=600),
        wants_witnesses=False,
    )


def by_phases(query: Query, asked: list[Query] | None = None) -> Answer | None:
    def ask(part: Query) -> Answer:
        if asked is not None:
            asked.append(part)
        return decide(replace(part, limits=Limits(nodes=500)))

    return decide_by_phases(query, watched(query), ask)


def falls(query: Query) -> bool:
    (skeleton,) = query.skeletons
    return next_cut(skeleton, query.model) is not None


def values(answer: Answer | None) -> list[tuple[object, ...]]:
    assert answer is not None
    return [state.values for state in answer.states]


def test_what_is_before_a_barrier_is_a_part_of_its_own() -> None:
    query = kernel(COMPETE)
    (skeleton,) = query.skeletons
    before = next_cut(skeleton, query.model)
    assert before is not None

    kinds = [skeleton.events[event].kind for event in sorted(before)]
    assert kinds == [EventKind.WRITE, EventKind.ENTRY, EventKind.EXIT] * 2
    assert values(by_phases(query)) == values(decide(query))


def test_a_barrier_that_orders_another_region_is_no_point() -> None:
    assert not falls(kernel(COMPETE, flags="CLK_LOCAL_MEM_FENCE"))


def test_memory_of_several_groups_is_not_ordered_by_the_barrier_of_one() -> None:
    assert not falls(kernel(COMPETE, groups=2))


def test_groups_that_share_nothing_come_one_after_the_other() -> None:
    alone = COMPETE.replace("&x[0]", "&d[0]")
    query = kernel(alone + "a[g] = r;", flags="CLK_LOCAL_MEM_FENCE", groups=2, question="locations [ a; ]")
    asked: list[Query] = []

    assert len(values(by_phases(query, asked))) == 4
    assert all(len({e.thread for e in part.skeletons[0].events} - {None}) <= 2 for part in asked[:2])


def test_a_situation_that_is_reached_in_several_ways_is_looked_at_once() -> None:
    swaps = f"atomic_fetch_max_explicit(&x[0], l + 1, {HOW}); BARRIER "
    query = kernel(swaps * 3 + f"r = atomic_load_explicit(&x[0], {HOW});")
    asked: list[Query] = []

    assert values(by_phases(query, asked)) == values(decide(query))
    assert len(asked) == 4


def test_each_state_is_told_once() -> None:
    body = f"r = atomic_exchange_explicit(&x[0], l + 1, {HOW}); BARRIER atomic_store_explicit(&x[1], 1, {HOW});"
    told: list[tuple[object, ...]] = []
    query = replace(kernel(body, question="locations [ x[1]; ]"), on_state=lambda state: told.append(state.values))

    assert values(by_phases(query)) == told == [(1,)]


def test_what_threads_remember_goes_on_into_the_rest() -> None:
    remembers = f"r = atomic_exchange_explicit(&x[0], l + 1, {HOW}); BARRIER a[g] = r * 2 + 1; BARRIER"
    query = kernel(remembers + " if (r) x[1] = r;", question="locations [ a; x; 0:r; 1:r; ]")

    assert values(by_phases(query)) == values(decide(query))


def test_floating_numbers_stay_such() -> None:
    query = kernel(
        f"f[l] = 1.0f; BARRIER float h = f[1 - l]; atomic_store_explicit(&x[0], l, {HOW}); BARRIER f[l] = h / 2;",
        question="locations [ f; x[0]; ]",
    )
    found = decide_by_phases(query, watched(query), lambda part: choose.decide(part, choose.EngineName.SMT))

    assert found is not None
    assert (found.engine, found.solver) == ("smt", "z3")
    assert values(found) == values(decide(query))
    assert all(state.count(0.5) == 2 for state in values(found))


@pytest.mark.parametrize(
    ("known", "rest"),
    [
        pytest.param("long h = b[1 - l];", "b[l] = h;", id="large-integers"),
        pytest.param("int h = b[1 - l] > 2; float k = h ? 1.0f : 3.0f;", "f[l] = k / 2;", id="a-choice-of-floats"),
        pytest.param("int h = f[1 - l] < 2.0f;", "b[l] = h / 2; a[l] = 3 >> h;", id="whether-floats-compare"),
        pytest.param("int h = f[1 - l];", "b[l] = h / 2;", id="an-integer-of-a-float"),
        pytest.param("float h = b[1 - l] > 2;", "f[l] = h / 2;", id="a-float-of-an-integer"),
    ],
)
@pytest.mark.parametrize("engine", [choose.EngineName.SMT, choose.EngineName.EXPLICIT])
def test_what_is_known_is_of_its_type(known: str, rest: str, engine: choose.EngineName) -> None:
    query = query_about(f"""OPENCL types
{{ atomic_int x; long b[2]; float f[2]; int a[2]; }}
kernel K (global atomic_int* x, global long* b, global float* f, global int* a) {{
  int l = get_local_id(0);
  b[l] = 9007199254740993; f[l] = 1.0f;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE); {known} atomic_store_explicit(x, l, {HOW});
  work_group_barrier(CLK_GLOBAL_MEM_FENCE); {rest}
}}
launch K global 2, local 2, dev 0;
locations [ x; a; b; f; ]
""")
    found, whole = decide_by_phases(query, watched(query), lambda part: choose.decide(part, engine)), decide(query)

    assert [list(map(repr, each)) for each in values(found)] == [list(map(repr, each)) for each in values(whole)]


@pytest.mark.parametrize("is_read", [True, False])
def test_whether_local_memory_has_a_value_is_known_behind_a_barrier(is_read: bool) -> None:
    # Only who comes second writes: in the part it is not known who that is.
    body = (
        f"if (l == 0) {{ atomic_init(&d[0], 0); }} BARRIER if (atomic_fetch_add_explicit(&d[0], 1, {HOW}) == 1) "
        f"{{ u[l] = 5; }} BARRIER {'r = u[0];' if is_read else 'r = 1; u[0] = 1 + l * 0;'}"
    )
    query = kernel(
        body.replace("u[0] = 1 + l * 0;", "if (l == 0) { u[0] = 1; r = u[0]; }"), flags="CLK_LOCAL_MEM_FENCE"
    )
    found = by_phases(query)

    assert (found is None) == is_read
    assert bool(decide(query).flags) == is_read


def test_what_threads_compete_for_is_no_part_without_a_barrier() -> None:
    # All orders of tickets are one, but for symmetry, which is lost where they are known.
    query = kernel(
        f"int mine = atomic_fetch_add_explicit(&x[0], 1, {HOW}); "
        f"while (atomic_load_explicit(&x[1], {HOW}) != mine) {{ }} "
        f"a[0] = a[0] + 1; atomic_store_explicit(&x[1], mine + 1, memory_order_release, memory_scope_work_group);"
    )
    assert not falls(query)


def test_a_part_of_very_many_states_is_left_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    query = kernel(COMPETE)
    monkeypatch.setattr("mcm.engine.phases.decide._MOST_STATES", 1)

    assert by_phases(query) is None


# Who sees that somebody has stored 1 in the second location goes through a barrier; nothing else orders the first one.
SOME_MEET: Final = f"""
  if (l == 0) {{ atomic_store_explicit(&x[0], 1, {HOW}); }}
  atomic_store_explicit(&x[1], l, {HOW});
  if (work_group_any(atomic_load_explicit(&x[1], {HOW}))) {{ BARRIER r = 2 * atomic_load_explicit(&x[0], {HOW}); }}
  r = r + atomic_load_explicit(&x[0], {HOW});
"""


def test_states_may_be_missing_of_the_last_part_alone() -> None:
    """What was found of it stands, and the answer says that there are more."""
    query = kernel(f"{COMPETE} r = 10 * r + atomic_fetch_add_explicit(&x[1], 1, {HOW});")
    whole = values(by_phases(query))

    def lacking(*, is_last: bool) -> Answer | None:
        def ask(part: Query) -> Answer:
            answer = decide(part)
            few = replace(answer, states=answer.states[:1], states_left="timeout")
            return few if (part.observed == query.observed) == is_last else answer

        return decide_by_phases(query, watched(query), ask)

    last = lacking(is_last=True)
    assert last is not None
    assert last.states_left == "timeout"
    assert last.undecided is None
    assert {*values(last)} < {*whole}
    assert lacking(is_last=False) is None


def test_a_barrier_that_is_not_always_passed_orders_nothing_behind_it() -> None:
    query = kernel(SOME_MEET)

    assert by_phases(query) is None
    assert (1, 0, 1, 0) in values(decide(query))


def test_others_go_on_when_a_thread_has_stopped() -> None:
    # Only where a loop is cut by the bound, both write the same element.
    exchanges = f"r = atomic_exchange_explicit(&x[0], l + 1, {HOW}); BARRIER "
    query = kernel(exchanges + "a[r == 2 ? 0 : r] = l; for (int k = 0; k < 3 * r; k++) a[l + 2] = k;")
    stops = kernel(exchanges + "a[l] = r; for (int k = 0; k < 3 * r; k++) a[l + 2] = k;")

    assert by_phases(query) is None
    assert [flag.name for flag in decide(query).flags] == ["data_race"]
    found = by_phases(stops)
    assert found is not None
    assert found.bounded == decide(stops).bounded != ()
    assert not found.states


def test_registers_of_a_thread_that_has_stopped_speak_of_what_is_not_executed() -> None:
    exchange = f"r = atomic_exchange_explicit(&x[1], l + 1, {HOW}); BARRIER "
    loop = "for (int k = 0; k < r + l * 2; k++) { a[l] = k; } "
    query = kernel(f"r = atomic_load_explicit(&x[0], {HOW}); BARRIER {exchange} {loop} {exchange}" + exchange)
    found = decide_by_phases(query, watched(query), lambda part: choose.decide(part, choose.EngineName.SMT))
    whole = decide(query)

    assert values(found) == values(whole)
    assert found is not None
    assert found.bounded == whole.bounded


def test_the_sign_of_zero_is_not_lost() -> None:
    comes_first = f"if (atomic_exchange_explicit(&x[0], l + 1, {HOW}) == 0) {{ f[0] = l ? -0.0f : 0.0f; }} BARRIER "
    settles = f"atomic_fetch_max_explicit(&x[0], 4, {HOW}); BARRIER r = 1 / f[0] > 0;"
    query = kernel(comes_first + settles, question="locations [ 0:r; ]")

    assert values(by_phases(query)) == values(decide(query)) == [(0,), (1,)]


def test_what_is_written_to_an_image_may_hide_nothing() -> None:
    query = query_about(f"""OPENCL image
{{ image int i[2]; atomic_int x; }}
kernel K (read_write image1d_t i, global atomic_int* x) {{
  int l = get_local_id(0);
  write_imagei(i, l, (int4)(1, 0, 0, 0));
  atomic_store_explicit(x, l, {HOW});
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  int r = read_imagei(i, l).x;
}}
launch K global 2, local 2, dev 0;
locations [ x; 0:r; ]
""")

    assert not falls(query)
    assert values(decide(query)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_program_with_a_race_is_left_to_the_engines() -> None:
    assert by_phases(kernel("a[0] = l; BARRIER r = a[0];")) is None


def test_a_model_with_a_rule_less_is_not_one_that_falls_apart() -> None:
    model = registry.get("opencl-3.0")

    assert falls_apart(model)
    assert falls_apart(registry.get_for("opencl-3.0", "accesses"))
    assert not falls_apart(weakened(model, {"BAR-2"}))
    assert not falls_apart(registry.get("opencl-2.0-cond"))
    assert by_phases(replace(kernel(COMPETE), model=registry.get("sc"))) is None


@pytest.mark.parametrize("changed", [{"wants_witnesses": True}, {"counts": True}])
def test_executions_and_their_numbers_are_those_of_the_whole(changed: dict[str, bool]) -> None:
    query = kernel(COMPETE)
    assert by_phases(query) is not None
    assert by_phases(replace(query, **changed)) is None


HOST_LOOP: Final = """OPENCL rounds
{ fine_svm atomic_int f = 1; fine_svm int d[2] = {1, 0}; queue q = in_order dev 0; }
kernel K (global int* d, global atomic_int* f) {
  int g = get_global_id(0);
  int v = d[g];
  if (v > 0) { d[g] = v - 1; atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_device); }
}
P0@host (global int* d, global atomic_int* f) {
  int n = 0;
  while (*f) { n++; *f = 0; clEnqueueNDRangeKernel(q, K, 2, 2); FINISH }
}
locations [ d; f; 0:n; ]
"""


def test_the_host_waits_and_decides_whether_to_go_on() -> None:
    query = query_about(HOST_LOOP.replace("FINISH", "clFinish(q);"), bound=3)
    asked: list[Query] = []

    assert values(by_phases(query, asked)) == [(2, 0, 0, 0)]
    assert len(asked) > 3


def test_what_the_host_has_written_tells_how_far_a_kernel_goes() -> None:
    # As long as that is not known, the loop of the kernel may be cut, and the command not end.
    text = HOST_LOOP.replace("int v = d[g];", "int v = 0; for (int k = 0; k < *e; k++) { v = d[g]; }").replace(
        "global int* d, global atomic_int* f", "global int* d, global int* e, global atomic_int* f"
    )
    text = text.replace("FINISH", "clFinish(q);").replace("queue q", "fine_svm int e[1] = {0}; queue q")
    query = query_about(text.replace("int n = 0;", "int n = 0; e[0] = 2;"), bound=2)
    asked: list[Query] = []

    assert values(by_phases(query, asked)) == [(2, 0, 0, 0)]


def test_a_host_that_does_not_wait_comes_to_no_such_point() -> None:
    query = query_about(HOST_LOOP.replace("FINISH", ""), bound=2)
    asked: list[Query] = []

    assert by_phases(query, asked) is None
    assert len(asked) <= 3


def test_what_another_thread_of_the_host_does_is_on_neither_side() -> None:
    how = "memory_order_relaxed, memory_scope_all_svm_devices"
    query = query_about(f"""OPENCL two hosts
{{ fine_svm_atomics atomic_int x = 0; fine_svm int d[2]; queue q = in_order dev 0; }}
kernel K (global int* d) {{ d[get_global_id(0)] = 1; }}
P0@host (global atomic_int* x) {{
  atomic_store_explicit(x, 1, {how}); clEnqueueNDRangeKernel(q, K, 2, 2); clFinish(q);
  atomic_store_explicit(x, 2, {how});
}}
P1@host (global atomic_int* x) {{ int r = atomic_load_explicit(x, {how}); }}
locations [ 1:r; ]
""")

    assert values(decide(query)) == [(0,), (1,), (2,)]
    assert by_phases(query) is None


def test_the_status_of_a_command_is_asked_for_where_the_command_is() -> None:
    """It is complete: behind a point there would be no command of which to know that."""
    query = query_about("""OPENCL status
{ fine_svm_atomics atomic_int x = 0; queue q = in_order dev 0; }
kernel K (global atomic_int* x) { atomic_exchange_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
P0@host (global atomic_int* x) {
  event e = clEnqueueNDRangeKernel(q, K, 2, 2); clFinish(q);
  int r = clGetEventInfo(e);
  atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_all_svm_devices);
}
locations [ 0:r; x; ]
""")

    assert values(decide(query)) == [(0, 2)]
    assert not falls(query)


BELLMAN_FORD: Final = """OPENCL bellman-ford
{ int dist[4]; int from[4] = {0, 1, 2, 0}; int to[4] = {1, 2, 3, 3}; int weight[4] = {1, 1, 1, 5}; }
kernel K (global int* dist, global const int* from, global const int* to, global const int* weight) {
  local atomic_int d[4]; local atomic_int changed;
  int l = get_local_id(0); int again;
  atomic_store_explicit(&d[l], l == 0 ? 0 : 99, HOW);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  do {
    if (l == 0) { atomic_store_explicit(&changed, 0, HOW); }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int better = atomic_load_explicit(&d[from[l]], HOW) + weight[l];
    if (better < atomic_fetch_min_explicit(&d[to[l]], better, HOW)) { atomic_store_explicit(&changed, 1, HOW); }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    again = atomic_load_explicit(&changed, HOW);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
  } while (again);
  dist[l] = atomic_load_explicit(&d[l], HOW);
}
launch K global 4, local 4, dev 0;
forall (dist[0]=0 /\\ dist[1]=1 /\\ dist[2]=2 /\\ dist[3]=3)
""".replace("HOW", HOW)


def _waits_for_one_buffer(first: str, second: str) -> Query:
    """A host that waits for the first of two commands."""
    text = f"""SYCL phases
{{ int x = 0; int y = 0; int v = 0; }}
host {{
  queue q;
  buffer<int> b(x, range<1>(1)); buffer<int> c(y, range<1>(1));
  q.submit([&](handler& h) {{ accessor a(b, h); h.parallel_for(range<1>(2), [=](id<1> i) {{ {first} }}); }});
  q.submit([&](handler& h) {{ accessor a(c, h); h.single_task([=] {{ {second} }}); }});
  int r = 0;
  {{ host_accessor g(b, read_only); r = g[0]; }}
  if (r == 1) {{ *v = *v + 1; }}
}}
locations [x; y; 0:r;]
"""
    return replace(query_about(text), model=registry.get("sycl-2020"))


_ATOMIC: Final = "atomic_ref<int, memory_order::relaxed, memory_scope::device>"


def test_a_command_that_nobody_has_waited_for_is_behind() -> None:
    query = _waits_for_one_buffer(f"{_ATOMIC}(a[0]).exchange(i + 1);", "a[0] = 5;")
    before = next_cut(query.skeletons[0], query.model)
    assert before is not None
    commands = {event.command for event in query.skeletons[0].events if event.identifier in before}
    assert {0} < commands
    done = [event for event in query.skeletons[0].events if event.kind is EventKind.COMPLETE and event.command == 1]
    assert {event.identifier for event in done}.isdisjoint(before)
    found = decide_by_phases(query, watched(query), decide)
    assert found is not None
    assert [state.values for state in found.states] == [state.values for state in decide(query).states]


def test_what_competes_with_a_command_that_is_still_there_is_no_part() -> None:
    """Nor is it looked at: a part of the first command alone would miss that it may see the second one's value."""
    query = _waits_for_one_buffer(f"{_ATOMIC}(a[0]).exchange({_ATOMIC}(*v).fetch_add(1));", f"{_ATOMIC}(*v).store(7);")
    before = next_cut(query.skeletons[0], query.model)
    units = {unit for command in query.skeletons[0].program.commands[:1] for unit in command.units}
    assert before is None or not any(
        event.thread in units for event in query.skeletons[0].events if event.identifier in before
    )


@pytest.mark.parametrize("lists", [True, False])
def test_a_group_goes_round_until_nothing_changes(lists: bool) -> None:
    (result,) = shared_session().results(Source("bellman-ford", BELLMAN_FORD), Options(wants_states=lists))

    assert result.verdict is Verdict.REQUIRED
    assert result.holds
    assert len(result.states) <= 1
