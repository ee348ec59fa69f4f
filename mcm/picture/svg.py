"""A layout as SVG: a picture of its own, or a part of a page that brings its own style sheet."""

from __future__ import annotations

from html import escape
from math import hypot
from typing import TYPE_CHECKING, Final

from mcm.base.style import Colour
from mcm.base.visible import visible
from mcm.picture.grid import DETAIL_SIZE, LABEL_SIZE, TEXT_SIZE, TITLE_SIZE, detail_with_line
from mcm.picture.measure import cut_to, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.style import Style
    from mcm.picture.layout import Layout
    from mcm.picture.routes import Point, Rectangle, Route
    from mcm.picture.scene import Node

_HEAD: Final = 8.0
_CORNER: Final = 6.0

# A title may be this long; what is longer helps nobody.
_LONGEST: Final = 2000


def render_svg(layout: Layout) -> str:
    """A picture of its own, for light and dark grounds."""
    return _picture(layout, f"<style>{style_sheet()}</style>")


def render_part(layout: Layout) -> str:
    """A picture as part of a page that contains `style_sheet()`."""
    return _picture(layout, "")


def style_sheet() -> str:
    """What the classes of a picture mean; the second half holds on dark grounds."""
    light = "".join(f".mcm .{colour.word} text{{fill:{colour.light}}}" for colour in Colour)
    dark = "".join(_dark_rules())
    return (
        ".mcm{background:#fff;color:#24292f}"
        ".mcm text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#24292f}"
        ".mcm .box rect{fill:#000;fill-opacity:.025;stroke:#8c959f}"
        ".mcm .box text,.mcm .detail{fill:#57606a}"
        ".mcm .unit text{font-weight:600}"
        ".mcm .unit.folded text{font-weight:400;fill:#57606a}"
        ".mcm .bar rect{fill:#afb8c1;fill-opacity:.35;stroke:none}"
        ".mcm .node rect{fill:#fff;stroke:#57606a}"
        ".mcm .initial rect,.mcm .wait rect{stroke-dasharray:4 3}"
        ".mcm .node.marked rect{fill:#fff3c4;stroke:#9a6700;stroke-width:2.4}"
        f".mcm .node.fault.marked rect{{stroke:{Colour.CRIMSON.light};stroke-dasharray:4 3}}"
        f".mcm .node.fault .detail{{fill:{Colour.CRIMSON.light};font-weight:700}}"
        ".mcm .edge text{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
        ".mcm .edge.marked text{font-weight:700}"
        f"{light}@media (prefers-color-scheme:dark){{{dark}}}"
    )


def _dark_rules() -> Iterator[str]:
    yield ".mcm{background:#0d1117;color:#e6edf3}"
    yield ".mcm text{fill:#e6edf3}"
    yield ".mcm .box rect{fill:#fff;fill-opacity:.03;stroke:#6e7681}"
    yield ".mcm .box text,.mcm .detail,.mcm .unit.folded text{fill:#9aa4af}"
    yield ".mcm .bar rect{fill:#6e7681;fill-opacity:.4}"
    yield ".mcm .node rect{fill:#161b22;stroke:#8b949e}"
    yield ".mcm .node.marked rect{fill:#3d2e00;stroke:#e3b341}"
    yield f".mcm .node.fault.marked rect{{stroke:{Colour.CRIMSON.dark}}}"
    yield f".mcm .node.fault .detail{{fill:{Colour.CRIMSON.dark}}}"
    yield ".mcm .edge text{stroke:#0d1117}"
    for colour in Colour:
        at = f".mcm .{colour.word}"
        yield f"{at} path{{stroke:{colour.dark}}}{at} polygon,{at} text{{fill:{colour.dark}}}"


def _picture(layout: Layout, style: str) -> str:
    width, height = _number(layout.width), _number(layout.height)
    title = _text(layout.scene.title or "an execution")
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="mcm" role="img" width="{width}" height="{height}" ',
            f'viewBox="0 0 {width} {height}"><title>{title}</title>{style}',
            *_boxes(layout),
            *_edges(layout),
            *_nodes(layout),
            "</svg>",
        ]
    )


def _boxes(layout: Layout) -> Iterator[str]:
    scene = layout.scene
    for group, rectangle in zip(scene.groups, layout.groups, strict=True):
        title = cut_to(group.title, rectangle.width - 12, TITLE_SIZE)
        yield f'<g class="box">{_rectangle(rectangle, 8, "none", "#8c959f")}'
        yield f'<text x="{_number(rectangle.x + 8)}" y="{_number(rectangle.y + 14)}" font-size="{TITLE_SIZE}"'
        yield f">{_text(title)}</text></g>"
    for unit, rectangle in zip(scene.units, layout.names, strict=True):
        middle = rectangle.x + rectangle.width / 2
        name = cut_to(unit.name, rectangle.width, TEXT_SIZE)
        kind = "unit folded" if unit.folded else "unit"
        yield f'<g class="{kind}"><title>{_text(unit.title)}</title><text x="{_number(middle)}" '
        yield f'y="{_number(rectangle.y + 16)}" font-size="{TEXT_SIZE}" text-anchor="middle">{_text(name)}</text></g>'
    for bar, rectangle in zip(scene.bars, layout.bars, strict=True):
        yield f'<g class="bar"><title>barrier: {_text(bar.title)}</title>{_rectangle(rectangle, 8, "#d0d7de", "none")}'
        yield "</g>"


