"""Commands on the machine: each rule of HOST and QUE lets the machine show something that it would not show without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.explain.observed import observed_by
from mcm.machine.blocked import Obstacle
from mcm.machine.build import MEMORIES, build
from mcm.machine.clover import CloverScheduler
from mcm.machine.command_state import State
from mcm.machine.schedule import RandomScheduler, ReplayScheduler
from mcm.machine.threads import run_on_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Test

OUT_OF_ORDER, IN_ORDER = "queue q = out_of_order dev 0;", "queue q = in_order dev 0;"
WRITE = "kernel W (global int* x) { *x = 1; }\n"
READ = "kernel R (global int* x) { int r = *x; }\n"


def host(
    *calls: str, queue: str = OUT_OF_ORDER, kernels: str = WRITE + READ, more: str = "", ask: str = "R[0]:r"
) -> str:
    """A program of one host thread, whose kernel R reads what W or the host has written."""
    body = " ".join(calls)
    return f"""{{ int x = 0; {queue} user_event u; }}
{kernels}P0@host (global int* x) {{ {body} }}
{more}exists ({ask}=1)
"""


W, R = "event w = clEnqueueNDRangeKernel(q, W, 1, 1);", "clEnqueueNDRangeKernel(q, R, 1, 1);"
R_AFTER = "clEnqueueNDRangeKernel(q, R, 1, 1, wait({}));"
BARRIER, MARKER = "clEnqueueBarrierWithWaitList(q);", "event m = clEnqueueMarkerWithWaitList(q);"

ORDERED = {
    "HOST-1, the call before the kernel": host("*x = 1;", R),
    "HOST-2, a wait list": host(W, R_AFTER.format("w")),
    "HOST-5, in-order": host(W, R, queue=IN_ORDER),
    "HOST-6, the event of a marker": host(W, MARKER, R_AFTER.format("m")),
    "HOST-7, a barrier": host(W, BARRIER, R),
    "HOST-7, a barrier with a wait list": host(W, "clEnqueueBarrierWithWaitList(q, wait(w));", R),
    "HOST-12, a user event": host(R_AFTER.format("u"), "*x = 1;", "clSetUserEventStatus(u, CL_COMPLETE);"),
    "HOST-4, clWaitForEvents": host(W, "clWaitForEvents(w);", "int r = *x;", ask="0:r", kernels=WRITE),
    "HOST-8, clFinish": host(W, "clFinish(q);", "int r = *x;", ask="0:r", kernels=WRITE),
    "HOST-4, a blocking read": host(
        W, "int r = clEnqueueReadBuffer(q, x, CL_TRUE, wait(w));", ask="0:r", kernels=WRITE
    ),
    "HOST-4, a blocking write": host("clEnqueueWriteBuffer(q, x, CL_TRUE, 1);", R),
    "a fill": host("event f = clEnqueueFillBuffer(q, x, 1);", R_AFTER.format("f")),
    "HOST-11, a callback": host(
        W,
        "clSetEventCallback(w, CB);",
        kernels=WRITE + "callback CB (global int* x, global int* y) { *y = *x; }\n",
        ask="y",
    ),
    "MAP-1, a blocking map": host(
        W, "clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_READ, wait(w));", "int r = *x;", ask="0:r", kernels=WRITE
    ),
}

UNORDERED = {
    "HOST-1": host(R, "*x = 1;"),
    "HOST-2": host(W, R),
    "HOST-5, two queues": host(
        W, "clEnqueueNDRangeKernel(p, R, 1, 1);", queue="queue q = in_order dev 0; queue p = in_order dev 0;"
    ),
    "HOST-6, a marker orders nothing behind it": host(W, MARKER, R),
    "HOST-7, a barrier waits for its list alone": host(
        W, "clSetUserEventStatus(u, CL_COMPLETE);", "clEnqueueBarrierWithWaitList(q, wait(u));", R
    ),
    "HOST-12": host(R_AFTER.format("u"), "clSetUserEventStatus(u, CL_COMPLETE);", "*x = 1;"),
    "HOST-4": host(W, "clFlush(q);", "int r = *x;", ask="0:r", kernels=WRITE),
    "HOST-4q, a query": host(W, "int s = clGetEventInfo(w);", "int r = *x;", ask="0:r", kernels=WRITE),
    "HOST-11": host(
        "event f = clEnqueueMarkerWithWaitList(q);",
        "clSetEventCallback(f, CB);",
        "*x = 1;",
        kernels="callback CB (global int* x, global int* y) { *y = *x; }\n",
        ask="y",
    ),
}


@pytest.mark.parametrize("text", ORDERED.values(), ids=ORDERED)
def test_what_is_ordered_is_seen_and_does_not_race(program: Callable[[str], Test], text: str) -> None:
    test = program(text)

    assert test.states("views") == test.states("interleaving") == {(1,)}
    assert test.kinds("views") == set()


@pytest.mark.parametrize("text", UNORDERED.values(), ids=UNORDERED)
def test_what_is_not_ordered_races(program: Callable[[str], Test], text: str) -> None:
    test = program(text)

    assert (0,) in test.states("views")
    assert test.kinds("views") == {"data-race"}


# --- kernels that enqueue kernels -------------------------------------------------------------------------------------

PARENT = """{{ {kind} int x = 0; fine_svm int y = 0; queue q = in_order dev 0; }}
kernel C (global int* x, global int* y) {{ int r = *x; *y = 2; }}
kernel K (global int* x) {{
  if (get_global_id(0) == {writer}) {{ *x = 1; }}
  if (get_global_id(0) == 0) {{ enqueue_kernel(CLK_ENQUEUE_FLAGS_{flag}, C, 1, 1); }}
}}
P0@host (global int* y) {{ event e = clEnqueueNDRangeKernel(q, K, 2, {local}); clWaitForEvents(e); int s = *y; }}
exists (C[0]:r=1 /\\ 0:s=2)
"""


@pytest.mark.parametrize(
    ("kind", "flag", "writer", "local", "is_ordered"),
    [
        ("fine_svm", "NO_WAIT", 0, 1, True),
        ("buffer", "NO_WAIT", 0, 1, False),
        ("coarse_svm", "NO_WAIT", 0, 1, False),
        ("fine_svm", "NO_WAIT", 1, 2, False),
        ("buffer", "WAIT_KERNEL", 1, 1, True),
        ("buffer", "WAIT_WORK_GROUP", 1, 2, True),
        ("buffer", "WAIT_WORK_GROUP", 1, 1, False),
    ],
    ids=["HOST-15 fine", "HOST-1 buffer", "HOST-1 coarse", "HOST-15 other", "HOST-13", "HOST-14 group", "HOST-14"],
)
def test_a_child_sees_what_its_flag_says(
    program: Callable[[str], Test], kind: str, flag: str, writer: int, local: int, is_ordered: bool
) -> None:
    test = program(PARENT.format(kind=kind, flag=flag, writer=writer, local=local))

    # A plain read sees what happens before it. HOST-16: the host has waited for the parent, and so for the child.
    assert test.states("views") == {(2, int(is_ordered))}
    assert test.kinds("views") == (set() if is_ordered else {"data-race"})


# --- states, queries and errors ---------------------------------------------------------------------------------------


def test_a_query_tells_how_far_a_command_is(program: Callable[[str], Test]) -> None:
    calls = ("event w = clEnqueueNDRangeKernel(q, W, 1, 1);", "int s = clGetEventInfo(w);")
    kernels = "kernel W (global int* x) { *x = 1; int r = *x; }\n"

    assert program(host(*calls, kernels=kernels, ask="0:s")).states("interleaving") == {(3,), (2,), (1,), (0,)}
    waits = ("event w = clEnqueueNDRangeKernel(q, W, 1, 1, wait(u));", "int s = clGetEventInfo(w);")
    held = host(*waits, "clSetUserEventStatus(u, CL_COMPLETE);", kernels=kernels, ask="0:s")
    assert program(held).states("interleaving") == {(3,), (2,)}


@pytest.mark.parametrize("memory", ["interleaving", "views"])
@pytest.mark.parametrize(
    ("calls", "states"),
    [
        ([], {(s, t) for s in range(4) for t in range(s + 1)}),
        (["clWaitForEvents(w);"], {(s, 0) for s in range(4)}),
        (["clFinish(p);"], {(s, t) for s in range(4) for t in range(s + 1)}),
        (["clEnqueueReadBuffer(p, x, CL_TRUE, wait(w));"], {(s, 0) for s in range(4)}),
    ],
    ids=["nothing", "waits for it", "waits for another queue", "reads behind it"],
)
def test_a_query_may_tell_an_older_status_until_something_orders_it(
    program: Callable[[str], Test], memory: str, calls: list[str], states: set[tuple[int, int]]
) -> None:
    begin = ("event w = clEnqueueNDRangeKernel(q, W, 1, 1);", "int s = clGetEventInfo(w);")
    queues = OUT_OF_ORDER + " queue p = in_order dev 0;"
    text = host(*begin, *calls, "int t = clGetEventInfo(w);", kernels=WRITE, ask="0:s=1 /\\ 0:t", queue=queues)

    assert program(text).states(memory) == states


def test_a_callback_is_called_for_what_has_failed_too(program: Callable[[str], Test]) -> None:
    calls = ("event w = clEnqueueNDRangeKernel(q, W, 1, 1, wait(u));", "clSetEventCallback(w, CB);")
    kernels = WRITE + "callback CB (global int* x) { *x = 5; }\n"
    text = host(*calls, "clSetUserEventStatus(u, -1);", kernels=kernels, ask="x")

    assert program(text).states("views") == program(text).states("interleaving") == {(5,)}


def test_a_command_goes_through_the_states_in_order(program: Callable[[str], Test]) -> None:
    """HOST-17."""
    calls = ("event w = clEnqueueNDRangeKernel(q, W, 2, 1);", "clFinish(q);")
    test = program(host(*calls, kernels="kernel W (global int* x) { x[0]; }\n", ask="x"))
    machine = build(test.program, "views")
    schedule = test.run("views", CloverScheduler()).schedule
    step, seen = machine.start(), []
    for thread, choice in schedule:
        step = machine.step(step.after, thread, choice)
        seen += [
            state for command, state in step.transitions if machine.compiled.commands.commands[command].name == "W"
        ]
    assert seen == [State.QUEUED, State.SUBMITTED, State.READY, State.RUNNING, State.ENDED, State.COMPLETE]


def test_a_command_that_is_not_enqueued_does_nothing(program: Callable[[str], Test]) -> None:
    test = program(
        host("int r = *x;", "if (r == 7) {", "clEnqueueNDRangeKernel(q, W, 1, 1);", "}", ask="x", kernels=WRITE)
    )

    assert test.states("views") == {(0,)}
    assert test.run("views", CloverScheduler()).blocked is None


# --- who waits for ever -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "waits"),
    [
        (("clWaitForEvents(u);",), {("P0", ("u",))}),
        ((R_AFTER.format("u"), "clFinish(q);"), {("P0", ("R",)), ("R[0]", ("u",))}),
        ((R_AFTER.format("u"),), {("R[0]", ("u",))}),
        ((R_AFTER.format("u"), "clEnqueueWriteBuffer(q, x, CL_TRUE, 1);"), {("R[0]", ("u",))}),
        (("clEnqueueBarrierWithWaitList(q, wait(u));", R), {("R[0]", ("barrier",))}),
    ],
    ids=["clWaitForEvents", "clFinish", "no thread", "another command", "barrier"],
)
@pytest.mark.parametrize("memory", MEMORIES)
def test_who_waits_for_what_never_comes_is_blocked(
    program: Callable[[str], Test], memory: str, calls: tuple[str, ...], waits: set[tuple[str, tuple[str, ...]]]
) -> None:
    test = program(host(*calls, kernels=READ, ask="x"))

    found = test.explore(memory)
    assert found.is_complete
    assert not found.states
    (blocked,) = found.blocked
    assert {(one.site.name, one.events) for one in blocked.threads} == waits
    assert all(one.obstacle is Obstacle.COMMANDS for one in blocked.threads)


# --- schedules --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("text", [*ORDERED.values(), *UNORDERED.values()], ids=[*ORDERED, *UNORDERED])
def test_every_schedule_does_what_the_search_finds(program: Callable[[str], Test], text: str, memory: str) -> None:
    test = program(text)
    found = test.explore(memory)
    machine, observed = build(test.program, memory), observed_by(test.program)

    assert set(test.explore(memory, reduced=False).states) == set(found.states)
    runs = [test.run(memory, CloverScheduler()), run_on_threads(machine, observed)]
    runs += [test.run(memory, RandomScheduler(seed)) for seed in range(5)]
    for run in runs:
        assert set(run.states) <= set(found.states)
        assert set(test.run(memory, ReplayScheduler(run.schedule)).states) == set(run.states)


def test_a_queue_to_which_nothing_is_enqueued_is_finished_at_once(program: Callable[[str], Test]) -> None:
    text = "{ [x]=3; queue q = in_order dev 0; }\nP0@host (int* x) { clFinish(q); int r = *x; }\nexists (0:r=3)"
    assert program(text).states("views") == {(3,)}
