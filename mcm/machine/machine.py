"""The machine: a program on a memory, which goes from configuration to configuration, one operation at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, assert_never

from mcm.base.bits import listed
from mcm.machine.access import MemoryAccess
from mcm.machine.active import ActiveCalls
from mcm.machine.code import (
    AccessElement,
    AwaitCopies,
    AwaitEvents,
    Barrier,
    BeginCopy,
    Branch,
    CheckUnsequenced,
    ChooseOrder,
    Collective,
    CompareExchange,
    Compute,
    EndCopy,
    EnqueueCommand,
    Fence,
    FinishQueue,
    FlushQueue,
    Jump,
    Load,
    QueryStatus,
    RecordAccess,
    Require,
    SetCallback,
    SetUserEvent,
    Stop,
    Store,
    Update,
)
from mcm.machine.compiled import CompiledProgram
from mcm.machine.computation import Computation
from mcm.machine.configuration import Configuration, MemoryT, Step
from mcm.machine.finding import Finding
from mcm.machine.group_functions import (
    barrier_divergence,
    collective_results,
    different_lanes,
    dynamic_instance,
    missing_lanes,
)
from mcm.machine.host_calls import HostCalls
from mcm.machine.memory import Choice
from mcm.machine.row import replaced, row
from mcm.program.condition import RegisterName
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.code import GroupFunction, Instruction
    from mcm.machine.finding import Site
    from mcm.machine.memory import MemorySubsystem
    from mcm.machine.memory_layout import MemoryLayout
    from mcm.program.condition import Observable
    from mcm.program.program import Program
    from mcm.program.types import Value

_TWO_ORDERS: Final = (Choice(0), Choice(1))
_ONE_CHOICE: Final = (Choice(0),)


class Machine(Generic[MemoryT]):
    """A compiled program on a memory. Threads are numbered by their position in the program.

    Where it `counts_loops`, configurations tell the iteration of every loop: some differ in nothing else.
    """

    def __init__(
        self, program: Program, layout: MemoryLayout, memory: MemorySubsystem[MemoryT], *, counts_loops: bool = False
    ) -> None:
        self.program = program
        self.layout = layout
        self.memory = memory
        self.compiled = CompiledProgram(program, counts_loops=counts_loops)
        self.threads = self.compiled.threads
        self.groups = self.compiled.groups
        self._computation = Computation(self.compiled, layout)
        self.host = HostCalls(self.compiled, self._computation, memory)
        self._has_commands = bool(self.compiled.commands.commands or self.compiled.commands.queues)
        self.active: Final = ActiveCalls(self.compiled)
        self._access = MemoryAccess(self.compiled, layout, memory)
        self._first: Step[MemoryT] | None = None
        self._all = (1 << len(self.threads)) - 1

    # --- configurations -----------------------------------------------------------------------------------------------

    def start(self) -> Step[MemoryT]:
        """Every thread at its first operation."""
        if self._first is None:
            self._first = self._begin()
        return self._first

    def _begin(self) -> Step[MemoryT]:
        counters: list[int] = []
        slots: list[tuple[Value, ...]] = []
        findings: list[Finding] = []
        held = self.host.held
        for number, code in enumerate(self.threads):
            own = list(code.initial)
            counters.append(0 if held >> number & 1 else self._computation.advance(number, 0, own, findings))
            slots.append(tuple(own))
        finished = sum(self.compiled.is_end(thread, at) << thread for thread, at in enumerate(counters)) & ~held
        endless = sum(self.compiled.is_endless(thread, at) << thread for thread, at in enumerate(counters)) & ~held
        first = Configuration(row(counters), row(slots), self.memory.start(), 0, finished, endless, held)
        return Step(first._replace(commands=self.host.start()), tuple(findings))

    def instruction(self, now: Configuration[MemoryT], thread: int) -> Instruction:
        """The instruction at which a thread is."""
        return self.compiled.instruction(now, thread)

    def site(self, thread: int, counter: int) -> Site:
        """An instruction with its source position, as findings name it."""
        return self.compiled.site(thread, counter)

    def ready(self, now: Configuration[MemoryT]) -> int:
        """The mask of the threads that have a next step: all that do not wait, nor for their command to begin.

        Threads that have finished or are endless have none.
        """
        return self._all & ~(now.waiting | now.finished | now.endless | now.held)

    def has_finished(self, now: Configuration[MemoryT]) -> bool:
        """Whether every thread has finished, but for those of commands that were not enqueued, which never begin."""
        return now.finished | now.held == self._all and self.host.is_over(now)

    def fewest_steps(self, now: Configuration[MemoryT]) -> list[float]:
        """For each thread, a number of steps that it will at least make before it has finished, if it does."""
        fewest = self.compiled.fewest_steps
        # Those who wait have made the step at which they are; some of those who are held never begin.
        return [
            0 if now.held >> thread & 1 else fewest[thread][counter] - now.is_waiting(thread)
            for thread, counter in enumerate(now.counters)
        ]

    def runnable(self, now: Configuration[MemoryT]) -> tuple[int, ...]:
        """The threads that have a next step."""
        return listed(self.ready(now))

    def choices(self, now: Configuration[MemoryT], thread: int) -> Sequence[Choice]:
        """The ways in which a runnable thread may go on."""
        instruction = self.instruction(now, thread)
        if isinstance(instruction, ChooseOrder):
            return _TWO_ORDERS
        if isinstance(instruction, (Load, Store, Update, CompareExchange)):
            found = self._access.choices(now, thread, instruction)
            return _ONE_CHOICE if found is None else found
        if isinstance(instruction, QueryStatus):
            return self.host.answers(now, thread, instruction)
        return _ONE_CHOICE

    def findings_at_end(self, now: Configuration[MemoryT]) -> tuple[Finding, ...]:
        """The barriers at which some threads wait for others that can no longer come, where no thread is runnable."""
        return barrier_divergence(self.compiled, now)

    def finals(self, now: Configuration[MemoryT], observed: Sequence[Observable]) -> list[tuple[Value, ...]]:
        """The final states of a configuration in which every thread has finished."""
        numbers = self.layout.numbers
        located = [what for what in observed if isinstance(what, Location)]
        found = []
        for values in self.memory.finals(now.memory, [numbers[location] for location in located]):
            of = dict(zip(located, values, strict=True))
            found.append(
                tuple(
                    self.compiled.register_value(now, what) if isinstance(what, RegisterName) else of[what]
                    for what in observed
                )
            )
        return found

    # --- steps --------------------------------------------------------------------------------------------------------

    def step(self, now: Configuration[MemoryT], thread: int, choice: Choice) -> Step[MemoryT]:
        """Perform the next operation of a thread, and compute up to the one after it."""
        step = self._step(now, thread, choice)
        if self.active.are_any:
            step = self._with_those_who_came(step, thread)
        if not self._has_commands:
            return step
        step = self.host.running(step, thread)
        after = step.after
        is_same = after.commands is now.commands and after.finished == now.finished and now is not self.start().after
        # What the runtime does follows from the commands and from who has finished.
        return step if is_same else self.host.settled(step)

    def _step(self, now: Configuration[MemoryT], thread: int, choice: Choice) -> Step[MemoryT]:
        instruction = self.instruction(now, thread)
        following = now.counters[thread] + 1
        match instruction:
            case ChooseOrder(first, second):
                counter = (second, first)[choice.message]
                return self._go_on(now, thread, counter, list(now.slots[thread]), now.memory)
            case Load() | Store() | Update() | CompareExchange():
                memory, slots, findings, value = self._access.perform(now, thread, instruction, choice)
                return self._go_on(now, thread, following, slots, memory, findings, value)
            case Fence(flags, order, scope, _):
                memory = self.memory.fence(now.memory, thread, flags, order, scope)
                return self._go_on(now, thread, following, list(now.slots[thread]), memory)
            case Barrier() | Collective() | AwaitCopies():
                return self._arrive(now, thread, instruction)
            case BeginCopy():
                memory = self.memory.begin_copy(now.memory, thread, self.layout.copiers[thread])
                return self._go_on(now, thread, following, list(now.slots[thread]), memory)
            case EndCopy(event):
                copied = event(now.slots[thread])
                memory = self.memory.end_copy(now.memory, self.layout.copiers[thread], copied)
                return self._go_on(now, thread, following, list(now.slots[thread]), memory)
            case (
                EnqueueCommand()
                | AwaitEvents()
                | FinishQueue()
                | FlushQueue()
                | SetUserEvent()
                | SetCallback()
                | QueryStatus()
            ):
                return self.host.perform(now, thread, instruction, choice)
            case (
                Compute()
                | Jump()
                | Branch()
                | Require()
                | RecordAccess()
                | CheckUnsequenced()
                | AccessElement()
                | Stop()
            ):
                message = f"{instruction} is not an operation"
                raise AssertionError(message)
            case _:
                assert_never(instruction)

    def _go_on(
        self,
        now: Configuration[MemoryT],
        thread: int,
        counter: int,
        slots: list[Value],
        memory: MemoryT,
        findings: tuple[Finding, ...] = (),
        value: Value | None = None,
    ) -> Step[MemoryT]:
        """Let a thread compute from an instruction on, up to its next operation."""
        found = list(findings)
        counter = self._computation.advance(thread, counter, slots, found)
        finished = now.finished | self.compiled.is_end(thread, counter) << thread
        endless = now.endless | self.compiled.is_endless(thread, counter) << thread
        after = Configuration(
            replaced(now.counters, thread, counter),
            replaced(now.slots, thread, tuple(slots)),
            memory,
            now.waiting,
            finished,
            endless,
            now.held,
            now.commands,
        )
        return Step(after, tuple(found), value)

    # --- group functions ----------------------------------------------------------------------------------------------

    def _arrive(self, now: Configuration[MemoryT], thread: int, node: GroupFunction) -> Step[MemoryT]:
        """Arrive at a group function; when the last thread of the group arrives, all go on."""
        memory = now.memory
        if isinstance(node, Barrier):
            memory = self.memory.arrive(memory, thread, node.flags, node.scope)
        now = now._replace(waiting=now.waiting | 1 << thread, memory=memory)
        if isinstance(node, Collective) and node.of_active:
            return Step(now)
        group, mask = self.compiled.group(thread, node.level)
        if mask & ~now.waiting:
            return Step(now)
        here = dynamic_instance(self.compiled, now, thread)
        if any(dynamic_instance(self.compiled, now, member) != here for member in group):
            return Step(now)
        findings: list[Finding] = []
        if isinstance(node, Barrier):
            findings += self._disagreements(now, group)
            now = now._replace(memory=self.memory.leave(now.memory, group))
        elif isinstance(node, AwaitCopies):
            now = now._replace(memory=self._copied(now, group))
        else:
            findings += (*missing_lanes(self.compiled, now, group), *different_lanes(self.compiled, now, group))
            now = self._met(now, group)
        return self._leave(now, group, collective_results(self.compiled, now, group), findings)

    def _with_those_who_came(self, step: Step[MemoryT], thread: int) -> Step[MemoryT]:
        """Let those go on from calls to which no more can come, now that a thread has made a step."""
        while members := self.active.complete(step.after, thread):
            now = step.after
            results = self.active.results(now, members)
            findings = [*step.findings, *different_lanes(self.compiled, now, members)]
            left = self._leave(self._met(now, members), members, results, findings)
            returned = (*step.results, *zip(members, results, strict=True))
            step = step._replace(after=left.after, findings=left.findings, results=returned)
        return step

    def _met(self, now: Configuration[MemoryT], group: Sequence[int]) -> Configuration[MemoryT]:
        """The configuration in which a group has met in a group function, where the language says that it does."""
        if not self.compiled.program.dialect.group_functions_meet:
            return now
        return now._replace(memory=self.memory.meet(now.memory, group))

    def _copied(self, now: Configuration[MemoryT], group: Sequence[int]) -> MemoryT:
        """The memory after a group has waited for copies; where there are none, there is nothing to wait for."""
        copier = self.layout.copiers.get(group[-1])
        node = self.instruction(now, group[-1])
        if copier is None or not isinstance(node, AwaitCopies):
            return now.memory
        events = [event(now.slots[group[-1]]) for event in node.events]
        return self.memory.await_copies(now.memory, group, copier, events)

    def _leave(
        self, now: Configuration[MemoryT], group: Sequence[int], results: Sequence[Value], findings: list[Finding]
    ) -> Step[MemoryT]:
        """Let a complete group go on from its group function, with what that returns."""
        counters, slots, finished, endless = list(now.counters), list(now.slots), now.finished, now.endless
        for member, result in zip(group, results, strict=True):
            own, node = list(slots[member]), self.instruction(now, member)
            if isinstance(node, Collective):
                own[node.target] = result
            counter = self._computation.advance(member, counters[member] + 1, own, findings)
            counters[member], slots[member] = counter, tuple(own)
            finished |= self.compiled.is_end(member, counter) << member
            endless |= self.compiled.is_endless(member, counter) << member
        waiting = now.waiting & ~sum(1 << member for member in group)
        after = Configuration(row(counters), row(slots), now.memory, waiting, finished, endless, now.held, now.commands)
        return Step(after, tuple(findings))

    def _disagreements(self, now: Configuration[MemoryT], group: Sequence[int]) -> list[Finding]:
        """BAR-DIV: the members of a group call a barrier with different flags or scopes."""
        first = self.instruction(now, group[0])
        for member in group[1:]:
            other = self.instruction(now, member)
            assert isinstance(first, Barrier)
            assert isinstance(other, Barrier)
            if (first.flags, first.scope) != (other.flags, other.scope):
                sites = (self.site(group[0], now.counters[group[0]]), self.site(member, now.counters[member]))
                why = f"barrier {first.site} is called with different flags or scopes"
                return [Finding("barrier-divergence", "BAR-DIV", why, sites)]
        return []
