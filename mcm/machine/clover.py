"""The order in which Clover runs a program (EXE-1 to EXE-4, QUE-4).

Each device has an ordered list of work-groups and other work, which its workers reserve from the front. Host threads
and workers take turns, one step each. In a work-group one work-item runs at a time. Without a barrier the work-items
run to their end, one after another. At a barrier the next work-item runs, after the last one the first again; after a
barrier, the end of a work-item lets the next unfinished one run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcm.machine.code import GroupFunction
from mcm.program.operators import Level
from mcm.program.topology import HostThread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.configuration import Configuration
    from mcm.machine.groups import Group
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice

_WORKERS: Final = 4


class CloverScheduler:
    """A deterministic scheduler: all runs of a program are the same. `workers` is their number on each device."""

    def __init__(self, workers: int = _WORKERS) -> None:
        self._number = workers
        self._hosts: list[Group] = []
        self._lists: dict[int, list[Group]] = {}
        self._workers: dict[tuple[int, int], Group | None] = {}
        self._held: list[tuple[int, Group]] = []
        self._is_prepared = False
        self._turn = 0
        self._current: dict[int, int] = {}
        self._handing_over: set[int] = set()

    def begin(self) -> None:
        """Begin with no work-group reserved."""
        self._hosts.clear()
        self._lists.clear()
        self._workers.clear()
        self._held.clear()
        self._is_prepared = False
        self._turn = 0
        self._current.clear()
        self._handing_over.clear()

    def worker_of(self, thread: int) -> int | None:
        """The number of the worker that runs a thread of a device."""
        for (_, worker), group in self._workers.items():
            if group is not None and group[1] >> thread & 1:
                return worker
        return None

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:
        """The current work-item of the next worker, or the next host thread."""
        if not self._is_prepared:
            self._prepare(machine, now)
        self._push(now)
        self._reserve(ready)
        actors = [*self._hosts, *self._workers.values()]
        while True:
            group = actors[self._turn % len(actors)]
            self._turn = (self._turn + 1) % len(actors)
            if group is None or not ready & group[1]:
                continue
            return group[0][self._item(machine, now, group[0], ready)]

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The newest value, success, and operands from left to right, as on one store."""
        return max(choices, key=lambda choice: (choice.message, choice.succeeds))

    def _prepare(self, machine: Machine[Any], now: Configuration[Any]) -> None:
        """Find the host threads, and what each device has to do, from the beginning or for commands that come later."""
        self._is_prepared = True
        for groups in dict.fromkeys(around[Level.WORK_GROUP] for around in machine.groups):
            place = machine.threads[groups[0][0]].placement
            if isinstance(place, HostThread):
                self._hosts.append(groups)
                continue
            device = place.device.number
            self._lists.setdefault(device, [])
            if now.held & groups[1]:
                self._held.append((device, groups))
            else:
                self._lists[device].append(groups)
        self._workers = {(device, n): None for device in sorted(self._lists) for n in range(self._number)}

    def _push(self, now: Configuration[Any]) -> None:
        """Append what commands have begun to the lists of their devices."""
        for device, group in [one for one in self._held if not now.held & one[1][1]]:
            self._lists[device].append(group)
            self._held.remove((device, group))

    def _reserve(self, ready: int) -> None:
        """Let idle workers reserve the next work-groups; a group that cannot go on releases its worker."""
        for (device, number), group in self._workers.items():
            if group is not None and ready & group[1]:
                continue
            waiting = self._lists[device]
            if group is None and not waiting:
                continue
            following = next((one for one in waiting if ready & one[1]), None)
            self._workers[device, number] = following
            if following is not None:
                waiting.remove(following)

    def _item(self, machine: Machine[Any], now: Configuration[Any], group: Sequence[int], ready: int) -> int:
        """The index of the work-item that runs: the same as before until it waits or has finished."""
        key, size = group[0], len(group)
        current = self._current.get(key, 0)
        if key in self._handing_over or not ready >> group[current] & 1:
            self._handing_over.discard(key)
            following = ((current + i) % size for i in range(1, size + 1))
            current = next(i for i in following if ready >> group[i] & 1)
            self._current[key] = current
        if isinstance(machine.instruction(now, group[current]), GroupFunction):
            self._handing_over.add(key)
        return current
