"""What of a skeleton may change under a permutation of events and choices: all else is its own image.

An exchange of two of many threads leaves most of a skeleton as it is.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcm.base.bits import transposed
from mcm.execution.expression import Choice, ReadValue
from mcm.execution.mentions import Mentions
from mcm.execution.vocabulary import PLACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcm.execution.expression import Expression
    from mcm.execution.renaming import Renaming
    from mcm.execution.skeleton import Skeleton

    Rows = Sequence[Sequence[int]]
    Lines = list[Sequence[int]]

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
    `by_place` are the relations through which alone it matters where units stand: where these are their own images, the
    base relations that say so need not be. None where that is not known.
    """

    def __init__(self, skeleton: Skeleton, by_place: Callable[[], Rows | None] = lambda: None) -> None:
        self._skeleton: Final = skeleton
        self._by_place: Final = by_place

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
    def _lines(self) -> Lines:
        """Those of the base relations, but for where units stand."""
        return _lines_of(rows for name, rows in self._skeleton.relations.items() if name not in PLACES)

    @cached_property
    def _lines_of_places(self) -> Lines:
        """Those of the base relations that say where units stand."""
        return _lines_of(rows for name, rows in self._skeleton.relations.items() if name in PLACES)

    @cached_property
    def _lines_by_place(self) -> Lines | None:
        """Those of the relations through which it matters where units stand."""
        found = self._by_place()
        return None if found is None else _lines_of(found)

    def changing(self, renaming: Renaming) -> list[int]:
        """The events that are moved or mention what is, in order."""
        return sorted(self._mentioning.moved(renaming).union(renaming.moved_events))

    def keep_relations(self, renaming: Renaming) -> bool:
        """Whether every base relation is its own image, or all that is seen of it."""
        return _are_kept(self._lines, renaming) and (
            _are_kept(self._lines_of_places, renaming)
            or (self._lines_by_place is not None and _are_kept(self._lines_by_place, renaming))
        )


def _lines_of(relations: Iterable[Sequence[int]]) -> Lines:
    """The rows of each relation, and its columns."""
    return [lines for rows in relations for lines in (rows, transposed(rows))]


def _are_kept(lines: Lines, renaming: Renaming) -> bool:
    """Whether relations with these lines are their own images."""
    # A pair of events that stay is its own image. Each other one is in a row or column of one that moves.
    return all(
        renaming.mask(each[old]) == each[renaming.events[old]] for each in lines for old in renaming.moved_events
    )
