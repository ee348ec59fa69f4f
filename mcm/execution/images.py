"""What of a skeleton may change under a permutation of events and choices: all else is its own image.

An exchange of two of many threads leaves most of a skeleton as it is.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcm.base.bits import transposed
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
    """What of a skeleton is compared with its images.

    `constraints` and `stops` tell which of these mention what is moved; stops, what they wait for as well.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton: Final = skeleton

    @cached_property
    def _mentioning(self) -> Mentioning:
        return Mentioning(event.expressions for event in self._skeleton.events)

    @cached_property
    def constraints(self) -> Mentioning:
        """The constraints, by what they mention."""
        return Mentioning([constraint] for constraint in self._skeleton.constraints)

    @cached_property
    def stops(self) -> Mentioning:
        """The stops, by what they mention, and by the reads that they wait for."""
        return Mentioning([stop.condition, stop.persists, *map(ReadValue, stop.reads)] for stop in self._skeleton.stops)

    @cached_property
    def _lines(self) -> list[Sequence[int]]:
        """The rows of each base relation, and its columns."""
        return [lines for rows in self._skeleton.relations.values() for lines in (rows, transposed(rows))]

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
