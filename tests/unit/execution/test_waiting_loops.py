"""Loops that wait: which iterations have no effect, where the thread stops, and what it reads there."""

import pytest
from small_threads import kinds, skeleton, skeletons, stops, threads_events

from mcm.execution.algebra import TRUE
from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind
from mcm.execution.skeleton import StopKind

READ, WRITE, UPDATE = EventKind.READ, EventKind.WRITE, EventKind.UPDATE
BOUND, WAIT = StopKind.BOUND, StopKind.WAIT

FENCE = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);"
SPIN = "while (atomic_load(x) == 0) { }"
LOCK = "while (1) { while (atomic_load(x)) { } if (!atomic_exchange(x, 1)) break; } *d = *d + 1; atomic_store(x, 0);"


@pytest.mark.parametrize(
    ("loop", "failing", "events"),
    [
        ("while (atomic_load(x) == 0) { }", [0], [READ]),
        ("while (*d == 0) { }", [0], [READ]),
        ("while (1) { if (atomic_load(x)) break; }", [0], [READ]),
        ("while (atomic_load(x) == 0 || atomic_load(y) == 0) { }", [1, 0], [READ, READ]),
        ("int r; do { r = atomic_load(x); } while (r == 0);", [0], [READ]),
        ("for (int i = 0; atomic_load(x) == 0; ) { i = 0; }", [0], [READ]),
        ("while (atomic_exchange(x, 1) == 1) { }", [1], [UPDATE]),
        ("while (atomic_fetch_add(x, 0) == 0) { }", [0], [UPDATE]),
    ],
)
def test_an_iteration_without_effect_is_where_the_thread_waits(
    loop: str, failing: list[int], events: list[EventKind]
) -> None:
    result = skeleton(f"{loop} *a = 3;", bound=1, waiting=True)
    assert kinds(result) == [*events, WRITE]
    assert not stops(result, BOUND)
    (wait,) = stops(result, WAIT)
    *reads, store = threads_events(result)
    values = dict(zip(reads, failing, strict=True))
    assert wait.reads == tuple(reads)
    assert evaluate(wait.condition, values, []) == 1
    assert evaluate(wait.persists, values, []) == 1
    assert evaluate(result.events[store].guard, values, []) == 0
    assert wait.span.text.split()[0] in {"while", "do", "for"}


@pytest.mark.parametrize("body", [FENCE, f"if (atomic_load(y)) {{ {FENCE} }}"])
def test_a_fence_is_no_effect(body: str) -> None:
    result = skeleton(f"do {{ {body} }} while (atomic_load(x) == 0); *a = 3;", bound=1, waiting=True)
    assert stops(result, WAIT)
    assert not stops(result, BOUND)


@pytest.mark.parametrize(
    "loop",
    [
        "while (atomic_fetch_add(x, 1) < 9) { }",
        "while (atomic_load(x) == 0) { *d = 1; }",
        "while (atomic_load(x) == 0) { for (int i = 0; i < 2; i++) { *d = i; } }",
        "while (atomic_load(x) == 0) { if (atomic_load(y)) { *d = 1; } else { *d = 2; } }",
        "while (atomic_load(x) == 0) { n++; }",
        "while (atomic_load(x) == 0) { work_group_barrier(CLK_GLOBAL_MEM_FENCE); }",
        "while (!work_group_all(atomic_load(x))) { }",
    ],
)
def test_an_iteration_with_an_effect_counts_against_the_bound(loop: str) -> None:
    result = skeletons(f"int n = 0; {loop}", bound=1, waiting=True, asks="exists (0:n=9)")[0]
    assert not stops(result, WAIT)
    assert stops(result, BOUND)


def test_what_nobody_asks_for_may_change_while_a_thread_waits() -> None:
    body = "int n = 0; while (atomic_load(x) == 0) { n++; }"
    assert stops(skeleton(body, waiting=True, asks="exists (x=1)"), BOUND) == []
    assert stops(skeleton(body, waiting=True, asks="exists (0:n=1)"), WAIT) == []
    assert stops(skeleton(body, waiting=True, asks="locations [0:n;] exists (x=1)"), WAIT) == []
    assert stops(skeleton(body + " *d = n;", waiting=True, asks="exists (x=1)"), WAIT) == []
    # Where nothing is asked all registers are listed.
    assert stops(skeleton(body, waiting=True, asks=""), WAIT) == []
    assert stops(skeleton(body, waiting=True, asks="locations [x;]"), BOUND) == []


