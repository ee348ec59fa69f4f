"""Relations as rows of bits, for static bounds: `rows[a]` has bit `b` for each pair `(a, b)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import elements

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def composed(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """`first ; second`."""
    result = []
    for row in first:
        reached = 0
        if row:
            for middle in elements(row):
                reached |= second[middle]
        result.append(reached)
    return result


def closed(rows: Sequence[int]) -> list[int]:
    """The transitive closure.

    Events are looked at from the last to the first, and the nearest later successor of each before the others: most of
    what an event reaches lies beyond that one, and what a later event reaches is known.

    >>> closed([0b10, 0b100, 0])
    [6, 4, 0]
    """
    reached = list(rows)
    for source in reversed(range(len(rows))):
        row = rows[source]
        visited = 1 << source
        while rest := row & ~visited:
            later = rest >> source
            if later:
                middle = source + (later & -later).bit_length() - 1
                visited |= reached[middle]
            else:
                middle = (rest & -rest).bit_length() - 1
            visited |= 1 << middle
            row |= reached[middle]
        reached[source] = row
    return reached


def components(rows: Sequence[int], among: Iterable[int]) -> list[list[int]]:
    """Strongly connected components of the graph on `among`, each after those that it leads to.

    A member alone is a component, whether or not it has an edge to itself.

    >>> components([0b010, 0b101, 0b000], range(3))
    [[2], [0, 1]]
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    waiting: set[int] = set()
    found: list[list[int]] = []
    allowed = sum(1 << each for each in among)
    for root in elements(allowed):
        if root in index:
            continue
        work = [(root, elements(rows[root] & allowed))]
        index[root] = low[root] = len(index)
        stack.append(root)
        waiting.add(root)
        while work:
            node, successors = work[-1]
            if successors:
                successor = successors.pop()
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    waiting.add(successor)
                    work.append((successor, elements(rows[successor] & allowed)))
                elif successor in waiting:
                    low[node] = min(low[node], index[successor])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                start = stack.index(node)
                members = stack[start:]
                del stack[start:]
                waiting.difference_update(members)
                found.append(sorted(members))
    return found


def cyclic_components(rows: Sequence[int], among: Iterable[int]) -> list[list[int]]:
    """The components that contain a cycle."""
    return [each for each in components(rows, among) if len(each) > 1 or rows[each[0]] >> each[0] & 1]
