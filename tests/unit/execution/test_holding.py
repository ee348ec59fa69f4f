"""Barriers and group functions hold where a member of the group has stopped before them, and nowhere else."""

from itertools import product

import pytest
from small_threads import kinds, skeleton, stops, threads_events

from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind
from mcm.execution.skeleton import Skeleton, StopKind

BARRIER, WAIT = StopKind.BARRIER, StopKind.WAIT
SPIN = "while (atomic_load(x) == 0) { }"
HERE = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"


def choices(result: Skeleton, reads: dict[int, int]) -> list[tuple[bool, ...]]:
    """The ways in which barriers can open, where reads return some values."""
    return [
        chosen
        for chosen in product((False, True), repeat=result.choices)
        if all(evaluate(constraint, reads, chosen) for constraint in result.constraints)
    ]


def stopped(result: Skeleton, reads: dict[int, int], chosen: tuple[bool, ...]) -> list[tuple[StopKind, int]]:
    """Who stops, and why."""
    return [(stop.kind, stop.thread) for stop in result.stops if evaluate(stop.condition, reads, chosen)]


def diverges(result: Skeleton, reads: dict[int, int], chosen: tuple[bool, ...]) -> bool:
    return any(fault.rule == "BAR-DIV" and evaluate(fault.condition, reads, chosen) for fault in result.faults)


def test_a_barrier_holds_while_a_member_spins_before_it() -> None:
    result = skeleton(f"{SPIN} {HERE} *d = 1;", f"{HERE} *a = 1;", waiting=True)
    assert result.choices == 1
    load, *_ = threads_events(result)
    assert choices(result, {load: 0}) == [(False,)]
    assert stopped(result, {load: 0}, (False,)) == [(WAIT, 0), (BARRIER, 1)]
    assert not diverges(result, {load: 0}, (False,))
    assert choices(result, {load: 1}) == [(True,)]
    assert stopped(result, {load: 1}, (True,)) == []
    entry, exit_, store = (event for event in result.events if event.thread == 1)
    assert [evaluate(event.guard, {load: 0}, (False,)) for event in (entry, exit_, store)] == [1, 0, 0]
    (held,) = stops(result, BARRIER)[1:]
    assert held.barrier == entry.barrier


@pytest.mark.parametrize(
    "bodies",
    [
        (f"{HERE} *d = 1;", f"{HERE} *a = 1;"),
        (f"{HERE} {SPIN}", HERE),
        (f"{HERE} {SPIN}", f"{HERE} {SPIN} *d = 1;"),
        ("int r = work_group_all(1); while (atomic_load(x) == 0) { }", "int r = work_group_all(1);"),
    ],
)
def test_a_barrier_that_nobody_stops_before_says_nothing(bodies: tuple[str, str]) -> None:
    result = skeleton(*bodies, waiting=True)
    assert result.choices == 0
    assert not stops(result, BARRIER)


def test_a_barrier_holds_where_a_member_goes_round_it_and_spins() -> None:
    result = skeleton(f"if (atomic_load(y)) {{ {HERE} }} {SPIN}", f"{HERE} *d = 1;", waiting=True)
    assert result.choices == 1
    asked, spun, _ = (event.identifier for event in result.events if event.kind in {EventKind.READ, EventKind.WRITE})
    assert choices(result, {asked: 0, spun: 0}) == [(False,)]
    assert choices(result, {asked: 1, spun: 0}) == [(True,)]
    assert choices(result, {asked: 0, spun: 1}) == [(True,)]
    assert diverges(result, {asked: 0, spun: 1}, (True,))


def test_later_barriers_need_no_choice_of_their_own() -> None:
    rest = f"{HERE} *d = 1; {HERE} *d = 2; {HERE}"
    result = skeleton(f"{SPIN} {rest}", rest, waiting=True)
    assert result.choices == 1
    again = skeleton(f"{SPIN} {HERE} {SPIN} {rest}", f"{HERE} {rest}", waiting=True)
    assert again.choices == 2


