"""What was learned of a program's values: decisions that no execution takes together, whatever the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location


class ReadFrom(Struct, frozen=True):
    """That a read takes its value from a write."""

    write: int
    read: int


class Executed(Struct, frozen=True):
    """That an event is executed, or is not."""

    event: int
    is_executed: bool


class Place(Struct, frozen=True):
    """That an executed event accesses a location."""

    event: int
    location: Location


class ChoiceTaken(Struct, frozen=True):
    """What a free choice is."""

    number: int
    is_taken: bool


class Supposition(Struct, frozen=True):
    """That a condition holds, or does not."""

    condition: Expression
    holds: bool


Decision = ReadFrom | Executed | Place | ChoiceTaken | Supposition

# Decisions in an order of their own.
Conflict = tuple[Decision, ...]


class KnownConflicts:
    """Conflicts of the skeletons of one program that were found by one query, for the next ones.

    Their sets and relations are for models, and no part of it.
    """

    def __init__(self) -> None:
        self._known: Final[dict[tuple[int, ...], tuple[tuple[object, ...], list[Conflict]]]] = {}

    def of(self, skeleton: Skeleton) -> list[Conflict]:
        """Those of a skeleton; more can be added."""
        parts = (skeleton.program, skeleton.events, skeleton.constraints, skeleton.stops)
        # They are kept so that nothing else has their identities.
        return self._known.setdefault(tuple(map(id, parts)), (parts, []))[1]
