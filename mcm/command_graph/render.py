"""The graph of commands in every form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, assert_never

from mcm.command_graph.scene import scene_of
from mcm.command_graph.text import render_text
from mcm.picture.dot import render_dot
from mcm.picture.layout import lay_out
from mcm.picture.svg import render_svg

if TYPE_CHECKING:
    from mcm.command_graph.graph import CommandGraph

GraphFormat: TypeAlias = Literal["text", "dot", "svg"]

GRAPH_FORMATS: Final[tuple[GraphFormat, ...]] = ("text", "dot", "svg")


def render_commands(graph: CommandGraph, format_: GraphFormat = "text") -> str:
    """The graph as text, for Graphviz, or as a picture; ValueError for another format."""
    if format_ not in GRAPH_FORMATS:
        message = f"the format is one of {', '.join(map(repr, GRAPH_FORMATS))}, found {format_!r}"
        raise ValueError(message)
    match format_:
        case "text":
            return render_text(graph)
        case "dot":
            return render_dot(scene_of(graph))
        case "svg":
            return render_svg(lay_out(scene_of(graph))) + "\n"
        case _:
            assert_never(format_)