def test_who_goes_round_the_first_barrier_is_held_at_the_second() -> None:
    result = skeleton(f"{SPIN} {HERE} {HERE}", f"if (atomic_load(y)) {{ {HERE} }} *d = 1; {HERE}", waiting=True)
    spun, asked = (event.identifier for event in result.events if event.kind is EventKind.READ)
    ways = choices(result, {spun: 0, asked: 0})
    assert ways
    assert all((BARRIER, 1) in stopped(result, {spun: 0, asked: 0}, chosen) for chosen in ways)


def test_barriers_in_a_loop_open_one_after_the_other() -> None:
    loop = f"for (int i = 0; i < 3; i++) {{ {SPIN} {HERE} }}"
    result = skeleton(loop, f"for (int i = 0; i < 3; i++) {{ {HERE} }}", waiting=True)
    assert result.choices == 3
    reads = [event.identifier for event in result.events if event.kind is EventKind.READ]
    values = dict(zip(reads, (1, 0, 1), strict=True))
    (chosen,) = choices(result, values)
    assert chosen == (True, False, False)
    assert stopped(result, values, chosen) == [(WAIT, 0), (BARRIER, 1)]


def test_barriers_in_another_order_wait_for_each_other_and_diverge() -> None:
    result = skeleton(f"A: {HERE} B: {HERE}", f"B: {HERE} A: {HERE}")
    assert result.choices == 2
    assert choices(result, {}) == [(False, False), (True, True)]
    assert stopped(result, {}, (False, False)) == [(BARRIER, 0), (BARRIER, 1)]
    assert diverges(result, {}, (False, False))
    # All barriers at once: a cycle of happens-before, which is for models to say.
    assert stopped(result, {}, (True, True)) == []
    assert not diverges(result, {}, (True, True))


def test_a_member_that_ends_makes_the_group_diverge() -> None:
    result = skeleton(f"{SPIN} {HERE}", f"if (atomic_load(y)) return; {HERE}", waiting=True)
    spun, asked = (event.identifier for event in result.events if event.kind is EventKind.READ)
    for values, is_divergence in (
        ({spun: 1, asked: 1}, True),
        ({spun: 0, asked: 0}, False),
        ({spun: 1, asked: 0}, False),
    ):
        (chosen,) = choices(result, values)
        assert diverges(result, values, chosen) is is_divergence


def test_a_group_function_holds_too() -> None:
    result = skeleton(
        f"{SPIN} int r = work_group_all(1); *d = r;", "int r = 1 + work_group_all(1); *a = r;", waiting=True
    )
    assert result.choices == 1
    load = next(event.identifier for event in result.events if event.kind is EventKind.READ)
    stored = [event for event in result.events if event.kind is EventKind.WRITE]
    assert [evaluate(event.guard, {load: 0}, (False,)) for event in stored] == [0, 0]
    assert [evaluate(event.guard, {load: 1}, (True,)) for event in stored] == [1, 1]
    assert [evaluate(event.value, {load: 1}, (True,)) for event in stored if event.value] == [1, 2]


@pytest.mark.parametrize("inside", ["atomic_load(y) && work_group_any(1)", "atomic_load(y) ? work_group_any(1) : 0"])
def test_a_group_function_in_part_of_an_expression_holds_what_comes_behind(inside: str) -> None:
    result = skeleton(f"{SPIN} int r = work_group_any(1);", f"int r = {inside}; *d = 1;", waiting=True)
    spun, asked = (event.identifier for event in result.events if event.kind is EventKind.READ)
    store = next(event for event in result.events if event.kind is EventKind.WRITE)
    assert evaluate(store.guard, {spun: 0, asked: 1}, (False,)) == 0
    assert evaluate(store.guard, {spun: 0, asked: 0}, (False,)) == 1


def test_held_barriers_add_no_events() -> None:
    bodies = (f"{SPIN} {HERE}", HERE)
    assert kinds(skeleton(*bodies, waiting=True)) == [
        EventKind.READ,
        *(EventKind.ENTRY, EventKind.EXIT),
        *(EventKind.ENTRY, EventKind.EXIT),
    ]
