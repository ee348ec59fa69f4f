"""The graph of commands: orders with their rules, and conflicts that nothing orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import pytest

from mcm import commands
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.command_graph.graph import Extent, command_graph
from mcm.command_graph.scene import scene_of
from mcm.command_graph.text import render_text
from mcm.execution.elaborate import elaborate
from mcm.front_end.read import read_test
from mcm.picture.dot import render_dot
from mcm.picture.layout import lay_out
from mcm.picture.svg import render_svg

if TYPE_CHECKING:
    from mcm.command_graph.graph import CommandGraph

KERNELS = "kernel A (global int* x) { *x = 1; }\nkernel B (global int* x) { *x = 2; }\n"
A, B = "event a = clEnqueueNDRangeKernel(q, A, 1, 1);", "event b = clEnqueueNDRangeKernel(q, B, 1, 1);"


def graph_of(*calls: str, queue: str = "out_of_order", more: str = "", kernels: str = KERNELS) -> CommandGraph:
    text = f"""OPENCL t
{{ int x = 0; int y = 0; queue q = {queue} dev 0; queue p = in_order dev 1; user_event u; }}
{kernels}P0@host (global int* x, global int* y) {{ {" ".join(calls)} }}
{more}exists (x=1)
"""
    program = read_test(Source("t.litmus", text)).program
    return command_graph(program, elaborate(program), registry.get("opencl-3.0"))


def by_rule(graph: CommandGraph) -> set[tuple[str, str, str]]:
    """The direct orders: names of steps, without the arguments of calls, and the rule."""
    names = [step.text.partition("(")[0] for step in graph.steps]
    return {(names[o.first], names[o.second], rule) for o in graph.direct for rule in o.rules if rule != "SB-1"}


@pytest.mark.parametrize(
    ("calls", "queue", "order"),
    [
        ((A, B), "in_order", ("A", "B", "HOST-5")),
        ((A, "clEnqueueNDRangeKernel(q, B, 1, 1, wait(a));"), "out_of_order", ("A", "B", "HOST-2")),
        ((A, "clWaitForEvents(a);"), "out_of_order", ("A", "clWaitForEvents", "HOST-4")),
        ((A, "clFinish(q);"), "out_of_order", ("A", "clFinish", "HOST-8")),
        ((A, "clEnqueueBarrierWithWaitList(q);"), "out_of_order", ("A", "barrier", "HOST-7")),
        ((A, "event m = clEnqueueMarkerWithWaitList(q);"), "out_of_order", ("A", "marker", "HOST-6")),
        ((A,), "out_of_order", ("clEnqueueNDRangeKernel", "A", "HOST-1")),
        (
            ("clEnqueueNDRangeKernel(q, A, 1, 1, wait(u));", "clSetUserEventStatus(u, CL_COMPLETE);"),
            "out_of_order",
            ("clSetUserEventStatus", "A", "HOST-12"),
        ),
        (
            ("int r = clEnqueueReadBuffer(q, x, CL_TRUE);",),
            "out_of_order",
            ("read of x", "clEnqueueReadBuffer", "HOST-4"),
        ),
    ],
    ids=lambda value: value[2] if isinstance(value, tuple) and len(value) == 3 else None,
)
def test_an_order_has_its_rule(calls: tuple[str, ...], queue: str, order: tuple[str, str, str]) -> None:
    assert order in by_rule(graph_of(*calls, queue=queue))


def test_conflicts_that_nothing_orders_are_marked() -> None:
    graph = graph_of(A, B)
    (conflict,) = graph.conflicts

    assert [graph.steps[n].text for n in (conflict.first, conflict.second)] == ["A", "B"]
    assert conflict.location == "x"
    assert [(access.unit, access.writes) for access in conflict.accesses] == [("A[0]", True), ("B[0]", True)]
    assert graph_of(A, B, queue="in_order").conflicts == ()
    assert graph_of(A, "clEnqueueBarrierWithWaitList(q);", B).conflicts == ()


def test_a_host_access_conflicts_until_the_host_waits() -> None:
    assert len(graph_of(A, "int r = *x;").conflicts) == 1
    assert graph_of(A, "clWaitForEvents(a);", "int r = *x;").conflicts == ()
    assert len(graph_of(A, "int s = clGetEventInfo(a);", "int r = *x;").conflicts) == 1


def test_what_two_host_threads_enqueue_in_order_runs_one_way_or_the_other() -> None:
    more = "P1@host (global int* x) { clEnqueueNDRangeKernel(q, B, 1, 1); }\n"
    graph = graph_of(A, queue="in_order", more=more)

    assert graph.conflicts == ()
    assert [[graph.steps[n].text for n in pair] for pair in graph.either] == [["A", "B"]]
    assert "the first to be enqueued comes first" in render_text(graph)
    assert len(graph_of(A, more=more).conflicts) == 1


CHILD = """kernel C (global int* x, global int* y) {{ *x = 1; *y = 1; }}
kernel K (global int* x, global int* y) {{ *x = 2; enqueue_kernel(CLK_ENQUEUE_FLAGS_{}, C, 1, 1); }}
"""


@pytest.mark.parametrize(("flag", "conflicts"), [("NO_WAIT", 1), ("WAIT_WORK_GROUP", 0), ("WAIT_KERNEL", 0)])
def test_a_child_is_ordered_as_far_as_its_flag_says(flag: str, conflicts: int) -> None:
    graph = graph_of("event k = clEnqueueNDRangeKernel(q, K, 1, 1);", kernels=CHILD.format(flag))

    assert len(graph.conflicts) == conflicts
    extents = {(graph.steps[o.first].text, graph.steps[o.second].text): o.extent for o in graph.orders}
    assert extents["C", "K"] is Extent.COMPLETION
    assert nx.is_directed_acyclic_graph(graph.digraph)


def test_what_follows_from_other_orders_is_left_out() -> None:
    third = "kernel D (global int* y) { *y = 1; }\n"
    graph = graph_of(A, B, "clEnqueueNDRangeKernel(q, D, 1, 1);", queue="in_order", kernels=KERNELS + third)
    pairs = {(graph.steps[order.first].text, graph.steps[order.second].text) for order in graph.orders}
    direct = {(graph.steps[order.first].text, graph.steps[order.second].text) for order in graph.direct}

    assert ("A", "D") in pairs
    assert ("A", "D") not in direct
    assert ("B", "D") in direct


def test_a_branch_is_shown_as_conditional() -> None:
    graph = graph_of("int r = *x;", "if (r == 1) {", A, "}")

    assert [step.is_certain for step in graph.steps if step.text == "A"] == [False]
    assert "if it comes to that" in render_text(graph)


def test_every_form_has_every_step_and_every_rule() -> None:
    graph = graph_of(A, B, "clFinish(q);", "int r = *x;")
    scene = scene_of(graph)
    svg, dot = render_svg(lay_out(scene)), render_dot(scene)

    for form in (render_text(graph), svg, dot):
        assert "HOST-8" in form
        assert "HOST-1" in form
        assert form.count("clFinish(q)") >= 1
    assert "unordered on x" in dot
    rows = [(node.column, node.row) for node in scene.nodes]
    assert len(set(rows)) == len(rows)
    by_number = {node.number: node for node in scene.nodes}
    assert all(by_number[a].row < by_number[b].row for a, b in graph.digraph.edges)


def test_of_two_calls_that_set_a_user_event_neither_surely_orders() -> None:
    """HOST-12: the first that is made does; which one that is may differ."""
    set_ = "clSetUserEventStatus(u, CL_COMPLETE);"
    other = f"P1@host (global int* x) {{ *x = 3; {set_} }}\n"
    waits = "clEnqueueNDRangeKernel(q, A, 1, 1, wait(u));"
    alone, both = graph_of(waits, more=other), graph_of(waits, set_, more=other)
    assert {order for order in by_rule(alone) if order[2] == "HOST-12"} == {("clSetUserEventStatus", "A", "HOST-12")}
    assert not {order for order in by_rule(both) if order[2] == "HOST-12"}
    assert not alone.conflicts
    assert [one.location for one in both.conflicts] == ["x"]
    assert all(step.is_certain for step in both.steps)


def test_what_a_failed_command_would_do_conflicts_with_nothing() -> None:
    """HOST-18: it waits for a user event that is set to an error, so that it never runs."""
    text = """OPENCL failed
{ [x]=0; queue q = out_of_order dev 0; user_event u; }
kernel A (global int* x) { *x = 1; }
kernel B (global int* x) { *x = 2; }
P0@host () {
  clEnqueueNDRangeKernel(q, A, 1, 1, wait(u));
  clEnqueueNDRangeKernel(q, B, 1, 1);
  clSetUserEventStatus(u, -5);
}
exists (x=1)
"""
    assert not commands(text).conflicts
    assert [one.location for one in commands(text.replace("-5", "CL_COMPLETE")).conflicts] == ["x"]
