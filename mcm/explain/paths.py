"""Shortest paths and cycles of a relation.

Relations are rows of bits here as everywhere, so that a breadth-first search is a few operations on integers: a graph
library takes longer to import than a whole explanation may take (ADR 30), and is asked in tests instead.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mcm.base.bits import listed

if TYPE_CHECKING:
    from mcm.relation.evaluate import Rows

Pair = tuple[int, int]


def shortest_path(rows: Rows, first: int, last: int) -> tuple[Pair, ...]:
    """The steps of a shortest path of at least one step, the first in the order of events; () if there is none."""
    came_from: dict[int, int] = {}
    front, seen = [first], 0
    while front:
        following: list[int] = []
        for event in front:
            for reached in listed(rows[event] & ~seen):
                seen |= 1 << reached
                came_from[reached] = event
                following.append(reached)
        if last in came_from:
            return _path(came_from, first, last)
        front = following
    return ()


def _path(came_from: dict[int, int], first: int, last: int) -> tuple[Pair, ...]:
    path = [last, came_from[last]]
    while path[-1] != first:
        path.append(came_from[path[-1]])
    return tuple(pairwise(reversed(path)))


def shortest_cycle(rows: Rows) -> tuple[Pair, ...]:
    """The steps of a shortest cycle, from its least event on; () if there is none."""
    found: tuple[Pair, ...] = ()
    for event in range(len(rows)):
        cycle = shortest_path(rows, event, event)
        if cycle and (not found or len(cycle) < len(found)):
            found = cycle
    return found
