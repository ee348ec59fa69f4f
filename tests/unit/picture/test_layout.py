from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mcm
from mcm import Options, Session
from mcm.picture.columns import MOST_UNITS
from mcm.picture.grid import BOX_TITLE
from mcm.picture.layout import Layout, lay_out
from mcm.picture.plan import Shape
from mcm.picture.routes import Rectangle

if TYPE_CHECKING:
    from mcm.picture.routes import Point

LITMUS = Path(__file__).parents[3] / "litmus"
Give = Callable[[str], tuple[mcm.Execution, ...]]

# Few and many threads, initial writes, loops, groups in groups, problems, and units that wait.
TESTS = [
    "opencl/patterns/MP.rlx",
    "opencl/patterns/2+2W",
    "opencl/patterns/IRIW.sc",
    "opencl/patterns/lock.ticket",
    "opencl/patterns/sub-group.ISA2",
    "opencl/patterns/host.MP",
    "opencl/barriers/two-groups-both-sides",
    "opencl/barriers/divergence",
    "opencl/kernels/reduction",
    "opencl/host/HOST-1.after",
    "opencl/host/HOST-12.waited",
    "c11/Dekker+sc",
]


def wide(count: int) -> str:
    """A test of so many units, each of which reads what its left neighbour writes."""
    threads = "".join(
        f"P{number}@wg {number // 8} (global atomic_int* x) {{\n"
        f"  atomic_store_explicit(x + {number}, 1, memory_order_relaxed, memory_scope_device);\n"
        f"  int r = atomic_load_explicit(x + {(number - 1) % count}, memory_order_relaxed, memory_scope_device);\n}}\n"
        for number in range(count)
    )
    zeros = ",".join("0" * count)
    return f"OPENCL wide\n{{ int x[{count}] = {{{zeros}}}; }}\n{threads}exists (1:r=1)\n"


@pytest.mark.parametrize("name", TESTS)
def test_labels_lie_over_no_node(name: str, executions: Give) -> None:
    drawn = [lay_out(execution.scene()) for execution in executions(name)]

    assert drawn
    for layout in drawn:
        for route in layout.routes:
            assert route.label is None or [n for n in layout.nodes.values() if route.label.shared_with(n)] == []


def test_labels_lie_over_no_title_of_a_box() -> None:
    """An initial value is read, and replaced, beside the corner of the box of the device."""
    page = Session().page(LITMUS / "opencl" / "patterns" / "MP.dv.litmus", Options(), wants_rules=False)
    layouts = [lay_out(exhibit.execution.scene()) for exhibit in page.views[0].exhibits]

    assert max(len(layout.routes) for layout in layouts) > 6
    for layout in layouts:
        labels = [route.label for route in layout.routes if route.label is not None]
        titles = [Rectangle(box.x, box.y, 60, BOX_TITLE) for box in layout.groups]
        assert len(titles) == 3
        assert [(label, title) for label in labels for title in titles if label.shared_with(title)] == []


@pytest.mark.parametrize("name", TESTS)
def test_lines_cross_no_node(name: str, executions: Give) -> None:
    for execution in executions(name):
        layout = lay_out(execution.scene())
        for route in layout.routes:
            others = [node for number, node in layout.nodes.items() if number not in ends(route.edge)]
            assert [node for node in others for step in steps(route.points) if meets(step, node)] == []


@pytest.mark.parametrize("name", TESTS)
def test_everything_is_inside_the_picture(name: str, executions: Give) -> None:
    for execution in executions(name):
        layout = lay_out(execution.scene())
        labels = [route.label for route in layout.routes if route.label]
        for one in (*layout.nodes.values(), *layout.groups, *layout.bars, *layout.names, *labels):
            assert one.x >= 0
            assert one.y >= 0
            assert one.x + one.width <= layout.width
            assert one.y + one.height <= layout.height


