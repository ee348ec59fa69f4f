"""A scene for Graphviz, with the names and colours that herd7 gives to relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.style import PROBLEM, Colour, Dash
from mcm.base.visible import visible
from mcm.picture.scene import NodeKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.style import Style
    from mcm.picture.scene import Edge, Node, Scene

# The colours of herd7 where it has them.
_COLOURS = {Colour.BLACK: "black", Colour.RED: "red", Colour.ORANGE: "orange", Colour.BLUE: "blue"}
_COLOURS |= {Colour.INDIGO: "indigo", Colour.VIOLET: "violet"}


def render_dot(scene: Scene) -> str:
    """The text of a `.dot` file: a cluster for each group and unit, events from top to bottom."""
    return "\n".join(["digraph G {", *(f"  {line}" for line in _lines(scene)), "}"]) + "\n"


def _lines(scene: Scene) -> Iterator[str]:
    yield f"label={_quoted(scene.title)};"
    yield 'splines=spline; overlap=false; fontname="Helvetica";'
    yield 'node [shape=none, fontname="Helvetica", fontsize=11];'
    yield 'edge [fontname="Helvetica", fontsize=11];'
    yield from (_node(node) for node in scene.nodes if node.kind.value == "initial")
    yield from _clusters(scene, 0, range(len(scene.units)), 0)
    yield from map(_edge, scene.edges)


def _clusters(scene: Scene, depth: int, columns: range, indent: int) -> Iterator[str]:
    """The units of some columns, inside the groups of this depth."""
    space = "  " * indent
    groups = {group.first: group for group in scene.groups if group.depth == depth and group.first in columns}
    column = columns.start
    while column < columns.stop:
        if column in groups:
            group = groups[column]
            yield f"{space}subgraph cluster_{depth}_{group.first} {{"
            yield f"{space}  label={_quoted(group.title)}; color=grey;"
            yield from _clusters(scene, depth + 1, range(group.first, group.last + 1), indent + 1)
            yield f"{space}}}"
            column = group.last + 1
        else:
            yield from (space + line for line in _unit(scene, column))
            column += 1


def _unit(scene: Scene, column: int) -> Iterator[str]:
    yield f"subgraph cluster_unit_{column} {{"
    yield f"  label={_quoted(scene.units[column].name)}; color=lightgrey;"
    if scene.units[column].folded:
        # A cluster without nodes would not be drawn.
        yield f'  folded_{column} [label="…", tooltip={_quoted(scene.units[column].title)}];'
    yield from (f"  {_node(node)}" for node in scene.nodes if node.column == column and node.kind.value != "initial")
    yield "}"


def _name(number: int) -> str:
    return f"e{number}" if number >= 0 else f"w{-number}"


def _node(node: Node) -> str:
    label = f"{node.text}\n{node.detail}" if node.detail else node.text
    mark = ", shape=box, penwidth=2" if node.marked else ""
    if node.kind is NodeKind.FAULT:
        mark += f', style=dashed, color="{PROBLEM.colour.light}", fontcolor="{PROBLEM.colour.light}"'
    return f"{_name(node.number)} [label={_quoted(label)}, tooltip={_quoted(node.title)}{mark}];"


def _edge(edge: Edge) -> str:
    pen = f'color="{_colour(edge.style)}", fontcolor="{_colour(edge.style)}", style={_dash(edge.style)}'
    both = "" if edge.directed else ", dir=none"
    width = ", penwidth=2.5" if edge.marked else ""
    ends = f"{_name(edge.source)} -> {_name(edge.target)}"
    # Only the order within a unit goes down the page: other edges would pull the units apart.
    ranks = "" if edge.name == "po" else ", constraint=false"
    return f"{ends} [label={_quoted(edge.name)}, {pen}{width}{both}{ranks}, tooltip={_quoted(edge.title)}];"


def _colour(style: Style) -> str:
    return _COLOURS.get(style.colour, style.colour.light)


def _dash(style: Style) -> str:
    if style.dash is Dash.SOLID:
        return "solid"
    return "dotted" if style.dash is Dash.DOTTED else "dashed"


def _quoted(text: str) -> str:
    shown = visible(text, kept="\n").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{shown}"'
