"""The query about a program as one run executes it, where every execution reads what the run reads.

`docs/search.md`, *Suppositions*, says why it is the same query.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mcm.engine.choose import is_settled, objects_of_suppositions
from mcm.execution.evaluate import reads_of_all
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.supposition import FalseSuppositionError, RunPlace, Supposition
from mcm.execution.text_commands import host_of, meet_at_atomics, one_of_each_text
from mcm.execution.text_phases import FLAGS, ReadKind, commands_of_several_groups, written_in_other_phases
from mcm.program import instruction as hir
from mcm.program.operators import Level
from mcm.program.resolve.accessed import ATOMIC, Reach
from mcm.program.types import Order, Region
from mcm.program.walk import walk, walk_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.query import Query
    from mcm.execution.skeleton import Skeleton
    from mcm.execution.supposition import Suppositions
    from mcm.machine.recording import Recording
    from mcm.program.program import Program

_READS: Final = {None: ReadKind.PLAIN} | dict.fromkeys((Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST), ReadKind.LOAD)

# Where a run is given up after more operations than these, it may have no end, and what it reads helps nobody.
_MANY_OPERATIONS: Final = 5_000

# What is not shown is given up with its objects; what is left may then not be shown either.
_ATTEMPTS: Final = 3


def supposed_query(program: Program, recording: Recording, query_of: Callable[[Suppositions], Query]) -> Query | None:
    """The query with what reads and group functions return in a run, and of which it is shown that they do.

    `query_of` makes the query with suppositions. None where nothing is shown.
    """
    synchronising = _synchronising(program)
    if synchronising is None or (recording.end is None and len(recording.operations) > _MANY_OPERATIONS):
        return None
    suppositions = reads_of_run(program, recording) | results_of_groups(recording)
    for _ in range(_ATTEMPTS):
        if not suppositions:
            return None
        try:
            query = query_of(suppositions)
        except FalseSuppositionError:
            suppositions = {place: found for place, found in suppositions.items() if found.location is not None}
            continue
        executed = {event.span.start for skeleton in query.skeletons for event in skeleton.events}
        if not synchronising <= executed:
            return None
        if any(_may_come_out_of_thin_air(skeleton) for skeleton in query.skeletons):
            return None
        open_ = objects_of_suppositions(query)
        if not open_ and (not program.has_commands or is_settled(query)):
            # How far commands get is shown with all else only.
            return query
        if not open_:
            return None
        suppositions = {
            place: found
            for place, found in suppositions.items()
            if found.location is None or found.location.object not in open_
        }
    return None


def _may_come_out_of_thin_air(skeleton: Skeleton) -> bool:
    """Whether something rests on a read of an atomic object of which nothing is supposed, and that no barrier orders.

    Who is told what it returns behind a barrier of the other region may write what it has returned, then, as nothing
    orders the write behind the read. A supposition would leave out that write.
    """
    ordered = _ordered_by_barriers(skeleton.program)
    used = reads_of_all(skeleton.constraints)
    for event in skeleton.events:
        # What an update makes of what it reads goes where it has read it.
        used |= reads_of_all(event.expressions) - {event.identifier}
    atomic = skeleton.sets["AO"].locations
    return any(
        skeleton.program.objects[location.object].region not in ordered and (read.atomic or location in atomic)
        for read in map(skeleton.events.__getitem__, used - skeleton.supposed.keys())
        for location in read.locations
    )


def _ordered_by_barriers(program: Program) -> frozenset[Region]:
    """The regions in which all barriers of a program's text order accesses."""
    nodes = walk_once(thread.body for thread in program.threads)
    flags = [node.flags for node in nodes if isinstance(node, hir.Barrier)]
    return frozenset(region for region, flag in FLAGS.items() if all(flag in each for each in flags))


def reads_of_run(program: Program, recording: Recording) -> dict[RunPlace, Supposition]:
    """What those reads of a run return whose sources happen before them, whatever execution they are in.

    So it is of plain reads of objects that are not atomic, and of plain reads and of loads of others where
    barriers lie between all of them and all writes.
    """
    counts: Counter[tuple[int, int]] = Counter()
    found: dict[RunPlace, Supposition] = {}
    atomically: dict[RunPlace, tuple[int, ReadKind]] = {}
    for operation in recording.operations:
        location, thread, start = operation.location, operation.thread, operation.span.start
        kind = _READS.get(operation.order)
        if operation.kind is not EventKind.READ or kind is None or location is None or thread is None:
            continue
        place = RunPlace(thread, start, counts[thread, start])
        counts[thread, start] += 1
        if operation.read is not None:
            found[place] = Supposition(location, Constant(operation.read))
            if program.objects[location.object].atomic:
                atomically[place] = location.object, kind
    asked = set(atomically.values())
    kept = {
        (number, kind)
        for kind in ReadKind
        for number in written_in_other_phases(program, {number for number, other in asked if other is kind}, kind)
    }
    return {place: read for place, read in found.items() if place not in atomically or atomically[place] in kept}


