"""What of a skeleton may change under a permutation of events and choices: all else is its own image.

An exchange of two of many threads leaves most of a skeleton as it is.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcm.base.bits import listed
from mcm.execution.expression import Choice, ReadValue
from mcm.execution.mentions import Mentions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.execution.expression import Expression
    from mcm.execution.renaming import Renaming
    from mcm.execution.skeleton import Skeleton

# A permutation has a place for each event: those that exchange neighbours of as many units take some tens of megabytes.
MOST_PLACES: Final = 1 << 22


class Mentioning:
    """For each read and each choice, the numbers of the items that mention it; items are given as expressions."""

    def __init__(self, items: Iterable[Iterable[Expression]]) -> None:
        self._users: Final[dict[Expression, list[int]]] = {}
        mentions = Mentions()
        for number, expressions in enumerate(items):
            for atom in frozenset[ReadValue | Choice]().union(*map(mentions.of, expressions)):
                self._users.setdefault(atom, []).append(number)

    def moved(self, renaming: Renaming) -> set[int]:
        """The items that mention an event or a choice that is moved."""
        users = self._users
        found: set[int] = set()
        for event in renaming.moved_events:
            found.update(users.get(ReadValue(event), ()))
        for choice in renaming.moved_choices:
            found.update(users.get(Choice(choice), ()))
        return found


class Images:
    """Events and base relations of a skeleton, as they are compared with their images."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton: Final = skeleton

    @cached_property
    def _mentioning(self) -> Mentioning:
        return Mentioning(event.expressions for event in self._skeleton.events)

    @cached_property
    def _lines(self) -> list[Sequence[int]]:
        """The rows of each base relation, and its columns."""
        return [lines for rows in self._skeleton.relations.values() for lines in (rows, _columns(rows))]

    def changing(self, renaming: Renaming) -> list[int]:
        """The events that are moved or mention what is, in order."""
        return sorted(self._mentioning.moved(renaming).union(renaming.moved_events))

    def keep_relations(self, renaming: Renaming) -> bool:
        """Whether every base relation is its own image."""
        # A pair of events that stay is its own image. Each other one is in a row or column of one that moves.
        return all(
            renaming.mask(lines[old]) == lines[renaming.events[old]]
            for lines in self._lines
            for old in renaming.moved_events
        )


def _columns(rows: Sequence[int]) -> list[int]:
    """For each event, those that come before it in a relation; rows that are alike are looked at once."""
    size = len(rows)
    alike: dict[int, int] = {}
    for event, row in enumerate(rows):
        alike[row] = alike.get(row, 0) | 1 << event
    members = sum(row.bit_count() for row in alike)
    # Of a relation between most events, such as those of different units, the pairs that are missing are looked at.
    missing = (1 << size) - 1 if 2 * members > size * len(alike) else 0
    columns = [missing] * size
    for row, events in alike.items():
        for event in listed(row ^ missing):
            columns[event] ^= events
    return columns
