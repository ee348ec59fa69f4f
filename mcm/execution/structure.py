"""The static base sets and relations of a skeleton, under the names of the vocabulary."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.mentions import Mentions
from mcm.execution.shared_buffers import overlapping_buffers, shared_buffer
from mcm.execution.skeleton import SetMembers
from mcm.execution.vocabulary import COMMAND_RELATIONS, SETS
from mcm.program.operators import PipeEnd
from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind, Flag, Location, Order, Region, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.expression import Choice, Expression
    from mcm.execution.shared import Shared
    from mcm.program.program import Program
    from mcm.program.topology import Enclosing

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
    # Events that are written alike belong to the same sets.
    alike: defaultdict[tuple[EventKind, Order | None, Scope | None, frozenset[Flag], bool], int] = defaultdict(int)
    for event in events:
        alike[event.kind, event.order, event.scope, event.flags, event.atomic] |= 1 << event.identifier
    masks: defaultdict[str, int] = defaultdict(int)
    for written, together in alike.items():
        for name in _sets_of(*written):
            masks[name] |= together
    for name, identifier in _sets_besides(program, events):
        masks[name] |= 1 << identifier
    # So do locations that are alike.
    places: dict[tuple[str, ...], list[Location]] = {}
    for location in locations:
        item = program.objects[location.object]
        is_packet = bool(item.capacity and location.offset)
        where = _sets_at(item.region, item.allocation, item.needs_map, is_packet, item.atomic, item.atomic_type)
        places.setdefault(where, []).append(location)
    reached: dict[str, frozenset[Location]] = {}
    for names, here in places.items():
        whole = frozenset(here)
        for name in names:
            reached[name] = reached.get(name, _NO_PLACE) | whole
    found = _NO_MEMBERS | {name: SetMembers(mask, reached.pop(name, _NO_PLACE)) for name, mask in masks.items()}
    found.update((name, SetMembers(0, whole)) for name, whole in reached.items())
    return found


_NO_PLACE: Final = frozenset[Location]()
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
    if kind.is_of_commands:
        return ()
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
        if kind is not EventKind.FENCE and (Flag.GLOBAL in flags) is not (Flag.LOCAL in flags):
            names.append("ONE_SPACE")
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


def _sets_besides(program: Program, events: Sequence[Event]) -> Iterator[tuple[str, int]]:
    """What events belong to by their threads, the ends of pipes, initial values or commands: a set and an event."""
    hosts = {t.index for t in program.threads if isinstance(t.placement, HostThread)}
    if hosts:
        yield from (("H", e.identifier) for e in events if e.thread in hosts and not e.kind.is_of_commands)
    if program.has_pipes:
        yield from ((_PIPE_ENDS[e.pipe], e.identifier) for e in events if e.pipe is not None)
    if any(None in item.initial for item in program.objects):
        initial = (event for event in events if event.kind is EventKind.INITIAL)
        yield from (("INDETERMINATE", e.identifier) for e in initial if _starts_indeterminate(program, e))
    if program.has_commands:
        # Imported here: most programs have no commands.
        from mcm.execution.command_sets import sets_of_commands  # noqa: PLC0415

        yield from sets_of_commands(program, events)


@cache
def _sets_at(
    region: Region,
    allocation: AllocationKind,
    needs_map: bool,  # noqa: FBT001
    is_packet: bool,  # noqa: FBT001
    atomic: bool,  # noqa: FBT001
    atomic_type: bool,  # noqa: FBT001
) -> tuple[str, ...]:
    """The sets that every access of an element of an object belongs to, which may be a packet of a pipe."""
    names: list[str] = []
    if region in _REGIONS:
        names.append(_REGIONS[region])
    if region is Region.GLOBAL:
        names.append(_ALLOCATIONS[allocation])
        if needs_map:
            names.append("NEEDS_MAP")
    if is_packet:
        names.append("PACKETS")
    if atomic:
        names.append("AO")
    if atomic_type:
        names.append("ATOMIC_TYPE")
    return tuple(names)


def _starts_indeterminate(program: Program, event: Event) -> bool:
    (location,) = event.locations
    return program.object_at(location).initial[location.offset] is None


# Up to so many events the masks of relations are short, and a tuple of them is the fastest.
_FEW_EVENTS: Final = 2048
_DEPENDENT: Final = ("data", "addr", "ctrl")
# What depends on no read.
_FIXED: Final = frozenset({Constant, NoneType})
# The rows of what is in no unit.
_NOWHERE: Final = (0, 0, 0, 0)


def base_relations(
    program: Program, events: Sequence[Event], before: Mapping[int, int], choice_reads: Mapping[int, frozenset[int]]
) -> dict[str, Sequence[int]]:
    """The rows of every static base relation; those about commands are empty.

    `before` has for some events the mask of those sequenced before them, counted from the first of their thread.
    """
    of_thread: defaultdict[int | None, int] = defaultdict(int)
    of_barrier: defaultdict[BarrierInstance | None, int] = defaultdict(int)
    for event in events:
        of_thread[event.thread] |= 1 << event.identifier
        if event.barrier is not None:
            of_barrier[event.barrier] |= 1 << event.identifier
    enclosing = {t.index: t.placement.enclosing for t in program.threads if isinstance(t.placement, WorkItem)}
    inside: defaultdict[Enclosing, int] = defaultdict(int)
    for thread, around in enclosing.items():
        for one in around:
            inside[one] |= of_thread.get(thread, 0)
    near: dict[int | None, tuple[int, ...]] = {
        thread: tuple([inside[one] for one in around]) for thread, around in enclosing.items()
    }
    rows = [near.get(event.thread, _NOWHERE) for event in events]
    device, kernel, work_group, sub_group = zip(*rows, strict=True) if rows else [()] * 4
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
    nothing = (0,) * len(events)
    return {
        "po": _sequenced(events, before, of_thread),
        "int": internal,
        "ext": _others(internal),
        "ssg": sub_group,
        "swg": work_group,
        "ski": kernel,
        "family": family,
        "sdv": device,
        "shared-buffer": shared_buffer(program, events, family),
        "overlapping-buffers": overlapping_buffers(program, events),
        "syncbar": tuple([of_barrier.get(event.barrier, 0) for event in events]) if of_barrier else nothing,
        **dict.fromkeys((*COMMAND_RELATIONS, "rmw"), nothing),
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


def _sequenced(
    events: Sequence[Event], before: Mapping[int, int], of_thread: Mapping[int | None, int]
) -> Sequence[int]:
    """The rows of sequenced-before, from what comes before each event.

    Mostly that is everything earlier in its thread, which need not be said: only what differs from this is looked at.
    """
    # Initial writes are of no thread, and nothing is sequenced with them.
    first = {thread: (mask & -mask).bit_length() - 1 for thread, mask in of_thread.items()}
    first[None] = 0
    # Of many events, the masks of a thread begin with its first event.
    is_large = len(events) > _FEW_EVENTS
    shifts: Sequence[int] = [first[event.thread] for event in events] if is_large else (0,) * len(events)
    rows = [
        0 if event.thread is None else of_thread[event.thread] >> event.identifier + 1 << event.identifier + 1 - shift
        for event, shift in zip(events, shifts, strict=True)
    ]
    for identifier, found in before.items():
        thread, bit = events[identifier].thread, 1 << identifier - shifts[identifier]
        if thread is not None:
            begin = first[thread]
            assumed = of_thread[thread] >> begin & (1 << identifier - begin) - 1
            for other in members(assumed ^ found):
                rows[begin + other] ^= bit
    if is_large:
        # Imported here, as below: few programs are so large.
        from mcm.execution.rows import ShiftedRows  # noqa: PLC0415

        return ShiftedRows(rows, shifts)
    return tuple(rows)


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
    mentions = Mentions()
    for event in events:
        expressions = event.value, event.address, event.guard
        if _FIXED.issuperset(map(type, expressions)):
            continue
        for name, expression in zip(_DEPENDENT, expressions, strict=True):
            if expression is None or type(expression) is Constant:
                continue
            if expression not in known:
                known[expression] = _reads_of(mentions.of(expression), choice_reads)
            for read in known[expression]:
                if read != event.identifier:
                    yield name, read, event.identifier


def choice_bases(shared: Shared) -> dict[int, frozenset[int]]:
    """For each choice of a compare-exchange the reads that it depends on: its own, and those of what it expects."""
    found: dict[int, frozenset[int]] = {}
    mentions = Mentions()
    # What is expected is known before, and so are the choices that it mentions.
    for number, reads in sorted(shared.choice_reads.items()):
        expected = shared.expected.get(number)
        atoms = () if expected is None or type(expected) is Constant else mentions.of(expected)
        found[number] = reads | _reads_of(atoms, found)
    return found


def _reads_of(atoms: Iterable[ReadValue | Choice], choice_reads: Mapping[int, Iterable[int]]) -> frozenset[int]:
    """The reads that an expression of these depends on, also through the choice of a compare-exchange."""
    found: set[int] = set()
    for atom in atoms:
        if isinstance(atom, ReadValue):
            found.add(atom.event)
        else:
            found.update(choice_reads.get(atom.index, ()))
    return frozenset(found)
