from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from mcm.explain.observed import observed_by
from mcm.machine.build import build
from mcm.machine.clover import CloverScheduler
from mcm.machine.run import Ending
from mcm.machine.schedule import RandomScheduler, ReplayError, ReplayScheduler
from mcm.machine.threads import run_on_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Test
    from mcm.program.types import Value

ROTATE = (
    "{ int x[3] = {0, 0, 0}; }\n"
    + "".join(
        f"P{n} (global int* x) {{ x[{n}] = {n + 1}; barrier(CLK_GLOBAL_MEM_FENCE); int r = x[{(n + 1) % 3}]; }}"
        for n in range(3)
    )
    + "exists (0:r=2 /\\ 1:r=3 /\\ 2:r=1)"
)
MEMORIES = ("interleaving", "views")


def threads_of(test: Test, memory: str) -> list[int]:
    return [thread for thread, _ in test.run(memory, CloverScheduler()).schedule]


@pytest.mark.parametrize("memory", MEMORIES)
def test_clover_runs_work_items_one_after_another_without_a_barrier(
    program: Callable[[str], Test], memory: str
) -> None:
    test = program("{}\n" + "".join(f"P{n} (global int* x) {{ *x = 1; *x = 2; }}\n" for n in range(3)) + "exists (x=2)")

    assert threads_of(test, memory) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("memory", MEMORIES)
def test_clover_switches_at_a_barrier_and_returns_to_the_first(program: Callable[[str], Test], memory: str) -> None:
    test = program(ROTATE)

    assert threads_of(test, memory) == [0, 0, 1, 1, 2, 2, 0, 1, 2]
    assert test.run(memory, CloverScheduler()).states == ((2, 3, 1),)


def test_clover_runs_work_groups_in_turns(program: Callable[[str], Test]) -> None:
    test = program(
        "{}\n" + "".join(f"P{n}@wg {n} (global int* x) {{ *x = 1; *x = 2; }}\n" for n in range(2)) + "exists (x=2)"
    )

    assert threads_of(test, "interleaving") == [0, 1, 0, 1]
    alone = test.run("interleaving", CloverScheduler(workers=1))
    assert [thread for thread, _ in alone.schedule] == [0, 0, 1, 1]


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("passes", [1, 2, 4])
def test_a_barrier_in_a_loop_is_met_in_every_pass(program: Callable[[str], Test], memory: str, passes: int) -> None:
    body = f"for (int i = 0; i < {passes}; i++) {{ work_group_barrier(CLK_GLOBAL_MEM_FENCE); }}"
    test = program(f"{{}}\nP0 (global int* x) {{ {body} *x = 1; }}\nP1 (global int* x) {{ {body} }}\nexists (x=1)")

    assert test.states(memory) == {(1,)}
    assert threads_of(test, memory) == [*[0, 1] * passes, 0]


@pytest.mark.parametrize("memory", MEMORIES)
def test_who_is_missing_at_a_barrier_is_reported(program: Callable[[str], Test], memory: str) -> None:
    test = program("""{}
P0 (global int* x) { *x = 1; work_group_barrier(CLK_GLOBAL_MEM_FENCE); }
P1 (global int* x) { int r = 0; }
exists (x=1)
""")
    found = test.run(memory, CloverScheduler())

    assert found.ending is Ending.BLOCKED
    assert found.states == ()
    (finding,) = found.findings
    assert finding.kind == "barrier-divergence"
    assert finding.why == ("not all 2 work-items of the work-group execute barrier #1: P0 waits there, P1 has finished")
    assert [(site.name, site.span.text) for site in finding.sites] == [
        ("P0", "work_group_barrier(CLK_GLOBAL_MEM_FENCE)"),
        ("P1", "}"),
    ]


def test_group_functions_combine_the_whole_group(program: Callable[[str], Test]) -> None:
    test = program("""{}
P0 (global int* x) { int a = work_group_all(1); int b = work_group_any(0); int c = work_group_broadcast(7, 1); }
P1 (global int* x) { int a = work_group_all(0); int b = work_group_any(1); int c = work_group_broadcast(8, 1); }
exists (0:a=0 /\\ 0:b=1 /\\ 0:c=8 /\\ 1:a=0 /\\ 1:b=1 /\\ 1:c=8)
""")

    for memory in MEMORIES:
        assert test.states(memory) == {(0, 1, 8, 0, 1, 8)}


@pytest.mark.parametrize("memory", MEMORIES)
def test_a_seed_decides_a_run_and_a_replay_repeats_it(program: Callable[[str], Test], memory: str) -> None:
    test = program(ROTATE)
    runs = [test.run(memory, RandomScheduler(seed)) for seed in range(20)]

    assert runs == [test.run(memory, RandomScheduler(seed)) for seed in range(20)]
    assert len({run.schedule for run in runs}) > 1
    for run in runs:
        assert test.run(memory, ReplayScheduler(run.schedule)) == run


