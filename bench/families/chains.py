"""Chains: a value is known only when the threads before have handed it on."""

from __future__ import annotations

from bench.family import family
from bench.litmus import OPENCL, C, Test, Thread, all_of, load, store, thread, when


@family("ISA2", model="rc11", states=lambda _: 2)
def message_chain(n: int) -> Test:
    """A plain write handed on through n threads by release and acquire; n = 2 is MP, n = 3 is ISA2."""
    links = (
        thread(load("r0", f"f{i}", "acquire"), when("r0 == 1", store(f"f{i + 1}", 1, "release")))
        for i in range(1, n - 1)
    )
    return Test(
        C,
        {"x": "int"} | {f"f{i}": "atomic_int" for i in range(1, n)},
        (
            thread("*x = 1;", store("f1", 1, "release")),
            *links,
            thread(load("r0", f"f{n - 1}", "acquire"), "int r1 = -1;", when("r0 == 1", "r1 = *x;")),
        ),
        all_of([f"{n - 1}:r0=1", f"{n - 1}:r1=0"]),
    )


@family("MP+groups", model="opencl-3.0", states=lambda _: 2)
def groups(n: int) -> Test:
    """A plain write handed on through n work-groups of two: by a barrier within, by release and acquire between."""
    locations = {"x": "global int"}
    locations |= {f"t{group}": "local int" for group in range(n)} | {f"f{i}": "global atomic_int" for i in range(1, n)}
    last = 2 * n - 1
    return Test(
        OPENCL,
        locations,
        tuple(one for group in range(n) for one in _group(group, n)),
        all_of([f"{last}:r1=1", f"{last}:r2=0"]),
    )


def _group(group: int, n: int) -> tuple[Thread, Thread]:
    """The first of a group waits for the group before, the second tells the next, or looks at what was handed on."""
    barrier, mine = "work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);", f"t{group}"
    arrive = ("*x = 1;", f"*{mine} = 1;")
    if group > 0:
        arrive = (load("r0", f"f{group}", "acquire"), when("r0 == 1", f"*{mine} = 1;"))
    leave = store(f"f{group + 1}", 1, "release") if group < n - 1 else "r2 = *x;"
    return (
        thread(*arrive, barrier, group=group),
        thread(barrier, f"int r1 = *{mine};", "int r2 = -1;", when("r1 == 1", leave), group=group),
    )
