"""What a picture of an execution shows, before anything has a place on paper.

Columns are units, rows go down from event to event of a unit. Initial writes stand in row -1 and above, in columns of
units that use them.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.base.style import Style

INITIAL_ROW = -1


class Group(Struct, frozen=True):
    """A box around columns `first` to `last`: a device, kernel instance, work-group or sub-group; 0 is outermost."""

    title: str
    first: int
    last: int
    depth: int


class Unit(Struct, frozen=True):
    """A column: the unit's name, and what it is in full; or `folded` units, of which nothing is drawn."""

    name: str
    title: str
    folded: int = 0


class NodeKind(Enum):
    """What a node stands for."""

    INITIAL = "initial"
    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    FENCE = "fence"
    ENTRY = "entry"
    EXIT = "exit"
    CALL = "call"
    COPIED = "copied"
    AWAITED = "awaited"
    API_CALL = "api-call"
    RETURN = "return"
    QUERY = "query"
    START = "start"
    END = "end"
    COMPLETE = "complete"
    WAIT = "wait"
    FAULT = "fault"


class Node(Struct, frozen=True):
    """An event in its place: what it does (`read f = 1`), how (`acquire, device`), its line, all of it in `title`.

    `number` is the event's; what is none (a unit waits, or does what it must not) has a negative one. `marked`: the
    picture is about this event.
    """

    number: int
    column: int
    row: int
    kind: NodeKind
    text: str
    detail: str
    line: int
    title: str
    marked: bool = False


class Edge(Struct, frozen=True):
    """A related pair of nodes. `marked`: the picture is about this edge, as a step of a cycle is.

    `directed` is false for pairs that are the same in both directions, as races are.
    """

    source: int
    target: int
    name: str
    style: Style
    title: str
    marked: bool = False
    directed: bool = True


class Bar(Struct, frozen=True):
    """The entries to a barrier, or the exits from it, of one group: they stand in one row."""

    row: int
    first: int
    last: int
    title: str


class Scene(Struct, frozen=True):
    """Everything that a picture shows. `title` says of what it is; `notes` say what is left out."""

    title: str
    groups: tuple[Group, ...]
    units: tuple[Unit, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    bars: tuple[Bar, ...]
    notes: tuple[str, ...] = ()

    @property
    def row_range(self) -> range:
        """The rows, those of initial writes first."""
        rows = [node.row for node in self.nodes]
        return range(min(rows, default=0), 1 + max(rows, default=0))