def _nodes(layout: Layout) -> Iterator[str]:
    for node in layout.scene.nodes:
        rectangle = layout.nodes[node.number]
        kind = f"node {node.kind.value}{' marked' if node.marked else ''}"
        yield f'<g class="{kind}" data-event="{node.number}" data-line="{node.line}">'
        yield f"<title>{_text(node.title)}</title>{_rectangle(rectangle, 5, '#fff', '#57606a')}"
        yield from _lines(node, rectangle)
        yield "</g>"


def _lines(node: Node, rectangle: Rectangle) -> Iterator[str]:
    middle, room = _number(rectangle.x + rectangle.width / 2), rectangle.width - 10
    detail = detail_with_line(node)
    if width_of(detail, DETAIL_SIZE) > room:
        detail = node.detail
    yield f'<text x="{middle}" y="{_number(rectangle.y + 18)}" font-size="{TEXT_SIZE}" text-anchor="middle"'
    yield f">{_text(cut_to(node.text, room, TEXT_SIZE))}</text>"
    yield f'<text class="detail" x="{middle}" y="{_number(rectangle.y + 33)}" font-size="{DETAIL_SIZE}" '
    yield f'text-anchor="middle">{_text(cut_to(detail, room, DETAIL_SIZE))}</text>'


def _edges(layout: Layout) -> Iterator[str]:
    """The edges; those that the picture is about lie over the others."""
    for number, route in sorted(enumerate(layout.routes), key=lambda item: item[1].edge.marked):
        edge, colour = route.edge, route.edge.style.colour
        marked = " marked" if edge.marked else ""
        yield f'<g class="edge {colour.word}{marked}" data-edge="{number}" data-from="{edge.source}" '
        yield f'data-to="{edge.target}" data-name="{_text(edge.name)}"><title>{_text(edge.title)}</title>'
        points = _shortened(route.points) if edge.directed else route.points
        yield f'<path d="{_path(points)}" fill="none" stroke="{colour.light}"{_pen(edge.style, marked=edge.marked)}/>'
        if edge.directed:
            yield f'<polygon points="{_head(route.points)}" fill="{colour.light}"/>'
        yield from _label(route)
        yield "</g>"


def _label(route: Route) -> Iterator[str]:
    if route.label is None:
        return
    x, y = route.label.x + route.label.width / 2, route.label.y + 11
    yield f'<text x="{_number(x)}" y="{_number(y)}" font-size="{LABEL_SIZE}" text-anchor="middle" '
    yield f'fill="{route.edge.style.colour.light}">{_text(route.text)}</text>'


def _pen(style: Style, *, marked: bool) -> str:
    dashes = f' stroke-dasharray="{" ".join(map(str, style.dash.pattern))}"' if style.dash.pattern else ""
    return f' stroke-width="{_number(style.width + (1.2 if marked else 0))}"{dashes}'


def _rectangle(rectangle: Rectangle, radius: int, fill: str, stroke: str) -> str:
    return (
        f'<rect x="{_number(rectangle.x)}" y="{_number(rectangle.y)}" width="{_number(rectangle.width)}" '
        f'height="{_number(rectangle.height)}" rx="{radius}" fill="{fill}" stroke="{stroke}"/>'
    )


def _path(points: tuple[Point, ...]) -> str:
    """The line through some points, with round corners."""
    parts = [f"M{_pair(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        parts.append(f"L{_pair(_towards(corner, before))}Q{_pair(corner)} {_pair(_towards(corner, after))}")
    return "".join([*parts, f"L{_pair(points[-1])}"])


def _towards(corner: Point, other: Point) -> Point:
    """The point beside a corner in the direction of another, at most half way."""
    across, down = other[0] - corner[0], other[1] - corner[1]
    length = hypot(across, down)
    part = min(_CORNER / length, 0.5) if length else 0.0
    return corner[0] + across * part, corner[1] + down * part


def _direction(points: tuple[Point, ...]) -> Point:
    (x, y), (end_x, end_y) = points[-2], points[-1]
    length = hypot(end_x - x, end_y - y) or 1.0
    return (end_x - x) / length, (end_y - y) / length


def _shortened(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The line without what the arrow head covers."""
    across, down = _direction(points)
    x, y = points[-1]
    return (*points[:-1], (x - across * (_HEAD - 1), y - down * (_HEAD - 1)))


def _head(points: tuple[Point, ...]) -> str:
    across, down = _direction(points)
    x, y = points[-1]
    base = x - across * _HEAD, y - down * _HEAD
    half = _HEAD * 0.42
    corners = [
        (x, y),
        (base[0] - down * half, base[1] + across * half),
        (base[0] + down * half, base[1] - across * half),
    ]
    return " ".join(map(_pair, corners))


def _pair(point: Point) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(value: float) -> str:
    """A length without needless digits."""
    return f"{value:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    """A text as it stands in a page: nothing in it is markup, or moves what is around it."""
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return escape(visible(shown, kept="\n"))
