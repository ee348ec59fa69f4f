"""The graph of commands as a scene, which is drawn as pictures of executions are: columns for threads and queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

from mcm.base.style import PROBLEM, STYLES, Colour, Dash, Style
from mcm.command_graph.graph import Extent, is_sequenced
from mcm.command_graph.steps import StepKind
from mcm.command_graph.text import about, conflict_title, label
from mcm.picture.scene import Edge, Group, Node, NodeKind, Scene, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.command_graph.graph import CommandGraph, Order
    from mcm.command_graph.steps import Place

_BY_RULE = STYLES["sw"]
_IN_PART = Style(Colour.INDIGO, Dash.DOTTED, 1.6)


def scene_of(graph: CommandGraph) -> Scene:
    """The picture of a graph: rows go down with time, and every step stands below those that it comes after."""
    places = sorted(
        dict.fromkeys(step.place for step in graph.steps),
        key=lambda place: (place.device is not None, place.device or 0),
    )
    columns = {place: column for column, place in enumerate(places)}
    rows = _rows(graph)
    clashing = {number for conflict in graph.conflicts for number in (conflict.first, conflict.second)}
    nodes = tuple(
        Node(
            number=step.number,
            column=columns[step.place],
            row=rows[step.number],
            kind=NodeKind.CALL,
            text=step.short,
            detail=f"step {label(step)}" + ("" if step.is_certain else ", conditional"),
            line=step.line,
            title=f"{step.place.name}: {step.text} (line {step.line})",
            marked=step.number in clashing and step.kind is StepKind.COMMAND,
        )
        for step in graph.steps
    )
    units = tuple(Unit(place.name, f"{place.name}: {about(place)}") for place in places)
    notes = () if graph.is_whole else ("not all orders of calls were looked at",)
    title = f"Commands of {graph.program.name} under {graph.model}"
    return Scene(title, _groups(places), units, nodes, tuple(_edges(graph)), (), notes)


def _rows(graph: CommandGraph) -> dict[int, int]:
    """A row for each step, below all that come before; no two steps of a place share one."""
    rows: dict[int, int] = {}
    taken: set[tuple[Place, int]] = set()
    order = graph.digraph
    if not nx.is_directed_acyclic_graph(order):
        # Commands that wait for each other: what the threads do is in order at least.
        order = nx.DiGraph([(o.first, o.second) for o in graph.orders if is_sequenced(o)])
        order.add_nodes_from(graph.digraph)
    for number in nx.lexicographical_topological_sort(order):
        row = 1 + max((rows[before] for before in order.predecessors(number)), default=-1)
        place = graph.steps[number].place
        while (place, row) in taken:
            row += 1
        taken.add((place, row))
        rows[number] = row
    return rows


def _groups(places: list[Place]) -> tuple[Group, ...]:
    """A box around the host threads, and one around the queues of each device."""
    found = []
    for device in dict.fromkeys(place.device for place in places):
        columns = [column for column, place in enumerate(places) if place.device == device]
        title = "host" if device is None else f"device {device}"
        found.append(Group(title, columns[0], columns[-1], 0))
    return tuple(found)


def _edges(graph: CommandGraph) -> Iterator[Edge]:
    for order in graph.direct:
        yield _edge(order)
    for conflict in graph.conflicts:
        yield Edge(
            conflict.first,
            conflict.second,
            f"unordered on {conflict.location}",
            PROBLEM,
            conflict_title(conflict),
            marked=True,
            directed=False,
        )


def _edge(order: Order) -> Edge:
    if is_sequenced(order):
        return Edge(order.first, order.second, "po", STYLES["po"], "one after the other in its thread")
    is_whole = order.extent is Extent.WHOLE
    style = _BY_RULE if is_whole else _IN_PART
    title = f"before, by {', '.join(order.rules)}" + ("" if is_whole else f": {order.extent.value}")
    return Edge(order.first, order.second, ", ".join(order.rules), style, title)
