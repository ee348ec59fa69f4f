"""The graph of commands as lists: steps by place, what is ordered, and what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.visible import visible
from mcm.command_graph.graph import is_sequenced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.command_graph.graph import Access, CommandGraph, Conflict
    from mcm.command_graph.steps import Place, Step


def render_text(graph: CommandGraph) -> str:
    """The graph for a terminal."""
    return "\n".join(map(visible, _lines(graph))) + "\n"


def _lines(graph: CommandGraph) -> Iterator[str]:
    yield f"Commands of {graph.program.name} under {graph.model}"
    yield ""
    places: dict[Place, list[Step]] = {}
    for step in graph.steps:
        places.setdefault(step.place, []).append(step)
    for place, steps in places.items():
        yield f"{place.name} ({about(place)})"
        yield from (f"  {label(step):>4}  {_step(step)}" for step in steps)
    yield ""
    if not graph.program.commands:
        yield "The program enqueues no commands."
        return
    yield "Ordered"
    orders = [order for order in graph.direct if not is_sequenced(order)]
    names = [(name_of(graph, order.first), name_of(graph, order.second)) for order in orders]
    widths = [max((len(pair[i]) for pair in names), default=0) for i in (0, 1)]
    for order, (first, second) in zip(orders, names, strict=True):
        rules = ", ".join(order.rules) + (f", {order.extent.value}" if order.extent.value else "")
        yield f"  {first:<{widths[0]}} before {second:<{widths[1]}}  {rules}"
    if not orders:
        yield "  nothing but what each host thread does"
    yield from _not_ordered(graph)


def about(place: Place) -> str:
    """What a place is."""
    on_device = place.device is not None and place.name != f"device {place.device}"
    return f"{place.about}, device {place.device}" if on_device else place.about


def _step(step: Step) -> str:
    condition = "" if step.is_certain else ", if it comes to that"
    return f"{step.text}  (line {step.line}{condition})"


def label(step: Step) -> str:
    """The number of a step as it is shown."""
    return str(step.number + 1)


def name_of(graph: CommandGraph, number: int) -> str:
    """A step in a sentence: a command by its name, others by their number and text."""
    step = graph.steps[number]
    return f"{label(step)} {step.text}"


def _not_ordered(graph: CommandGraph) -> Iterator[str]:
    yield ""
    yield "Not ordered"
    clashing = {(conflict.first, conflict.second) for conflict in graph.conflicts}
    for conflict in graph.conflicts:
        pair = f"{name_of(graph, conflict.first)} and {name_of(graph, conflict.second)}"
        yield f"  ! {pair}: conflict on {conflict.location}"
        yield from (f"      {_access(access)}" for access in conflict.accesses)
    for first, second in graph.either:
        yield f"    {name_of(graph, first)} and {name_of(graph, second)}: the first to be enqueued comes first"
    free = [pair for pair in graph.unordered if pair not in clashing and pair not in graph.either]
    for first, second in free:
        yield f"    {name_of(graph, first)} and {name_of(graph, second)}: nothing that they share changes"
    if not clashing and not graph.either and not free:
        yield "  no two commands"
    if not graph.is_whole:
        yield ""
        yield "There are too many orders in which calls may come to the queues; not all of them were looked at."


def _access(access: Access) -> str:
    return f"{access.unit} {'writes' if access.writes else 'reads'} at line {access.line}: {access.text}"


def conflict_title(conflict: Conflict) -> str:
    """A conflict in words."""
    one, other = map(_access, conflict.accesses)
    return f"nothing orders them on {conflict.location}: {one}; {other}"
