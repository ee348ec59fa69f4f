"""Section 3 of the table: what maps, buffers and events make undefined or implementation-defined, and HOST-4q."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from oracle.candidates import Candidate, Event
from oracle.host_edges import ROWS, by_child
from oracle.host_events import Events, queued
from oracle.host_program import Actor, Enqueue, Kind, Object, Query
from oracle.host_progress import Place, is_ended_by_failure
from oracle.model import Model
from oracle.program import Allocation, Location, Program, Region, same_kernel
from oracle.relations import Execution, Pairs, closure, inclusive, same_unit

FINE_GRAIN: Final = frozenset(Allocation) - {Allocation.BUFFER, Allocation.COARSE_SVM, Allocation.PROGRAM_SCOPE}
NEEDS_MAP: Final = frozenset({Allocation.BUFFER, Allocation.COARSE_SVM})

QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0


class HostExecution(Execution):
    """A candidate execution of a host program: gsw has the edges of section 3 as well."""

    def __init__(self, events: Events, source: dict[int, int], order: dict[str, tuple[int, ...]], model: Model) -> None:
        cast = events.progress.cast
        program = Program(cast.program.locations(), tuple(actor.place for actor in cast.actors))
        super().__init__(Candidate(program, tuple(events.all), (), source, order), model)
        self.happened = events
        edges = {pair for rule, row in ROWS.items() if model.has(rule) for pair in row(events)}
        self.ghb: Pairs = closure(self.hb[Region.GLOBAL] | edges)
        self.hb[Region.GLOBAL] = self.ghb
        # HOST-1: what goes by way of a child counts for fine-grain SVM only
        children = set(by_child(events)) if model.has("HOST-1") else set()
        self.fine: Pairs = closure(self.ghb | children) if children else self.ghb
        self.hb[None] = self.fine

    def hb_of(self, location: Location) -> Pairs:
        return self.fine if location.allocation in FINE_GRAIN else self.ghb

    def actor(self, event: Event) -> Actor:
        assert event.unit is not None
        return self.happened.progress.cast.actors[event.unit]

    def object(self, event: Event) -> Object:
        assert event.location is not None
        return self.happened.progress.cast.program.object(event.location.name.partition("[")[0])

    def is_host(self, event: Event) -> bool:
        return event.unit is not None and self.unit(event).host

    def is_map(self, event: Event) -> bool:
        return event.unit is not None and self.actor(event).is_map


def calls_agree(x: HostExecution) -> bool:
    """Calls come to queues in an order that agrees with happens-before."""
    return not any(a == b for a, b in closure(x.fine | set(queued(x.happened))))


# ---- HOST-4q ---------------------------------------------------------------------------------------------------------


def answers_agree(x: HostExecution, answers: Mapping[Place, int]) -> bool:
    """HOST-4q: no edge, but what is told is as of some time, and a status does not go back."""
    for place, answer in answers.items():
        query, event = x.happened.queries[place], _asked(x, place)
        done = [x.happened.completions[event]] if event in x.happened.completions else x.happened.sets(event)
        begun = [x.happened.starts[event]] if event in x.happened.starts else done
        if answer == COMPLETE and (not done or _before(x, query, done)):
            return False
        if answer == RUNNING and is_ended_by_failure(x.happened.progress, event):
            return False
        if answer == RUNNING and (not begun or _before(x, query, begun)):
            return False
        if answer != COMPLETE and _after(x, query, done):
            return False
        if answer in (QUEUED, SUBMITTED) and _after(x, query, begun):
            return False
        for other, earlier_answer in answers.items():
            is_later = (x.happened.queries[other].number, query.number) in x.fine
            if _asked(x, other) == event and is_later and answer > earlier_answer:
                return False
    return True


def _asked(x: HostExecution, place: Place) -> str:
    step = x.happened.progress.step(place)
    assert isinstance(step, Query)
    return step.event


def _before(x: HostExecution, query: Event, others: list[Event]) -> bool:
    return all((query.number, other.number) in x.fine for other in others)


def _after(x: HostExecution, query: Event, others: list[Event]) -> bool:
    return any((other.number, query.number) in x.fine for other in others)


# ---- What is undefined -----------------------------------------------------------------------------------------------


def races(x: HostExecution) -> bool:
    # DR-1; MAP-2: concurrent writes by another kernel/host thread to the region of a map may be lost
    return any(
        _conflict(x, a, b)
        and not same_unit(a, b)
        and not (a.atomic and b.atomic and inclusive(x, a, b, location))
        and not x.before(a, b)
        and not x.before(b, a)
        for location in x.program.locations
        for a in x.accesses(location)
        for b in x.accesses(location)
        if a.number < b.number and not a.initial
    )


def _conflict(x: HostExecution, a: Event, b: Event) -> bool:
    # A map for reading lets kernels read (MAP-3), so that what it does conflicts with writes only.
    if x.is_map(a) or x.is_map(b):
        return x.model.has("MAP-2") and any(e.writes and not x.is_map(e) for e in (a, b))
    return a.writes or b.writes


@dataclass(frozen=True, slots=True)
class Mapped:
    """A map that was made: its writes, and the call and the completion of the unmap that ends it."""

    call: Enqueue
    caller: int
    writes: tuple[Event, ...]
    unmapping: Event | None
    unmapped: Event | None


def _maps(x: HostExecution) -> Iterator[Mapped]:
    cast, events = x.happened.progress.cast, x.happened
    ended: set[str] = set()
    ends: dict[str, str] = {}
    for thread in cast.actors:
        open_maps: list[Enqueue] = []
        for index, step in enumerate(thread.steps):
            if isinstance(step, Enqueue) and (thread.number, index) in events.calls:
                if step.kind is Kind.MAP:
                    open_maps.append(step)
                if step.kind is Kind.UNMAP:
                    mine = [one for one in open_maps if one.parts == step.parts and one.event not in ended]
                    ends.update({mine[-1].event: step.event} if mine else {})
                    ended.update([mine[-1].event] if mine else [])
    for command in cast.commands.values():
        if isinstance(command.call, Enqueue) and command.call.kind is Kind.MAP and events.call_of(command.name):
            writes = [e for number in command.actors for e in events.of_actor(number) if e.writes]
            unmap = ends.get(command.name)
            yield Mapped(
                command.call,
                command.caller,
                tuple(writes),
                events.call_of(unmap) if unmap else None,
                events.completions.get(unmap) if unmap else None,
            )


def map_misuse(x: HostExecution) -> bool:
    # MAP-3: mapped for write: kernels reading or writing must start after unmap; for read: they must not write;
    # overlapping write maps: error
    maps = list(_maps(x))
    return any(
        (one.call.for_writing or a.writes) and not (_hb(x, a, w) or _hb(x, one.unmapped, a))
        for one in maps
        for w in one.writes
        for a in x.accesses(_location(w))
        if a.unit is not None and not x.is_host(a) and not x.is_map(a)
    ) or any(
        one.call.for_writing
        and v.location == w.location
        and not (_hb(x, one.unmapping, v) or _hb(x, other.unmapping, w))
        for one in maps
        for other in maps
        if one is not other
        for w in one.writes
        for v in other.writes
    )


def unmapped_access(x: HostExecution) -> bool:
    # MAP-4: host access to clmem/cg only between map and unmap; fg needs neither
    maps = list(_maps(x))
    return any(
        not any(
            (one.call.for_writing or not a.writes)
            and any(w.location == a.location and _hb(x, w, a) for w in one.writes)
            and (one.unmapping is None or _hb(x, a, one.unmapping))
            for one in maps
        )
        for a in x.events
        if a.location is not None and x.is_host(a) and a.location.allocation in NEEDS_MAP
    )


# ---- Buffers that overlap --------------------------------------------------------------------------------------------


def overlapping_use(x: HostExecution) -> bool:
    # CC-6: sub-buffer + parent buffer: concurrent use undefined unless all read; a map for reading changes nothing
    if not x.happened.progress.cast.program.has_part:
        return False
    uses = [e for e in x.events if e.unit is not None and e.location is not None and x.object(e).name == "x"]
    return any(
        x.actor(a).by_part
        and not x.actor(b).by_part
        and (_changes(x, a) or _changes(x, b))
        and not _hb(x, a, b)
        and not _hb(x, b, a)
        for a in uses
        for b in uses
    )


def _changes(x: HostExecution, event: Event) -> bool:
    if not x.is_map(event):
        return event.writes
    call = x.happened.progress.cast.commands[x.actor(event).command or ""].call
    return event.writes and isinstance(call, Enqueue) and call.for_writing


def _hb(x: HostExecution, a: Event | None, b: Event | None) -> bool:
    return a is not None and b is not None and (a.number, b.number) in x.ghb


def _location(event: Event) -> Location:
    assert event.location is not None
    return event.location


# ---- What is implementation-defined ----------------------------------------------------------------------------------


def implementation_defined(x: HostExecution) -> bool:
    # CC-1: cl_mem atomics from different host-enqueued kernel-instances, at least one write, no sync point: even on
    # disjoint locations of one cl_mem; CC-2: parent and children are guaranteed
    of_kernels = [
        event
        for event in x.events
        if event.location is not None
        and event.atomic
        and event.location.allocation is Allocation.BUFFER
        and not x.is_host(event)
    ]
    return any(
        x.object(a) == x.object(b)
        and (a.writes or b.writes)
        and not same_kernel(x.unit(a), x.unit(b))
        and not _hb(x, a, b)
        and not _hb(x, b, a)
        for a in of_kernels
        for b in of_kernels
        if a.number < b.number
    )


def pipe_misuse(x: HostExecution) -> bool:
    # PIPE-1: one writing, one reading kernel-instance at a time: one has ended before the other starts
    events = x.happened
    users = [
        (command.name, command.call.kernel.end)
        for command in events.progress.cast.commands.values()
        if command.name in events.starts and command.call.kernel is not None and command.call.kernel.end is not None
    ]
    return x.model.has("PIPE-1") and any(
        end == other_end
        and not _hb(x, events.ends.get(one), events.starts[other])
        and not _hb(x, events.ends.get(other), events.starts[one])
        for (one, end), (other, other_end) in combinations(users, 2)
    )


def abnormal_event(x: HostExecution) -> bool:
    # HOST-18: event negative status = abnormal; behaviour implementation-defined
    return any(event in x.happened.progress.failed for event in x.happened.progress.cast.program.user_events)


FINDINGS: Final = {
    "data_race": races,
    "map_misuse": map_misuse,
    "unmapped_access": unmapped_access,
    "overlapping_use": overlapping_use,
    "pipe_misuse": pipe_misuse,
    "implementation_defined": implementation_defined,
    "abnormal_event": abnormal_event,
}
