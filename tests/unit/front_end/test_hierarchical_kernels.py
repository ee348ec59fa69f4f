"""Hierarchical kernels: what is done once for each work-group, and what by each work-item."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

MEMORY = "int* x = malloc_shared<int>(4, q); x[0] = 1; x[1] = 2; x[2] = 3; x[3] = 4;"


def launched(body: str, ranges: str = "range<1>(2), range<1>(2)") -> str:
    """A program with one hierarchical kernel on four numbers."""
    kernel = f"h.parallel_for_work_group({ranges}, [=](group<1> g) {{ {body} }});"
    return f"{MEMORY} q.submit([&](handler& h) {{ {kernel} }}).wait();"


def each(body: str, given: str = "") -> str:
    """What each work-item does."""
    return f"g.parallel_for_work_item({given}[&](h_item<1> it) {{ {body} }});"


TURNED = "int t[2]; " + each("t[it.get_local_id(0)] = x[it.get_global_id(0)];")
SUM = "int sum = 0; for (int i = 0; i < 2; i++) sum += x[g.get_group_id(0) * 2 + i]; "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        # Behind each call the group has synchronised.
        (TURNED + each("x[it.get_global_id(0)] = t[1 - it.get_local_id(0)];"), "x[0]=2 /\\ x[1]=1 /\\ x[2]=4"),
        # What is done once is seen by all.
        (SUM + each("x[it.get_global_id(0)] = sum;"), "x[0]=3 /\\ x[1]=3 /\\ x[3]=7"),
        (TURNED + "x[2 * g.get_id(0)] = t[1];", "x[0]=2 /\\ x[1]=2 /\\ x[2]=4"),
        # Counters that every work-item knows.
        ("for (int k = 0; k < 3; k++) { " + each("x[it.get_global_id(0)] += k;") + " }", "x[0]=4 /\\ x[3]=7"),
        ("int n = g.get_linear_id(); if (n == 1) { " + each("x[it.get_global_id(0)] = n;") + " }", "x[0]=1 /\\ x[3]=1"),
        ("if (g[0] == 0) return; " + each("x[it.get_global_id()] = 0;"), "x[0]=1 /\\ x[2]=0"),
        # Branches and loops that depend on memory.
        (SUM + "if (sum > 3) { " + each("x[it.get_global_id(0)] = 0;") + " }", "x[0]=1 /\\ x[1]=2 /\\ x[2]=0"),
        ("while (x[2 * g[0] + 1] > 1) { " + each("x[it.get_global_id(0)]--;") + " }", "x[0]=0 /\\ x[1]=1"),
        (
            "int more = 1; while (more) { more = 0; "
            + each("x[it.get_global_id(0)]--;")
            + " if (x[2 * g[0]] > 0) more = 1; }",
            "x[0]=0 /\\ x[1]=1 /\\ x[2]=0 /\\ x[3]=1",
        ),
        # Memory of each work-item.
        (
            "private_memory<int> p(g); "
            + each("p(it) = it.get_global().get_linear_id();")
            + each("x[it.get_global_id(0)] = p(it) + it.get_local().get_id(0);"),
            "x[0]=0 /\\ x[1]=2 /\\ x[3]=4",
        ),
        (each("if (it.get_local_id(0) == 0) return; x[it.get_global_id(0)] = 0;"), "x[0]=1 /\\ x[1]=0"),
        (each("x[2 * g[0] + it.get_local_id(0)] = 0;", "range<1>(1), "), "x[0]=0 /\\ x[1]=2 /\\ x[2]=0"),
        ("int* p = x + g.get_group_id(0) * 2; " + each("p[it.get_local_id(0)] = 0;"), "x[0]=0 /\\ x[3]=0"),
        (
            "int n = 0; " + each("x[it.get_global_id(0)] = 0;") + "g.parallel_for_work_item([=, &n](h_item<1> it) "
            "{ if (it.get_local_id(0) == 0) n = 7; }); x[2 * g[0]] = n;",
            "x[0]=7 /\\ x[1]=0",
        ),
        ("int t[2] = {5}; " + each("x[it.get_global_id(0)] = t[it.get_local_id(0)];"), "x[0]=5 /\\ x[1]=0"),
    ],
)
def test_what_a_hierarchical_kernel_does(body: str, question: str) -> None:
    assert holds(launched(body), question)


def test_ranges_of_their_own() -> None:
    body = each("x[g[0] * 2 + it.get_local_id(0)]++;", "range<1>(2), ")
    assert holds(launched(body, "range<1>(2)"), "x[0]=2 /\\ x[3]=5")
    assert holds(launched(body, "range<1>(2), range<1>(1)"), "x[0]=2 /\\ x[3]=5")


def test_two_dimensions_and_a_lambda_of_the_command_group() -> None:
    kernel = (
        "auto k = [=](group<2> g) { private_memory<int, 2> p(g); "
        "g.parallel_for_work_item([&](h_item<2> it) { p(it) = it.get_local_id(1); }); "
        "g.parallel_for_work_item([&](h_item<2> it) { x[it.get_global().get_linear_id()] += p(it); }); };"
    )
    group = (
        f"range<2> all(2, 2), own(1, 2); auto n = all / own; {kernel} h.parallel_for_work_group<class K>(n, own, k);"
    )
    assert holds(f"{MEMORY} q.submit([&](handler& h) {{ {group} }}).wait();", "x[0]=1 /\\ x[1]=3 /\\ x[3]=5")


@pytest.mark.parametrize(
    "body",
    [
        # A variable of the group, which several work-items write.
        "int last; " + each("last = it.get_local_id(0);"),
        # Neighbours, without the end of a call in between.
        TURNED.replace("t[it", "x[it").replace("= x[it", "= x[3 - it"),
        # Two groups, which nothing synchronises.
        each("x[it.get_global_id(0)]++;") + "if (g[0] == 0) x[2] = 0;",
        # Iterations that one work-item could execute one behind the other.
        each("x[0] = 1;", "range<1>(4), "),
    ],
)
def test_data_races(body: str) -> None:
    assert kinds(launched(body)) == {"data-race"}


def test_what_the_group_does_once_races_with_another_kernel() -> None:
    one = "h.parallel_for_work_group(range<1>(1), range<1>(1), [=](group<1> g) { x[0] = 2; });"
    assert kinds(
        f"{MEMORY} q.submit([&](handler& h) {{ {one} }}); q.single_task([=] {{ x[0] = 3; }}).wait(); q.wait();"
    ) == {"data-race"}


@pytest.mark.parametrize(
    ("body", "ranges", "message"),
    [
        ("x[0] = 1;", "range<1>(2)", "how many work-items a group has is left open here"),
        (
            "private_memory<int> p(g); " + each("p(it) = 1;", "range<1>(4), "),
            "range<1>(2), range<1>(2)",
            "depends on which iterations a work-item executes",
        ),
        (
            "auto v = x[0]; " + each("x[it.get_global_id(0)] = v;"),
            "range<1>(1), range<1>(1)",
            "write its type",
        ),
        ("do { " + each("x[0] = 1;") + " } while (x[0] < 1);", "range<1>(1), range<1>(1)", "but not here"),
        (each("x[0] = 1;"), "range<2>(1, 1), range<1>(1)", "have as many dimensions as one another"),
        (
            "int n = 0; g.parallel_for_work_item([=](h_item<1> it) { n = 1; });",
            "range<1>(1), range<1>(1)",
            "'n' is captured by value, and cannot be written",
        ),
        (each("x[0] = it.get_local_range(0);", "range<1>(1), "), "range<1>(1), range<1>(2)", "write its numbers here"),
        (
            "private_memory<int> p(g); p(0) = 1; " + each("x[0] = p(it);"),
            "range<1>(1), range<1>(1)",
            "which a work-item has: use it in 'parallel_for_work_item'",
        ),
    ],
)
def test_what_is_refused(body: str, ranges: str, message: str) -> None:
    assert message in refused(launched(body, ranges))