def test_what_has_its_address_taken_matters() -> None:
    body = "int n = 0; int* p = &n; while (atomic_load(x) == 0) { *p += 1; }"
    assert stops(skeleton(body, waiting=True, asks="exists (x=1)"), WAIT) == []


def test_a_failing_compare_exchange_waits_where_what_it_read_is_overwritten() -> None:
    renewed = "int e; do { e = 0; } while (!atomic_compare_exchange_strong(x, &e, 1)); *a = 3;"
    result = skeleton(renewed, waiting=True)
    assert kinds(result) == [UPDATE, READ, WRITE]
    (wait,) = result.stops
    assert wait.kind is WAIT
    _, failure, _ = threads_events(result)
    assert wait.reads == (failure,)
    loaded = "int e; do { e = atomic_load(x); } while (!atomic_compare_exchange_strong(x, &e, e + 1));"
    assert [stop.kind for stop in skeleton(loaded, waiting=True).stops] == [WAIT]


@pytest.mark.parametrize("strength", ["weak", "strong"])
def test_a_failing_compare_exchange_that_remembers_what_it_read_is_tried_with_that(strength: str) -> None:
    body = f"int e = 0; while (!atomic_compare_exchange_{strength}(x, &e, e + 1)) {{ }}"
    result = skeleton(body, bound=2, waiting=True)
    first, later = (event for event in threads_events(result) if result.events[event].kind is READ)

    assert kinds(result) == [UPDATE, READ] * 2
    assert not stops(result, BOUND)
    once, again = stops(result, WAIT)
    # It expects something else now.
    assert evaluate(once.condition, {first: 7}, [False] * 2) == 0
    assert again.reads == (first, later)
    # If it finds what was expected first, it is as if it had not begun; else, as if it had found that at once.
    assert all(evaluate(again.condition, {first: 7, later: found}, [False] * 2) == 1 for found in (0, 5))
    assert not again.fails_again


def test_what_a_strong_exchange_cannot_have_found_is_not_taken_for_what_it_has_found() -> None:
    tried = "!atomic_compare_exchange_strong(x, &e, 1)"
    body = f"int e = 0, r = 0; if ({tried}) {{ r = 1; while ({tried}) {{ }} }} *d = r;"
    result = skeleton(body, "atomic_store(x, 5); atomic_store(x, 0);", bound=2, waiting=True)
    first, later = [event for event in threads_events(result) if result.events[event].kind is READ][:2]
    found = dict.fromkeys(threads_events(result), 7)

    # Had it found 0 at first, it would not have come to the loop.
    assert not evaluate(stops(result, WAIT)[0].condition, found | {first: 5, later: 0}, [False] * 4)
    assert len(threads_events(result)) > 5


def test_an_iteration_that_has_read_more_is_not_left_out_with_the_next_one() -> None:
    body = (
        "int e = 0; do { if (atomic_load(y)) { int t = *d; } } while (!atomic_compare_exchange_strong(x, &e, e + 1));"
    )
    result = skeleton(body, "atomic_store(x, 1); atomic_store(y, 1); *d = 1;", bound=2, waiting=True)
    assert kinds(result).count(UPDATE) > 2


def test_one_that_fails_where_more_is_tested_does_not_fail_again_either() -> None:
    body = "int e = atomic_load(x); while (e < 3 && !atomic_compare_exchange_strong(x, &e, 3)) { }"
    waits = stops(skeleton(body, "atomic_store(x, 1);", bound=2, waiting=True), WAIT)

    assert waits
    assert not any(wait.fails_again for wait in waits)


@pytest.mark.parametrize("strength", ["weak", "strong"])
@pytest.mark.parametrize("new", ["e + 1", "5"])
def test_one_that_goes_on_with_what_it_has_found_is_one_that_begins_later(strength: str, new: str) -> None:
    body = f"int e = atomic_load(x); while (!atomic_compare_exchange_{strength}(x, &e, {new})) {{ }}"
    result = skeleton(body, "atomic_store(x, 1);", bound=2, waiting=True)
    load, _, failure = threads_events(result)[:3]
    (wait,) = result.stops

    assert wait.kind is WAIT
    assert wait.reads == (load, failure)
    assert evaluate(wait.condition, {load: 0, failure: 7}, [False]) == 1
    # Nobody is kept waiting by it: it succeeds as soon as it reads one value twice.
    assert not wait.fails_again


