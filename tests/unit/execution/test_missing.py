"""Barriers hold where a member may miss them because of what is written behind them."""

from __future__ import annotations

import pytest

from mcm import EngineName, Judged, check
from mcm.base.source import Source

RELAXED = "memory_order_relaxed, memory_scope_device"
BARRIER = "A: work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
ONE = f"atomic_store_explicit(x, 1, {RELAXED});"
COMES = f"if (atomic_load_explicit(x, {RELAXED}) == 0) {{ {BARRIER} }}"
PASSES_ON = f"if (atomic_load_explicit(x, {RELAXED}) == 1) atomic_store_explicit(y, 1, {RELAXED});"
COMES_BY_OTHER = COMES.replace("(x,", "(y,")


def problems(*units: str, engine: EngineName = EngineName.EXPLICIT) -> set[str]:
    """The kinds of problems of a program, whose third unit is of another group."""
    parameters = "(global atomic_int* x, global atomic_int* y, global int* d)"
    bodies = "\n".join(f"P{n}@wg {n // 2} {parameters} {{ {body} }}" for n, body in enumerate(units))
    text = f"OPENCL missing\n{{ [x] = 0; [y] = 0; int d = 0; }}\n{bodies}\nforall (true)\n"
    result = check(Source("missing", text), engine=engine)
    assert isinstance(result, Judged)
    return {problem.kind for problem in result.undefined}


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize(
    ("units", "expected"),
    [
        ((COMES, f"{BARRIER} {ONE}"), set()),
        ((COMES, f"{ONE} {BARRIER}"), {"barrier-divergence"}),
        # Others may bring the news, but not before there is some.
        ((COMES_BY_OTHER, f"{BARRIER} {ONE}", PASSES_ON), set()),
        ((COMES_BY_OTHER, f"{ONE} {BARRIER}", PASSES_ON), {"barrier-divergence"}),
        # What races behind the barrier is never executed.
        ((f"{COMES} else *d = 1;", f"{BARRIER} {ONE} *d = 2;"), set()),
        # A plain read sees what happens before it, where nothing but barriers synchronises.
        ((f"if (*d == 0) {{ {BARRIER} }}", f"{BARRIER} *d = 1;"), set()),
        # Group functions need all members, too.
        (
            (f"int r = 0; {COMES.replace(BARRIER, 'r = work_group_all(1);')}", f"int r = work_group_all(1); {ONE}"),
            set(),
        ),
        # In a loop each instance is one of its own.
        (
            (
                f"for (int k = 0; k < 2; k++) {{ {COMES.replace('== 0', '<= k')} }}",
                f"for (int k = 0; k < 2; k++) {{ {BARRIER} atomic_fetch_add_explicit(x, 1, {RELAXED}); }}",
            ),
            set(),
        ),
    ],
)
def test_what_is_behind_a_barrier_is_no_reason_to_miss_it(
    units: tuple[str, ...], expected: set[str], engine: EngineName
) -> None:
    assert problems(*units, engine=engine) == expected