def test_a_schedule_of_another_program_is_refused(program: Callable[[str], Test]) -> None:
    recorded = program(ROTATE).run("views", CloverScheduler()).schedule
    other = program("{}\nP0 (global int* x) { *x = 1; }\nP1 (global int* x) { *x = 2; }\nexists (x=1)")

    with pytest.raises(ReplayError, match="step 2"):
        other.run("views", ReplayScheduler(recorded))


def test_a_run_that_goes_on_for_ever_is_cut_off(program: Callable[[str], Test]) -> None:
    test = program("{}\nP0 (global atomic_int* x) { int n = 0; while (atomic_load(x) == 0) { n++; } }\nexists (x=0)")

    assert test.run("views", RandomScheduler(1), longest=100).ending is Ending.LIMIT
    for memory in MEMORIES:
        found = test.explore(memory)
        assert found.limit == "a run goes on after 200 operations"
        assert (found.states, found.blocked) == ({}, {})


def test_faults_of_values_are_found(program: Callable[[str], Test]) -> None:
    test = program("""{ int a[2] = {0, 0}; local int l; }
P0 (global int* a, local int* l) {
  int r; int s = r; int z = 0; int q = 1 / z; a[2] = 1; int t = *l;
}
exists (0:q=0)
""")

    for memory in MEMORIES:
        assert test.kinds(memory) == {"uninitialised-read", "unspecified-quotient", "out-of-bounds"}
        assert test.states(memory) == {(0,)}


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ("int i = 0; int j = i++ + i;", ["i++", "i"]),
        ("int i = 0; int p[2] = {0, 0}; p[i] = i++;", ["i", "i++"]),
        ("int i = 0; int* q = &i; *q = i++;", ["*q = i++", "i++"]),
        ("*x = *x += 1;", ["*x = *x += 1", "*x += 1"]),
        ("int j = *x + (*x)++;", ["*x", "(*x)++"]),
        ("int j = atomic_exchange(a, *x = 1) + *x;", ["*x = 1", "*x"]),
    ],
)
@pytest.mark.parametrize("memory", MEMORIES)
def test_unsequenced_accesses_are_reported_with_both_places(
    program: Callable[[str], Test], memory: str, body: str, places: list[str]
) -> None:
    test = program(f"{{ int x = 0; int a = 0; }}\nP0 (global int* x, global atomic_int* a) {{ {body} }}\nexists (x=0)")

    (finding,) = test.explore(memory).findings
    assert (finding.kind, finding.rule) == ("unsequenced-race", "DR-3")
    assert [site.span.text for site in finding.sites] == places


@pytest.mark.parametrize("memory", MEMORIES)
def test_an_expression_is_watched_anew_in_every_pass_of_a_loop(program: Callable[[str], Test], memory: str) -> None:
    loop = "for (int k = 0; k < 3; k++) { int r = (k == KK ? i++ : 0) + (k == 1 ? i : 0); }"
    for other, kinds in (("1", {"unsequenced-race"}), ("0", set())):
        text = f"{{}}\nP0 () {{ int i = 0; {loop.replace('KK', other)} }}\nexists (true)"
        assert program(text).kinds(memory) == kinds


def reduction(size: int, step: str = "work_group_barrier(CLK_LOCAL_MEM_FENCE);") -> str:
    """The work-group adds up in two rounds of four, so that every item meets three barriers."""
    return f"""{{ int out = 0; }}
kernel add (global int* out, local int t[{size}]) {{
  int i = get_local_id(0);
  t[i] = i;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (i < {size // 8}) {{
    for (int k = 1; k < 8; k++) {{ t[i] = t[i] + t[i + k * {size // 8}]; }}
  }}
  {step}
  if (i == 0) {{
    for (int k = 1; k < {size // 8}; k++) {{ t[0] = t[0] + t[k]; }}
  }}
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (i == {size - 1}) {{ *out = t[0]; }}
}}
launch add global {size};
exists (out={size * (size - 1) // 2})
"""


@pytest.mark.slow
@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("size", [64, 1024])
def test_a_work_group_adds_up_under_clover(program: Callable[[str], Test], memory: str, size: int) -> None:
    found = program(reduction(size)).run(memory, CloverScheduler())

    assert found.states == ((size * (size - 1) // 2,),)
    assert found.findings == ()


BARRIER = "work_group_barrier(CLK_LOCAL_MEM_FENCE);"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "why", "places"),
    [
        (
            f"if (i != 63) {{ {BARRIER} }}",
            "barrier #2: add[0] and 1022 others wait there, add[63] waits at barrier #3",
            {0: BARRIER, 63: BARRIER},
        ),
        (
            f"if (i % 2 == 0) {{ {BARRIER} }} else if (i > 2) {{ return; }}",
            (
                "barrier #2: add[0] and 511 others wait there, add[1] waits at barrier #3, "
                "add[3] and 510 others have finished"
            ),
            {0: BARRIER, 1: BARRIER, 3: "}"},
        ),
    ],
    ids=["one item", "half"],
)
def test_divergence_of_a_thousand_work_items_is_one_finding(
    program: Callable[[str], Test], step: str, why: str, places: dict[int, str]
) -> None:
    found = program(reduction(1024, step)).run("interleaving", CloverScheduler())

    assert found.ending is Ending.BLOCKED
    (finding,) = found.findings
    assert finding.kind == "barrier-divergence"
    assert finding.why == f"not all 1024 work-items of the work-group execute {why}"
    assert {site.thread: site.span.text for site in finding.sites} == {
        item: text.removesuffix(";") for item, text in places.items()
    }


