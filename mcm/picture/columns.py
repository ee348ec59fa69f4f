"""Columns: one for each unit that is shown, in nested boxes for devices, work-groups and sub-groups.

Of many units only those have one that the picture is about; the others are folded.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.picture.scene import Group, Unit
from mcm.program.topology import DataCommand, Device, HostThread, KernelInstance, SubGroup, WorkGroup, WorkItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.picture.wanted import Wanted
    from mcm.program.program import Program, Thread
    from mcm.program.topology import Enclosing

# Of more units than these not all are drawn: the picture would be too wide for anybody to see it.
MOST_UNITS: Final = 16

# So many are drawn then, and so many of those that nothing says anything of.
_SHOWN: Final = 8
_ANY: Final = 4

# So many work-items may stand in a picture with nothing below their names.
_IDLE: Final = 4

_Levels = tuple["Enclosing | None", ...]
_NOWHERE: Final[_Levels] = (None,) * 4


class Columns(Struct, frozen=True):
    """The column of each shown thread and of each command, by its number, with the units and groups.

    `of_folded` has the columns of threads that are folded with their neighbours.
    """

    of_thread: dict[int, int]
    of_folded: dict[int, int]
    of_command: dict[int, int]
    units: tuple[Unit, ...]
    groups: tuple[Group, ...]


class _Column(Struct, frozen=True):
    """A thread, or neighbours that are folded; and what it is drawn in."""

    threads: tuple[Thread, ...]
    levels: _Levels
    is_folded: bool

    @property
    def unit(self) -> Unit:
        first, last, count = self.threads[0], self.threads[-1], len(self.threads)
        if not self.is_folded:
            return Unit(first.name, _title(first))
        names = (
            f"which are not drawn: {first.name} to {last.name}" if count > 1 else f"which is not drawn: {first.name}"
        )
        return Unit(f"and {count} more", f"and {count} more, {names}", count)


def columns_of(program: Program, wanted: Wanted, acting: frozenset[int]) -> Columns:
    """The columns of a program: host threads, commands, and then what runs on devices.

    Of commands those that are `acting` have one: a user event is set in the column of the host.

    Where there are too many units, those that are not `wanted` are folded with their neighbours; so are many idle ones.
    """
    threads = sorted(program.threads, key=_place)
    shown = _shown(threads, wanted)
    # The program enqueues commands, these start the units of devices: so they stand from left to right.
    hosts = _folded([thread for thread in threads if isinstance(thread.placement, HostThread)], shown)
    others = _folded([thread for thread in threads if not isinstance(thread.placement, HostThread)], shown)
    commands = [command for command in program.commands if command.number in acting]
    between = [Unit(command.name, f"{command.name}: {command.kind.value}, a command") for command in commands]
    start = len(hosts) + len(between)
    columns = {thread.index: number for number, one in enumerate(hosts) for thread in one.threads}
    columns |= {thread.index: number for number, one in enumerate(others, start) for thread in one.threads}
    return Columns(
        {index: column for index, column in columns.items() if index in shown},
        {index: column for index, column in columns.items() if index not in shown},
        {command.number: len(hosts) + number for number, command in enumerate(commands)},
        (*(one.unit for one in hosts), *between, *(one.unit for one in others)),
        _groups(others, start, [_levels_of(thread) for thread in threads]) if program.dialect.has_devices else (),
    )


def _shown(threads: Sequence[Thread], wanted: Wanted) -> frozenset[int]:
    """The numbers of the threads that have a column of their own."""
    everybody = [thread.index for thread in threads]
    if len(everybody) <= MOST_UNITS:
        return frozenset(everybody) - (wanted.idle if len(wanted.idle) > _IDLE else frozenset())
    room = max(0, _SHOWN - len(wanted.surely))
    found = {*wanted.surely, *[index for index in wanted.rather if index not in wanted.surely][:room]}
    return frozenset(found or everybody[:_ANY])


def _folded(threads: Sequence[Thread], shown: frozenset[int]) -> list[_Column]:
    """The columns of some threads; groups in which all are folded are drawn as one with their neighbours."""
    busy = {level for thread in threads if thread.index in shown for level in _levels_of(thread)}
    found: list[_Column] = []
    for thread in threads:
        levels = tuple(level if level in busy else None for level in _levels_of(thread))
        if thread.index not in shown and found and found[-1].is_folded and found[-1].levels == levels:
            found[-1] = _Column((*found[-1].threads, thread), levels, is_folded=True)
        else:
            found.append(_Column((thread,), levels, is_folded=thread.index not in shown))
    return found


def _levels_of(thread: Thread) -> _Levels:
    return thread.placement.enclosing if isinstance(thread.placement, WorkItem) else _NOWHERE


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


def _groups(columns: Sequence[_Column], start: int, everywhere: Sequence[_Levels]) -> tuple[Group, ...]:
    """The boxes of columns, the first of which has the number `start`.

    Those of kernel instances and sub-groups are drawn only where there are several in what encloses them.
    """
    distinct = [len({levels[level] for levels in everywhere if levels[level] is not None}) for level in range(4)]
    drawn = [0, *([1] if distinct[1] > distinct[0] else []), 2, *([3] if distinct[3] > distinct[2] else [])]
    groups: list[Group] = []
    for depth, level in enumerate(drawn):
        levels = [column.levels[level] for column in columns]
        for value, run in groupby(range(len(columns)), key=levels.__getitem__):
            places = list(run)
            if value is not None:
                groups.append(Group(_title_of(value), start + places[0], start + places[-1], depth))
    return tuple(groups)
