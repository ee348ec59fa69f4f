"""A scene with a place for everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.picture.grid import BOX_TITLE, NODE_HEIGHT, PAD, TITLE_SIZE, UNIT_NAME, depth_of, make_grid
from mcm.picture.measure import width_of
from mcm.picture.plan import plan
from mcm.picture.routes import Rectangle, Route, routes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.picture.grid import Grid
    from mcm.picture.scene import Bar, Group, Scene

_BAR: Final = 7.0


class Layout(Struct, frozen=True):
    """Rectangles of groups, names of units, bars and nodes (by number), and the routes of edges."""

    scene: Scene
    groups: tuple[Rectangle, ...]
    names: tuple[Rectangle, ...]
    bars: tuple[Rectangle, ...]
    nodes: Mapping[int, Rectangle]
    routes: tuple[Route, ...]
    width: float
    height: float


def lay_out(scene: Scene) -> Layout:
    """The layout of a scene."""
    ways = plan(scene)
    grid = make_grid(scene, ways)
    nodes = {
        node.number: Rectangle(
            grid.columns[node.column].start,
            grid.rows[node.row].start,
            grid.columns[node.column].end - grid.columns[node.column].start,
            NODE_HEIGHT,
        )
        for node in scene.nodes
    }
    names = tuple(Rectangle(column.start, grid.names, column.end - column.start, UNIT_NAME) for column in grid.columns)
    depth = depth_of(scene)
    groups = tuple(_box(group, grid, depth) for group in scene.groups)
    frames = [part for group, box in zip(scene.groups, groups, strict=True) for part in _frame(group, box)]
    return Layout(
        scene,
        groups,
        names,
        tuple(_bar(bar, grid) for bar in scene.bars),
        nodes,
        routes_of(ways, grid, nodes, frames),
        grid.width,
        grid.height,
    )


def _box(group: Group, grid: Grid, depth: int) -> Rectangle:
    pad = PAD * (depth - group.depth)
    left, right = grid.columns[group.first].start - pad, grid.columns[group.last].end + pad
    top = grid.titles + BOX_TITLE * group.depth
    bottom = grid.height - PAD * (1 + group.depth)
    return Rectangle(left, top, right - left, bottom - top)


def _frame(group: Group, box: Rectangle) -> Iterator[Rectangle]:
    """The title of a box, and its four sides."""
    yield Rectangle(box.x, box.y, min(box.width, width_of(group.title, TITLE_SIZE) + 12), BOX_TITLE)
    for x in (box.x, box.x + box.width):
        yield Rectangle(x - 0.5, box.y, 1, box.height)
    for y in (box.y, box.y + box.height):
        yield Rectangle(box.x, y - 0.5, box.width, 1)


def _bar(bar: Bar, grid: Grid) -> Rectangle:
    left, right = grid.columns[bar.first].start - _BAR, grid.columns[bar.last].end + _BAR
    row = grid.rows[bar.row]
    return Rectangle(left, row.start - _BAR, right - left, row.end - row.start + 2 * _BAR)
