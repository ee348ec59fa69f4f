"""Where edges run, before anything has a size: through gutters between columns and gaps between rows, never over nodes.

Gutter `g` lies left of column `g`, and one more right of the last column. Gap `g` lies above row `g`; gap 0 lies above
the headers of the columns too.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from mcm.picture.scene import INITIAL_ROW

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.picture.scene import Edge, Node, Scene


Key = TypeVar("Key")


class Shape(Enum):
    """How an edge runs.

    DOWN: from a node to the next one below it. ACROSS: a line through the gutter between neighbouring columns. AROUND:
    along one gutter, beside a column or from an initial write down to a neighbour. FAR: along a gutter, through a gap
    over other columns, and along a gutter.
    """

    DOWN = "down"
    ACROSS = "across"
    AROUND = "around"
    FAR = "far"


class Leg(Struct, frozen=True):
    """A stretch along a gutter, beside the column on its right (`before`) or on its left, between two heights.

    Heights are rows, or halves for gaps. `lane` counts from the column outwards.
    """

    gutter: int
    before: bool
    low: float
    high: float
    lane: int = 0


class Path(Struct, frozen=True):
    """The way of an edge: the sides at which it leaves and arrives (-1 left, 1 right, 0 bottom and top), and its legs.

    `gap` and `track` say where a FAR edge passes over columns.
    """

    edge: Edge
    shape: Shape
    leaves: int
    arrives: int
    legs: tuple[Leg, ...] = ()
    gap: int = 0
    track: int = 0


class Plan(Struct, frozen=True):
    """The ways of all edges, the lanes of each side of each gutter, and the tracks of each gap."""

    paths: tuple[Path, ...]
    lanes: Mapping[tuple[int, bool], int]
    tracks: Mapping[int, int]


def plan(scene: Scene, *, across: bool = True) -> Plan:
    """Ways for the edges of a scene, such that no two share a lane or a track where they would lie over each other.

    Without `across` there are no slanted lines: edges between neighbouring columns have a lane, too.
    """
    nodes = {node.number: node for node in scene.nodes}
    below = _below(scene.nodes)
    ways = [_way(edge, nodes, below, len(scene.units), across=across) for edge in scene.edges]
    lanes = _Tracks[tuple[int, bool]]()
    tracks = _Tracks[int]()
    # Short ones first, so that they lie inside long ones.
    order = sorted(range(len(ways)), key=lambda number: sum(leg.high - leg.low for leg in ways[number].legs))
    for number in order:
        way = ways[number]
        legs = tuple(
            Leg(leg.gutter, leg.before, leg.low, leg.high, lanes.take((leg.gutter, leg.before), leg.low, leg.high))
            for leg in way.legs
        )
        track = 0
        if way.shape is Shape.FAR:
            ends = sorted(leg.gutter for leg in legs)
            track = tracks.take(way.gap, ends[0], ends[-1])
        ways[number] = Path(way.edge, way.shape, way.leaves, way.arrives, legs, way.gap, track)
    return Plan(tuple(ways), lanes.counts, tracks.counts)


class _Tracks(Generic[Key]):
    """Parallel tracks at each of several places; intervals that meet do not share one."""

    def __init__(self) -> None:
        self._taken: dict[Key, list[list[tuple[float, float]]]] = {}

    @property
    def counts(self) -> dict[Key, int]:
        """How many tracks each place has."""
        return {place: len(tracks) for place, tracks in self._taken.items()}

    def take(self, place: Key, low: float, high: float) -> int:
        """The first track that is free from `low` to `high`."""
        tracks = self._taken.setdefault(place, [])
        for number, intervals in enumerate(tracks):
            if all(high < start or end < low for start, end in intervals):
                intervals.append((low, high))
                return number
        tracks.append([(low, high)])
        return len(tracks) - 1


def _below(nodes: Iterable[Node]) -> dict[int, int]:
    """For each node the next one below it in its column."""
    last: dict[int, Node] = {}
    found: dict[int, int] = {}
    for node in sorted(nodes, key=lambda node: node.row):
        if node.row > INITIAL_ROW:
            if node.column in last:
                found[last[node.column].number] = node.number
            last[node.column] = node
    return found


def _way(edge: Edge, nodes: Mapping[int, Node], below: Mapping[int, int], columns: int, *, across: bool) -> Path:
    source, target = nodes[edge.source], nodes[edge.target]
    first, last = source.column, target.column
    low, high = sorted((float(source.row), float(target.row)))
    if first == last:
        if edge.name == "po" and below.get(source.number) == target.number:
            return Path(edge, Shape.DOWN, 0, 0)
        side = 1 if first == columns - 1 and first > 0 else -1
        return Path(edge, Shape.AROUND, side, side, (Leg(first + (side > 0), side < 0, low, high),))
    to_right = last > first
    is_initial = min(source.row, target.row) <= INITIAL_ROW
    near, far = first + to_right, last + (not to_right)
    leaves, arrives = (1, -1) if to_right else (-1, 1)
    if near == far:
        if across and not is_initial:
            return Path(edge, Shape.ACROSS, leaves, arrives)
        return Path(edge, Shape.AROUND, leaves, arrives, (Leg(far, to_right, low, high),))
    gap = _gap(source.row, target.row)
    legs = (
        Leg(near, not to_right, *_stretch(source.row, gap)),
        Leg(far, to_right, *_stretch(target.row, gap)),
    )
    return Path(edge, Shape.FAR, leaves, arrives, legs, gap)


def _gap(source: int, target: int) -> int:
    """The gap for an edge between these rows: beside the row of its target."""
    if min(source, target) <= INITIAL_ROW:
        return 0
    if target < source:
        return target + 1
    return target or 1


def _stretch(row: int, gap: int) -> tuple[float, float]:
    low, high = sorted((float(row), gap - 0.5))
    return low, high
