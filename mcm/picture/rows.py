"""Rows: the events of a unit stand below each other; those that meet at a barrier stand beside each other."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.execution.event import BarrierInstance, Event

# What has one row: an event or what is none, by its number, or the entries or exits of a barrier instance.
_Place = int | tuple["BarrierInstance", EventKind]


def rows_of(units: Iterable[Sequence[Event | int]]) -> dict[int, int]:
    """The row of each event of some units, given in the order in which they are executed, or of what has a number.

    Where units pass barriers in different orders, these are not brought in line.
    """
    sequences = [[_place(event) for event in unit] for unit in units]
    found = _longest_paths(sequences)
    if found is None:
        return {_number(event): row for unit in units for row, event in enumerate(unit)}
    return {_number(event): found[_place(event)] for unit in units for event in unit}


def _number(event: Event | int) -> int:
    return event if isinstance(event, int) else event.identifier


def _place(event: Event | int) -> _Place:
    if isinstance(event, int):
        return event
    if event.barrier is None or event.kind not in {EventKind.ENTRY, EventKind.EXIT}:
        return event.identifier
    return event.barrier, event.kind


def _longest_paths(sequences: Sequence[Sequence[_Place]]) -> Mapping[_Place, int] | None:
    """For each place the length of the longest path to it; None if there is a cycle."""
    after: dict[_Place, set[_Place]] = {place: set() for sequence in sequences for place in sequence}
    missing = dict.fromkeys(after, 0)
    for sequence in sequences:
        for first, second in pairwise(sequence):
            if second not in after[first]:
                after[first].add(second)
                missing[second] += 1
    ready = [place for place, count in missing.items() if not count]
    rows = dict.fromkeys(ready, 0)
    for place in ready:
        for following in after[place]:
            rows[following] = max(rows.get(following, 0), rows[place] + 1)
            missing[following] -= 1
            if not missing[following]:
                ready.append(following)
    return rows if len(ready) == len(after) else None
