"""Programs become the events, guards and orders that C gives them."""

import pytest
from small_threads import kinds, skeleton, skeletons, threads_events

from mcm.base.diagnostic import InputError
from mcm.execution.algebra import TRUE, conjunction, negation
from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.shared import EventLimitError
from mcm.execution.skeleton import Skeleton
from mcm.program.condition import RegisterName

READ, WRITE, UPDATE, INITIAL = EventKind.READ, EventKind.WRITE, EventKind.UPDATE, EventKind.INITIAL


def ordered(result: Skeleton, first: int, second: int) -> bool:
    return bool(result.relations["po"][first] >> second & 1)


def test_straight_line_code_is_totally_ordered() -> None:
    result = skeleton("*d = 1; atomic_store(x, 2); int r = atomic_load(y);")
    assert kinds(result) == [WRITE, WRITE, READ]
    one, two, three = threads_events(result)
    assert ordered(result, one, two)
    assert ordered(result, one, three)
    assert not ordered(result, two, one)
    assert result.registers[RegisterName(0, "r")] is ReadValue(three)


def test_a_branch_guards_its_events_and_joins_its_variables() -> None:
    result = skeleton("int r = -1; int s = atomic_load(x); if (s == 1) { r = *d; } else { *d = 7; } *a = 3;")
    load, plain, store, last = threads_events(result)
    guard = result.events[plain].guard
    assert result.events[store].guard is negation(guard)
    assert result.events[last].guard is TRUE
    final = result.registers[RegisterName(0, "r")]
    assert evaluate(final, {load: 1, plain: 9}, []) == 9
    assert evaluate(final, {load: 0}, []) == -1
    assert result.relations["ctrl"][load] == 1 << plain | 1 << store


def test_return_ends_the_thread_under_its_guard() -> None:
    result = skeleton("int r = 0; if (atomic_load(x) == 1) return; r = 5; *d = 1;")
    load, store = threads_events(result)
    assert evaluate(result.events[store].guard, {load: 1}, []) == 0
    assert evaluate(result.registers[RegisterName(0, "r")], {load: 1}, []) == 0
    assert evaluate(result.registers[RegisterName(0, "r")], {load: 0}, []) == 5


def test_a_loop_with_a_known_condition_is_unrolled_completely() -> None:
    result = skeleton("for (int i = 0; i < 5; i++) { *d = i; }", bound=1)
    assert [event.value for event in result.events if event.kind is WRITE] == [Constant(i) for i in range(5)]
    assert result.stops == ()


def test_a_spin_loop_is_cut_at_the_bound() -> None:
    result = skeleton("while (atomic_load(x) == 0) { } *d = 1;", bound=2)
    assert kinds(result) == [READ, READ, READ, WRITE]
    first, second, third, _ = threads_events(result)
    (stop,) = result.stops
    assert evaluate(stop.condition, {first: 0, second: 0, third: 0}, []) == 1
    assert evaluate(stop.condition, {first: 0, second: 1}, []) == 0


def test_break_and_continue() -> None:
    result = skeleton("int n = 0; for (int i = 0; i < 4; i++) { if (i == 1) continue; if (i == 3) break; n += i + 1; }")
    assert result.registers[RegisterName(0, "n")] is Constant(1 + 3)


def test_operands_are_unsequenced_and_conflict_is_left_to_the_model() -> None:
    result = skeleton("int r = (*d = 1) + *d;")
    store, load = threads_events(result)
    assert not ordered(result, store, load)
    assert not ordered(result, load, store)


def test_two_calls_in_one_expression_come_in_both_orders() -> None:
    both = skeletons("int r = atomic_load(x) + atomic_load(y);")
    assert len(both) == 2
    one, two = threads_events(both[0])
    assert {ordered(s, one, two) for s in both} == {True, False}


def test_sequence_points_leave_one_order() -> None:
    assert len(skeletons("int r = atomic_load(x) && atomic_load(y);")) == 1
    assert len(skeletons("int r = (atomic_load(x), atomic_load(y));")) == 1


