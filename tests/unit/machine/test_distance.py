"""How many steps threads have at least to their ends is what the shortest of their runs make."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from mcm.explain.observed import observed_by
from mcm.machine.build import build
from mcm.machine.code import Jump, Stop
from mcm.machine.distance import fewest_steps
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.run import run
from mcm.machine.schedule import ReplayScheduler

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Test

LOAD = "atomic_load(x)"


@pytest.mark.parametrize(
    ("body", "fewest"),
    [
        ("", 0),
        ("int a = 1; a++;", 0),
        (f"int a = {LOAD}; int b = {LOAD};", 2),
        # The shorter way is what counts, whoever goes it, and no iteration is necessary.
        (f"if ({LOAD} == 7) {{ int a = {LOAD}; int b = {LOAD}; }} else {{ int c = {LOAD}; }}", 2),
        (f"int i = 0; while (i < 3) {{ i++; int a = {LOAD}; }}", 0),
        (f"int i = 0; do {{ i++; int a = {LOAD}; }} while (i < 3);", 1),
        ("atomic_store(x, 1); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release);", 2),
        ("work_group_barrier(CLK_GLOBAL_MEM_FENCE);", 1),
    ],
)
def test_the_fewest_steps_of_a_thread(program: Callable[[str], Test], body: str, fewest: int) -> None:
    machine = build(program(f"{{}}\nP0 (global atomic_int* x) {{ {body} }}\n").program, "interleaving")
    assert machine.compiled.fewest_steps[0][0] == fewest


def test_from_a_loop_without_a_test_no_way_leads_to_the_end() -> None:
    assert fewest_steps([Jump(2), Stop(), Jump(2)]) == (inf, 0, inf)


@pytest.mark.parametrize("memory", ["interleaving", "views"])
def test_no_run_makes_fewer_steps_than_are_left_at_least(program: Callable[[str], Test], memory: str) -> None:
    """Neither before nor behind barriers, where some wait for others."""
    bodies = (
        f"int a = {LOAD}; if (a) {{ a = {LOAD}; }} work_group_barrier(CLK_GLOBAL_MEM_FENCE); atomic_store(x, a);",
        f"atomic_store(x, 1); work_group_barrier(CLK_GLOBAL_MEM_FENCE); int b = {LOAD} + {LOAD};",
    )
    text = "{}\n" + "".join(f"P{n}@wg 0 (global atomic_int* x) {{ {body} }}\n" for n, body in enumerate(bodies))
    test = program(text + "exists (x=1)")
    machine, observed = build(test.program, memory), observed_by(test.program)
    for schedule in explore(machine, observed, Budget()).states.values():
        whole = run(machine, ReplayScheduler(schedule), observed).schedule
        now = machine.start().after
        for number, (thread, choice) in enumerate(whole):
            made = [sum(later == one for later, _ in whole[number:]) for one in range(2)]
            assert all(least <= steps for least, steps in zip(machine.fewest_steps(now), made, strict=True))
            now = machine.step(now, thread, choice).after
        assert machine.fewest_steps(now) == [0, 0]