def test_of_many_barriers_that_are_missed_three_are_named(program: Callable[[str], Test]) -> None:
    each = "".join(f"if (get_local_id(0) == {n}) {{ {BARRIER} }}" for n in range(7))
    found = program(f"{{}}\nkernel k (local int t[1]) {{ {each} }}\nlaunch k global 7;\nexists (true)").run(
        "views", CloverScheduler()
    )

    (finding,) = found.findings
    named = "k[0] waits there, k[1] waits at barrier #2, k[2] waits at barrier #3, k[3] waits at barrier #4"
    assert finding.why.endswith(f"barrier #1: {named}, others wait at 3 more places")
    assert len(finding.sites) == 4


def test_without_the_barrier_the_sum_races(program: Callable[[str], Test]) -> None:
    found = program(reduction(64, "")).run("views", CloverScheduler())

    assert {finding.kind for finding in found.findings} == {"data-race"}


@pytest.mark.parametrize("memory", MEMORIES)
def test_real_threads_run_what_some_schedule_allows(program: Callable[[str], Test], memory: str) -> None:
    test = program(
        "{}\nP0@wg 0 (global int* x, global int* y) { *x = 1; int r = *y; }\n"
        "P1@wg 1 (global int* x, global int* y) { *y = 1; int r = *x; }\nexists (0:r=0 /\\ 1:r=0)"
    )
    for _ in range(5):
        found = run_on_threads(build(test.program, memory), observed_by(test.program))
        assert found.ending is Ending.FINISHED
        assert set(found.states) <= test.states(memory)
        assert test.run(memory, ReplayScheduler(found.schedule)).states == found.states


def test_real_threads_overlap(program: Callable[[str], Test]) -> None:
    test = program(
        "{}\nP0@wg 0 (global int* x, global int* y) { *x = 1; int r = *y; }\n"
        "P1@wg 1 (global int* x, global int* y) { *y = 1; int r = *x; }\nexists (0:r=0 /\\ 1:r=0)"
    )
    machine, observed = build(test.program, "interleaving"), observed_by(test.program)
    interval = sys.getswitchinterval()
    seen: set[tuple[Value, ...]] = set()
    for _ in range(3000):
        seen.update(run_on_threads(machine, observed).states)
        if len(seen) == 3:
            break

    assert seen == {(0, 1), (1, 0), (1, 1)}
    assert sys.getswitchinterval() == interval


def test_more_work_groups_than_workers_all_run_on_threads(program: Callable[[str], Test]) -> None:
    number = 2 * (os.cpu_count() or 1) + 3
    add = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);"
    units = "".join(f"P{n}@wg {n} (global atomic_int* x) {{ {add} }}\n" for n in range(number))
    test = program(f"{{}}\n{units}P{number}@host (global atomic_int* x) {{ }}\nexists (x={number})")

    assert run_on_threads(build(test.program, "views"), observed_by(test.program)).states == ((number,),)


def test_real_threads_meet_at_barriers(program: Callable[[str], Test]) -> None:
    test = program(reduction(64))

    assert run_on_threads(build(test.program, "views"), observed_by(test.program)).states == ((2016,),)


def test_a_spinning_thread_is_cut_off(program: Callable[[str], Test]) -> None:
    test = program("{}\nP0 (global atomic_int* x) { int n = 0; while (atomic_load(x) == 0) { n++; } }\nexists (x=0)")

    found = run_on_threads(build(test.program, "views"), observed_by(test.program), longest=50)
    assert found.ending is Ending.LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", "*x = 1;"])
def test_a_thread_that_may_compute_for_ever_ends_no_run(program: Callable[[str], Test], before: str) -> None:
    loop = "for (unsigned i = 0; i < 4000000000u; i++) { }"
    test = program(f"{{}}\nP0 (global int* x) {{ {before} {loop} }}\nexists (x=1)")
    machine, observed = build(test.program, "views"), observed_by(test.program)

    assert test.run("views", RandomScheduler(1)).ending is Ending.LIMIT
    assert run_on_threads(machine, observed).ending is Ending.LIMIT
    found = test.explore("views")
    assert (found.states, found.is_complete) == ({}, False)
    assert found.limit == "P0 executes 100,000 instructions without an operation on memory"


def test_a_plain_spinning_thread_does_not_hide_the_others(program: Callable[[str], Test]) -> None:
    test = program(
        "{}\nP0 (global int* x) { while (*x == 0) { } }\n"
        "P1 (global int* x) { *x = 1; int z = 0; int q = 1 / z; }\nexists (x=1)"
    )
    found = test.explore("views")

    assert found.is_complete
    assert {finding.kind for finding in found.findings} == {"data-race", "unspecified-quotient"}
