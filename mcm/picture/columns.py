"""Columns: one for each unit that is shown, in nested boxes for devices, work-groups and sub-groups."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.picture.scene import Group, Unit
from mcm.program.topology import Device, KernelInstance, SubGroup, WorkGroup, WorkItem

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.program.program import Program, Thread
    from mcm.program.topology import Enclosing

# More units than these are not drawn: nobody looks at them all.
MOST_UNITS: Final = 192


class Columns(Struct, frozen=True):
    """The column of each shown thread, by its number, with the units and groups; `hidden` is how many are left out."""

    of_thread: dict[int, int]
    units: tuple[Unit, ...]
    groups: tuple[Group, ...]
    hidden: int


def columns_of(program: Program, wanted: Collection[int]) -> Columns:
    """The columns of a program; where there are too many units, the `wanted` threads and the first others."""
    threads = sorted(program.threads, key=_place)
    if len(threads) > MOST_UNITS:
        others = [thread.index for thread in threads if thread.index not in wanted]
        shown = {*wanted, *others[: max(0, MOST_UNITS - len(wanted))]}
        threads = [thread for thread in threads if thread.index in shown]
    has_devices = program.dialect.has_devices
    return Columns(
        {thread.index: column for column, thread in enumerate(threads)},
        tuple(Unit(thread.name, _title(thread) if has_devices else thread.name) for thread in threads),
        _groups(threads) if has_devices else (),
        len(program.threads) - len(threads),
    )


def _place(thread: Thread) -> tuple[object, ...]:
    placement = thread.placement
    return (1, placement.sub_group, thread.index) if isinstance(placement, WorkItem) else (0, thread.index)


def _title(thread: Thread) -> str:
    placement = thread.placement
    if not isinstance(placement, WorkItem):
        return f"{thread.name}: a host thread"
    return f"{thread.name}: {', '.join(_title_of(one) for one in reversed(placement.enclosing))}"


def _title_of(group: Enclosing) -> str:
    match group:
        case Device(number):
            return f"device {number}"
        case KernelInstance(_, number):
            return f"kernel instance {number}"
        case WorkGroup(_, number):
            return f"work-group {number}"
        case SubGroup(_, number):
            return f"sub-group {number}"


def _groups(threads: Sequence[Thread]) -> tuple[Group, ...]:
    """The boxes; those of kernel instances and sub-groups only where there are several in what encloses them."""
    inside = [
        thread.placement.enclosing if isinstance(thread.placement, WorkItem) else (None,) * 4 for thread in threads
    ]
    distinct = [len({row[level] for row in inside if row[level] is not None}) for level in range(4)]
    drawn = [0, *([1] if distinct[1] > distinct[0] else []), 2, *([3] if distinct[3] > distinct[2] else [])]
    groups: list[Group] = []
    for depth, level in enumerate(drawn):
        levels = [row[level] for row in inside]
        for value, run in groupby(range(len(threads)), key=levels.__getitem__):
            columns = list(run)
            if value is not None:
                groups.append(Group(_title_of(value), columns[0], columns[-1], depth))
    return tuple(groups)
