"""Waits under occupancy-bound execution (OBE): each work-group that has begun goes on, others need never begin.

A unit may wait forever if it does where some work-groups are not there at all. So that is asked, for each choice of
work-groups that begin: they are a program of their own.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.engine.choose import decide
from mcm.execution.call_orders import TooManyOrdersError
from mcm.execution.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.answer import Waiting
    from mcm.answer.query import Query
    from mcm.engine.choose import EngineName
    from mcm.program.program import Program, Thread

# With so many work-groups there are 62 choices; with more, each wait counts as one that depends on others.
_MOST_GROUPS: Final = 6


def waits_for_absent(
    program: Program, waits: tuple[Waiting, ...], query: Query, engine: EngineName, bound: int
) -> tuple[Waiting, ...]:
    """Those of the waits that last forever if some work-groups never begin; all, if that is not found out."""
    groups = _groups(program)
    if len(groups) > _MOST_GROUPS:
        return waits
    overwrites = any(stop.stores for skeleton in query.skeletons for stop in skeleton.stops)
    found = set()
    for begun in _choices(groups):
        part = replace(program, threads=begun, condition=None, filter=None, locations=())
        try:
            skeletons = elaborate(part, bound, waiting=True, overwrites=overwrites)
        except TooManyOrdersError:
            return waits
        asked = replace(query, skeletons=skeletons, observed=(), proposition=None, filter=None, first_problem=None)
        answer = decide(replace(asked, wants_flags=False, known=()), engine)
        if answer.undecided is not None:
            return waits
        found |= {(unit.thread, unit.span) for blocked in answer.blocked for unit in blocked.units}
    return tuple(unit for unit in waits if (unit.thread, unit.span) in found)


def _groups(program: Program) -> list[tuple[Thread, ...]]:
    """The threads by work-group; a thread without one is a group of its own."""
    groups: dict[object, list[Thread]] = {}
    for thread in program.threads:
        groups.setdefault(thread.group, []).append(thread)
    return [tuple(members) for members in groups.values()]


def _choices(groups: list[tuple[Thread, ...]]) -> Iterator[tuple[Thread, ...]]:
    """The threads that begin: those of some work-groups, but not of all."""
    for number in range(1, len(groups)):
        for chosen in combinations(groups, number):
            yield tuple(thread for group in chosen for thread in group)
