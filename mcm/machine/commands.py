"""Commands as part of a configuration: host threads enqueue them, queues push them, and their threads perform them.

Whatever the runtime does by itself happens at once: a command that may begin is pushed, one whose work is done is
complete, and a host thread whose call has nothing left to wait for goes on. That something could take longer makes no
difference, as it is the same as if the threads concerned were slow; and `clGetEventInfo` may tell of an earlier state.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from mcm.base.bits import listed
from mcm.machine.command import CommandKind
from mcm.machine.command_state import State, is_over, to_push
from mcm.machine.fact import Fact, FactKind
from mcm.program.command import FAILED_IN_WAIT_LIST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.command_code import CommandTable
    from mcm.machine.memory import MemorySubsystem, Misuse

MemoryT = TypeVar("MemoryT", bound=Hashable)


class CommandStates(NamedTuple):
    """The states of all commands by number, and what has been enqueued on each queue so far, in order.

    `awaited` has the commands that the call of a host thread waits for, with the thread, sorted. `told` has the rank of
    the status, as `statuses` has it, that somebody has seen of each command; only on one store, where somebody asks.
    """

    states: tuple[int, ...] = ()
    queues: tuple[tuple[int, ...], ...] = ()
    awaited: tuple[tuple[int, tuple[int, ...]], ...] = ()
    told: tuple[int, ...] = ()

    def with_told(self, command: int, rank: int) -> CommandStates:
        """The same after somebody has seen a status; nothing else where that is not kept."""
        if not self.told or self.told[command] >= rank:
            return self
        return self._replace(told=(*self.told[:command], rank, *self.told[command + 1 :]))

    def with_state(self, command: int, state: int) -> CommandStates:
        """The same with another state of one command."""
        return self._replace(states=(*self.states[:command], state, *self.states[command + 1 :]))

    def awaited_by(self, thread: int) -> tuple[int, ...]:
        """The commands that the call of a thread waits for."""
        return next((commands for waiting, commands in self.awaited if waiting == thread), ())


class Transition(NamedTuple):
    """A command has come into a state."""

    command: int
    state: int


class Progress(Generic[MemoryT]):
    """What the runtime does by itself, on the states of the commands and of memory; `log` has it in order.

    `begun` are the threads that may begin, `misuses` what a call makes wrong. The box `2 * n` of memory has what
    happens before the command `n` begins, `2 * n + 1` what happens before it is over.
    """

    def __init__(self, table: CommandTable, memory: MemorySubsystem[MemoryT], now: CommandStates, at: MemoryT) -> None:
        self._table = table
        self._memory = memory
        self.states = now
        self.at = at
        self.log: list[Transition] = []
        self.begun = 0
        self.misuses: tuple[Misuse, ...] = ()

    # --- calls --------------------------------------------------------------------------------------------------------

    def register(self, command: int) -> None:
        """Register a callback; only its event happens before it (HOST-11)."""
        self._enter(command, State.QUEUED)

    def enqueue(self, command: int, thread: int) -> None:
        """HOST-1: enqueue a command, by a thread; what the thread has done happens before it begins."""
        code = self._table.commands[command]
        if code.is_unmap:
            self.at, self.misuses = self._memory.unmap(self.at, thread, command)
        self.at = self._memory.give(self.at, thread, 2 * command, to_child=code.is_child)
        if code.queue is not None:
            queues = list(self.states.queues)
            queues[code.queue] = (*queues[code.queue], command)
            self.states = self.states._replace(queues=tuple(queues))
        self._enter(command, State.QUEUED)

    def complete_user_event(self, command: int, thread: int, status: int) -> bool:
        """HOST-12: complete a user event, or let it fail; False for one that is over, which stays as it is."""
        if self._is_over(command):
            return False
        if self._table.commands[command].is_asked:
            self.at = self._memory.learn(self.at, thread, Fact(FactKind.COMPLETED, command))
        self.at = self._memory.give(self.at, thread, 2 * command + 1)
        self._enter(command, status or State.COMPLETE)
        return True

    def flush(self, queue: int) -> None:
        """Submit what has been queued."""
        for command in self.states.queues[queue]:
            if self._state(command) == State.QUEUED:
                self._enter(command, State.SUBMITTED)

    def run(self, command: int) -> None:
        """The first of the threads of a command has begun."""
        self._enter(command, State.RUNNING)

    def unfinished_of(self, queue: int) -> tuple[int, ...]:
        """The commands of a queue that are not over."""
        return tuple(command for command in self.states.queues[queue] if not self._is_over(command))

    # --- by itself ----------------------------------------------------------------------------------------------------

    def settle(self, finished: int) -> None:
        """Complete and push commands until nothing changes; `finished` are the threads that have finished."""
        before = -1
        while before != len(self.log):
            before = len(self.log)
            self._complete(finished)
            for number, queue in enumerate(self._table.queues):
                self._push(number, finished, in_order=queue.in_order)
            for command, code in enumerate(self._table.commands):
                if code.queue is None and self._waits_to_begin(command) and self._may_begin(command, finished):
                    self._begin(command, finished)

    def _push(self, queue: int, finished: int, *, in_order: bool) -> None:
        """QUE-1, QUE-2: what a queue pushes to its device now."""
        commands = self._table.commands
        pushed = to_push(
            self.unfinished_of(queue),
            in_order=in_order,
            has_begun=lambda command: not self._waits_to_begin(command),
            may_begin=lambda command: self._may_begin(command, finished),
            blocks_later=lambda command: commands[command].kind.blocks_later,
        )
        for command in list(pushed):
            self._begin(command, finished)

    def awaited_by(self, command: int) -> list[int]:
        """The commands that are not over for which one waits."""
        return [other for other in self.predecessors(command) if not self._is_over(other)]

    def _may_begin(self, command: int, finished: int) -> bool:
        """Whether everything that a command waits for is over."""
        code = self._table.commands[command]
        return not code.after & ~finished and all(map(self._is_over, self.predecessors(command)))

    def predecessors(self, command: int) -> Sequence[int]:
        """HOST-2, HOST-5 to HOST-7: the commands that one waits for.

        These are its wait list, and what accessors order before it and is enqueued; without both, for a marker or
        barrier, all before it in its queue; in an in-order queue the one before it, and behind a barrier the last one.
        """
        code = self._table.commands[command]
        found = [*code.wait_list, *(other for other in code.requires if self._state(other) != State.ABSENT)]
        if code.queue is None:
            return found
        queue = self.states.queues[code.queue]
        earlier = queue[: queue.index(command)]
        if code.kind.only_orders and not (code.wait_list or code.requires):
            found += earlier
        elif self._table.queues[code.queue].in_order:
            found += earlier[-1:]
        else:
            found += [other for other in earlier if self._table.commands[other].kind.blocks_later][-1:]
        return found

    def _begin(self, command: int, finished: int) -> None:
        """A device, or for callbacks the host, gets a command that may begin; one without work is complete at once.

        One that waits for what has failed fails instead (HOST-18).
        """
        code = self._table.commands[command]
        sources = [2 * other + 1 for other in self.predecessors(command)]
        self.at = self._memory.pass_on(self.at, sources, 2 * command)
        for thread in listed(code.after & finished):
            self.at = self._memory.give(self.at, thread, 2 * command)
        if not code.is_callback and any(self._state(other) < 0 for other in code.wait_list):
            self.at = self._memory.pass_on(self.at, [2 * command], 2 * command + 1)
            self._end(command, FAILED_IN_WAIT_LIST)
            return
        if code.is_asked:
            self.at = self._memory.put(self.at, 2 * command, Fact(FactKind.STARTED, command))
        if self._state(command) == State.QUEUED:
            self._enter(command, State.SUBMITTED)
        self._enter(command, State.READY)
        for thread in listed(code.units):
            self.at = self._memory.take(self.at, thread, 2 * command)
        self.begun |= code.units

    def _complete(self, finished: int) -> None:
        """HOST-10, HOST-16: a command has ended when its threads have, and is complete when its children are too.

        It fails if one of them has (HOST-18).
        """
        for command, code in enumerate(self._table.commands):
            state = self._state(command)
            if state in {State.READY, State.RUNNING} and not code.units & ~finished:
                self.at = self._memory.pass_on(self.at, [2 * command], 2 * command + 1)
                for thread in listed(code.units):
                    self.at = self._memory.give(self.at, thread, 2 * command + 1)
                self._enter(command, State.ENDED)
            if self._state(command) == State.ENDED:
                children = self._children(command)
                if all(map(self._is_over, children)):
                    self.at = self._memory.pass_on(self.at, [2 * child + 1 for child in children], 2 * command + 1)
                    failures = [state for child in children if (state := self._state(child)) < 0]
                    self._end(command, failures[0] if failures else State.COMPLETE)

    def _end(self, command: int, state: int) -> None:
        """A command is complete, or has failed."""
        code = self._table.commands[command]
        if code.is_unmap or code.is_asked:
            self.at = self._memory.put(self.at, 2 * command + 1, Fact(FactKind.COMPLETED, command))
        self._enter(command, state)

    def _children(self, command: int) -> list[int]:
        """The kernels that the threads of a command have enqueued."""
        commands = enumerate(self._table.commands)
        return [child for child, code in commands if code.parent == command and self._state(child) != State.ABSENT]

    def _enter(self, command: int, state: int) -> None:
        self.states = self.states.with_state(command, state)
        self.log.append(Transition(command, state))

    def _state(self, command: int) -> int:
        return self.states.states[command]

    def _is_over(self, command: int) -> bool:
        return is_over(self._state(command))

    def _waits_to_begin(self, command: int) -> bool:
        """Whether a command, but no user event, has been enqueued and not yet begun."""
        is_user = self._table.commands[command].kind is CommandKind.USER
        return not is_user and self._state(command) in {State.QUEUED, State.SUBMITTED}
