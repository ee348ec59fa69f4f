"""The static base sets and relations of a skeleton, under the names of the vocabulary."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.execution.evaluate import subexpressions
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.shared_buffers import overlapping_buffers, shared_buffer
from mcm.execution.skeleton import SetMembers
from mcm.execution.vocabulary import COMMAND_RELATIONS, SETS
from mcm.program.operators import PipeEnd
from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind, Flag, Order, Region, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.expression import Expression
    from mcm.program.program import MemoryObject, Program
    from mcm.program.topology import Enclosing
    from mcm.program.types import Location

_SCOPES = {
    Scope.WORK_ITEM: "WI",
    Scope.SUB_GROUP: "SG",
    Scope.WORK_GROUP: "WG",
    Scope.DEVICE: "DV",
    Scope.ALL_SVM_DEVICES: "ALL",
}
_EXACT_ORDERS = {Order.RELAXED: "RLX", Order.ACQ_REL: "ACQ_REL", Order.SEQ_CST: "SC"}
_REGIONS = {Region.GLOBAL: "G", Region.LOCAL: "L", Region.CONSTANT: "C"}
_FLAGS = {Flag.GLOBAL: "G", Flag.LOCAL: "L", Flag.IMAGE: "IMAGE"}
_ALLOCATIONS = {
    AllocationKind.BUFFER: "BUFFER",
    AllocationKind.IMAGE: "IMAGES",
    AllocationKind.PIPE: "PIPES",
    AllocationKind.COARSE_SVM: "COARSE",
    AllocationKind.PROGRAM_SCOPE: "PROG",
    AllocationKind.FINE_SVM: "FINE",
    AllocationKind.FINE_SVM_ATOMICS: "FINE_ATOMICS",
    AllocationKind.SYSTEM_SVM: "SYSTEM",
    AllocationKind.SYSTEM_SVM_ATOMICS: "SYSTEM_ATOMICS",
}


_PIPE_ENDS = {PipeEnd.WRITE: "PIPE_WRITES", PipeEnd.READ: "PIPE_READS"}


def base_sets(program: Program, events: Sequence[Event], locations: Sequence[Location]) -> dict[str, SetMembers]:
    """The members of every base set."""
    hosts = {t.index for t in program.threads if isinstance(t.placement, HostThread)}
    masks: dict[str, int] = {}
    # Events that are written alike belong to the same sets.
    alike: dict[tuple[EventKind, Order | None, Scope | None, frozenset[Flag], bool], int] = {}
    for event in events:
        bit = 1 << event.identifier
        if event.kind.is_of_commands:
            continue
        written = (event.kind, event.order, event.scope, event.flags, event.atomic)
        alike[written] = alike.get(written, 0) | bit
        if event.pipe is not None:
            masks[_PIPE_ENDS[event.pipe]] = masks.get(_PIPE_ENDS[event.pipe], 0) | bit
        if event.thread in hosts:
            masks["H"] = masks.get("H", 0) | bit
        if event.kind is EventKind.INITIAL and _starts_indeterminate(program, event):
            masks["INDETERMINATE"] = masks.get("INDETERMINATE", 0) | bit
    for written, together in alike.items():
        for name in _sets_of(*written):
            masks[name] = masks.get(name, 0) | together
    if program.has_commands:
        # Imported here: most programs have no commands.
        from mcm.execution.command_sets import sets_of_commands  # noqa: PLC0415

        for name, identifier in sets_of_commands(program, events):
            masks[name] = masks.get(name, 0) | 1 << identifier
    reached: dict[str, set[Location]] = {}
    for location in locations:
        for name in _sets_at(program.object_at(location), location.offset):
            reached.setdefault(name, set()).add(location)
    found = {name: SetMembers(masks.get(name, 0), frozenset(reached.get(name, ()))) for name in {**masks, **reached}}
    return _NO_MEMBERS | found


_NO_MEMBERS: Final = dict.fromkeys(SETS, SetMembers(0))


@cache
def _sets_of(
    kind: EventKind,
    order: Order | None,
    scope: Scope | None,
    flags: frozenset[Flag],
    atomic: bool,  # noqa: FBT001
) -> tuple[str, ...]:
    """The sets that an event of this kind belongs to whatever it accesses."""
    names: list[str] = []
    if kind.is_access:
        names.append("M")
        if kind.reads:
            names.append("R")
        if kind.writes:
            names.append("W")
        if atomic:
            names.append("A")
        if kind is EventKind.UPDATE:
            names.append("RMW")
        elif kind is EventKind.INITIAL:
            names.append("IW")
    elif kind is EventKind.CALL:
        names.append("COLL")
    elif kind is EventKind.COPIED or kind is EventKind.AWAITED:
        names += ("G", "L", kind.name)
    else:
        names += ("F", *(_FLAGS[flag] for flag in flags))
        if kind is EventKind.ENTRY:
            names.append("EF")
        elif kind is EventKind.EXIT:
            names.append("XF")
    if order is not None:
        if order.acquires and (kind.reads or kind.is_fence):
            names.append("ACQ")
        if order.releases and (kind.writes or kind.is_fence):
            names.append("REL")
        if order in _EXACT_ORDERS:
            names.append(_EXACT_ORDERS[order])
    if scope is not None:
        names.append(_SCOPES[scope])
    return tuple(names)


def _sets_at(item: MemoryObject, offset: int) -> Iterator[str]:
    """The sets that every access of an element of an object belongs to."""
    if item.region in _REGIONS:
        yield _REGIONS[item.region]
    if item.region is Region.GLOBAL:
        yield _ALLOCATIONS[item.allocation]
        if item.needs_map:
            yield "NEEDS_MAP"
    if item.capacity and offset:
        yield "PACKETS"
    if item.atomic:
        yield "AO"
    if item.atomic_type:
        yield "ATOMIC_TYPE"


def _starts_indeterminate(program: Program, event: Event) -> bool:
    (location,) = event.locations
    return program.object_at(location).initial[location.offset] is None


# Up to so many events the masks of relations are short, and a tuple of them is the fastest.
_FEW_EVENTS: Final = 2048
_DEPENDENT: Final = ("data", "addr", "ctrl")
# The rows of what is in no unit.
_NOWHERE: Final = (0, 0, 0, 0)


def base_relations(
    program: Program, events: Sequence[Event], before: Mapping[int, int], choice_reads: Mapping[int, frozenset[int]]
) -> dict[str, Sequence[int]]:
    """The rows of every static base relation; those about commands are empty.

    `before` has for some events the mask of those sequenced before them, counted from the first of their thread.
    """
    of_thread: dict[int | None, int] = {}
    of_barrier: dict[BarrierInstance, int] = {}
    for event in events:
        bit = 1 << event.identifier
        of_thread[event.thread] = of_thread.get(event.thread, 0) | bit
        if event.barrier is not None:
            of_barrier[event.barrier] = of_barrier.get(event.barrier, 0) | bit
    enclosing = {t.index: t.placement.enclosing for t in program.threads if isinstance(t.placement, WorkItem)}
    inside: dict[Enclosing, int] = {}
    for thread, around in enclosing.items():
        for one in around:
            inside[one] = inside.get(one, 0) | of_thread.get(thread, 0)
    near: dict[int | None, tuple[int, ...]] = {
        thread: tuple([inside[one] for one in around]) for thread, around in enclosing.items()
    }
    rows = [near.get(event.thread, _NOWHERE) for event in events]
    kernel = tuple([row[1] for row in rows])
    # Every initial write is a thread of its own, and so are the events of an asynchronous copy.
    apart = _apart(events)
    internal = tuple([1 << e.identifier if e.thread is None else of_thread[e.thread] for e in events])
    if apart:
        alone = sum(apart.values())
        internal = tuple(
            [
                apart.get((event.thread, event.asynchronous), unit & ~alone)
                for event, unit in zip(events, internal, strict=True)
            ]
        )
    family = _families(program, events, near, of_thread) if program.commands else kernel
    return {
        "po": _sequenced(events, before),
        "int": internal,
        "ext": _others(internal),
        "ssg": tuple([row[3] for row in rows]),
        "swg": tuple([row[2] for row in rows]),
        "ski": kernel,
        "family": family,
        "sdv": tuple([row[0] for row in rows]),
        "shared-buffer": shared_buffer(program, events, family),
        "overlapping-buffers": overlapping_buffers(program, events),
        "syncbar": tuple([0 if e.barrier is None else of_barrier[e.barrier] for e in events]),
        **dict.fromkeys((*COMMAND_RELATIONS, "rmw"), (0,) * len(events)),
        **_dependencies(events, choice_reads),
    }


def _apart(events: Sequence[Event]) -> dict[tuple[int | None, int | None], int]:
    """The events of each asynchronous copy, by the work-item that performs it and its number."""
    found: dict[tuple[int | None, int | None], int] = {}
    for event in events:
        if event.asynchronous is not None:
            key = event.thread, event.asynchronous
            found[key] = found.get(key, 0) | 1 << event.identifier
    return found


def _families(
    program: Program,
    events: Sequence[Event],
    near: Mapping[int | None, tuple[int, ...]],
    of_thread: Mapping[int | None, int],
) -> tuple[int, ...]:
    """The rows of what is in one kernel instance, or in those that it enqueues, directly or not (CC-2)."""
    groups = list(dict.fromkeys(row[1] for row in near.values()))
    for command in program.commands:
        if command.enqueue_flag is None:
            continue
        members = near[command.caller][1]
        for unit in command.units:
            members |= of_thread.get(unit, 0)
        merged, apart = 0, []
        for group in groups:
            if group & members:
                merged |= group
            else:
                apart.append(group)
        groups = [*apart, merged]
    return tuple(next((group for group in groups if group >> event.identifier & 1), 0) for event in events)


def _sequenced(events: Sequence[Event], before: Mapping[int, int]) -> Sequence[int]:
    """The rows of sequenced-before, from what comes before each event.

    Mostly that is everything earlier in its thread, which need not be said: only what differs from this is looked at.
    """
    rows = [0] * len(events)
    # Initial writes are of no thread, and nothing is sequenced with them.
    threads = [event for event in events if event.thread is not None]
    # Masks of a thread begin with its first event.
    first: dict[int | None, int] = {}
    for event in threads:
        first.setdefault(event.thread, event.identifier)
    later: dict[int | None, int] = {}
    for event in reversed(threads):
        rows[event.identifier] = later.get(event.thread, 0)
        later[event.thread] = rows[event.identifier] | 1 << event.identifier - first[event.thread]
    earlier: dict[int | None, int] = {}
    for event in threads:
        begin = first[event.thread]
        bit, assumed = 1 << event.identifier - begin, earlier.get(event.thread, 0)
        found = before.get(event.identifier)
        if found is not None:
            for other in members(assumed ^ found):
                rows[begin + other] ^= bit
        earlier[event.thread] = assumed | bit
    shifts = [first.get(event.thread, 0) for event in events]
    if len(events) > _FEW_EVENTS:
        # Imported here, as below: few programs are so large.
        from mcm.execution.rows import ShiftedRows  # noqa: PLC0415

        return ShiftedRows(rows, shifts)
    return tuple([row << shift for row, shift in zip(rows, shifts, strict=True)])


def _others(rows: Sequence[int]) -> Sequence[int]:
    """For each event those that are not in its row."""
    if len(rows) > _FEW_EVENTS:
        from mcm.execution.rows import OtherEvents  # noqa: PLC0415

        return OtherEvents(rows)
    everything = (1 << len(rows)) - 1
    outside = {row: everything & ~row for row in set(rows)}
    return tuple([outside[row] for row in rows])


def _dependencies(events: Sequence[Event], choice_reads: Mapping[int, frozenset[int]]) -> dict[str, Sequence[int]]:
    if len(events) > _FEW_EVENTS:
        from mcm.execution.rows import rows_of  # noqa: PLC0415

        listed: dict[str, dict[int, list[int]]] = {name: {} for name in _DEPENDENT}
        for name, read, event in _dependent(events, choice_reads):
            listed[name].setdefault(read, []).append(event)
        return {name: rows_of(of, len(events)) for name, of in listed.items()}
    rows = {name: [0] * len(events) for name in _DEPENDENT}
    for name, read, event in _dependent(events, choice_reads):
        rows[name][read] |= 1 << event
    return {name: tuple(row) for name, row in rows.items()}


def _dependent(events: Sequence[Event], choice_reads: Mapping[int, frozenset[int]]) -> Iterator[tuple[str, int, int]]:
    """The dependencies: of which kind, the read, and the event that depends on it, in order of these."""
    # The events of a branch have the same guard.
    known: dict[Expression, frozenset[int]] = {}
    for event in events:
        for name, expression in zip(_DEPENDENT, (event.value, event.address, event.guard), strict=True):
            if expression is None or type(expression) is Constant:
                continue
            if expression not in known:
                known[expression] = mentioned(expression, choice_reads)
            for read in known[expression]:
                if read != event.identifier:
                    yield name, read, event.identifier


def mentioned(expression: Expression, choice_reads: Mapping[int, Iterable[int]]) -> frozenset[int]:
    """The reads that an expression depends on, also through the choice of a compare-exchange."""
    found: set[int] = set()
    for part in subexpressions(expression):
        match part:
            case ReadValue(event):
                found.add(event)
            case Choice(index):
                found.update(choice_reads.get(index, ()))
            case _:
                pass
    return frozenset(found)
