"""How far commands get: what waits for itself never comes, and calls of several threads come in any order."""

from __future__ import annotations

from typing import Literal

import pytest

from mcm import Judged, Source, check

HEAD = """OPENCL t
{ fine_svm [x]=0; queue q = out_of_order dev 0; queue p = in_order dev 0; user_event u; user_event v; }
"""
KERNELS = "kernel K (global int* x) { *x = 1; }\nkernel L (global int* x) { int r0 = *x; }\n"
Engine = Literal["explicit", "smt"]
ENGINES: tuple[Engine, ...] = ("explicit", "smt")


def judged(text: str, engine: Engine, without: tuple[str, ...] = ()) -> Judged:
    found = check(Source("t.litmus", HEAD + KERNELS + text), "opencl-3.0", engine=engine, without=without)
    assert isinstance(found, Judged)
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        # The event that the command waits for is set behind the wait for the command.
        (
            "P0@host () { event e = clEnqueueNDRangeKernel(q, K, 1, 1, wait(u)); clWaitForEvents(e); "
            "clSetUserEventStatus(u, CL_COMPLETE); }"
        ),
        # Two threads wait for each other's events.
        (
            "P0@host () { clWaitForEvents(u); clSetUserEventStatus(v, CL_COMPLETE); }\n"
            "P1@host () { clWaitForEvents(v); clSetUserEventStatus(u, CL_COMPLETE); }"
        ),
        # A callback would set the event that its own command waits for.
        (
            "callback CB () { clSetUserEventStatus(u, CL_COMPLETE); }\n"
            "P0@host () { event e = clEnqueueNDRangeKernel(q, K, 1, 1, wait(u)); clSetEventCallback(e, CB); "
            "clFinish(q); }"
        ),
        # In an in-order queue, what comes behind waits too.
        (
            "P0@host () { clEnqueueNDRangeKernel(p, K, 1, 1, wait(u)); event e = clEnqueueMarkerWithWaitList(p); "
            "clWaitForEvents(e); clSetUserEventStatus(u, CL_COMPLETE); }"
        ),
    ],
)
def test_what_waits_for_itself_never_comes(text: str, engine: Engine) -> None:
    for without in ((), ("HOST-4", "HOST-12")):
        found = judged(text + "\nexists (x=1)\n", engine, without)
        assert found.has_execution is False
        assert found.blocked


@pytest.mark.parametrize("engine", ENGINES)
def test_an_answer_is_not_its_own_reason(engine: Engine) -> None:
    text = (
        "P0@host () { event e = clEnqueueNDRangeKernel(q, K, 1, 1, wait(u)); int s = clGetEventInfo(e); "
        "if (s == CL_COMPLETE) { clSetUserEventStatus(u, CL_COMPLETE); } }\nexists (0:s=0)\n"
    )
    assert judged(text, engine).reachable is not True


@pytest.mark.parametrize("engine", ENGINES)
def test_calls_of_two_threads_come_to_a_queue_in_any_order(engine: Engine) -> None:
    text = (
        "P0@host () { clEnqueueNDRangeKernel(p, K, 1, 1); clFinish(p); }\n"
        "P1@host () { clEnqueueNDRangeKernel(p, L, 1, 1); }\n"
        "exists (L[0]:r0=0)\n"
    )
    found = judged(text, engine)
    assert found.reachable is True
    assert {state.values["3:r0"] for state in found.states} == {0, 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_commands_of_a_branch_that_is_not_taken_hold_nobody_up(engine: Engine) -> None:
    text = (
        "P0@host (global int* x) { int c = *x; if (c == 1) { clEnqueueNDRangeKernel(p, K, 1, 1, wait(u)); } "
        "clEnqueueNDRangeKernel(p, L, 1, 1); clFinish(p); }\nexists (L[0]:r0=0)\n"
    )
    assert judged(text, engine).reachable is True


def test_a_loop_enqueues_a_command_in_each_iteration() -> None:
    text = (
        "P0@host () { for (int i = 0; i < 3; i++) { clEnqueueNDRangeKernel(p, L, 1, 1); } clFinish(p); }\n"
        "exists (L[0]:r0=0 /\\ L@ki1[0]:r0=0 /\\ L@ki2[0]:r0=0)\n"
    )
    assert judged(text, "explicit").reachable is True


def test_what_is_passed_by_value_is_that_of_the_call() -> None:
    text = (
        "P0@host (global int* x) { int v = 3; clEnqueueWriteBuffer(p, x, CL_FALSE, v + 1); v = 7; "
        "int r = clEnqueueReadBuffer(p, x, CL_TRUE); }\nforall (0:r=4)\n"
    )
    for engine in ENGINES:
        found = judged(text, engine)
        assert found.verdict.value == "required"