def test_unsequenced_changes_of_a_variable_are_a_fault() -> None:
    for body in (
        "int x1 = 0; int i = x1++ + x1;",
        "int i = 0; i = i++;",
        "int i = 0; int j = (i = 1) + (i = 2);",
        "int i = 0; i += i++;",
        "int i = 0; int j = (i = 1, 2) + i;",
        "int i = 0; int j = 1 ? i++ + i : 0;",
        "int i = 0; int p[2] = {0, 0}; p[i] = i++;",
        "int i = 0; int p[2] = {0, 0}; p[i++] = p[i];",
        "int i = 0; int p[2] = {0, 0}; p[i] += i++;",
        "int p[2] = {0, 0}; int j = p[p[0] = 0];",
        "int i = 0; int* q = &i; *q = i++;",
        "int i = 0; int* q = &i; *q = (*q)++;",
        "int i = 0; int* q = &i; *q += i++;",
        "int i = 0; int j = atomic_exchange(x, i++) + i;",
        "int i = 0; atomic_store(x + i, i = 0);",
        "int i = 0; int e = 0; int p[2] = {0, 0}; int j = atomic_compare_exchange_strong(x, &p[i], i = 1);",
    ):
        found = {(fault.kind, fault.rule) for fault in skeleton(body).faults}
        assert found == {("unsequenced-race", "DR-3")}, body


def test_sequenced_changes_of_a_variable_are_none() -> None:
    for body in (
        "int i = 0; int j = (i = 1, i + 1);",
        "int i = 0; i = i + 1; i += i;",
        "int i = 0; int j = i++ && i;",
        "int i = 0; int j = i++ ? i : i + 1;",
        "int i = 0; i = (i++, 2);",
        "int i = 0; i = atomic_exchange(x, i++);",
        "int i = 0; int p[2] = {0, 0}; p[0] = p[1]++;",
        "int i = 0; int p[2] = {0, 0}; p[i] = p[1 - i]++;",
        "int e = 0; int j = atomic_compare_exchange_strong(x, &e, e + 1) ? 0 : e;",
        "int e = 0; e = atomic_compare_exchange_strong(x, &e, 1);",
        "int i = 0; int* q = &i; *q = *q + 1;",
    ):
        assert skeleton(body).faults == (), body


def test_changes_of_a_variable_conflict_where_both_happen() -> None:
    for body, condition in (
        ("int v = atomic_load(x); int i = 0; int j = (v ? i++ : 0) + (v == 2 ? i : 0);", {0: 0, 1: 0, 2: 1}),
        ("int v = atomic_load(x); int i = 0; int j = (v ? i++ : 0) + (v ? 0 : i);", {0: 0, 1: 0, 2: 0}),
        ("int v = atomic_load(x); int p[3] = {0, 0, 0}; int j = p[v]++ + p[1];", {0: 0, 1: 1, 2: 0}),
    ):
        result = skeleton(body)
        load, *_ = threads_events(result)
        faults = [fault for fault in result.faults if fault.kind == "unsequenced-race"]
        assert {
            value: int(any(evaluate(fault.condition, {load: value}, []) for fault in faults)) for value in condition
        } == condition, body


def test_an_order_that_is_open_on_private_variables_is_refused() -> None:
    for body in (
        "int e = 0; int j = atomic_compare_exchange_strong(x, &e, 1) + e;",
        "int e = 0; int* q = &e; int j = *q * atomic_compare_exchange_strong(x, &e, 1);",
        "int e = 0; int j = atomic_compare_exchange_strong(x, &e, 1) | atomic_compare_exchange_strong(y, &e, 1);",
    ):
        with pytest.raises(InputError) as caught:
            skeleton(body)
        assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E154"], body


def test_a_conflict_names_both_places() -> None:
    (fault,) = skeleton("int i = 0; int j = i++ + i;").faults
    assert [span.text for span in fault.spans] == ["i++", "i"]


def test_an_index_is_evaluated_once() -> None:
    result = skeleton("int i = 0; int p[3] = {5, 6, 7}; p[i++] += 10; p[i++]++;")
    registers = {name: result.registers[RegisterName(0, name)] for name in ("i", "p[0]", "p[1]", "p[2]")}
    assert registers == {"i": Constant(2), "p[0]": Constant(15), "p[1]": Constant(7), "p[2]": Constant(7)}


def test_reading_a_variable_without_value_is_a_fault_on_the_paths_where_it_has_none() -> None:
    result = skeleton("int r; if (atomic_load(x) == 1) r = 2; int s = r;")
    (fault,) = result.faults
    (load,) = threads_events(result)
    assert fault.rule == "INIT-2"
    assert evaluate(fault.condition, {load: 0}, []) == 1
    assert evaluate(fault.condition, {load: 1}, []) == 0


def test_compare_exchange_is_an_update_or_a_read() -> None:
    result = skeleton("int e = 3; int ok = atomic_compare_exchange_strong(x, &e, 4);")
    assert kinds(result) == [UPDATE, READ]
    update, read = threads_events(result)
    assert result.events[update].guard is Choice(0)
    assert result.events[read].guard is negation(Choice(0))
    assert evaluate(result.registers[RegisterName(0, "e")], {read: 9}, [False]) == 9
    assert evaluate(result.registers[RegisterName(0, "e")], {}, [True]) == 3
    holds = [
        [evaluate(c, {update: u, read: r}, [ok]) for c in result.constraints]
        for ok, u, r in ((True, 3, 0), (True, 5, 0), (False, 0, 5), (False, 0, 3))
    ]
    assert [all(h) for h in holds] == [True, False, True, False]


