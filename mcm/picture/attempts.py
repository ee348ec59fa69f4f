"""What units attempt, in its place among their events."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.execution.event import Event
    from mcm.picture.marks import Attempt

Numbered = tuple[int, "Attempt"]


def among(events: Sequence[Event], attempts: Iterable[Numbered]) -> list[Event | int]:
    """The events of a unit in order, with the numbers of what it attempts."""
    found: list[Event | int] = list(events)
    for number, attempt in attempts:
        found.insert(sum(_is_before(each, attempt) for each in found), number)
    return found


def through(pairs: Iterable[tuple[int, int]], units: Iterable[Sequence[Event | int]]) -> Iterator[tuple[int, int]]:
    """Sequenced-before from event to event, through what is attempted between them."""
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    for unit in units:
        numbers = [each if isinstance(each, int) else each.identifier for each in unit]
        for first, second in pairwise(numbers):
            if second < 0:
                before[second], after[first] = first, second
                yield first, second
            elif first < 0 and first not in before:
                yield first, second
    for first, second in pairs:
        last = first
        while last in after:
            last = after[last]
        yield last, second


def _is_before(each: Event | int, attempt: Attempt) -> bool:
    return isinstance(each, int) or each.identifier < attempt.place
