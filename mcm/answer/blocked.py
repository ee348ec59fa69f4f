"""Which of the executions that are blocked at the same places is told: in every engine the one with the least rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.program.value_order import rank_of_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Stop
    from mcm.program.types import Location, Value
    from mcm.program.value_order import ValueRank

# What is told of a unit besides its place: the commands that it waits for, and the locations that it reads, with their
# values. A further location comes before none.
Told = tuple[tuple[int, ...], tuple[tuple[int, int, int, "ValueRank"], ...]]

# How the units compare that wait in two executions, by their threads and places. The fewer of the later threads wait,
# the less it is, so that no unit of the least one could go on while the others wait; then earlier places come first.
UnitsRank = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


class BlockedRank(Struct, frozen=True, order=True):
    """How an execution compares with others that are blocked at the same places."""

    units: UnitsRank
    told: tuple[Told, ...]


def rank_of_units(stops: Iterable[Stop]) -> UnitsRank:
    """The rank of the units that stop, one for each thread."""
    ordered = sorted(stops, key=_thread_of)
    threads = [stop.thread for stop in ordered]
    return tuple(reversed(threads)), tuple((stop.span.start, stop.span.end) for stop in ordered)


def told_of(stop: Stop, read: Iterable[tuple[Location, Value]]) -> Told:
    """What is told of a unit that stops, given what it reads there."""
    seen = {(0, location.object, location.offset, rank_of_value(value)) for location, value in read}
    return stop.awaits, (*sorted(seen), (1, 0, 0, rank_of_value(0)))


def rank_of_blocked(stops: Iterable[Stop], witness: Candidate) -> BlockedRank:
    """The rank of an execution that is blocked at some stops."""
    ordered = sorted(stops, key=_thread_of)
    told = tuple(told_of(stop, _read_at(stop, witness)) for stop in ordered)
    return BlockedRank(rank_of_units(ordered), told)


def _thread_of(stop: Stop) -> int:
    return stop.thread


def _read_at(stop: Stop, witness: Candidate) -> list[tuple[Location, Value]]:
    values = witness.read_values
    return [(witness.locations[read], values[read]) for read in stop.reads if read in values]
