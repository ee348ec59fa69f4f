"""Loops: how often they are unrolled, and that conditions grow with the number of events."""

import pytest
from small_threads import kinds, skeleton, skeletons, stops, threads_events

from mcm.execution.algebra import TRUE
from mcm.execution.evaluate import evaluate, subexpressions
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, Expression, ReadValue, Select
from mcm.execution.shared import EventLimitError
from mcm.execution.skeleton import Skeleton, StopKind
from mcm.program.condition import RegisterName

READ, WRITE, UPDATE = EventKind.READ, EventKind.WRITE, EventKind.UPDATE
BOUND, WAIT = StopKind.BOUND, StopKind.WAIT

SPIN = "while (atomic_load(x) == 0) { }"
LOCK = "while (1) { while (atomic_load(x)) { } if (!atomic_exchange(x, 1)) break; } *d = *d + 1; atomic_store(x, 0);"


def register(result: Skeleton, name: str) -> object:
    return result.registers[RegisterName(0, name)]


# --- trip counts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trips", [1, 4, 40])
def test_a_loop_of_constants_is_unrolled_fully_around_a_loop_that_depends_on_memory(trips: int) -> None:
    result = skeleton(f"int n = 0; for (int i = 0; i < {trips}; i++) {{ {SPIN} n++; }}", bound=1, waiting=True)
    assert kinds(result) == [READ] * trips
    assert register(result, "n") is Constant(trips)
    assert not stops(result, BOUND)
    bounded = skeleton(f"int n = 0; for (int i = 0; i < {trips}; i++) {{ {SPIN} n++; }}", bound=1)
    assert kinds(bounded) == [READ] * (2 * trips)
    assert register(bounded, "n") is Constant(trips)
    assert len(stops(bounded, BOUND)) == trips


def test_the_bound_counts_each_entry_of_an_inner_loop_anew() -> None:
    result = skeleton("for (int i = 0; i < 3; i++) { for (int j = 0; j < atomic_load(x); j++) { *d = j; } }", bound=2)
    written = [event.value for event in result.events if event.kind is WRITE]
    assert written == [Constant(0), Constant(1)] * 3