def test_a_weak_compare_exchange_may_fail_although_the_values_agree() -> None:
    result = skeleton("int e = 3; int ok = atomic_compare_exchange_weak(x, &e, 4);")
    update, read = threads_events(result)
    assert all(evaluate(c, {update: 0, read: 3}, [False]) for c in result.constraints)


def test_expected_in_memory_is_read_before_and_written_after() -> None:
    result = skeleton("int ok = atomic_compare_exchange_strong(x, d, 4);")
    assert kinds(result) == [READ, UPDATE, READ, WRITE]
    before, update, failed, after = threads_events(result)
    assert not result.events[before].atomic
    assert ordered(result, before, update)
    assert ordered(result, failed, after)
    assert result.events[after].guard is result.events[failed].guard


def test_an_index_that_is_read_reaches_every_element_and_may_be_outside() -> None:
    result = skeleton("int r = a[atomic_load(x)];")
    index, load = threads_events(result)
    assert len(result.events[load].locations) == 2
    (fault,) = result.faults
    assert fault.kind == "out-of-bounds"
    assert [evaluate(fault.condition, {index: v}, []) for v in (0, 1, 2, -1)] == [0, 0, 1, 1]
    assert result.relations["addr"][index] == 1 << load


def test_a_missing_member_diverges() -> None:
    result = skeleton("barrier(CLK_GLOBAL_MEM_FENCE);", "if (atomic_load(x)) barrier(CLK_GLOBAL_MEM_FENCE);")
    (fault,) = result.faults
    assert fault.rule == "BAR-DIV"
    (load,) = [e.identifier for e in result.events if e.kind is READ]
    assert evaluate(fault.condition, {load: 0}, []) == 1
    assert evaluate(fault.condition, {load: 1}, []) == 0


def test_barrier_instances_are_separate_in_each_iteration() -> None:
    body = "for (int i = 0; i < 2; i++) barrier(CLK_LOCAL_MEM_FENCE);"
    result = skeleton(body, body)
    instances = {e.barrier for e in result.events if e.barrier is not None}
    assert len(instances) == 2
    assert result.faults == ()
    entry = next(e.identifier for e in result.events if e.kind is EventKind.ENTRY)
    assert result.relations["syncbar"][entry].bit_count() == 4


def test_group_functions_combine_the_operands_of_the_group() -> None:
    result = skeleton("int r = work_group_all(atomic_load(x));", "int r = work_group_all(1);")
    (load,) = [e.identifier for e in result.events if e.kind is READ]
    for thread in (0, 1):
        value = result.registers[RegisterName(thread, "r")]
        assert [evaluate(value, {load: v}, []) for v in (0, 5)] == [0, 1]


def test_a_call_of_a_group_function_comes_after_its_operand_and_before_what_follows() -> None:
    result = skeleton("int r = work_group_all(atomic_load(x)); *d = 1;", "work_group_all(1);")
    first, second = (e.identifier for e in result.events if e.kind is EventKind.CALL)
    (load,) = [e.identifier for e in result.events if e.kind is READ]
    (store,) = [e.identifier for e in result.events if e.kind is EventKind.WRITE]
    assert result.relations["po"][load] >> first & 1
    assert result.relations["po"][first] >> store & 1
    assert result.relations["syncbar"][first] == 1 << first | 1 << second
    assert [name for name, members in result.sets.items() if members.events >> first & 1] == ["COLL"]


@pytest.mark.slow
def test_limits_are_reported_where_they_are_met() -> None:
    with pytest.raises(EventLimitError, match="more than 100 events"):
        skeletons("for (int i = 0; i < 40; i++) { *d = 1; *a = 1; }", limit=100)
    assert len(threads_events(skeleton("for (int i = 0; i < 3000; i++) { *d = 1; *a = 1; }"))) == 6000


def test_guards_hold_together_what_they_say() -> None:
    result = skeleton("if (atomic_load(x)) { if (atomic_load(y)) { *d = 1; } }")
    first, second, store = threads_events(result)
    assert result.events[store].guard is conjunction(result.events[second].guard, result.events[store].guard)
    assert evaluate(result.events[store].guard, {first: 1, second: 1}, []) == 1
    assert evaluate(result.events[store].guard, {first: 0}, []) == 0