@pytest.mark.parametrize(
    "body",
    [
        # What is read first decides whether the loop is reached, or is remembered.
        "int e = atomic_load(x); if (e > 2) { while (!atomic_compare_exchange_weak(x, &e, 1)) { } }",
        "int e = atomic_load(x); int f = e; while (!atomic_compare_exchange_weak(x, &e, 1)) { } *d = f;",
        # It is not what fails, read sooner: another location, another order, or something between.
        "int e = atomic_load(y); while (!atomic_compare_exchange_weak(x, &e, 1)) { }",
        "int e = *d; while (!atomic_compare_exchange_weak(x, &e, 1)) { }",
        "int e = atomic_load_explicit(x, memory_order_relaxed); while (!atomic_compare_exchange_weak(x, &e, 1)) { }",
        "int e = atomic_load(x); int t = *d; while (!atomic_compare_exchange_weak(x, &e, 1)) { }",
        "int e = atomic_load(x); while (!atomic_compare_exchange_weak(x, &e, 1)) { int t = *d; }",
    ],
)
def test_others_do_not_begin_again(body: str) -> None:
    result = skeleton(body, "atomic_store(x, 1); atomic_store(y, 1); *d = 1;", bound=2, waiting=True)
    first, *others = threads_events(result)
    values = {first: 3} | dict.fromkeys(others, 7)

    # Of the first iteration; one that begins with what the first has found is another matter.
    assert not evaluate(stops(result, WAIT)[0].condition, values, [False] * 3)
    assert len(threads_events(result)) > 3


def test_a_spurious_failure_does_not_persist() -> None:
    result = skeleton("int e; do { e = 0; } while (!atomic_compare_exchange_weak(x, &e, 1));", waiting=True)
    (wait,) = result.stops
    _, failure = threads_events(result)
    assert evaluate(wait.condition, {failure: 0}, [False]) == 1
    assert evaluate(wait.persists, {failure: 0}, [False]) == 0
    assert evaluate(wait.persists, {failure: 1}, [False]) == 1


def test_a_thread_waits_for_ever_in_an_empty_loop() -> None:
    for body in ("while (1) { } *d = 1;", "int n = 0; while (n == 0) { } *d = 1;"):
        result = skeleton(body, waiting=True)
        assert kinds(result) == []
        (wait,) = result.stops
        assert (wait.kind, wait.condition, wait.reads) == (WAIT, TRUE, ())


def test_floats_that_are_equal_may_differ() -> None:
    zero = "float f = 0.0f; while (atomic_load(x) == 0) { f = -f; } *d = 1.0f / f > 0.0f;"
    assert stops(skeleton(zero, waiting=True), WAIT) == []


def test_a_lock_that_tests_before_it_sets_waits_in_both_loops() -> None:
    result = skeleton(LOCK, waiting=True)
    assert kinds(result) == [READ, UPDATE, READ, WRITE, WRITE]
    load, exchange = threads_events(result)[:2]
    inner, outer = result.stops
    assert evaluate(inner.condition, {load: 1}, []) == 1
    assert evaluate(outer.condition, {load: 0, exchange: 1}, []) == 1
    assert evaluate(outer.condition, {load: 0, exchange: 0}, []) == 0


@pytest.mark.parametrize(
    ("other", "goes_on"),
    [("atomic_store(x, 0);", False), ("atomic_store(x, 2);", True), ("atomic_fetch_add(x, 1);", True)],
)
def test_values_that_nobody_writes_are_not_read(other: str, goes_on: bool) -> None:
    result = skeleton("while (atomic_exchange(x, 1)) { }", other, waiting=True)
    assert bool(stops(result, BOUND)) is goes_on


@pytest.mark.parametrize(
    ("loop", "once"),
    [
        ("while (atomic_load(x) == 0) { int t = *d; }", [READ, READ]),
        ("while (atomic_load(x) == 0 && atomic_load(y) == 0) { }", [READ, READ]),
        ("while (1) { if (atomic_load(x)) break; int t = *d; }", [READ, READ]),
        ("while (atomic_load(x) == 0) { int t = a[*d]; }", [READ, READ, READ]),
    ],
)
def test_an_iteration_that_reads_more_than_the_last_one_is_executed_once_before(
    loop: str, once: list[EventKind]
) -> None:
    result = skeleton(f"{loop} *a = 3;", bound=1, waiting=True)
    assert kinds(result) == [*once, *once, WRITE]
    (wait,) = result.stops
    reads = threads_events(result)[:-1]
    assert wait.kind is WAIT
    assert wait.reads == tuple(reads[len(once) :])
    assert evaluate(wait.condition, dict.fromkeys(reads, 0), []) == 1
    assert evaluate(result.events[-1].guard, dict.fromkeys(reads, 0) | {reads[len(once)]: 1}, []) == 1