def results_of_groups(recording: Recording) -> dict[RunPlace, Supposition]:
    """What group functions return in a run, each as often as it is called."""
    counts: Counter[tuple[int, int]] = Counter()
    found: dict[RunPlace, Supposition] = {}
    for number, operation in enumerate(recording.operations):
        if operation.kind is EventKind.CALL and operation.thread is not None:
            thread, start = operation.thread, operation.span.start
            if number in recording.results:
                place = RunPlace(thread, start, counts[thread, start])
                found[place] = Supposition(None, Constant(recording.results[number]))
            counts[thread, start] += 1
    return found


def may_be_supposed(program: Program) -> bool:
    """Whether at most barriers decide who goes first in a program."""
    return _synchronising(program) is not None


def _synchronising(program: Program) -> frozenset[int] | None:
    """Where in the text atomic operations and barriers begin; None where more than barriers may decide who goes first.

    Atomic operations are relaxed, or loads and stores of objects that no phase both loads and writes; barriers are
    those of work-groups, and no two groups meet at an atomic object, unless commands order all that they do there.
    """
    if _meet(program):
        return None
    found: set[int] = set()
    strong = False
    for node in walk_once(thread.body for thread in program.threads):
        match node:
            case hir.AtomicLoad(order=order) | hir.AtomicStore(order=order):
                is_weak = True
                strong = strong or order is not Order.RELAXED
            case hir.AtomicUpdate(order=order):
                is_weak = order is Order.RELAXED
            case hir.CompareExchange(success=success, failure=failure):
                is_weak = success is failure is Order.RELAXED
            case hir.LegacyCompareExchange():
                is_weak = True
            case hir.Collective(level=Level.SUB_GROUP, of_active=of_active):
                # It orders nothing, and need not be executed: what it returns is compared with what was supposed.
                if of_active and not _have_one_text(program):
                    return None
                continue
            case hir.Barrier(level=level) | hir.Collective(level=level):
                is_weak = level is Level.WORK_GROUP
            case hir.Enqueue() | hir.WaitForEvents() | hir.Finish():
                is_weak = True
            case hir.Fence() | hir.SetUserEventStatus() | hir.SetEventCallback() | hir.EventStatus():
                is_weak = False
            case _:
                continue
        if not is_weak:
            return None
        found.add(node.span.start)
    return None if strong and not _synchronise_behind_barriers(program) else frozenset(found)


def _have_one_text(program: Program) -> bool:
    """Whether the members of each sub-group execute one kernel, so that they come to its calls in one order."""
    groups = program.members_of_groups().values()
    return all(len({(thread.span.start, thread.span.end) for thread in members}) == 1 for members in groups)


def _meet(program: Program) -> bool:
    """Whether groups may meet at an atomic object while both run, or what runs at a time is not looked at."""
    if program.needs_whole_model:
        return host_of(program) is None or meet_at_atomics(program) or _groups_meet_behind_barriers(program)
    groups = {thread.group for thread in program.threads}
    return len(groups) > 1 and any(item.atomic and item.region is not Region.LOCAL for item in program.objects)


def _groups_meet_behind_barriers(program: Program) -> bool:
    """Whether groups that execute one command may meet at an atomic object, so that barriers of both are ordered.

    They do not where it has no barriers, or does not both read and write the object atomically.
    """
    several = commands_of_several_groups(program)
    loaded: set[int] = set()
    for thread in one_of_each_text(program):
        nodes = walk(thread.body) if thread.started_by in several else []
        if any(isinstance(node, hir.Barrier) for node in nodes):
            reach = Reach(thread, nodes, program.objects)
            for node in nodes:
                if isinstance(node, ATOMIC) and not isinstance(node, hir.AtomicStore):
                    objects = {n for n in reach.of(node.address) if program.objects[n].region is not Region.LOCAL}
                    if objects and not isinstance(node, hir.AtomicLoad):
                        return True
                    loaded |= objects
    return not loaded <= written_in_other_phases(program, loaded, ReadKind.LOAD)


def _synchronise_behind_barriers(program: Program) -> bool:
    """Whether barriers lie between all loads and all writes of what loads and stores that synchronise may access."""
    objects: set[int] = set()
    for thread in program.threads:
        nodes = walk(thread.body)
        reach = Reach(thread, nodes, program.objects)
        for node in nodes:
            if isinstance(node, hir.AtomicLoad | hir.AtomicStore) and node.order is not Order.RELAXED:
                objects |= reach.of(node.address)
    return objects <= written_in_other_phases(program, objects, ReadKind.LOAD)
