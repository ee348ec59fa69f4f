"""Columns: one for each unit that is shown, in nested boxes for devices, work-groups and sub-groups."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.picture.scene import Group, Unit
from mcm.program.topology import DataCommand, Device, HostThread, KernelInstance, SubGroup, WorkGroup, WorkItem

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.program.program import Program, Thread
    from mcm.program.topology import Enclosing

# More units than these are not drawn: nobody looks at them all.
MOST_UNITS: Final = 192


class Columns(Struct, frozen=True):
    """The column of each shown thread and of each command, by its number, with the units and groups.

    `hidden` is how many threads are left out.
    """

    of_thread: dict[int, int]
    of_command: dict[int, int]
    units: tuple[Unit, ...]
    groups: tuple[Group, ...]
    hidden: int


def columns_of(program: Program, wanted: Collection[int]) -> Columns:
    """The columns of a program: host threads, commands, and then what runs on devices.

    Where there are too many units, they are the `wanted` threads and the first others.
    """
    threads = sorted(program.threads, key=_place)
    if len(threads) > MOST_UNITS:
        unwanted = [thread.index for thread in threads if thread.index not in wanted]
        shown = {*wanted, *unwanted[: max(0, MOST_UNITS - len(wanted))]}
        threads = [thread for thread in threads if thread.index in shown]
    # The program enqueues commands, these start the units of devices: so they stand from left to right.
    hosts = [thread for thread in threads if isinstance(thread.placement, HostThread)]
    others = [thread for thread in threads if thread not in hosts]
    has_devices = program.dialect.has_devices
    between = [Unit(command.name, f"{command.name}: {command.kind.value}, a command") for command in program.commands]
    groups = _groups(others, len(hosts) + len(between)) if has_devices else ()
    columns = {thread.index: column for column, thread in enumerate(hosts)}
    columns |= {thread.index: len(hosts) + len(between) + number for number, thread in enumerate(others)}
    return Columns(
        columns,
        {command.number: len(hosts) + number for number, command in enumerate(program.commands)},
        tuple(map(_unit, hosts)) + tuple(between) + tuple(map(_unit, others)),
        groups,
        len(program.threads) - len(threads),
    )


def _unit(thread: Thread) -> Unit:
    return Unit(thread.name, _title(thread))


def _place(thread: Thread) -> tuple[object, ...]:
    placement = thread.placement
    match placement:
        case WorkItem(sub_group):
            return (2, sub_group, thread.index)
        case DataCommand():
            return (1, thread.index)
        case HostThread():
            return (0, thread.index)


def _title(thread: Thread) -> str:
    placement = thread.placement
    if isinstance(placement, HostThread):
        return f"{thread.name}: a host thread"
    if isinstance(placement, DataCommand):
        return f"{thread.name}: what the command does to memory"
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


def _groups(threads: Sequence[Thread], start: int) -> tuple[Group, ...]:
    """The boxes of threads, the first of which is in column `start`.

    Those of kernel instances and sub-groups are drawn only where there are several in what encloses them.
    """
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
                groups.append(Group(_title_of(value), start + columns[0], start + columns[-1], depth))
    return tuple(groups)
