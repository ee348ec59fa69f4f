"""Calls of the host API as steps of a run, and what the runtime does because of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, assert_never

from mcm.base.bits import listed
from mcm.machine.code import (
    AwaitEvents,
    EnqueueCommand,
    FinishQueue,
    FlushQueue,
    HostCall,
    QueryStatus,
    SetCallback,
    SetUserEvent,
)
from mcm.machine.command import CommandKind
from mcm.machine.command_state import COMPLETE_RANK, State, is_over
from mcm.machine.commands import CommandStates, Progress
from mcm.machine.configuration import Configuration, MemoryT, Step
from mcm.machine.finding import Finding
from mcm.machine.memory import Choice
from mcm.machine.row import replaced, row
from mcm.machine.statuses import Statuses
from mcm.program.command import FAILED_IN_WAIT_LIST, INVALID_OPERATION, RESULT, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.compiled import CompiledProgram
    from mcm.machine.computation import Computation
    from mcm.machine.memory import MemorySubsystem
    from mcm.machine.row import Row

# The registers of the unit of a command on memory: what the call passes by value, and what a read gives back.


class HostCalls(Generic[MemoryT]):
    """Performs the calls of threads that concern commands, and what follows for queues, devices and waiting threads."""

    def __init__(self, compiled: CompiledProgram, computation: Computation, memory: MemorySubsystem[MemoryT]) -> None:
        self._compiled = compiled
        self._table = compiled.commands
        self._computation = computation
        self._memory = memory
        self._statuses = Statuses(compiled.commands, memory)
        self._callbacks = {
            compiled.threads[thread].index: number
            for number, code in enumerate(self._table.commands)
            if number >= len(compiled.program.commands)
            for thread in listed(code.units)
        }

    @property
    def held(self) -> int:
        """The threads that do not run from the beginning, as a mask."""
        return sum(code.units for code in self._table.commands)

    def start(self) -> CommandStates:
        """Nothing has been enqueued; user events wait to be completed."""
        states = [State.SUBMITTED if c.kind is CommandKind.USER else State.ABSENT for c in self._table.commands]
        keeps_told = self._memory.is_one_store and any(code.is_asked for code in self._table.commands)
        told = (0,) * (len(states) * keeps_told)
        return CommandStates(tuple(states), ((),) * len(self._table.queues), told=told)

    def is_over(self, now: Configuration[MemoryT]) -> bool:
        """Whether the work of every command that was enqueued is done; events need not be complete."""
        return not self._unfinished(now)

    def _unfinished(self, now: Configuration[Any]) -> list[int]:
        """The commands with work that have been enqueued and are not over; callbacks need not be called."""
        return [
            number
            for number, state in enumerate(now.commands.states[: len(self._compiled.program.commands)])
            if self._table.commands[number].groups and state != State.ABSENT and not is_over(state)
        ]

    def waiting_to_begin(self, now: Configuration[Any]) -> list[int]:
        """The commands with work that have been enqueued and have not begun."""
        return [number for number in self._unfinished(now) if now.commands.states[number] < State.READY]

    def awaited_by_command(self, now: Configuration[Any], command: int) -> list[int]:
        """The commands that one waits for."""
        return Progress(self._table, self._memory, now.commands, now.memory).awaited_by(command)

    def names_of_awaited(self, now: Configuration[Any], thread: int) -> list[str]:
        """The commands, by name, that are not over and for which a call of a thread waits."""
        awaited = now.commands.awaited_by(thread)
        return [self._table.commands[n].name for n in awaited if not is_over(now.commands.states[n])]

    # --- calls --------------------------------------------------------------------------------------------------------

    def answers(self, now: Configuration[MemoryT], thread: int, node: QueryStatus) -> list[Choice]:
        """HOST-4q: the ranks of the statuses that a thread may be told, the newest last."""
        progress = Progress(self._table, self._memory, now.commands, now.memory)
        ranks = self._statuses.ranks(now.commands, now.memory, thread, node.event, progress.predecessors)
        return [Choice(rank) for rank in ranks]

    def perform(self, now: Configuration[MemoryT], thread: int, node: HostCall, choice: Choice) -> Step[MemoryT]:
        """Perform a call; a blocking one leaves the thread waiting. `choice` is the answer to a question."""
        progress = Progress(self._table, self._memory, now.commands, now.memory)
        slots = list(now.slots[thread])
        waits_for: tuple[int, ...] | None = None
        all_slots, findings = list(now.slots), list[Finding]()
        match node:
            case EnqueueCommand(_, _, command, passed):
                for register, operand in passed:
                    self._pass_value(all_slots, command, register, operand(slots))
                progress.enqueue(command, thread)
                findings += map(self._compiled.finding, progress.misuses)
                waits_for = (command,) if self._is_blocking(command) else None
            case SetCallback(_, callback):
                progress.register(self._callbacks[callback])
            case AwaitEvents(_, events):
                waits_for = events
            case FinishQueue(queue):
                waits_for = now.commands.queues[queue]
            case FlushQueue(queue):
                progress.flush(queue)
            case SetUserEvent(target, event, status):
                is_first = progress.complete_user_event(event, thread, status)
                slots[target] = 0 if is_first else INVALID_OPERATION
                all_slots[thread] = tuple(slots)
                findings += self._abnormal(now, thread, status) if is_first else ()
            case QueryStatus(target, event):
                slots[target] = _status(now.commands.states[event], choice.message)
                all_slots[thread] = tuple(slots)
                progress.at = self._statuses.told(progress.at, thread, event, choice.message)
                if choice.message == COMPLETE_RANK and self._compiled.program.dialect.told_is_waited:
                    progress.at = self._memory.take(progress.at, thread, 2 * event + 1)
                progress.states = progress.states.with_told(event, choice.message)
            case _:
                assert_never(node)
        value = slots[node.target] if isinstance(node, QueryStatus) else None
        states = progress.states
        if waits_for is not None:
            states = states._replace(awaited=tuple(sorted((*states.awaited, (thread, waits_for)))))
        after = now._replace(slots=row(all_slots), memory=progress.at, commands=states)
        if waits_for is None:
            after = self._gone_on(after, thread, now.counters[thread] + 1, findings)
        else:
            after = after._replace(waiting=after.waiting | 1 << thread)
        return Step(after, tuple(findings), value, tuple(progress.log))

    def _abnormal(self, now: Configuration[MemoryT], thread: int, status: int) -> Iterator[Finding]:
        """HOST-18: what waits for an event with a negative status is ended by it; queues may behave otherwise."""
        if status < 0:
            why = "what commands do that wait for an event with a negative status is implementation-defined"
            yield Finding("abnormal-event", "HOST-18", why, (self._compiled.site(thread, now.counters[thread]),))

    def _is_blocking(self, command: int) -> bool:
        program = self._compiled.program
        return command < len(program.commands) and program.commands[command].blocking

    def _pass_value(self, slots: list[tuple[Any, ...]], command: int, register: str, value: Any) -> None:
        """Give what a call passes by value to a register of the threads that perform its command."""
        for unit in listed(self._table.commands[command].units):
            own, code = list(slots[unit]), self._compiled.threads[unit]
            own[code.registers[register]] = value
            if register in code.defined:
                own[code.defined[register]] = 1
            slots[unit] = tuple(own)

    # --- what follows -------------------------------------------------------------------------------------------------

    def running(self, step: Step[MemoryT], thread: int) -> Step[MemoryT]:
        """The step of a thread, with the command that it performs running."""
        command = self._table.performed_by(thread)
        if command is None or step.after.commands.states[command] != State.READY:
            return step
        progress = Progress(self._table, self._memory, step.after.commands, step.after.memory)
        progress.run(command)
        after = step.after._replace(commands=progress.states)
        return step._replace(after=after, transitions=(*progress.log, *step.transitions))

    def settled(self, step: Step[MemoryT]) -> Step[MemoryT]:
        """The step, with all that the runtime does because of it."""
        now, findings, log = step.after, list(step.findings), list(step.transitions)
        while True:
            progress = Progress(self._table, self._memory, now.commands, now.memory)
            progress.settle(now.finished)
            log += progress.log
            now = now._replace(commands=progress.states, memory=progress.at, held=now.held & ~progress.begun)
            before = now.finished
            for thread in listed(progress.begun):
                now = self._gone_on(now, thread, 0, findings)
            now = self._woken(now, findings)
            if now.finished == before:
                return step._replace(after=now, findings=tuple(findings), transitions=tuple(log))

    def _woken(self, now: Configuration[MemoryT], findings: list[Finding]) -> Configuration[MemoryT]:
        """Let the threads go on whose calls have nothing left to wait for (HOST-4, HOST-8)."""
        for thread, commands in now.commands.awaited:
            if not all(is_over(now.commands.states[command]) for command in commands):
                continue
            memory = now.memory
            for command in commands:
                memory = self._memory.take(memory, thread, 2 * command + 1)
            states = now.commands
            for command in commands:
                states = states.with_told(command, COMPLETE_RANK)
            awaited = tuple(entry for entry in states.awaited if entry[0] != thread)
            now = now._replace(
                slots=self._with_result(now, thread),
                memory=memory,
                waiting=now.waiting & ~(1 << thread),
                commands=states._replace(awaited=awaited),
            )
            now = self._gone_on(now, thread, now.counters[thread] + 1, findings)
        return now

    def _with_result(self, now: Configuration[MemoryT], thread: int) -> Row[tuple[Any, ...]]:
        """The slots after a blocking call has returned: a read without a target gives what it has read."""
        node = self._compiled.instruction(now, thread)
        if isinstance(node, AwaitEvents):
            own = list(now.slots[thread])
            own[node.target] = FAILED_IN_WAIT_LIST * any(now.commands.states[event] < 0 for event in node.events)
            return replaced(now.slots, thread, tuple(own))
        if not isinstance(node, EnqueueCommand):
            return now.slots
        own = list(now.slots[thread])
        own[node.target] = own[node.error] = FAILED_IN_WAIT_LIST * (now.commands.states[node.command] < 0)
        for unit in listed(self._table.commands[node.command].units):
            registers = self._compiled.threads[unit].registers
            for number, slot in enumerate((node.target, *node.others)):
                if (name := numbered(RESULT, number)) in registers:
                    own[slot] = now.slots[unit][registers[name]]
        return replaced(now.slots, thread, tuple(own))

    def _gone_on(
        self, now: Configuration[MemoryT], thread: int, counter: int, findings: list[Finding]
    ) -> Configuration[MemoryT]:
        """Let a thread compute from an instruction on, up to its next operation."""
        own = list(now.slots[thread])
        counter = self._computation.advance(thread, counter, own, findings)
        return now._replace(
            counters=replaced(now.counters, thread, counter),
            slots=replaced(now.slots, thread, tuple(own)),
            finished=now.finished | self._compiled.is_end(thread, counter) << thread,
            endless=now.endless | self._compiled.is_endless(thread, counter) << thread,
        )


def _status(state: int, rank: int) -> int:
    """What `clGetEventInfo` tells: that of a rank, or the error of what has failed."""
    return state if rank == COMPLETE_RANK and state < 0 else COMPLETE_RANK - rank
