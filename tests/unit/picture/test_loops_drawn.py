"""Pictures of loops: which iteration an event is of, and which barrier of a loop diverges."""

from __future__ import annotations

from typing import Final

import mcm

NESTED: Final = """OPENCL nested
{ int x = 0; }
P0 (global int* x) {
  for (int i = 0; i < 2; i++) { for (int j = 0; j < 2; j++) { if (i > j) { *x = 1; } } }
}
P1 (global int* x) { *x = 2; }
exists (x=1)
"""
DIVERGING: Final = """OPENCL diverging
{ int x = 0; }
kernel k (global int* x) {
  for (int j = 0; j < 2 + get_local_id(0); j++) { barrier(CLK_GLOBAL_MEM_FENCE); }
}
launch k global 2, local 2;
exists (x=1)
"""
STATEMENTS: Final = """OPENCL statements
{ int x = 0; }
P0 (global int* x) { *x = *x + 1; }
P1 (global int* x) { *x = *x + 1; }
exists (x=1)
"""


def test_titles_tell_the_iteration() -> None:
    (problem,) = mcm.check(NESTED).undefined
    assert problem.execution is not None

    assert "P0 line 4 (iteration 2, 1): write x = 1" in problem.execution.svg()


def test_only_the_barrier_that_diverges_is_marked() -> None:
    (problem,) = mcm.check(DIVERGING).undefined
    assert problem.execution is not None
    events = problem.execution.candidate.skeleton.events

    assert {events[number].iteration for number in problem.execution.marks.all_events} == {(2,)}


def test_a_page_tells_problems_of_the_same_lines_apart() -> None:
    page = mcm.render_page(mcm.Session().page(STATEMENTS, mcm.Options()))

    assert "data race on x: P0 line 3:22 and P1 line 4:27</a>" in page
    assert "data race on x: P0 line 3:22 and P1 line 4:22</a>" in page
