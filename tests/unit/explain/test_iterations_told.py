"""Which iterations of loops operations are told to be in: by what is elaborated, and by a run of the machine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

import mcm
from mcm.base.source import Source
from mcm.catalogue.library import Library
from mcm.confirm import execution_of, undefined_behaviour
from mcm.execution.elaborate import elaborate
from mcm.explain.naming import Names
from mcm.explain.races import explain_flags
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.recording import recorded
from mcm.machine.schedule import RandomScheduler

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.execution.event import Event
    from mcm.machine.recording import Operation
    from mcm.program.program import Program

OTHER: Final = "\nP1 (global int* x) { *x = 2; }\n"

DO: Final = "P0 (global int* x) { int r = 0; do { r = r + 1; if (r == 3) { *x = 1; } } while (r < 3); }"
NESTED: Final = """P0 (global int* x) {
  for (int i = 0; i < 3; i++) { for (int j = 0; j < 4; j++) { if (i == 1 && j == 2) { *x = 1; } } }
}"""
CONTINUE: Final = """P0 (global int* x) {
  for (int i = 0; i < 5; i++) { if (i < 3) { continue; } if (i == 4) { *x = 1; } }
}"""
FUNCTION: Final = """void put(global int* p, int n) { for (int k = 0; k < 2; k++) { if (k == n) { *p = 1; } } }
P0 (global int* x) { for (int i = 0; i < 3; i++) { if (i == 2) { put(x, 1); } } }"""
IN_STEP: Final = """int next(global int* p, int n) { if (n == 1) { *p = 1; } return n + 1; }
P0 (global int* x) { for (int i = 0; i < 3; i = next(x, i)) { } }"""
IN_TEST: Final = """int add(global int* p, int n) { if (n == 2) { *p = 1; } return n; }
P0 (global int* x) { int i = 0; do { i = i + 1; } while (add(x, i) < 3); }"""
IN_FIRST_TEST: Final = """int add(global int* p, int n) { if (n == 2) { *p = 1; } return n; }
P0 (global int* x) { int i = 0; while (add(x, i) < 3) { i = i + 1; } }"""
BEFORE: Final = "P0 (global int* x) { for (int i = (*x = 1); i < 3; i++) { } }"
BEHIND: Final = "P0 (global int* x) { int i = 0; while (i < 3) { i++; } *x = 1; }"
SWITCH: Final = """P0 (global int* x) {
  for (int i = 0; i < 4; i++) { switch (i) { case 0: continue; case 2: *x = 1; break; default: break; } }
}"""
WAITING: Final = """P0 (global int* x) {
  int n = 0;
  do { n = n + 1; if (n == 2) { *x = 1; } } while (n < 2);
  while (*x == 0) { }
}"""

CASES: Final = {
    "do": (DO, (3,)),
    "nested": (NESTED, (2, 3)),
    "continue": (CONTINUE, (5,)),
    "function": (FUNCTION, (3, 2)),
    "step": (IN_STEP, (2,)),
    "test behind the body": (IN_TEST, (2,)),
    "test before the body": (IN_FIRST_TEST, (3,)),
    "before the loop": (BEFORE, ()),
    "behind the loop": (BEHIND, ()),
    "switch": (SWITCH, (3,)),
    "waiting": (WAITING, (2,)),
}


def program_of(threads: str) -> Source:
    return Source("loops.litmus", f"OPENCL loops\n{{ int x = 0; }}\n{threads}{OTHER}exists (x=1)\n")


@pytest.mark.parametrize(("threads", "expected"), CASES.values(), ids=CASES)
def test_a_problem_tells_the_iterations_of_the_loops_around_it(threads: str, expected: tuple[int, ...]) -> None:
    source = program_of(threads)
    found = [
        site
        for problem in mcm.check(source.text).undefined
        for site in problem.sites
        if (site.thread, site.access) == ("P0", "write")
    ]

    assert [site.iterations for site in found] == [expected]
    assert found[0].iteration == (expected[-1] if expected else None)


@pytest.mark.parametrize(("threads", "expected"), CASES.values(), ids=CASES)
def test_a_run_tells_them_too(threads: str, expected: tuple[int, ...]) -> None:
    model = Library().choose("opencl-3.0").model
    met = undefined_behaviour(read_test(program_of(threads)).program, model)
    sites = [site for problem in explain_flags(met.flags, {"data_race"}, model) for site in problem.sites]

    assert {site.iterations for site in sites if (site.thread, site.access) == ("P0", "write")} == {expected}


def performed(program: Program) -> tuple[Counter[object], Counter[object]]:
    """What threads do where, and in which iterations: as elaborated, and as a run does it."""
    (skeleton,) = elaborate(program, 3)
    run = recorded(build(program, "views", counts_loops=True), RandomScheduler(1), 10_000)
    assert run.end is not None
    return counted(skeleton.events), counted(run.operations)


def counted(events: Iterable[Event | Operation]) -> Counter[object]:
    threads = (event for event in events if event.thread is not None)
    return Counter((event.thread, event.kind, event.span.start, event.iteration) for event in threads)


HOST: Final = """OPENCL host
{ fine_svm int x = 0; queue q = in_order dev 0; }
P0@host (global int* x) { for (int i = 0; i < 2; i++) { clEnqueueNDRangeKernel(q, K, 1, 1); clFinish(q); *x = i; } }
kernel K (global int* x) { *x = 1; }
exists (x=1)
"""
LOOP: Final = HOST[HOST.index("for (") : HOST.index("kernel")]
BODY: Final = "clEnqueueNDRangeKernel(q, K, 1, 1); clFinish(q); *x = i; i = i + 1;"
HOST_WHILE: Final = HOST.replace(LOOP, f"int i = 0; while (i < 3) {{ {BODY} }} *x = 1; }}\n")
HOST_DO: Final = HOST.replace(LOOP, f"int i = 0; do {{ {BODY} }} while (i < 3); *x = 1; }}\n")
SYCL: Final = """SYCL host
{ int x = 0; }
host {
  queue q;
  for (int i = 0; i < 3; i++) { q.single_task([=] { *x += 1; }).wait(); *x += i; }
}
exists (x=6)
"""
COPIES: Final = """OPENCL copies
{ int x[2] = {0}; }
kernel k (global int* x) {
  local int t[2];
  for (int i = 0; i < 2; i++) {
    event_t e = async_work_group_copy(t, x, 2, 0);
    do { wait_group_events(1, &e); barrier(CLK_LOCAL_MEM_FENCE); } while (work_group_any(0));
  }
}
exists (x[0]=1)
"""


# What waits may be cut, or go round more often than it has to.
ALONE: Final = [program_of(case).text.replace(OTHER, "") for case, _ in CASES.values() if case != WAITING]


@pytest.mark.parametrize("text", [COPIES, HOST, HOST_WHILE, HOST_DO, SYCL, *ALONE])
def test_runs_and_elaboration_agree_on_every_operation(text: str) -> None:
    elaborated, run = performed(read_test(Source("t", text)).program)

    assert elaborated == run


TWICE: Final = """OPENCL twice
{ int x = 0; atomic_int y = 0; }
void put(global int* p, int n) { *p = n; }
P0 (global int* x, global atomic_int* y) {
  for (int i = 0; i < 2; i++) { put(x, i); put(x, 5); }
  put(x, 7);
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
}
exists (y=1)
"""


def test_operations_of_one_place_are_told_apart() -> None:
    program = read_test(Source("t", TWICE)).program
    run = recorded(build(program, "views", counts_loops=True), RandomScheduler(1), 10_000)
    model = Library().choose("opencl-3.0").model
    candidate = execution_of(run, program, model)
    names = Names(candidate)
    events = candidate.skeleton.events
    assert [names.full(n) for n, event in enumerate(events) if event.thread is not None] == [
        "P0 line 3 (iteration 1, 1st of 2)",
        "P0 line 3 (iteration 1, 2nd of 2)",
        "P0 line 3 (iteration 2, 1st of 2)",
        "P0 line 3 (iteration 2, 2nd of 2)",
        "P0 line 3",
        "P0 line 7",
    ]
