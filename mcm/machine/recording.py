"""A run on the memory that finds races, recorded operation by operation, so that it can be held against a model.

As a rule the run is sequentially consistent: every atomic read takes the newest write of its location, and every write
becomes the newest. SC operations are always in the order in which they were performed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.bits import listed
from mcm.base.deadline import poll
from mcm.base.frozen import FrozenMapping
from mcm.execution.event import BarrierInstance, EventKind
from mcm.machine.access import moved_packet
from mcm.machine.code import (
    AwaitCopies,
    AwaitEvents,
    Barrier,
    BeginCopy,
    ChooseOrder,
    Collective,
    CompareExchange,
    EndCopy,
    EnqueueCommand,
    Fence,
    FinishQueue,
    Load,
    QueryStatus,
    SetUserEvent,
    Store,
    Update,
)
from mcm.machine.command_state import COMPLETE_RANK, State, is_over
from mcm.machine.computation import ComputationLimitError
from mcm.machine.group_functions import collective_results
from mcm.machine.memory import Choice
from mcm.machine.standstill import Standstill
from mcm.program.command import CommandKind
from mcm.program.operators import Level, PipeEnd
from mcm.program.topology import WorkItem
from mcm.program.types import Flag, Location, Order

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcm.base.source import Span
    from mcm.machine.code import Access
    from mcm.machine.configuration import Configuration, Step
    from mcm.machine.finding import Finding, Site
    from mcm.machine.machine import Machine
    from mcm.machine.schedule import Scheduler
    from mcm.machine.view import ViewState
    from mcm.program.types import Scope, Value


_ONLY: Final = Choice(0)
_BOTH: Final = frozenset({Flag.GLOBAL, Flag.LOCAL})

# The events of commands, by the states that they come into.
_STAGES: Final[Mapping[int, tuple[EventKind, ...]]] = {
    State.READY: (EventKind.START,),
    State.ENDED: (EventKind.END,),
    State.COMPLETE: (EventKind.COMPLETE,),
}
# Those of a command that fails, which may have started before.
_FAILURE: Final = (EventKind.START, EventKind.COMPLETE)

# No load has a given source.
ALL_NEWEST: Final[Mapping[int, int | None]] = {}


class Operation(Struct, frozen=True):
    """One event of a run: `thread` is the thread's index in the program, `instruction` its place in the thread's code.

    `source` is the operation that a read takes its value from, by its place in the run; None for the initial value.
    `command` is the command that it is about: where that starts, ends or is complete, it has no thread. `queue` is that
    of a clFinish, `answer` the status that a query was told. The return of a call has the operation `call` that began
    it, if there is one, and the commands that it has waited for by name. `asynchronous` numbers the copies of a thread
    that it belongs to one of. `pipe` is the end of the pipe whose state it is about, `iteration` as that of an event.
    """

    kind: EventKind
    thread: int | None
    instruction: int
    span: Span
    location: Location | None = None
    source: int | None = None
    read: Value | None = None
    written: Value | None = None
    order: Order | None = None
    scope: Scope | None = None
    flags: frozenset[Flag] = frozenset()
    barrier: BarrierInstance | None = None
    command: int | None = None
    queue: int | None = None
    answer: int | None = None
    call: int | None = None
    awaited: tuple[int, ...] = ()
    asynchronous: int | None = None
    pipe: PipeEnd | None = None
    iteration: tuple[int, ...] = ()


class Found(Struct, frozen=True):
    """Something wrong, with the operations that it is about by their places in the run: of a data race two."""

    finding: Finding
    accesses: tuple[int, ...]


class Recording(Struct, frozen=True):
    """The operations of a run, in order, and what it found wrong.

    `orders` are the modification orders: the writes of each location by their places in the run. `end` is how it ends;
    None where not all threads have finished. `results` is what group functions return, by the places of their calls.
    """

    operations: tuple[Operation, ...]
    findings: tuple[Found, ...]
    orders: Mapping[Location, tuple[int, ...]]
    end: Configuration[ViewState] | None = None
    results: Mapping[int, Value] = FrozenMapping({})


def recorded(
    machine: Machine[ViewState],
    scheduler: Scheduler,
    longest: int,
    *,
    is_weak: bool = False,
    sources: Mapping[int, int | None] = ALL_NEWEST,
) -> Recording:
    """A run up to its first data race; the scheduler picks threads, memory always answers with its newest value.

    If it `is_weak`, the scheduler also chooses what is read, and where writes come. The run ends after `longest` steps,
    too, and where nobody has changed anything for so long that everybody probably only waits. Some loads have given
    `sources`, whether or not memory would show these: both by their places in the run, None for the initial value.
    """
    run = _Run(machine, scheduler.choose if is_weak else _newest, sources)
    scheduler.begin()
    try:
        step = machine.start()
        run.note(step.findings)
        for _ in range(longest):
            poll()
            ready = machine.ready(step.after)
            if run.has_race or run.is_idle:
                break
            if not ready:
                run.note(machine.findings_at_end(step.after))
                run.end = step.after if machine.has_finished(step.after) else None
                break
            thread = scheduler.pick(machine, step.after, ready)
            following = None if thread is None else run.perform(step.after, thread)
            if following is None:
                break
            step = following
            run.note(step.findings)
            run.memory = step.after.memory
    except ComputationLimitError:
        pass  # The thread that computes for ever does nothing more to memory.
    return run.recording


def _newest(choices: Sequence[Choice]) -> Choice:
    """Histories are in modification order; a compare-exchange that can succeed does."""
    return max(choices, key=lambda choice: (choice.message, choice.succeeds))


class _Run:
    """The operations so far, and for each write that memory knows the operation that it is."""

    def __init__(
        self,
        machine: Machine[ViewState],
        choose: Callable[[Sequence[Choice]], Choice],
        sources: Mapping[int, int | None],
    ) -> None:
        self._machine = machine
        self._choose = choose
        self._sources = sources
        self.memory: ViewState | None = None
        self.end: Configuration[ViewState] | None = None
        # The calls of the threads that wait for commands.
        self._calls: dict[int, int] = {}
        # The last call of a group function of each thread, and what those of complete groups return.
        self._group_calls: dict[int, int] = {}
        self._results: dict[int, Value] = {}
        # How many copies each thread has begun, and the copies that are complete, with their events.
        self._begun: dict[int, int] = {}
        self._copied: list[tuple[BarrierInstance, Value]] = []
        self._operations: list[Operation] = []
        # What commands have done.
        self._done: set[tuple[int, EventKind]] = set()
        self._writes: dict[tuple[int, int], int] = {}
        self._findings: list[Found] = []
        self._standstill = Standstill()

    @property
    def has_race(self) -> bool:
        """Whether a data race was met."""
        return any(found.finding.kind == "data-race" for found in self._findings)

    @property
    def is_idle(self) -> bool:
        """Whether everybody probably only waits."""
        return self._standstill.is_long

    @property
    def recording(self) -> Recording:
        """The run so far."""
        return Recording(tuple(self._operations), tuple(self._findings), self._orders(), self.end, self._results)

    def _orders(self) -> dict[Location, tuple[int, ...]]:
        """The modification orders; an object that is not atomic has none, and any does."""
        found: dict[Location, list[int]] = {}
        for number, operation in enumerate(self._operations):
            if operation.location is not None and operation.kind.writes:
                found.setdefault(operation.location, []).append(number)
        orders = {location: tuple(numbers) for location, numbers in found.items()}
        layout = self._machine.layout
        for location in orders if self.memory is not None else ():
            if layout.locations[layout.numbers[location]].atomic:
                history = self.memory.histories[layout.numbers[location]] if self.memory else ()
                orders[location] = tuple(self._writes[message.thread, message.number] for message in history[1:])
        return orders

    def note(self, findings: tuple[Finding, ...]) -> None:
        """Add what the last operation showed, the first finding of each kind at each place."""
        for finding in findings:
            if all(finding != found.finding for found in self._findings):
                accesses = {n for site in finding.sites if (n := self._latest(site)) is not None}
                self._findings.append(Found(finding, tuple(sorted(accesses))))

    def _latest(self, site: Site) -> int | None:
        """The last operation at an instruction; where no operation was at fault, the last of the thread before it."""
        thread = self._machine.threads[site.thread].index
        before = None
        for number in range(len(self._operations) - 1, -1, -1):
            operation = self._operations[number]
            if operation.thread == thread:
                if operation.instruction == site.instruction:
                    return number
                before = number if before is None else before
        return before

    def perform(self, now: Configuration[ViewState], thread: int) -> Step[ViewState] | None:
        """The next step of a thread, and what follows from it; None where memory has no value to give."""
        step = self._perform(now, thread)
        if step is not None and step.results:
            self._results.update({self._group_calls[member]: result for member, result in step.results})
        if step is not None and step.after.commands is not now.commands:
            self._follow(now, step, thread)
        return step

    def _perform(self, now: Configuration[ViewState], thread: int) -> Step[ViewState] | None:
        instruction = self._machine.instruction(now, thread)
        match instruction:
            case Load() | Store() | Update() | CompareExchange():
                return self._access(now, thread, instruction)
            case Barrier() | Collective():
                return self._meet(now, thread, instruction)
            case BeginCopy():
                self._begun[thread] = self._begun.get(thread, -1) + 1
            case EndCopy():
                self._end_copy(now, thread, instruction)
            case AwaitCopies():
                return self._await_copies(now, thread, instruction)
            case Fence(flags, order, scope, span):
                self._add(EventKind.FENCE, now, thread, span, order=order, scope=scope, flags=flags)
            case SetUserEvent(_, event, _, span) if is_over(now.commands.states[event]):
                # It comes second, and so has nothing to do with the event.
                self._add(EventKind.API_CALL, now, thread, span)
            case EnqueueCommand(_, _, command, _, span) | SetUserEvent(_, command, _, span):
                self._add(EventKind.API_CALL, now, thread, span, command=command)
                self._calls[thread] = len(self._operations) - 1
            case FinishQueue(queue, span):
                self._add(EventKind.API_CALL, now, thread, span, queue=queue)
                self._calls[thread] = len(self._operations) - 1
            case AwaitEvents():
                self._calls.pop(thread, None)
            case QueryStatus(_, event, span):
                choice = self._choose(self._machine.choices(now, thread))
                status = COMPLETE_RANK - choice.message
                self._add(EventKind.QUERY, now, thread, span, command=event, answer=status)
                return self._machine.step(now, thread, choice)
        if isinstance(instruction, ChooseOrder):
            return self._machine.step(now, thread, self._choose(self._machine.choices(now, thread)))
        return self._machine.step(now, thread, _ONLY)

    def _follow(self, now: Configuration[ViewState], step: Step[ViewState], thread: int) -> None:
        """What commands have done because of a step, and the calls that have returned."""
        commands = self._machine.program.commands
        for command, state in step.transitions:
            if command >= len(commands) or commands[command].kind is CommandKind.USER:
                continue
            for kind in _STAGES.get(state, _FAILURE if state < 0 else ()):
                if (command, kind) not in self._done:
                    self._done.add((command, kind))
                    self._operations.append(Operation(kind, None, 0, commands[command].span, command=command))
                    self._standstill.end()
        blocking = now.waiting | 1 << thread
        for other in listed(blocking & ~step.after.waiting):
            node = self._machine.instruction(now, other)
            awaited: tuple[int, ...] = ()
            match node:
                case AwaitEvents(_, events):
                    awaited = events
                case EnqueueCommand(_, _, command) if commands[command].blocking:
                    awaited = (command,)
                case FinishQueue():
                    pass
                case _:
                    continue
            self._add(EventKind.RETURN, now, other, node.span, call=self._calls.get(other), awaited=awaited)

    def _access(self, now: Configuration[ViewState], thread: int, node: Access) -> Step[ViewState] | None:
        choices = self._machine.choices(now, thread)
        if not choices:
            return None
        location = node.address(now.slots[thread])
        choice = self._given(now, node, location) or self._choose(choices)
        step = self._machine.step(now, thread, choice)
        if location in self._machine.layout.numbers:
            assert isinstance(location, Location), "memory objects are numbered by location"
            self._add_access(now, thread, node, location, choice, step.value)
        return step

    def _given(self, now: Configuration[ViewState], node: Access, location: Value) -> Choice | None:
        """The choice of a load whose source is given, if it is there."""
        number = len(self._operations)
        if number not in self._sources or not isinstance(node, Load) or location not in self._machine.layout.numbers:
            return None
        assert isinstance(location, Location), "memory objects are numbered by location"
        history = now.memory.histories[self._machine.layout.numbers[location]]
        sources = [self._writes.get((message.thread, message.number)) for message in history]
        return Choice(sources.index(self._sources[number])) if self._sources[number] in sources else None

    def _add_access(
        self,
        now: Configuration[ViewState],
        thread: int,
        node: Access,
        location: Location,
        choice: Choice,
        value: Value | None,
    ) -> None:
        slots, old = now.slots[thread], 0 if value is None else value
        actor = self._machine.layout.actor(thread, node)
        packet = None
        if isinstance(node, Update) and node.move is not None:
            packet = moved_packet(node, node.move, slots, old)
            if packet is not None and node.move.packet is not None:
                # A packet is there before the state says so.
                self._add_packet(now, thread, node, packet)
        written: Value | None = None
        match node:
            case Load():
                kind, order = EventKind.READ, node.order
            case Store():
                kind, order, written = EventKind.WRITE, node.order, node.value(slots)
            case Update():
                kind, order, written = EventKind.UPDATE, node.order, node.combine(old, node.operand(slots))
            case CompareExchange() if choice.succeeds:
                kind, order, written = EventKind.UPDATE, node.success, node.desired(slots)
            case CompareExchange():
                kind, order = EventKind.READ, node.failure
            case _:
                assert_never(node)
        message = now.memory.histories[self._machine.layout.numbers[location]][choice.message]
        self._add(
            kind,
            now,
            thread,
            node.span,
            location=location,
            source=self._writes.get((message.thread, message.number)) if kind.reads else None,
            read=value if kind.reads else None,
            written=written,
            order=order,
            scope=node.scope if order is not None else None,
            asynchronous=self._begun[thread] if actor != thread else None,
            pipe=node.pipe if isinstance(node, Update) else None,
        )
        if kind.writes:
            # Memory numbers the events of a thread; the view after an access counts it already.
            self._writes[actor, now.memory.threads[actor].number + 1] = len(self._operations) - 1
        if isinstance(node, Update) and node.move is not None and packet is not None and node.move.target is not None:
            self._add_packet(now, thread, node, packet)

    def _add_packet(self, now: Configuration[ViewState], thread: int, node: Update, packet: Location) -> None:
        """What a step on the state of a pipe, which memory knows as the next event, does with a packet after it."""
        assert node.move is not None
        if node.move.packet is not None:
            self._add(
                EventKind.WRITE, now, thread, node.span, location=packet, written=node.move.packet(now.slots[thread])
            )
            self._writes[thread, now.memory.threads[thread].number + 2] = len(self._operations) - 1
            return
        message = now.memory.histories[self._machine.layout.numbers[packet]][-1]
        source = self._writes.get((message.thread, message.number))
        self._add(EventKind.READ, now, thread, node.span, location=packet, source=source, read=message.value)

    def _meet(self, now: Configuration[ViewState], thread: int, node: Barrier | Collective) -> Step[ViewState]:
        """An arrival; the exits of all, or their results, come when the last one has arrived."""
        instance = self._instance(now, thread, node)
        is_barrier = isinstance(node, Barrier)
        kind = EventKind.ENTRY if is_barrier else EventKind.CALL
        self._add_meeting(kind, now, thread, node, instance)
        step = self._machine.step(now, thread, _ONLY)
        if not is_barrier:
            self._group_calls[thread] = len(self._operations) - 1
        if isinstance(node, Collective) and node.of_active:
            return step
        if step.after.waiting >> thread & 1:
            return step
        compiled = self._machine.compiled
        group = compiled.group(thread, node.level)[0]
        if not is_barrier:
            results = collective_results(compiled, now, group)
            self._results.update(zip((self._group_calls[member] for member in group), results, strict=True))
            return step
        for member in group:
            there = self._machine.instruction(now, member)
            if isinstance(there, Barrier):
                self._add_meeting(EventKind.EXIT, now, member, there, self._instance(now, member, there))
        return step

    def _end_copy(self, now: Configuration[ViewState], thread: int, node: EndCopy) -> None:
        """A copy is complete."""
        instance = self._dynamic(now, thread, Level.WORK_GROUP, node.site, node.iterations)
        assert instance is not None, "work-items copy"
        self._copied.append((instance, node.event(now.slots[thread])))
        copy = self._begun[thread]
        self._add(EventKind.COPIED, now, thread, node.span, barrier=instance, flags=_BOTH, asynchronous=copy)

    def _await_copies(self, now: Configuration[ViewState], thread: int, node: AwaitCopies) -> Step[ViewState]:
        """An arrival; all have waited for the copies when the last one has arrived."""
        step = self._machine.step(now, thread, _ONLY)
        group = () if step.after.is_waiting(thread) else self._machine.compiled.group(thread, node.level)[0]
        for member in group:
            there = self._machine.instruction(now, member)
            assert isinstance(there, AwaitCopies)
            placement = self._machine.threads[member].placement
            events = [event(now.slots[member]) for event in there.events]
            for instance, event in self._copied:
                if event in events and isinstance(placement, WorkItem) and instance.group == placement.work_group:
                    self._add(EventKind.AWAITED, now, member, there.span, barrier=instance, flags=_BOTH)
                    self._standstill.end()
        return step

    def _add_meeting(
        self,
        kind: EventKind,
        now: Configuration[ViewState],
        thread: int,
        node: Barrier | Collective,
        instance: BarrierInstance | None,
    ) -> None:
        self._add(kind, now, thread, node.span, barrier=instance)
        if isinstance(node, Barrier):
            order = Order.RELEASE if kind is EventKind.ENTRY else Order.ACQUIRE
            self._operations[-1] = replace(self._operations[-1], order=order, scope=node.scope, flags=node.flags)

    def _instance(
        self, now: Configuration[ViewState], thread: int, node: Barrier | Collective
    ) -> BarrierInstance | None:
        of_active = isinstance(node, Collective) and node.of_active
        found = self._dynamic(now, thread, node.level, node.site, node.iterations)
        return replace(found, of_active=True) if found is not None and of_active else found

    def _dynamic(
        self, now: Configuration[ViewState], thread: int, level: Level, site: str, iterations: tuple[int, ...]
    ) -> BarrierInstance | None:
        placement = self._machine.threads[thread].placement
        if not isinstance(placement, WorkItem):
            return None
        group = placement.work_group if level is Level.WORK_GROUP else placement.sub_group
        return BarrierInstance(level, group, site, self._passed(now, thread, iterations))

    def _passed(self, now: Configuration[ViewState], thread: int, counters: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers of the iterations that some slots of a thread count."""
        slots = now.slots[thread] if counters else ()
        return tuple(passed for counter in counters if isinstance(passed := slots[counter], int))

    def _add(self, kind: EventKind, now: Configuration[ViewState], thread: int, span: Span, **attributes: Any) -> None:
        index, instruction = self._machine.threads[thread].index, now.counters[thread]
        iteration = self._passed(now, thread, self._machine.threads[thread].around[instruction])
        self._operations.append(Operation(kind, index, instruction, span, **attributes, iteration=iteration))
        # An exchange that waits writes back what it has read.
        if kind in {EventKind.EXIT, EventKind.API_CALL} or (
            kind.writes and self._operations[-1].written != self._operations[-1].read
        ):
            self._standstill.end()
        else:
            self._standstill.add(index, instruction, self._operations[-1].location)
