"""What a unit does and must not, and what is no event, is drawn in its place: an access of no element, and the like."""

from __future__ import annotations

import pytest

import mcm
from mcm.picture.scene import Node, NodeKind, Scene

PAST_THE_END = """OPENCL past
{ int a[4]; int out; }
kernel k (global int* a, global int* out) {
  a[get_global_id(0)] = 1;
  a[get_global_id(0) + 3] = 2;
  if (get_global_id(0) == 1) *out = 3;
}
launch k global 2, local 1;
exists ([out]=3)
"""

KINDS = {
    "out-of-bounds": ("*out = a[*x];", ("read a[5]", "no such element")),
    "uninitialised-read": ("int r; *out = r;", ("read r = ?", "no value")),
    "unspecified-quotient": ("*out = 1 / (*x - 5);", ("1 / (*x - 5)", "unspecified quotient")),
    "unsequenced-race": ("int r = 0; *out = r++ + r;", ("r++", "unsequenced race")),
}


def problem_of(text: str, kind: str) -> mcm.Problem:
    result = mcm.check(text, timeout=60)
    return next(problem for problem in (*result.undefined, *result.impl_defined) if problem.kind == kind)


def drawn(problem: mcm.Problem) -> tuple[Scene, Node]:
    """The picture of a problem, and the one node in it that is no event."""
    assert problem.execution is not None
    scene = problem.execution.scene()
    (node,) = (node for node in scene.nodes if node.kind is NodeKind.FAULT)
    return scene, node


def test_an_access_out_of_bounds_stands_in_its_place_in_every_picture() -> None:
    problem = problem_of(PAST_THE_END, "out-of-bounds")
    scene, node = drawn(problem)

    assert (node.text, node.detail, node.line, node.marked) == ("write a[4]", "no such element", 5, True)
    assert [each.text for each in scene.nodes if each.marked] == ["write a[4]"]
    unit = sorted((each.row, each.text) for each in scene.nodes if each.column == node.column and each.row >= 0)
    assert [text for _, text in unit] == ["write a[1] = 1", "write a[4]", "write out = 3"]
    order = {(edge.source, edge.target) for edge in scene.edges if edge.name == "po"}
    numbers = {each.text: each.number for each in scene.nodes}
    assert (numbers["write a[1] = 1"], node.number) in order
    assert (node.number, numbers["write out = 3"]) in order
    assert (numbers["write a[1] = 1"], numbers["write out = 3"]) not in order
    execution = problem.execution
    assert execution is not None
    assert 'class="node fault marked"' in execution.svg()
    assert "no such element" in execution.text()
    assert 'w1 [label="write a[4]\\nno such element"' in execution.dot()


@pytest.mark.parametrize("kind", KINDS)
def test_every_fault_that_is_no_event_is_drawn(kind: str) -> None:
    body, told = KINDS[kind]
    parameters = "(global int* a, global int* x, global int* out)"
    text = f"OPENCL t\n{{ int a[4]; [x]=5; [out]=0; }}\nP0@wg 0 {parameters} {{\n  {body}\n}}\nexists ([x]=5)\n"

    _, node = drawn(problem_of(text, kind))

    assert (node.text, node.detail) == told


def test_of_a_loop_only_the_iteration_that_goes_outside_is_marked() -> None:
    text = (
        "OPENCL t\n{ int a[2]; [out]=0; }\nP0@wg 0 (global int* a, global int* out) {\n"
        "  for (int i = 0; i < 3; i++) a[i] = i;\n  *out = 1;\n}\nexists ([out]=1)\n"
    )
    scene, node = drawn(problem_of(text, "out-of-bounds"))

    assert [each.text for each in scene.nodes if each.marked] == ["write a[2]"]
    assert "P0 line 4 (iteration 3): write a[2]" in node.title
    rows = {each.text: each.row for each in scene.nodes}
    assert rows["write a[1] = 1"] < rows["write a[2]"] < rows["write out = 1"]


def test_an_access_of_a_private_array_shows_its_text() -> None:
    text = "OPENCL t\n{ [x]=7; }\nP0@wg 0 (global int* x) {\n  int t[2] = {0, 0};\n  t[*x] = 1;\n}\nexists ([x]=7)\n"
    scene, node = drawn(problem_of(text, "out-of-bounds"))

    assert (node.text, node.detail) == ("t[*x]", "no such element")
    rows = {each.text: each.row for each in scene.nodes}
    assert rows["read x = 7"] < rows["t[*x]"]


def test_of_many_work_items_the_one_that_goes_outside_is_drawn() -> None:
    text = (
        "OPENCL t\n{ int a[20]; }\nkernel k (global int* a) {\n  a[get_global_id(0) + 1] = 1;\n}\n"
        "launch k global 20, local 1;\nexists (a[1]=1)\n"
    )
    _, node = drawn(problem_of(text, "out-of-bounds"))

    assert (node.text, node.detail) == ("write a[20]", "no such element")
