"""The lines of edges, with a place for each label that is over no node, and over no other label where there is room."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.picture.grid import LABEL_HEIGHT, LABEL_SIZE, label_of
from mcm.picture.measure import width_of
from mcm.picture.plan import Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.picture.grid import Grid
    from mcm.picture.plan import Path, Plan
    from mcm.picture.scene import Edge

Point = tuple[float, float]


class Rectangle(Struct, frozen=True):
    """A rectangle by its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def shared_with(self, other: Rectangle) -> float:
        """The area that two rectangles share."""
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        down = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return max(0.0, across) * max(0.0, down)


class Route(Struct, frozen=True):
    """An edge as a line through `points`; `label` is where its name stands, None where it has none."""

    edge: Edge
    shape: Shape
    points: tuple[Point, ...]
    text: str
    label: Rectangle | None


def routes_of(plan: Plan, grid: Grid, nodes: Mapping[int, Rectangle], frames: Iterable[Rectangle]) -> tuple[Route, ...]:
    """The lines of all edges, between the rectangles of their nodes.

    `frames` are what labels should not lie over either, where there is another place: titles and borders of boxes.
    """
    ports = _ports(plan.paths, grid, nodes)
    taken = _Taken(nodes.values(), frames)
    lines = [
        _line(path, grid, nodes, ports[number, False], ports[number, True]) for number, path in enumerate(plan.paths)
    ]
    # Lines across the same gutter, by where it begins.
    across: dict[float, list[Sequence[Point]]] = {}
    for line in lines:
        if len(line) == 2:
            across.setdefault(min(line[0][0], line[1][0]), []).append(line)
    labels: dict[int, Rectangle] = {}
    # Where there is least choice comes first.
    for number in sorted(range(len(lines)), key=lambda number: _length(lines[number])):
        path = plan.paths[number]
        text = label_of(path)
        if text:
            line = lines[number]
            others = [other for other in across.get(min(line[0][0], line[1][0]), ()) if other is not line]
            labels[number] = taken.place(width_of(text, LABEL_SIZE) + 6, _places(path, line), others)
    return tuple(
        Route(path.edge, path.shape, tuple(line), label_of(path), labels.get(number))
        for number, (path, line) in enumerate(zip(plan.paths, lines, strict=True))
    )


def _ports(paths: Sequence[Path], grid: Grid, nodes: Mapping[int, Rectangle]) -> dict[tuple[int, bool], float]:
    """The heights at which edges leave their source and (True) arrive at their target, spread over the node's side."""
    sides: dict[tuple[int, int], list[tuple[float, int, bool]]] = {}
    for number, path in enumerate(paths):
        ends = ((path.edge.source, path.edge.target, path.leaves), (path.edge.target, path.edge.source, path.arrives))
        for is_target, (node, other, side) in zip((False, True), ends, strict=True):
            beyond = grid.track(path.gap, path.track) if path.shape is Shape.FAR else nodes[other].y
            sides.setdefault((node, side), []).append((beyond, number, is_target))
    found: dict[tuple[int, bool], float] = {}
    for (node, _), members in sides.items():
        rectangle = nodes[node]
        for place, (_, number, arrives) in enumerate(sorted(members), start=1):
            found[number, arrives] = rectangle.y + rectangle.height * place / (len(members) + 1)
    return found


def _line(path: Path, grid: Grid, nodes: Mapping[int, Rectangle], leaves: float, arrives: float) -> list[Point]:
    source, target = nodes[path.edge.source], nodes[path.edge.target]
    if path.shape is Shape.DOWN:
        x = source.x + source.width / 2
        return [(x, source.y + source.height), (x, target.y)]
    start = (source.x + (source.width if path.leaves > 0 else 0), leaves)
    end = (target.x + (target.width if path.arrives > 0 else 0), arrives)
    lanes = [grid.lane(leg.gutter, leg.lane, before=leg.before) for leg in path.legs]
    match path.shape:
        case Shape.ACROSS:
            return [start, end]
        case Shape.AROUND:
            return [start, (lanes[0], leaves), (lanes[0], arrives), end]
        case _:
            y = grid.track(path.gap, path.track)
            return [start, (lanes[0], leaves), (lanes[0], y), (lanes[1], y), (lanes[1], arrives), end]


def _length(line: Sequence[Point]) -> float:
    return sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in pairwise(line))


# Parts of a stretch, the best for a label first; lines through a gutter often cross half way.
_PARTS = (0.5, 0.4, 0.6, 0.3, 0.7, 0.24, 0.76, 0.15, 0.85)
_PARTS_ACROSS = (0.32, 0.68, 0.24, 0.76, 0.4, 0.6, 0.5)


def _places(path: Path, line: Sequence[Point]) -> Iterator[Point]:
    """Where the middle of a label may be, the best first."""
    if path.shape is Shape.FAR:
        (left, y), (right, _) = line[2], line[3]
        # Near the ends, where somebody looks who follows the line from a node.
        yield from ((left + (right - left) * part, y) for part in (0.85, 0.15, *_PARTS, 0.92, 0.08))
        return
    if path.shape is Shape.AROUND:
        yield from (_between(line[1], line[2], part) for part in _PARTS)
        return
    yield from (_between(line[0], line[1], part) for part in _PARTS_ACROSS)
    x, y = _between(line[0], line[1], 0.5)
    yield from ((x, y + shift) for shift in (-10.0, 10.0, -20.0, 20.0))


def _between(start: Point, end: Point, part: float) -> Point:
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


# How far the middle of a label should be from the lines of other edges.
_AWAY = 9.0


def _distance(point: Point, line: Sequence[Point]) -> float:
    """How far a point is above or below a slanted line; far away where the line does not pass there."""
    (x, y), (end_x, end_y) = line
    if end_x == x or not min(x, end_x) <= point[0] <= max(x, end_x):
        return inf
    return abs(y + (end_y - y) * (point[0] - x) / (end_x - x) - point[1])


class _Taken:
    """Rectangles that labels should not lie over. Buckets by height keep large drawings quick."""

    _BUCKET = 64.0

    def __init__(self, rectangles: Iterable[Rectangle], frames: Iterable[Rectangle]) -> None:
        self._buckets: dict[int, list[Rectangle]] = {}
        self._frames = tuple(frames)
        for rectangle in rectangles:
            self._add(rectangle)

    def place(self, width: float, middles: Iterable[Point], lines: Sequence[Sequence[Point]]) -> Rectangle:
        """The first place for a label that is free and apart from these lines, or that where least lies under it."""
        best, least = None, float("inf")
        for x, y in middles:
            rectangle = Rectangle(x - width / 2, y - LABEL_HEIGHT / 2, width, LABEL_HEIGHT)
            shared = 100 * sum(rectangle.shared_with(other) for other in self._near(rectangle))
            shared += sum(rectangle.shared_with(frame) for frame in self._frames)
            shared += sum(max(0.0, _AWAY - _distance((x, y), line)) for line in lines)
            if shared < least:
                best, least = rectangle, shared
            if not shared:
                break
        assert best is not None
        self._add(best)
        return best

    def _near(self, rectangle: Rectangle) -> Iterator[Rectangle]:
        for bucket in self._buckets_of(rectangle):
            yield from self._buckets.get(bucket, ())

    def _add(self, rectangle: Rectangle) -> None:
        for bucket in self._buckets_of(rectangle):
            self._buckets.setdefault(bucket, []).append(rectangle)

    def _buckets_of(self, rectangle: Rectangle) -> range:
        return range(int(rectangle.y // self._BUCKET), int((rectangle.y + rectangle.height) // self._BUCKET) + 1)
