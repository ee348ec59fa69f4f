"""Which threads form a work-group or sub-group."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mcm.program.operators import Level
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mcm.machine.code import ThreadCode
    from mcm.program.program import Program
    from mcm.program.topology import Placement

# The threads of a group by position in the program: in order, and as a mask.
Group = tuple[tuple[int, ...], int]


def groups_of(threads: Sequence[ThreadCode]) -> list[dict[Level, Group]]:
    """For every thread its work-group and its sub-group; a host thread is alone in both."""
    gathered: defaultdict[Hashable, list[int]] = defaultdict(list)
    keys = [_keys(number, code.placement) for number, code in enumerate(threads)]
    for number, own in enumerate(keys):
        for key in own.items():
            gathered[key].append(number)
    groups = {key: (tuple(found), sum(1 << n for n in found)) for key, found in gathered.items()}
    return [{level: groups[level, key] for level, key in own.items()} for own in keys]


def _keys(number: int, placement: Placement) -> dict[Level, Hashable]:
    if not isinstance(placement, WorkItem):
        return dict.fromkeys(Level, number)
    return {Level.WORK_GROUP: placement.work_group, Level.SUB_GROUP: placement.sub_group}


def performers(program: Program) -> tuple[int, ...]:
    """The threads that perform copies, by position in the program: the last of each work-group that has any."""
    found = {}
    for number, thread in enumerate(program.threads):
        if isinstance(thread.placement, WorkItem) and thread.has_copies:
            found[thread.placement.work_group] = number
    return tuple(found.values())
