"""A scene for a terminal: in box characters where it fits, else as lists of events and edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.picture.canvas import Canvas, to_ascii
from mcm.picture.grid import depth_of, detail_with_line, label_of
from mcm.picture.measure import cells, cut
from mcm.picture.plan import Shape, plan
from mcm.picture.scene import INITIAL_ROW

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.picture.canvas import Cell
    from mcm.picture.plan import Leg, Path, Plan
    from mcm.picture.scene import Edge, Node, Scene

# How wide a drawing may be.
MOST_COLUMNS: Final = 100

_NARROWEST_NODE, _WIDEST_NODE, _WIDEST_OF_NARROW = 16, 34, 24
# Lanes are as far apart as labels of this length need, and farther where there is a longer one.
_USUAL_LABEL: Final = 10


def render_text(scene: Scene, *, width: int = MOST_COLUMNS, ascii_only: bool = False) -> str:
    """The scene as a drawing at most `width` characters wide, or as lists if it does not fit."""
    ways = plan(scene, across=False)
    drawings = (_Drawing(scene, ways, narrow=narrow) for narrow in (False, True))
    body = next((drawing.render() for drawing in drawings if drawing.width <= width), None) or _lists(scene)
    notes = "".join(f"({note})\n" for note in scene.notes)
    text = (f"{scene.title}\n\n" if scene.title else "") + body + notes
    return to_ascii(text) if ascii_only else text


class _Box(Struct, frozen=True):
    """The cells of a node."""

    x: int
    y: int
    width: int
    height: int


class _Drawing:
    """Columns, gutters, rows and gaps in characters, and what stands in them."""

    def __init__(self, scene: Scene, ways: Plan, *, narrow: bool) -> None:
        self._scene = scene
        self._widest = _WIDEST_OF_NARROW if narrow else _WIDEST_NODE
        self._texts = {node.number: _narrow(node) if narrow else _wide(node) for node in scene.nodes}
        self._plan = ways
        self._canvas = Canvas()
        usual = (min(cells(label_of(path)), _USUAL_LABEL) for path in ways.paths)
        self._lane_width = max(usual, default=0) + 2
        self._wider = _wider_lanes(ways)
        self._columns, self._gutters = self._across()
        self._rows, self._gaps, self._titles = self._down()
        self._boxes = {node.number: self._box(node) for node in scene.nodes}

    @property
    def width(self) -> int:
        """The width of the drawing."""
        return sum(self._gutters[-1])

    def render(self) -> str:
        """The drawing."""
        self._draw_titles()
        ends = self._ports()
        for node in self._scene.nodes:
            self._draw_node(node)
        lines = [self._line(path, ends, number) for number, path in enumerate(self._plan.paths)]
        for path, line in zip(self._plan.paths, lines, strict=True):
            self._canvas.line(line, head=path.edge.directed)
        for path, line in zip(self._plan.paths, lines, strict=True):
            self._draw_label(path, line)
        return self._canvas.render()

    def _across(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Beginnings and widths of columns and of gutters."""
        columns: list[tuple[int, int]] = []
        gutters: list[tuple[int, int]] = []
        x = 0
        last = len(self._scene.units)
        for number in range(last + 1):
            lanes = sum(self._plan.lanes.get((number, before), 0) for before in (False, True))
            gutter = lanes * self._width_of_lane(number) + (3 if 0 < number < last else 1 if lanes else 0)
            gutters.append((x, gutter))
            x += gutter
            if number < last:
                here = [node for node in self._scene.nodes if node.column == number]
                texts = [text for node in here for text in self._texts[node.number]]
                unit = self._scene.units[number]
                narrowest = cells(unit.name) + 2 if unit.folded else _NARROWEST_NODE
                width = min(self._widest, max([narrowest, *(cells(text) + 4 for text in texts)]))
                columns.append((x, width))
                x += width
        return columns, gutters

    def _down(self) -> tuple[dict[int, tuple[int, int]], dict[int, int], int]:
        """Beginnings and heights of rows, beginnings of gaps, and where titles begin."""
        rows: dict[int, tuple[int, int]] = {}
        gaps: dict[int, int] = {}
        heights: dict[int, int] = {}
        busy = self._busy_sides()
        for node in self._scene.nodes:
            # Rows of ports on the left and on the right alternate: two lines in one row would look like one.
            needed = 2 + max(len(self._texts[node.number]), 2 * busy.get(node.number, 0))
            heights[node.row] = max(heights.get(node.row, 0), needed)
        y = titles = 0
        all_rows = self._scene.row_range
        for row in [*all_rows, all_rows.stop]:
            gaps[row] = y
            tracks = self._plan.tracks.get(row, 0)
            y += tracks if row in {all_rows.start, all_rows.stop} else tracks + 1
            if row == 0:
                titles = y
                y += depth_of(self._scene) + 1
            if row < all_rows.stop:
                rows[row] = (y, heights.get(row, 1))
                y += heights.get(row, 1)
        return rows, gaps, titles

    def _busy_sides(self) -> dict[int, int]:
        """How many edges end at that side of a node where most do."""
        sides: dict[tuple[int, int], int] = {}
        for path in self._plan.paths:
            for end in ((path.edge.source, path.leaves), (path.edge.target, path.arrives)):
                sides[end] = sides.get(end, 0) + 1
        found: dict[int, int] = {}
        for (node, side), count in sides.items():
            if side:
                found[node] = max(found.get(node, 0), count)
        return found

    def _box(self, node: Node) -> _Box:
        x, width = self._columns[node.column]
        y, height = self._rows[node.row]
        return _Box(x, y, width, height)

    def _ports(self) -> dict[tuple[int, bool], int]:
        """The row at which each edge leaves its source and (True) arrives at its target."""
        sides: dict[tuple[int, int], list[tuple[float, int, bool]]] = {}
        for number, path in enumerate(self._plan.paths):
            edge = path.edge
            ends = ((edge.source, edge.target, path.leaves), (edge.target, edge.source, path.arrives))
            for is_target, (node, other, side) in zip((False, True), ends, strict=True):
                sides.setdefault((node, side), []).append((self._boxes[other].y, number, is_target))
        found: dict[tuple[int, bool], int] = {}
        for (node, side), members in sides.items():
            box = self._boxes[node]
            for place, (_, number, is_target) in enumerate(sorted(members)):
                found[number, is_target] = box.y + 1 + 2 * place + (side < 0)
        return found

    def _line(self, path: Path, ports: Mapping[tuple[int, bool], int], number: int) -> list[Cell]:
        source, target = self._boxes[path.edge.source], self._boxes[path.edge.target]
        if path.shape is Shape.DOWN:
            x = source.x + source.width // 2
            return [(x, source.y + source.height - 1), (x, target.y - 1)]
        leaves, arrives = ports[number, False], ports[number, True]
        start = source.x + source.width if path.leaves > 0 else source.x - 1
        end = target.x + target.width if path.arrives > 0 else target.x - 1
        lanes = [self._lane(leg) for leg in path.legs]
        if path.shape is Shape.FAR:
            y = self._gaps[path.gap] + path.track
            return [
                (start, leaves),
                (lanes[0], leaves),
                (lanes[0], y),
                (lanes[1], y),
                (lanes[1], arrives),
                (end, arrives),
            ]
        return [(start, leaves), (lanes[0], leaves), (lanes[0], arrives), (end, arrives)]

    def _lane(self, leg: Leg) -> int:
        start, width = self._gutters[leg.gutter]
        lane = self._width_of_lane(leg.gutter)
        away = 1 + lane * leg.lane + lane // 2
        return start + width - 1 - away if leg.before else start + away

    def _width_of_lane(self, gutter: int) -> int:
        return max(self._lane_width, self._wider.get(gutter, 0))

    def _draw_titles(self) -> None:
        for group in self._scene.groups:
            start = self._columns[group.first][0]
            end = sum(self._columns[group.last])
            title = f"─ {cut(group.title, max(1, end - start - 3))} "
            self._canvas.text((start, self._titles + group.depth), title + "─" * (end - start - cells(title)))
        y = self._titles + depth_of(self._scene)
        for unit, (x, width) in zip(self._scene.units, self._columns, strict=True):
            name = cut(unit.name, width)
            self._canvas.text((x + (width - cells(name)) // 2, y), name)

    def _draw_node(self, node: Node) -> None:
        box = self._boxes[node.number]
        self._canvas.box((box.x, box.y), box.width, box.height)
        if node.marked:
            self._canvas.text((box.x, box.y), "*")
        for offset, text in enumerate(self._texts[node.number], start=1):
            shown = cut(text, box.width - 2)
            self._canvas.text((box.x + (box.width - cells(shown)) // 2, box.y + offset), shown)

    def _draw_label(self, path: Path, line: list[Cell]) -> None:
        lines = _label_lines(path)
        if not lines:
            return
        middles = list(_middles(path, line))
        free = (middle for middle in middles if self._is_free(lines, middle))
        x, y = next(free, middles[0])
        for offset, text in enumerate(lines):
            self._canvas.text((x - cells(text) // 2, y + offset), text)

    def _is_free(self, lines: tuple[str, ...], middle: Cell) -> bool:
        x, y = middle
        return all(
            self._canvas.is_free((x - cells(text) // 2, y + offset), cells(text)) for offset, text in enumerate(lines)
        )


def _middles(path: Path, line: list[Cell]) -> Iterator[Cell]:
    """Where the middle of a label may be, the best first."""
    if path.shape is Shape.FAR:
        (start, y), (end, _) = line[2], line[3]
        yield from ((start + (end - start) * part // 8, y) for part in (6, 2, 4, 5, 3, 7, 1))
        return
    (x, start), (_, end) = line[1], line[2]
    yield from ((x, start + (end - start) * part // 8) for part in (4, 3, 5, 2, 6, 1, 7))


def _label_lines(path: Path) -> tuple[str, ...]:
    """The label of an edge: a long one beside a lane is broken behind its first hyphen."""
    label = label_of(path)
    if path.shape is Shape.FAR or cells(label) <= _USUAL_LABEL:
        return (label,) if label else ()
    first, hyphen, rest = label.partition("-")
    return (first + hyphen, rest) if rest else (label,)


def _wider_lanes(ways: Plan) -> dict[int, int]:
    """The width of lanes in gutters along which a longer label stands."""
    found: dict[int, int] = {}
    for path in ways.paths:
        width = max(map(cells, _label_lines(path)), default=0)
        if path.shape is not Shape.FAR and width > _USUAL_LABEL:
            found |= {leg.gutter: max(found.get(leg.gutter, 0), width + 2) for leg in path.legs}
    return found


def _wide(node: Node) -> tuple[str, ...]:
    return (node.text, detail_with_line(node))


def _narrow(node: Node) -> tuple[str, ...]:
    """The same in narrow lines: order, scope and line below each other."""
    return (node.text, *detail_with_line(node).split(", "))


def _lists(scene: Scene) -> str:
    """The events of each unit, and the edges between units, line by line."""
    lines: list[str] = []
    initial = [node for node in scene.nodes if node.row <= INITIAL_ROW]
    if initial:
        lines += ["initial values", *(f"  {node.text}" for node in initial)]
    for column, unit in enumerate(scene.units):
        lines.append(unit.title)
        here = sorted((node.row, node.number, node) for node in scene.nodes if node.column == column)
        lines += [_event(node) for row, _, node in here if row > INITIAL_ROW]
    nodes = {node.number: node for node in scene.nodes}
    lines += [_told(edge) for edge in scene.edges if edge.marked or _is_between_units(edge, nodes)]
    return "".join(f"{line}\n" for line in lines)


def _event(node: Node) -> str:
    mark = "*" if node.marked else " "
    return f" {mark}{node.text}  ({detail_with_line(node)})"


def _told(edge: Edge) -> str:
    return ("* " if edge.marked else "") + " ".join(edge.title.split())


def _is_between_units(edge: Edge, nodes: Mapping[int, Node]) -> bool:
    return nodes[edge.source].column != nodes[edge.target].column
