"""The sizes of a drawing, and where its columns, gutters, rows and gaps are. Lengths are in pixels."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.picture.measure import cut, width_of
from mcm.picture.plan import Shape
from mcm.picture.scene import INITIAL_ROW, NodeKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.picture.plan import Path, Plan
    from mcm.picture.scene import Group, Node, Scene

NODE_HEIGHT: Final = 42.0
TEXT_SIZE: Final = 13.0
DETAIL_SIZE: Final = 10.5
LABEL_SIZE: Final = 11.5
TITLE_SIZE: Final = 11.0
LABEL_HEIGHT: Final = 14.0

# The distance of nested boxes from each other, and the heights of their titles and of the names of units.
PAD: Final = 10.0
BOX_TITLE: Final = 19.0
UNIT_NAME: Final = 24.0

_MARGIN: Final = 10.0
_NARROWEST, _WIDEST = 116.0, 216.0
_GAP: Final = 28.0
_TRACK: Final = 17.0
# Lanes run half way between the borders of boxes.
_FIRST_LANE: Final = 15.0
_LANE: Final = PAD
_GUTTER: Final = 26.0

# Labels are cut to this many letters: a kind of problem is not, such as `implementation-defined`.
LONGEST_LABEL: Final = 32


class Span(Struct, frozen=True):
    """A stretch of one axis."""

    start: float
    end: float

    @property
    def middle(self) -> float:
        """Half way."""
        return (self.start + self.end) / 2


class Grid(Struct, frozen=True):
    """Stretches of columns and gutters (x), of rows and gaps (y). `first_lanes` is how far lanes are from nodes.

    `titles` is where the titles of boxes begin, `names` where the names of units do.
    """

    columns: tuple[Span, ...]
    gutters: tuple[Span, ...]
    rows: Mapping[int, Span]
    gaps: Mapping[int, Span]
    first_lanes: Mapping[tuple[int, bool], float]
    titles: float
    names: float
    width: float
    height: float

    def lane(self, gutter: int, lane: int, *, before: bool) -> float:
        """The x of a lane of a gutter."""
        away = self.first_lanes[gutter, before] + _LANE * lane
        return self.gutters[gutter].end - away if before else self.gutters[gutter].start + away

    def track(self, gap: int, track: int) -> float:
        """The y of a track of a gap."""
        return self.gaps[gap].start + _GAP / 2 + _TRACK * (track + 0.5)


def detail_with_line(node: Node) -> str:
    """The second line of a node's text."""
    if node.kind in {NodeKind.INITIAL, NodeKind.WAIT}:
        return node.detail
    return f"{node.detail}, line {node.line}" if node.detail else f"line {node.line}"


def label_of(path: Path) -> str:
    """The label of an edge; lines down a column are sequenced-before and have none."""
    return "" if path.shape is Shape.DOWN else cut(path.edge.name, LONGEST_LABEL)


def depth_of(scene: Scene) -> int:
    """How many boxes enclose each other."""
    return 1 + max((group.depth for group in scene.groups), default=-1)


def make_grid(scene: Scene, plan: Plan) -> Grid:
    """The grid that has room for everything in a plan."""
    first_lanes = _first_lanes(plan)
    widths = _column_widths(scene)
    gutters = _gutter_widths(scene, plan, first_lanes)
    columns: list[Span] = []
    between: list[Span] = []
    x = _MARGIN
    for number, gutter in enumerate(gutters):
        between.append(Span(x, x + gutter))
        x += gutter
        if number < len(widths):
            columns.append(Span(x, x + widths[number]))
            x += widths[number]
    rows: dict[int, Span] = {}
    gaps: dict[int, Span] = {}
    y, titles, names = _MARGIN, 0.0, 0.0
    for row in [*scene.row_range, scene.row_range.stop]:
        gap = _gap_height(row, scene, plan)
        gaps[row] = Span(y, y + gap)
        y += gap
        if row == 0:
            titles, names = y, y + BOX_TITLE * depth_of(scene)
            y = names + UNIT_NAME
        if row < scene.row_range.stop:
            rows[row] = Span(y, y + NODE_HEIGHT)
            y += NODE_HEIGHT
    height = y + PAD * depth_of(scene) + _MARGIN
    return Grid(
        tuple(columns), tuple(between), rows, gaps, first_lanes, titles, names, width=x + _MARGIN, height=height
    )


def _gap_height(row: int, scene: Scene, plan: Plan) -> float:
    tracks = plan.tracks.get(row, 0)
    if row == scene.row_range.start:
        return _GAP + _TRACK * tracks if tracks else 0.0
    if row == scene.row_range.stop:
        return _GAP + _TRACK * tracks if tracks else 4.0
    if row <= INITIAL_ROW:
        return _GAP / 2
    return _GAP + _TRACK * tracks


def _column_widths(scene: Scene) -> list[float]:
    widths = [width_of(unit.name, TEXT_SIZE) + 12 if unit.folded else _NARROWEST for unit in scene.units]
    for node in scene.nodes:
        needed = max(width_of(node.text, TEXT_SIZE), width_of(detail_with_line(node), DETAIL_SIZE)) + 18
        widths[node.column] = min(_WIDEST, max(widths[node.column], needed))
    return widths


def _first_lanes(plan: Plan) -> dict[tuple[int, bool], float]:
    """Lanes are so far from nodes that their labels do not lie over these."""
    found: dict[tuple[int, bool], float] = {}
    for path in plan.paths:
        for leg in path.legs:
            needed = width_of(label_of(path), LABEL_SIZE) / 2 + 6 if path.shape is Shape.AROUND else 0.0
            key = leg.gutter, leg.before
            steps = max(0, ceil((needed - _FIRST_LANE) / _LANE))
            found[key] = max(found.get(key, 0.0), _FIRST_LANE + _LANE * steps)
    return found


def _gutter_widths(scene: Scene, plan: Plan, first_lanes: Mapping[tuple[int, bool], float]) -> list[float]:
    depth = depth_of(scene)
    count = len(scene.units) + 1
    widths = [_pads(number, scene.groups, depth) for number in range(count)]
    labels = [0.0] * count
    columns = {node.number: node.column for node in scene.nodes}
    for path in plan.paths:
        needed = width_of(label_of(path), LABEL_SIZE)
        if path.shape is Shape.ACROSS:
            gutter = max(columns[path.edge.source], columns[path.edge.target])
            labels[gutter] = max(labels[gutter], needed + 56)
        elif path.shape is Shape.AROUND:
            gutter = path.legs[0].gutter
            labels[gutter] = max(labels[gutter], needed / 2)
    for (gutter, before), lanes in plan.lanes.items():
        widths[gutter] += first_lanes[gutter, before] + _LANE * lanes
    return [
        max(width + label, _GUTTER if 0 < number < count - 1 else 0.0)
        for number, (width, label) in enumerate(zip(widths, labels, strict=True))
    ]


def _pads(gutter: int, groups: tuple[Group, ...], depth: int) -> float:
    """The room that the sides of boxes take."""
    closing = [depth - group.depth for group in groups if group.last == gutter - 1]
    opening = [depth - group.depth for group in groups if group.first == gutter]
    return PAD * (max(closing, default=0) + max(opening, default=0)) + (6.0 if closing or opening else 0.0)