@pytest.mark.parametrize("loop", ["while (1)", "for (;;)", "for (; 2 > 1;)"])
@pytest.mark.parametrize("leave", ["break", "return"])
def test_a_loop_that_is_left_by_break_or_return_counts_against_the_bound(loop: str, leave: str) -> None:
    result = skeleton(f"int n = 0; {loop} {{ if (atomic_load(x)) {leave}; n++; *d = 1; }}", bound=2)
    assert kinds(result) == [READ, WRITE, READ, WRITE, READ, WRITE]
    (stop,) = stops(result, BOUND)
    reads = [event.identifier for event in result.events if event.kind is READ]
    assert evaluate(stop.condition, dict.fromkeys(reads, 0), []) == 1
    assert evaluate(stop.condition, dict.fromkeys(reads, 0) | {reads[2]: 1}, []) == 0
    end = result.registers[RegisterName(0, "n")]
    ends = [evaluate(end, dict(zip(reads, values, strict=True)), []) for values in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    assert ends == [0, 1, 2]


def test_a_loop_of_constants_with_a_break_is_unrolled_fully() -> None:
    result = skeleton("int n = 0; for (int i = 0; i < 6; i++) { if (atomic_load(x)) break; n++; }", bound=1)
    assert kinds(result) == [READ] * 6
    assert not result.stops


def test_a_loop_that_constants_leave_by_break_is_unrolled_fully() -> None:
    result = skeleton("int n = 0; while (1) { n++; *d = n; if (n == 5) break; }", bound=1)
    assert [event.value for event in result.events if event.kind is WRITE] == [Constant(n) for n in range(1, 6)]
    assert not result.stops


def test_several_exits_in_one_body() -> None:
    body = "int n = 0; for (int i = 0; i < 2; i++) { if (atomic_load(x)) break; n++; if (atomic_load(y)) break; n++; }"
    result = skeleton(body)
    reads = threads_events(result)
    end = result.registers[RegisterName(0, "n")]
    ends = [evaluate(end, {read: int(read == reads[last]) for read in reads}, []) for last in range(4)]
    assert ends == [0, 1, 2, 3]
    assert evaluate(end, dict.fromkeys(reads, 0), []) == 4
    assert [evaluate(result.events[read].guard, dict.fromkeys(reads, 0) | {reads[1]: 1}, []) for read in reads] == [
        *(1, 1),
        *(0, 0),
    ]


def test_a_loop_that_nothing_ends_is_cut() -> None:
    result = skeleton("while (1) { atomic_store(x, 1); }", bound=2)
    assert kinds(result) == [WRITE] * 3
    (stop,) = result.stops
    assert (stop.kind, stop.condition) == (BOUND, TRUE)


def test_a_loop_that_counts_for_ever_meets_the_limit_of_events() -> None:
    with pytest.raises(EventLimitError) as raised:
        skeletons("int n = 0; while (1) { n++; }", asks="exists (0:n=3)", limit=500)
    assert raised.value.limit == 500
    assert raised.value.span.text.startswith("while")


def test_do_continue_and_break_together() -> None:
    body = "int n = 0; int i = 0; do { i++; if (i == 2) continue; if (atomic_load(x)) break; n += i; } while (i < 4);"
    result = skeleton(body, bound=1)
    reads = threads_events(result)
    assert len(reads) == 3
    end = result.registers[RegisterName(0, "n")]
    assert evaluate(end, dict.fromkeys(reads, 0), []) == 1 + 3 + 4
    assert evaluate(end, {reads[0]: 0, reads[1]: 1}, []) == 1


# --- growth -----------------------------------------------------------------------------------------------------------


def parts(expression: Expression) -> int:
    return sum(1 for _ in subexpressions(expression))


@pytest.mark.parametrize("waiting", [False, True])
def test_guards_behind_sequential_loops_grow_by_as_much_each_time(waiting: bool) -> None:
    def size(loops: int) -> int:
        return parts(skeleton(" ".join([SPIN] * loops), bound=3, waiting=waiting).events[-1].guard)

    assert size(30) - size(20) == size(20) - size(10) > 0


@pytest.mark.parametrize("waiting", [False, True])
def test_nested_locks_grow_with_their_events(waiting: bool) -> None:
    events = []
    for bound in (2, 3, 4, 8):
        result = skeleton(LOCK, LOCK, bound=bound, waiting=waiting)
        assert max(parts(event.guard) for event in result.events) <= 5 * len(result.events)
        events.append(len(result.events))
    # Each of at most bound + 1 rounds loads at most bound + 1 times.
    assert all(count <= 2 * (bound + 2) * (bound + 2) + 16 for bound, count in zip((2, 3, 4, 8), events, strict=True))


def test_a_chain_of_branches_grows_by_as_much_each_time() -> None:
    def size(branches: int) -> int:
        result = skeleton("int r = atomic_load(x); " + "if (r == 1) { r = 2; } " * branches, asks="exists (0:r=2)")
        return parts(result.registers[RegisterName(0, "r")])

    assert size(300) - size(200) == size(200) - size(100)


def test_constants_stay_constants_in_branches() -> None:
    result = skeleton(
        "int r = atomic_load(x); int n = 1; if (r) { n = 2; *d = n; if (r) { *a = n; } } else { *d = n; }"
    )
    assert [event.value for event in result.events if event.kind is WRITE] == [Constant(2), Constant(2), Constant(1)]
    assert isinstance(result.registers[RegisterName(0, "r")], ReadValue)


@pytest.mark.parametrize(
    "loop",
    [
        "while (n > 0) { n = atomic_load(x); }",
        "for (; n > 0; n = atomic_load(x)) { }",
        "while (!(n <= 0)) { n = 5; n = atomic_load(x) + n - 5; }",
    ],
)
def test_what_was_tested_and_is_read_anew_may_change_while_a_thread_waits(loop: str) -> None:
    result = skeleton(f"int n = atomic_fetch_add(x, 1); {loop} *d = 3;", bound=1, waiting=True, asks="exists (0:n=0)")
    assert not stops(result, BOUND)
    (wait,) = stops(result, WAIT)
    update, *reads, store = threads_events(result)
    assert [result.events[read].kind for read in reads] == [READ] * len(reads)
    assert wait.reads == tuple(reads)
    # It waits whatever was read before, and goes on at once where that was right.
    values = {update: 1, **dict.fromkeys(reads[:-1], 0), reads[-1]: 2}
    assert evaluate(wait.condition, values, []) == 1
    assert evaluate(result.events[store].guard, values, []) == 0
    assert evaluate(result.events[store].guard, {update: 0}, []) == 1
    assert evaluate(result.events[store].guard, {**values, reads[-1]: 0}, []) == 1


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_iterations_behind_a_test_count_as_those_before_one(bound: int) -> None:
    body = "int n = atomic_load(x); while (n < 2) { *d = 1; n = atomic_load(x); }"
    result = skeleton(body, bound=bound, waiting=True, asks="exists (0:n=2)")
    assert kinds(result).count(READ) == 1 + bound
    assert len(stops(result, BOUND)) == 1


def test_what_a_path_decides_is_not_carried_along() -> None:
    # With what is written between, each attempt has an effect.
    body = "int e = 0; while (!atomic_compare_exchange_strong(x, &e, e + 1)) { atomic_store(y, e); } *d = e;"
    result = skeleton(body, bound=3, waiting=True, asks="exists (x=9)")
    *attempts, last = [event for event in result.events if event.kind in {WRITE, UPDATE}]
    assert len(attempts) > 2
    written = [part for event in attempts if event.value is not None for part in subexpressions(event.value)]
    assert not any(isinstance(part, Select) for part in written)
    assert last.value is not None
    assert any(isinstance(part, Select) for part in subexpressions(last.value))


def test_an_iteration_whose_reads_one_with_an_effect_does_not_make_again_is_executed_once_before() -> None:
    body = """int b = 0; int told = 0;
      while (b == 0) {
        if (atomic_load(x) == 2) { if (told == 0) { told = 1; atomic_store(y, 1); } } else { b = *d; }
      }"""
    first = stops(skeleton(body, bound=1, waiting=True), WAIT)[0]
    # The first iteration goes on: what follows from telling may race with what it reads.
    assert first.reads[0] > 2


def test_a_read_behind_a_write_of_an_iteration_with_an_effect_does_not_count_as_made_again() -> None:
    telling = "while (1) { int a = atomic_load(x); if (a == 2) { atomic_store(y, 1); } if (*d == 1) break; }"
    other = "while (1) { int a = atomic_load(x); if (*d == 1) break; if (a == 2) { atomic_store(y, 1); } }"
    one, two = (stops(skeleton(body, bound=1, waiting=True), WAIT) for body in (telling, other))
    assert len(one[0].reads) == len(two[0].reads) == 2
    assert one[0].reads[0] > two[0].reads[0]


# --- loops that come to an end by themselves --------------------------------------------------------------------------

LOOK_BACK = """int p = 5; int sum = 0;
  while (p >= 0) {
    int s = atomic_load(x + p);
    if (s == 2) { sum += a[p]; p = -1; } else if (s == 1) { sum += a[p]; p--; }
  }"""
ENDLESS_LOOK_BACK = """int p = 5; int sum = 0;
  while (1) {
    int s = atomic_load(x + p);
    if (s == 2) { sum += a[p]; break; }
    if (s == 1) { sum += a[p]; p = p - 1; }
  }"""
STATES = "[y]=0; [d]=0; int a[6]; int x[6] = {2, 1, 1, 1, 1, 1};"


@pytest.mark.parametrize("bound", [2, 3, 8])
@pytest.mark.parametrize("body", [LOOK_BACK, ENDLESS_LOOK_BACK])
def test_a_look_back_goes_to_the_first_group_whatever_the_bound(body: str, bound: int) -> None:
    result = skeleton(body, "atomic_store(x + 1, 2);", bound=bound, waiting=True, asks="exists (y=0)", initial=STATES)
    assert not stops(result, BOUND)
    looked_at = [event.locations for event in result.events if event.kind is READ and event.atomic]
    assert [result.program.show_location(*places) for places in looked_at] == [f"x[{p}]" for p in range(5, -1, -1)]


def test_a_search_for_a_free_slot_looks_at_each_slot() -> None:
    body = "int i = 3; while (1) { if (atomic_exchange(x + i, 7) == 0) break; i = (i + 1) % 6; }"
    result = skeleton(body, bound=1, waiting=True, asks="exists (y=0)", initial=STATES)
    reads = [event.locations[0].offset for event in result.events if event.kind is UPDATE]
    assert reads[:6] == [3, 4, 5, 0, 1, 2]
    assert stops(result, BOUND)


def test_what_takes_far_more_than_within_the_bound_is_cut() -> None:
    body = "int i = 3; while (1) { if (atomic_exchange(x + i, 7) == 0) break; i = (i + 1) % 60; }"
    result = skeleton(body, waiting=True, asks="exists (y=0)", initial="[y]=0; [d]=0; int a[1]; int x[60];")
    assert kinds(result).count(UPDATE) < 10
    assert stops(result, BOUND)


def test_what_is_written_behind_the_bound_is_read_by_others() -> None:
    looking = "int i = 0; while (1) { if (atomic_load(x + i) != 7) break; i = i + 1; }"
    writing = "int i = 0; while (1) { atomic_store(x + i, 7); if (atomic_load(x + i) != 7) break; i = i + 1; }"
    result = skeleton(looking, writing, bound=1, waiting=True, asks="exists (y=0)", initial=STATES)
    read = [e.locations[0].offset for e in result.events if e.kind is READ and e.thread == 0]
    assert read == list(range(6))


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_a_loop_that_comes_back_to_what_it_tested_is_cut(bound: int) -> None:
    body = "int p = 1; while (p != 5) { atomic_store(y, p); if (atomic_load(x) == 3) p = 5; else p = 1 - p; }"
    result = skeleton(body, "*d = 1;", bound=bound, waiting=True)
    assert len(stops(result, BOUND)) == 1
    assert len(threads_events(result)) < 20


def test_a_value_that_leads_on_is_one_that_a_location_can_have() -> None:
    body = "int p = 2; while (1) { if (atomic_load(x) == 1) p--; else break; atomic_store(y, p); }"
    zero_or_two = skeleton(
        body, "atomic_store(x, 2);", bound=1, waiting=True, asks="exists (y=0)", initial=STATES.replace("{2", "{0")
    )
    assert not stops(zero_or_two, BOUND)
