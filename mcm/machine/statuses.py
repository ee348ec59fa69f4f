"""HOST-4q: the answers that `clGetEventInfo` may give: of any time that agrees with what happens before and after it.

An answer is given by its rank: 0 queued, 1 submitted, 2 running, 3 complete, or an error. On weak memory, a thread is
told no less than what happens before its question: starts and completions, and what was told earlier. On one store all
steps are in one order, but for those of the runtime, which may come as late as nobody needs them: a command has started
when one of its threads has made a step, and is complete when somebody has gone on because of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic

from mcm.machine.command import CommandKind
from mcm.machine.command_state import COMPLETE_RANK, State, is_over, rank_of
from mcm.machine.configuration import MemoryT
from mcm.machine.fact import Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.machine.command_code import CommandTable
    from mcm.machine.commands import CommandStates
    from mcm.machine.memory import MemorySubsystem

_TOLD: Final = (None, FactKind.TOLD_SUBMITTED, FactKind.TOLD_RUNNING, FactKind.TOLD_COMPLETE)
_LEAST: Final = (
    (FactKind.COMPLETED, 3),
    (FactKind.TOLD_COMPLETE, 3),
    (FactKind.STARTED, 2),
    (FactKind.TOLD_RUNNING, 2),
    (FactKind.TOLD_SUBMITTED, 1),
)
_RUNNING_RANK: Final = 2
_USER: Final = (1, COMPLETE_RANK)
_NOT_STARTED: Final = (0, 1, COMPLETE_RANK)


class Statuses(Generic[MemoryT]):
    """Answers to questions for the status of commands."""

    def __init__(self, table: CommandTable, memory: MemorySubsystem[MemoryT]) -> None:
        self._table: Final = table
        self._memory: Final = memory

    def ranks(
        self,
        now: CommandStates,
        at: MemoryT,
        thread: int,
        command: int,
        predecessors: Callable[[int], Sequence[int]],
    ) -> list[int]:
        """The ranks of the answers that a thread may get, the oldest first; `predecessors` of each enqueued command."""
        most = rank_of(now.states[command])
        if self._memory.is_one_store:
            least = _Forced(self._table, now, predecessors).rank(command)
        else:
            least = self._known(at, thread, command)
        possible = self._possible(now, command)
        return [rank for rank in possible if least <= rank <= most]

    def _possible(self, now: CommandStates, command: int) -> Sequence[int]:
        """The ranks that there are: a user event does not run, nor a command that fails because of its wait list."""
        code = self._table.commands[command]
        if code.kind is CommandKind.USER:
            return _USER
        has_failed = now.states[command] < 0 and not any(
            other.parent == command and now.states[number] < 0 for number, other in enumerate(self._table.commands)
        )
        return _NOT_STARTED if has_failed else range(COMPLETE_RANK + 1)

    def told(self, at: MemoryT, thread: int, command: int, rank: int) -> MemoryT:
        """The state of memory after a thread was told a status."""
        kind = _TOLD[rank]
        return at if kind is None else self._memory.learn(at, thread, Fact(kind, command))

    def _known(self, at: MemoryT, thread: int, command: int) -> int:
        """The least rank that agrees with what happens before the question of a thread."""
        return next((rank for kind, rank in _LEAST if self._memory.knows(at, thread, Fact(kind, command))), 0)


class _Forced:
    """What must have become of commands, on one store, for the steps that were made."""

    def __init__(self, table: CommandTable, now: CommandStates, predecessors: Callable[[int], Sequence[int]]) -> None:
        self._table: Final = table
        self._now: Final = now
        self._behind: Final[dict[int, list[int]]] = {}
        for number, state in enumerate(now.states):
            if state != State.ABSENT and table.commands[number].kind is not CommandKind.USER:
                for before in predecessors(number):
                    self._behind.setdefault(before, []).append(number)

    def rank(self, command: int) -> int:
        """The least rank of a command."""
        if self._is_complete(command):
            return COMPLETE_RANK
        return max(self._now.told[command], _RUNNING_RANK * self._has_started(command))

    def _has_started(self, command: int) -> bool:
        state, code = self._now.states[command], self._table.commands[command]
        # Nobody can tell when a map is made: it changes nothing that is stored.
        has_stepped = state >= State.RUNNING and bool(code.groups) and not code.is_map
        return has_stepped or self._now.told[command] >= _RUNNING_RANK or (state >= 0 and self._is_complete(command))

    def _is_complete(self, command: int) -> bool:
        if not is_over(self._now.states[command]):
            return False
        code = self._table.commands[command]
        if code.kind is CommandKind.USER or self._now.told[command] == COMPLETE_RANK:
            return True
        if code.parent is not None and self._is_complete(code.parent):
            return True
        return any(self._has_started(other) or self._is_complete(other) for other in self._behind.get(command, ()))
