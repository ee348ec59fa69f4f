"""Graphs of commands: recorded ones, and those whose nodes are added one by one."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, warnings

BEFORE = "namespace exp_ = sycl::ext::oneapi::experimental;"
MEMORY = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0;"
GRAPH = "exp_::command_graph g(q.get_context(), q.get_device());"
ADDS = "h.parallel_for(2, [=](id<1> i) { x[i] += 1; });"
DOUBLES = "h.parallel_for(2, [=](id<1> i) { x[i] *= 2; });"
DEPENDS = ", {exp_::property::node::depends_on(a)}"
RECORDED = (
    f"{MEMORY} {GRAPH} g.begin_recording(q); event a = q.submit([&](handler& h) {{ {ADDS} }}); "
    f"q.submit([&](handler& h) {{ DEPENDS {DOUBLES} }}); g.end_recording(q); auto exec = g.finalize();"
)
# In place of the queue that samples have.
IN_ORDER = "sycl::queue p{sycl::property::queue::in_order()}; "


def explicit(depends: str = "", more: str = "") -> str:
    first = f"auto a = g.add([&](handler& h) {{ {ADDS} }});"
    second = f"auto b = g.add([&](handler& h) {{ {DOUBLES} }}{depends});"
    ready = "exp_::command_graph<exp_::graph_state::executable> e = g.finalize();"
    return f"{MEMORY} {GRAPH} {first} {second} {more} {ready} "


@pytest.mark.parametrize(
    ("submitted", "question"),
    [
        ("q.ext_oneapi_graph(e).wait();", "x[0]=2"),
        ("event all = q.ext_oneapi_graph(e); all.wait();", "x[0]=2"),
        ("for (int i = 0; i < 2; i++) q.ext_oneapi_graph(e).wait();", "x[0]=6"),
        # The second time it waits for the first one.
        ("q.ext_oneapi_graph(e); q.ext_oneapi_graph(e); q.wait();", "x[0]=6"),
        (
            (
                "event f = q.fill(x, 3, 2); "
                "q.submit([&](handler& h) { h.depends_on(f); h.ext_oneapi_graph(e); }).wait();"
            ),
            "x[0]=8",
        ),
    ],
)
def test_nodes(submitted: str, question: str) -> None:
    assert holds(explicit(DEPENDS) + submitted, question, BEFORE)
    assert holds(explicit(more="g.make_edge(a, b);") + submitted, question, BEFORE)


def test_what_is_declared_between() -> None:
    """The commands of a graph may name what is declared behind it, and before they are added."""
    body = (
        f"{GRAPH} int k = 2; k = 3; {MEMORY} auto a = "
        "g.add([&](handler& h) { h.single_task([=] { x[0] = k; }); }); "
        "auto e = g.finalize(); q.ext_oneapi_graph(e).wait();"
    )
    assert holds(body, "x[0]=3", BEFORE)
    assert "a graph of commands" in refused(body.replace("auto e", "k = 4; auto e"), BEFORE)


def test_nodes_without_an_edge() -> None:
    """They are ordered by nothing, also where the graph is submitted to a queue in order."""
    assert kinds(explicit() + "q.ext_oneapi_graph(e).wait();", BEFORE) == {"data-race"}
    assert kinds(IN_ORDER + explicit() + "p.ext_oneapi_graph(e).wait();", BEFORE) == {"data-race"}


def test_recorded_commands() -> None:
    waits = RECORDED.replace("DEPENDS", "h.depends_on(a);")
    assert holds(waits + "q.ext_oneapi_graph(exec).wait();", "x[0]=2", BEFORE)
    assert holds(waits + "q.wait(); int s = x[0];", "0:s=0", BEFORE)
    assert warnings(waits + "q.ext_oneapi_graph(exec).wait();", BEFORE) == []
    apart = RECORDED.replace("DEPENDS", "")
    assert kinds(apart + "q.ext_oneapi_graph(exec).wait();", BEFORE) == {"data-race"}
    in_order = IN_ORDER + apart.replace("q.", "p.").replace("(q)", "(p)")
    assert holds(in_order + "p.ext_oneapi_graph(exec); p.ext_oneapi_graph(exec); p.wait();", "x[0]=6", BEFORE)


@pytest.mark.parametrize(
    "submitted",
    [
        "q.ext_oneapi_graph(exec); x[0] = 3; q.wait();",
        "event f = q.fill(x, 3, 2); q.ext_oneapi_graph(exec); q.wait();",
        "q.ext_oneapi_graph(exec); q.fill(x, 3, 2); q.wait();",
    ],
)
def test_what_a_graph_is_not_ordered_with(submitted: str) -> None:
    waits = RECORDED.replace("DEPENDS", "h.depends_on(a);")
    assert kinds(waits + submitted, BEFORE) == {"data-race"}


@pytest.mark.parametrize(
    "body",
    [
        # The commands have what these names were when they were recorded.
        RECORDED.replace("ADDS", "").replace("DEPENDS", "") + "x = nullptr; q.ext_oneapi_graph(exec).wait();",
        RECORDED.replace("DEPENDS", "") + "{ int* x = nullptr; q.ext_oneapi_graph(exec).wait(); }",
        RECORDED.replace("DEPENDS", "") + "a.wait(); q.ext_oneapi_graph(exec).wait();",
        RECORDED.replace("DEPENDS", "") + "exec.update(g); q.ext_oneapi_graph(exec).wait();",
        explicit() + "for (int i = 0; i < 2; i++) g.add([&](handler& h) { h.single_task([=] { }); });",
        "property_list all{property::queue::in_order()}; queue o(all); " + RECORDED.replace("DEPENDS", ""),
    ],
)
def test_graphs_that_are_refused(body: str) -> None:
    assert "a graph of commands" in refused(body, BEFORE)


def test_barriers_of_queues_are_waited_for() -> None:
    """Who waits for a barrier, or for a command behind it, has waited for what was enqueued before it."""
    body = f"{MEMORY} q.single_task([=] {{ x[0] = 1; }}); q.ext_oneapi_submit_barrier(); "
    assert warnings(body + "event e = q.single_task([=] { x[1] = x[0]; }); e.wait();") == []
    assert warnings(body.replace("barrier(); ", "barrier().wait(); ")) == []
    apart = f"{MEMORY} event a = q.single_task([=] {{ }}); q.single_task([=] {{ x[0] = 1; }}); "
    assert warnings(apart + "q.ext_oneapi_submit_barrier({a}).wait();") == ["W157"]