@pytest.mark.parametrize(
    ("between", "told", "iteration"), [(",", "exchange(y, 1)", 0), ("+", "exchange(y, 1)", 1), ("+", "load(y)", 0)]
)
def test_a_read_is_not_made_again_where_a_call_that_writes_may_come_before(
    between: str, told: str, iteration: int
) -> None:
    """What comes of the exchange, which C lets come first, may come before the read that is made again."""
    read = "((c = (atomic_load(y) >= r)) ? *d : 0)"
    body = f"int r = atomic_load(x), c; int s = ({read} {between} (r ? atomic_{told} : 0));"
    for each in skeletons(f"while (1) {{ {body} if (!c) {{ while (1) {{ }} }} if (r) break; }}", waiting=True):
        waits = [stop for stop in stops(each, WAIT) if stop.reads]
        assert each.events[waits[0].reads[0]].iteration == (iteration,)


def test_an_address_that_the_iteration_does_not_read_is_the_same_in_the_last_one() -> None:
    fixed = skeleton("int i = *d; while (a[i & 1] == 0) { }", waiting=True)
    assert stops(fixed, WAIT)[0].reads == (threads_events(fixed)[1],)
    moving = skeleton("while (a[*d & 1] == 0) { }", waiting=True)
    assert stops(moving, WAIT)[0].reads == tuple(threads_events(moving)[2:4])


@pytest.mark.parametrize("bound", [1, 2])
def test_the_iteration_before_the_last_one_does_not_count_against_the_bound(bound: int) -> None:
    body = "int r = -1; while (*d == 0) { r = atomic_load(x); }"
    result = skeleton(body, bound=bound, waiting=True, asks="exists (0:r=0)")
    # The first iteration changes r, the second one is made once before, the third one waits.
    reads = dict.fromkeys(threads_events(result), 0)
    assert [stop.kind for stop in result.stops if evaluate(stop.condition, reads, [])] == [WAIT]


@pytest.mark.parametrize(
    "loop",
    [
        "while (!atomic_compare_exchange_strong(x, &e, 1)) { e = 0; }",
        "while (atomic_cmpxchg(x, 0, 1) != 0) { }",
        "do { while (atomic_load(x)) { } } while (atomic_exchange(x, 1) != 0);",
        "do { if (atomic_load(x)) continue; } while (atomic_load(y) == 0);",
    ],
)
def test_an_iteration_whose_reads_the_last_one_makes_again_is_not_executed_before(loop: str) -> None:
    result = skeleton(f"int e = 0; {loop}", bound=1, waiting=True, initial="int x=0; int y=0; [d]=0; int a[2]={1,2};")
    waits = stops(result, WAIT)
    # Of the first compare-exchange, what fails is the second event.
    assert waits[0].reads[0] in threads_events(result)[:2]


def test_a_wait_reads_what_is_executed_where_it_fails() -> None:
    looking_back = """int p = *d; int sum = 0;
      while (p < 2) { int f = atomic_load(x); if (f == 2) { sum += a[p]; break; } if (f == 1) { sum += a[0]; p++; } }"""
    result = skeleton(looking_back, "atomic_store(x, 1); atomic_store(x, 2);", waiting=True)
    waits = stops(result, WAIT)

    assert waits
    assert {result.program.show_location(place) for wait in waits for place in wait.places} == {"x"}


@pytest.mark.parametrize(("step", "names"), [(0, {"a[2]"}), (1, {"a[0]", "a[1]", "a[2]"})])
def test_a_wait_names_the_elements_that_any_iteration_can_reach(step: int, names: set[str]) -> None:
    body = "int p = 2; while (1) { int f = a[p]; if (f == 1) { break; } if (f == 2) { p = p - %d; } }"
    others = ("a[1] = *d + 1; a[2] = *d + 1;", "*d = 1;")
    result = skeleton(body % step, *others, waiting=True, initial="[x]=0; [y]=0; [d]=0; int a[4];")

    assert {result.program.show_location(place) for place in stops(result, WAIT)[0].places} == names


def test_without_waiting_there_are_no_waits() -> None:
    assert {stop.kind for stop in skeleton(f"{SPIN} while (1) {{ }}", bound=1).stops} == {BOUND}
