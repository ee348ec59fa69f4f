"""Schedules lose the switches that their state does not need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mcm.explain.observed import observed_by
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.run import run
from mcm.machine.schedule import RandomScheduler, ReplayScheduler, read_schedule, show_schedule
from mcm.machine.shorten import Shortened, StateGoal, shortened, switches, with_fewer_switches

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Test
    from mcm.machine.machine import Machine
    from mcm.machine.schedule import Schedule
    from mcm.program.types import Value

LOAD = "atomic_load_explicit({}, memory_order_relaxed, memory_scope_device)"
STORE = "atomic_store_explicit({}, {}, memory_order_relaxed, memory_scope_device);"
UNIT = "P{} (global atomic_int* x, global atomic_int* y) {{ {} }}\n"


def units(*bodies: str) -> str:
    return "{}\n" + "".join(UNIT.format(number, body) for number, body in enumerate(bodies))


SB = units(f"{STORE.format('x', 1)} int r = {LOAD.format('y')};", f"{STORE.format('y', 1)} int r = {LOAD.format('x')};")
IN_TURN = units("for (int i = 1; i < 4; i++) { " + STORE.format("x", "i") + " }", f"int r = {LOAD.format('x')};")
THREE = units(
    STORE.format("x", 1),
    STORE.format("x", 2),
    f"int a = {LOAD.format('x')}; int b = {LOAD.format('x')}; int c = {LOAD.format('x')};",
)


def states_of(test: Test, memory: str) -> dict[tuple[Value, ...], Schedule]:
    return explore(build(test.program, memory), observed_by(test.program), Budget()).states


def ends_in(test: Test, machine: Machine[Any], schedule: Schedule) -> tuple[tuple[Value, ...], ...]:
    return run(machine, ReplayScheduler(schedule), observed_by(test.program)).states


def fewest_by_brute_force(test: Test, machine: Machine[Any]) -> dict[tuple[Value, ...], tuple[int, int]]:
    """The least numbers of switches and of steps for each state, over every single schedule."""
    found: dict[tuple[Value, ...], tuple[int, int]] = {}
    paths: list[Schedule] = [()]
    while paths:
        path = paths.pop()
        now = machine.start().after
        for thread, choice in path:
            now = machine.step(now, thread, choice).after
        runnable = machine.runnable(now)
        paths += [(*path, (thread, choice)) for thread in runnable for choice in machine.choices(now, thread)]
        if not runnable:
            for state in machine.finals(now, observed_by(test.program)):
                cost = switches(path), len(path)
                found[state] = min(found.get(state, cost), cost)
    return found


@pytest.mark.parametrize("memory", ["interleaving", "views"])
@pytest.mark.parametrize("text", [SB, IN_TURN, THREE], ids=["SB", "in turn", "three"])
def test_no_schedule_has_fewer_switches_than_the_least(program: Callable[[str], Test], text: str, memory: str) -> None:
    test = program(text)
    machine = build(test.program, memory)
    expected = fewest_by_brute_force(test, machine)
    for state, recorded in states_of(test, memory).items():
        found = shortened(machine, recorded, StateGoal(observed_by(test.program), state))
        assert found.is_least
        assert (switches(found.schedule), len(found.schedule)) == expected[state]
        assert state in ends_in(test, machine, found.schedule)


@pytest.mark.parametrize("recorded", ["0 1 1 0", "0 1 0 1"])
def test_beyond_the_limit_what_was_recorded_loses_switches(program: Callable[[str], Test], recorded: str) -> None:
    test = program(SB + "exists (0:r=1 /\\ 1:r=1)")
    machine, observed = build(test.program, "interleaving"), observed_by(test.program)
    schedule = read_schedule(recorded)
    found = shortened(machine, schedule, StateGoal(observed, (1, 1)), limit=3)

    assert not found.is_least
    # Both loads see the other's store, so each thread has to stop between its store and its load.
    assert switches(found.schedule) == 2
    assert sorted(found.schedule, key=str) == sorted(schedule, key=str)
    assert ends_in(test, machine, found.schedule) == ((1, 1),)


def test_moving_single_blocks_may_stop_before_the_least(program: Callable[[str], Test]) -> None:
    reader = "int r = {}; int q = {};"
    iriw = units(
        STORE.format("x", 1),
        STORE.format("y", 1),
        reader.format(LOAD.format("x"), LOAD.format("y")),
        reader.format(LOAD.format("y"), LOAD.format("x")),
    )
    test = program(iriw + "exists (2:r=0 /\\ 2:q=0 /\\ 3:r=0 /\\ 3:q=1)")
    machine, observed, state = build(test.program, "interleaving"), observed_by(test.program), (0, 0, 1, 0)
    recorded = read_schedule("2 2 3 1 0 3")

    assert ends_in(test, machine, recorded) == (state,)
    assert switches(shortened(machine, recorded, StateGoal(observed, state), limit=10).schedule) == 4
    assert switches(shortened(machine, recorded, StateGoal(observed, state)).schedule) == 3


SPIN = units(STORE.format("x", 1), f"while ({LOAD.format('x')} == 0) {{ }}") + "exists (x=1)"


def test_steps_that_are_not_needed_go_with_the_switches(program: Callable[[str], Test]) -> None:
    test = program(SPIN)
    machine, observed = build(test.program, "interleaving"), observed_by(test.program)
    recorded = read_schedule("1 1 0 1")

    assert show_schedule(with_fewer_switches(machine, recorded, StateGoal(observed, (1,)))) == "0 1"
    assert shortened(machine, recorded, StateGoal(observed, (1,))) == Shortened(read_schedule("0 1"), is_least=True)


@pytest.mark.parametrize(("turns", "cost", "is_least"), [(0, (1, 3), True), (1, (2, 4), False)])
def test_where_runs_have_no_end_only_what_takes_that_much_at_least_is_called_the_least(
    program: Callable[[str], Test], turns: int, cost: tuple[int, int], *, is_least: bool
) -> None:
    """A spinning thread that counts its iterations never repeats a configuration, so that no search comes to an end."""
    spin = f"int n = 0; while ({LOAD.format('x')} == 0) {{ n++; }} {STORE.format('y', 1)}"
    test = program(units(STORE.format("x", 1), spin) + f"exists (1:n={turns})")
    machine, observed = build(test.program, "interleaving"), observed_by(test.program)
    recorded = read_schedule("0 1 1" if turns == 0 else "1 0 1 1")
    found = shortened(machine, recorded, StateGoal(observed, (turns,)))

    assert found.is_least is is_least
    assert (switches(found.schedule), len(found.schedule)) == cost


def test_many_threads_that_go_one_after_the_other_are_soon_found(program: Callable[[str], Test]) -> None:
    """What it takes at least leads there: of the orders of twenty threads not even a thousand are looked at."""
    body = "int i = 0; while (i < 3) { if (i == 1) { atomic_fetch_add(x, 1); } i++; } atomic_fetch_add(y, 1);"
    test = program(units(*[body] * 20) + "exists (x=20 /\\ y=20)")
    machine, observed = build(test.program, "interleaving"), observed_by(test.program)
    recorded = run(machine, RandomScheduler(1), observed).schedule
    found = shortened(machine, recorded, StateGoal(observed, (20, 20)), limit=1000)

    assert found.is_least
    assert (switches(found.schedule), len(found.schedule)) == (19, 40)


def test_steps_that_memory_does_not_notice_are_done_in_any_order(program: Callable[[str], Test]) -> None:
    # On weak memory both loads may miss the other's store, in any order of the threads.
    test = program(SB + "exists (0:r=0 /\\ 1:r=0)")
    machine = build(test.program, "views")
    found = shortened(machine, states_of(test, "views")[0, 0], StateGoal(observed_by(test.program), (0, 0)))

    assert found.is_least
    assert switches(found.schedule) == 1
