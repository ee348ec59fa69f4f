"""Which units a picture is about: where there are many, the others are folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.event import EventKind
from mcm.execution.outcome import observables
from mcm.program.condition import RegisterName
from mcm.program.topology import HostThread, WorkItem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcm.execution.candidate import Candidate
    from mcm.execution.event import BarrierInstance
    from mcm.picture.marks import Marks

_ARRIVING: Final = frozenset({EventKind.ENTRY, EventKind.CALL})

# So many of those who do the same are enough: arrive at a barrier, stay away from it, wait at a place.
_EXAMPLES: Final = 2


class Wanted(Struct, frozen=True):
    """The numbers of threads that are drawn in any case, and of others, the most telling ones first.

    Of the `idle` ones nothing could be drawn: they execute nothing, and nothing is told of them.
    """

    surely: tuple[int, ...]
    rather: tuple[int, ...]
    idle: frozenset[int]


def wanted_threads(candidate: Candidate, marks: Marks, about: Collection[int]) -> Wanted:
    """The threads that a picture is about, which tells of the events `about`.

    Surely the pairs that stand out and what is attempted; then examples of other events that do, of those who stay away
    where these arrive and of those who wait; then who is told of, whom the condition names, host threads, and who wrote
    what all of these read.
    """
    events = candidate.skeleton.events
    pairs = [number for pair in marks.pairs for number in (pair.source, pair.target)]
    surely = _distinct((*(events[number].thread for number in pairs), *(attempt.thread for attempt in marks.attempts)))
    rather = [*_examples(candidate, marks), *(events[number].thread for number in sorted(about))]
    if not (surely or rather):
        rather += _named(candidate)
    rather += [
        thread.index for thread in candidate.skeleton.program.threads if isinstance(thread.placement, HostThread)
    ][:_EXAMPLES]
    drawn = {*surely, *rather}
    sources = (
        events[write].thread for read, write in sorted(candidate.reads_from.items()) if events[read].thread in drawn
    )
    others = _distinct((*rather, *sources))
    return Wanted(surely, others, _idle(candidate, marks) - {*surely, *others})


def _idle(candidate: Candidate, marks: Marks) -> frozenset[int]:
    """The work-items that execute nothing and do not wait."""
    busy = {candidate.skeleton.events[number].thread for number in candidate.executed}
    busy |= {wait.thread for wait in marks.waits}
    threads = candidate.skeleton.program.threads
    return frozenset(one.index for one in threads if isinstance(one.placement, WorkItem) and one.index not in busy)


def _distinct(threads: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(thread for thread in threads if thread is not None))


def _examples(candidate: Candidate, marks: Marks) -> Iterator[int | None]:
    """Some of the units whose events stand out, of those who stay away where these arrive, and of those who wait."""
    events = candidate.skeleton.events
    marked = [events[number] for number in sorted(marks.events)]
    yield from sorted(_distinct(event.thread for event in marked))[:_EXAMPLES]
    arrived: dict[BarrierInstance, None] = {
        event.barrier: None for event in marked if event.barrier is not None and event.kind in _ARRIVING
    }
    for barrier in arrived:
        yield from _absent(barrier, candidate)
    places: dict[tuple[int, str], list[int]] = {}
    for wait in marks.waits:
        places.setdefault((wait.line, wait.text), []).append(wait.thread)
    for threads in places.values():
        yield from threads[:_EXAMPLES]


def _absent(barrier: BarrierInstance, candidate: Candidate) -> list[int]:
    """Some members of a group that do not come to its barrier."""
    events = (candidate.skeleton.events[number] for number in candidate.executed)
    there = {event.thread for event in events if event.barrier == barrier and event.kind in _ARRIVING}
    members = [
        thread.index
        for thread in candidate.skeleton.program.threads
        if isinstance(thread.placement, WorkItem) and barrier.group in thread.placement.enclosing
    ]
    return [member for member in members if member not in there][:_EXAMPLES]


def _named(candidate: Candidate) -> Iterator[int | None]:
    """The units whose registers the condition names, and those who write what it names last."""
    condition = candidate.skeleton.program.condition
    for what in observables(condition.proposition) if condition is not None else ():
        if isinstance(what, RegisterName):
            yield what.thread
        elif order := candidate.modification_orders.get(what):
            yield candidate.skeleton.events[order[-1]].thread
