"""Pairs that nothing comes near to ordering, told: what their units lack altogether."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Sentence
from mcm.base.bits import members
from mcm.catalogue.evaluate import structure_of
from mcm.execution.event import EventKind, iteration_numbers
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.execution.candidate import Candidate
    from mcm.execution.event import BarrierInstance, Event
    from mcm.explain.naming import Names
    from mcm.program.topology import WorkGroup

_NOTHING: Final = "no operation of these units comes near to ordering the two accesses"
_COPIED: Final = "an asynchronous copy goes on until it is waited for: nothing waits for it between the two"
_OPEN: Final = "the language leaves open which of the two comes first: statements of their own would say it"


def nothing_near(candidate: Candidate, first: int, last: int, names: Names) -> tuple[Sentence, ...]:
    """What would have to stand between two accesses, and does not: of one unit, the end of a statement."""
    events = candidate.skeleton.events
    if events[first].thread is not None and events[first].thread == events[last].thread:
        copied = any(events[number].asynchronous is not None for number in (first, last))
        return (Sentence(_COPIED if copied else _OPEN, (), mark=False),)
    return (Sentence(_NOTHING), *_Between(candidate, names).lacking(first, last))


class _Between:
    def __init__(self, candidate: Candidate, names: Names) -> None:
        self._events = candidate.skeleton.events
        self._program = candidate.skeleton.program
        self._executed = candidate.executed
        self._reads_from = candidate.reads_from
        self._after = structure_of(candidate).relations["po"]
        self._names = names

    def lacking(self, first: int, last: int) -> Iterator[Sentence]:
        if self._events[first].thread is None or self._events[last].thread is None:
            return
        both = self._executed_by(first) + self._executed_by(last)
        group = self._group_of(first)
        if group is not None and group == self._group_of(last):
            of_barriers = tuple(self._barriers(first, last))
            yield from of_barriers
            if of_barriers and not any(event.barrier is None and self._synchronises(event) for event in both):
                return
        elif not any(event.barrier is None and self._synchronises(event) for event in both):
            of_barriers = tuple(self._barriers_of_two(first, last))
            yield from of_barriers
            if of_barriers:
                return
        units = (self._names.thread(first), self._names.thread(last))
        if not any(map(self._synchronises, both)):
            yield Sentence(f"neither {units[0]} nor {units[1]} executes an atomic operation or a fence", mark=False)
            return
        for one, other in ((first, last), (last, first)):
            yield from self._one_way(one, other)

    def _one_way(self, one: int, other: int) -> Iterator[Sentence]:
        """Why the first access does not come before the other: who would have to release or acquire something."""
        missing = []
        if not any(self._synchronises(event) for event in self._following(one)):
            missing.append(f"{self._names.thread(one)} executes no atomic operation or fence behind it")
        if not any(self._synchronises(event) for event in self._preceding(other)):
            missing.append(f"{self._names.thread(other)} executes none before {self._names.short(other)}")
        if len(missing) == 1 and missing[0].startswith(self._names.thread(other)):
            missing = [missing[0].replace("executes none", "executes no atomic operation or fence")]
        if not missing and not self._is_read(one, other):
            units = self._names.thread(one), self._names.thread(other)
            missing = [f"{units[1]} reads nothing before {self._names.short(other)} that {units[0]} writes behind it"]
        if missing:
            events = (one, other)
            yield Sentence(
                f"{self._names.full(one)} does not come first: {', and '.join(missing)}", events=events, mark=False
            )

    def _is_read(self, one: int, other: int) -> bool:
        """Whether something that is written behind an access is read before the other one."""
        written = {event.identifier for event in self._following(one)}
        return any(self._reads_from.get(event.identifier) in written for event in self._preceding(other))

    def _barriers(self, first: int, last: int) -> Iterator[Sentence]:
        """That both accesses stand between the same barriers of their work-group."""
        before = [self._instances(self._preceding(event)) for event in (first, last)]
        behind = [self._instances(self._following(event)) for event in (first, last)]
        if before[0].keys() & behind[1].keys() or behind[0].keys() & before[1].keys():
            return
        shared = [event for met, event in before[0].items() if met in before[1]]
        words = [f"both come after the one on {_place(shared[-1])}"] if shared else []
        shared = [event for met, event in behind[0].items() if met in behind[1]]
        if shared:
            both = "" if words else "both come "
            words.append(f"{both}before the one on {_place(shared[0])}")
        there = f": {' and '.join(words)}" if words else ""
        yield Sentence(f"no barrier of their work-group stands between the two{there}", mark=False)

    def _barriers_of_two(self, first: int, last: int) -> Iterator[Sentence]:
        """That units of two work-groups do not meet at the barriers between their accesses."""
        for one, other in ((first, last), (last, first)):
            behind = list(self._instances(self._following(one)).values())
            before = list(self._instances(self._preceding(other)).values())
            if behind and before:
                lines = " and ".join(dict.fromkeys(f"line {met[0].span.line}" for met in (behind, before[::-1])))
                units = f"{self._names.thread(one)} and {self._names.thread(other)}"
                barriers = "a barrier orders" if lines.count("line") == 1 else "barriers order"
                text = f"{units} are in two work-groups: {barriers} the work-items of one only ({lines})"
                yield Sentence(text, events=(one, other), mark=False)
                return

    def _instances(self, events: list[Event]) -> dict[BarrierInstance, Event]:
        """The barriers of whole work-groups among some events, and group functions that order memory, in order."""
        orders = self._program.dialect.one_happens_before
        found: dict[BarrierInstance, Event] = {}
        for event in events:
            if not (event.kind.is_fence or (orders and event.kind is EventKind.CALL)):
                continue
            if event.barrier is not None and event.barrier.group == self._group_of(event.identifier):
                found.setdefault(event.barrier, event)
        return found

    def _group_of(self, event: int) -> WorkGroup | None:
        thread = self._events[event].thread
        placement = None if thread is None else self._program.thread(thread).placement
        return placement.work_group if isinstance(placement, WorkItem) else None

    def _executed_by(self, event: int) -> list[Event]:
        thread = self._events[event].thread
        return [one for one in self._events if one.thread == thread and one.identifier in self._executed]

    def _following(self, event: int) -> list[Event]:
        return [self._events[one] for one in members(self._after[event]) if one in self._executed]

    def _preceding(self, event: int) -> list[Event]:
        return [one for one in self._executed_by(event) if self._after[one.identifier] >> event & 1]

    @staticmethod
    def _synchronises(event: Event) -> bool:
        """Whether an event may be part of a synchronisation, whatever its order: an atomic access or a fence."""
        return event.atomic or event.kind.is_fence


def _place(event: Event) -> str:
    """Where a barrier stands: `line 12`, in a loop `line 12 (iteration 2)`."""
    iteration = () if event.barrier is None else event.barrier.iteration
    return f"line {event.span.line}{f' (iteration {iteration_numbers(iteration)})' if iteration else ''}"
