"""What a group is told by one of its members through local memory, once: it is known when the program is elaborated.

A variable in local memory that the text writes in one place, before any loop, has no other writes than those that are
found where loops are cut. Who reads the only one behind a barrier reads that however far loops go.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from mcm.execution.algebra import TRUE
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.supposition import RunPlace, Supposition
from mcm.program import instruction as hir
from mcm.program.types import Location, Region
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.program import Program, Thread


def told_to_groups(skeleton: Skeleton, returned: Callable[[Event], Expression]) -> dict[RunPlace, Supposition]:
    """What reads return of variables that are written once, by the places of the reads in a run.

    `returned` says what every execution reads there, as far as that is known.
    """
    once = written_once(skeleton.program)
    if not once:
        return {}
    reads: list[Event] = []
    written: dict[int, list[Event]] = {}
    for event in skeleton.events:
        numbers = {location.object for location in event.locations} & once
        if event.kind.writes and event.thread is not None:
            for number in numbers:
                written.setdefault(number, []).append(event)
        elif event.kind is EventKind.READ and numbers:
            reads.append(event)
    times = Counter((read.thread, read.span.start) for read in reads)
    found: dict[RunPlace, Supposition] = {}
    for read in reads:
        writes = written.get(read.locations[0].object, [])
        is_sure = len(writes) == 1 and read.guard is writes[0].guard is TRUE
        value, place = returned(read), read.address
        if (
            is_sure
            and isinstance(value, Constant)
            and isinstance(place, Constant)
            and isinstance(place.value, Location)
            and read.thread is not None
            and times[read.thread, read.span.start] == 1
        ):
            at = RunPlace(read.thread, read.span.start, 0)
            found[at] = Supposition(place.value, value, is_shown=True)
    return found


def written_once(program: Program) -> frozenset[int]:
    """The variables in local memory that the text of each thread writes in one place at most, before any loop.

    Their addresses are used for nothing but to read and write them.
    """
    local = {number for number, item in enumerate(program.objects) if item.region is Region.LOCAL}
    for thread in program.threads if local else ():
        local -= {r.initial.object for r in thread.registers if isinstance(r.initial, Location)}
        local -= set(_written_more_often(thread))
    return frozenset(local)


def _written_more_often(thread: Thread) -> Iterator[int]:
    """The objects that a thread may write twice, or behind a loop, or whose addresses it does not only access."""
    written: set[int] = set()
    is_behind_a_loop = False
    for outer, node in pairwise(walk(thread.body)):
        is_behind_a_loop |= isinstance(node, hir.Loop)
        match node:
            case hir.Literal(Location(number, _)) if not isinstance(outer, hir.MemoryPlace):
                yield number
            case hir.MemoryPlace(hir.Literal(Location(number, _))) if not isinstance(outer, hir.Read):
                if number in written or is_behind_a_loop:
                    yield number
                written.add(number)
            case _:
                pass
