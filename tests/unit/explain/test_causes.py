"""Which of several problems comes first, in lists, explanations and pages: the one to repair first."""

from __future__ import annotations

from mcm import Session, Source, exhibits_of, foremost

# Work-items that race, and one of them goes out of bounds whatever they read.
APART = """OPENCL apart
{ int a[2]; int x; }
kernel k (global int* a, global int* x) {
  *x = 1;
  a[get_global_id(0) + 1] = 7;
}
launch k global 2, local 1;
exists ([x]=1)
"""

# The index comes from the race: the scope of the two operations reaches one work-group.
FOLLOWING = """OPENCL following
{ int a[2]; atomic_int i; }
P0@wg 0 (global atomic_int* i) {
  atomic_store_explicit(i, 2, memory_order_relaxed, memory_scope_work_group);
}
P1@wg 1 (global int* a, global atomic_int* i) {
  a[atomic_load_explicit(i, memory_order_relaxed, memory_scope_work_group)] = 7;
}
exists ([i]=2)
"""


def kinds(text: str) -> list[str]:
    return [problem.kind for problem in Session().check(Source("t.litmus", text)).undefined]


def test_a_fault_comes_before_a_race() -> None:
    assert kinds(APART) == ["out-of-bounds", "data-race"]
    explanation = Session().explain(Source("t.litmus", APART))
    assert explanation.subject == "out of bounds"


def test_a_fault_that_rests_on_a_race_comes_after_it() -> None:
    assert kinds(FOLLOWING) == ["data-race", "out-of-bounds"]
    explanation = Session().explain(Source("t.litmus", FOLLOWING))
    assert explanation.subject == "data race"


def test_pictures_begin_with_what_comes_first() -> None:
    result = Session().check(Source("t.litmus", APART))

    best = foremost(exhibits_of(result), result)
    assert best is not None
    assert best.title.startswith("out of bounds")