@pytest.mark.parametrize("name", TESTS)
def test_nodes_lie_apart_and_in_their_boxes(name: str, executions: Give) -> None:
    for execution in executions(name):
        layout = lay_out(execution.scene())
        nodes = list(layout.nodes.values())

        assert [1 for i, node in enumerate(nodes) for other in nodes[:i] if node.shared_with(other)] == []
        for group, box in zip(layout.scene.groups, layout.groups, strict=True):
            for node in layout.scene.nodes:
                place = layout.nodes[node.number]
                inside = group.first <= node.column <= group.last and node.row >= 0
                assert place.shared_with(box) == (place.width * place.height if inside else 0)


def test_commands_have_columns_between_host_and_devices(executions: Give) -> None:
    scene = executions("opencl/host/HOST-1.after")[0].scene()

    assert [unit.name for unit in scene.units] == ["P0", "K", "K[0]"]
    assert [node.text for node in scene.nodes if node.column == 1] == ["start", "end", "complete"]


def test_boxes_are_nested(executions: Give) -> None:
    layout = lay_out(executions("opencl/patterns/sub-group.ISA2")[0].scene())

    titles = [group.title for group in layout.scene.groups]
    assert titles[0] == "device 0"
    assert {title.partition(" ")[0] for title in titles} == {"device", "work-group", "sub-group"}
    for group, box in zip(layout.scene.groups, layout.groups, strict=True):
        for other, inner in zip(layout.scene.groups, layout.groups, strict=True):
            if other.depth > group.depth and group.first <= other.first <= group.last:
                assert box.shared_with(inner) == inner.width * inner.height
                assert inner.y > box.y
                assert inner.y + inner.height < box.y + box.height


def test_edges_between_the_same_columns_do_not_lie_over_each_other(executions: Give) -> None:
    layout = lay_out(executions("opencl/kernels/reduction")[0].scene())

    for shape in (Shape.AROUND, Shape.FAR):
        lines = [route.points for route in layout.routes if route.shape is shape]
        stretches = [step for line in lines for step in list(pairwise(line))[1:-1]]
        assert len(stretches) > 10 or shape is Shape.FAR
        assert [1 for i, one in enumerate(stretches) for other in stretches[:i] if overlap(one, other)] == []


def test_labels_of_two_crossing_edges_are_apart(executions: Give) -> None:
    layout = lay_out(executions("opencl/patterns/2+2W")[0].scene())
    first, second = (route.label for route in layout.routes if route.text == "mo")

    assert first is not None
    assert second is not None
    assert not first.shared_with(second)


def test_as_many_columns_as_are_drawn(draw: Callable[[str], mcm.Execution]) -> None:
    layout: Layout = lay_out(draw(wide(MOST_UNITS)).scene())

    assert len(layout.scene.units) == MOST_UNITS
    assert [group.title for group in layout.scene.groups] == ["device 0", "work-group 0", "work-group 1"]
    assert all(route.label is None or not covered(route.label, layout) for route in layout.routes)


def covered(label: Rectangle, layout: Layout) -> bool:
    return any(label.shared_with(node) for node in layout.nodes.values())


def ends(edge: object) -> tuple[int, int]:
    return edge.source, edge.target  # type: ignore[attr-defined]


def steps(points: tuple[Point, ...]) -> Iterator[tuple[Point, Point]]:
    return pairwise(points)


def meets(step: tuple[Point, Point], node: Rectangle) -> bool:
    """Whether a stretch of a line passes over a node, looked at in small steps."""
    (x, y), (end_x, end_y) = step
    count = int(max(abs(end_x - x), abs(end_y - y)) // 4) + 1
    return any(
        node.x < x + (end_x - x) * part / count < node.x + node.width
        and node.y < y + (end_y - y) * part / count < node.y + node.height
        for part in range(count + 1)
    )


def overlap(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Whether two stretches along the axes lie over each other for some length."""
    for axis in (0, 1):
        along = 1 - axis
        fixed = {point[axis] for point in (*one, *other)}
        if len(fixed) == 1:
            low, high = (sorted(point[along] for point in step) for step in (one, other))
            return min(low[1], high[1]) > max(low[0], high[0])
    return False
