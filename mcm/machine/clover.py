"""The order in which Clover runs a kernel (EXE-1 to EXE-4).

Workers take work-groups in order and run in parallel: one step each in turn. Inside a group one work-item runs at a
time. Without a barrier they run one after another, to the end. At a barrier control goes to the next work-item, and
after the last one back to the first; once a barrier has been met, an item that finishes hands over to the next one
that has not.
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
    """Deterministic: every run of a program is the same one."""

    def __init__(self, workers: int = 4) -> None:
        self._workers = workers
        self._turn = 0
        self._busy: list[Group] = []
        self._left: deque[Group] | None = None
        self._current: dict[int, int] = {}
        self._handing_over: set[int] = set()

    def begin(self) -> None:
        """No work-group has been taken yet."""
        self._turn = 0
        self._busy.clear()
        self._left = None
        self._current.clear()
        self._handing_over.clear()

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:
        """The current work-item of the worker whose turn it is."""
        if self._left is None:
            # The work-groups in order; each host thread is by itself.
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
        """The newest value, success, and operands from left to right: what plain running shows."""
        return max(choices, key=lambda choice: (choice.message, choice.succeeds))

    def _reserve(self, ready: int) -> None:
        """Workers without work take the next work-groups; a group that cannot go on gives its worker back."""
        assert self._left is not None
        self._busy = [group for group in self._busy if ready & group[1]]
        while self._left and len(self._busy) < self._workers:
            group = self._left.popleft()
            if ready & group[1]:
                self._busy.append(group)

    def _item(self, machine: Machine[Any], now: Configuration[Any], group: Sequence[int], ready: int) -> int | None:
        """Which work-item of a group runs: the same as before, until it has met the others or finished."""
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
