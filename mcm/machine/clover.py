"""The order in which Clover runs a kernel (EXE-1 to EXE-4).

Workers reserve work-groups in order and take turns, one step each. In a work-group one work-item runs at a time.
Without a barrier the work-items run to their end, one after another. At a barrier the next work-item runs, after the
last one the first again; after a barrier, the end of a work-item lets the next unfinished one run.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from mcm.machine.code import Barrier, Collective
from mcm.program.instruction import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.configuration import Configuration
    from mcm.machine.groups import Group
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice


class CloverScheduler:
    """A deterministic scheduler: all runs of a program are the same."""

    def __init__(self, workers: int = 4) -> None:
        self._workers = workers
        self._turn = 0
        self._busy: list[Group] = []
        self._left: deque[Group] | None = None
        self._current: dict[int, int] = {}
        self._handing_over: set[int] = set()

    def begin(self) -> None:
        """Begin with no work-group reserved."""
        self._turn = 0
        self._busy.clear()
        self._left = None
        self._current.clear()
        self._handing_over.clear()

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:
        """The current work-item of the next worker."""
        if self._left is None:
            # The work-groups in order; each host thread counts as one.
            self._left = deque(dict.fromkeys(groups[Level.WORK_GROUP] for groups in machine.groups))
        while True:
            self._reserve(ready)
            self._turn %= len(self._busy)
            group = self._busy[self._turn][0]
            self._turn += 1
            item = self._item(machine, now, group, ready)
            if item is not None:
                return group[item]

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The newest value, success, and operands from left to right, as on one store."""
        return max(choices, key=lambda choice: (choice.message, choice.succeeds))

    def _reserve(self, ready: int) -> None:
        """Let idle workers reserve the next work-groups; a group that cannot go on releases its worker."""
        assert self._left is not None
        self._busy = [group for group in self._busy if ready & group[1]]
        while self._left and len(self._busy) < self._workers:
            group = self._left.popleft()
            if ready & group[1]:
                self._busy.append(group)

    def _item(self, machine: Machine[Any], now: Configuration[Any], group: Sequence[int], ready: int) -> int | None:
        """The index of the work-item that runs: the same as before until it waits or has finished; None if none can."""
        key, size = group[0], len(group)
        current = self._current.get(key, 0)
        if key in self._handing_over or not ready >> group[current] & 1:
            self._handing_over.discard(key)
            following = ((current + i) % size for i in range(1, size + 1))
            current = next((i for i in following if ready >> group[i] & 1), current)
            self._current[key] = current
        if not ready >> group[current] & 1:
            return None
        if isinstance(machine.instruction(now, group[current]), (Barrier, Collective)):
            self._handing_over.add(key)
        return current
