"""What takes the place of the placeholders for the progress of commands, and the events of commands.

A command starts once what it waits for is complete, and what it requires if that is enqueued; it is complete once its
threads have finished and its children are complete. If an event of its wait list has failed, it does not start, and
fails at once (HOST-18). Threads that wait for commands, and the user events that they set, make this a system of
equations, of which the least solution holds: what waits for itself never comes.
"""

from __future__ import annotations

from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, Final, TypeVar

from mcm.execution.algebra import FALSE, TRUE, conjunction, disjunction, negation, select
from mcm.execution.event import Event, EventKind
from mcm.execution.expression import Constant
from mcm.execution.progress import CallOrders, Emptied, Progress, Stage, TakesEffect
from mcm.execution.skeleton import Stop, StopKind
from mcm.program.command import FAILED_IN_WAIT_LIST, RESULT, CommandKind, EnqueueFlag, numbered
from mcm.program.condition import RegisterName
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.execution.expression import Expression
    from mcm.execution.progress import CompletedBy, QueueCall, Unknown
    from mcm.execution.shared import Shared
    from mcm.program.command import Command

Call = TypeVar("Call", "QueueCall", "CompletedBy")


def call_orders(shared: Shared, most: int) -> list[CallOrders] | None:
    """The orders in which the calls of several threads may come to queues and user events; None if too many."""
    queues: dict[int, list[QueueCall]] = {}
    for call in shared.calls.queue_calls:
        queues.setdefault(call.queue, []).append(call)
    by_queue = {queue: _interleaved(calls, most) for queue, calls in queues.items()}
    by_event = {event: _interleaved(calls, most) for event, calls in shared.calls.setters.items()}
    amounts = [0 if ways is None else len(ways) for ways in (*by_queue.values(), *by_event.values())]
    if not all(amounts) or prod(amounts) > most:
        return None
    return [
        CallOrders(dict(zip(by_queue, of_queues, strict=True)), dict(zip(by_event, of_events, strict=True)))
        for of_queues in product(*(ways for ways in by_queue.values() if ways is not None))
        for of_events in product(*(ways for ways in by_event.values() if ways is not None))
    ]


def _interleaved(calls: Iterable[Call], most: int) -> list[tuple[Call, ...]] | None:
    """The orders in which calls may come, those of each thread in its order; None if there are too many."""
    by_thread: dict[int, list[Call]] = {}
    for call in calls:
        by_thread.setdefault(call.thread, []).append(call)
    merged: list[tuple[Call, ...]] = [()]
    for own in by_thread.values():
        merged = [way for one in merged for way in _merges(one, tuple(own))]
        if len(merged) > most:
            return None
    return merged


def _merges(one: tuple[Call, ...], other: tuple[Call, ...]) -> Iterator[tuple[Call, ...]]:
    """All interleavings of two sequences."""
    length = len(one) + len(other)
    for places in combinations(range(length), len(other)):
        taken, rest = iter(other), iter(one)
        yield tuple(next(taken) if place in places else next(rest) for place in range(length))


class Completion:
    """The conditions under which commands start, end and are complete, given the orders of the queues."""

    def __init__(self, shared: Shared, orders: CallOrders, registers: Mapping[RegisterName, Expression]) -> None:
        self._shared: Final = shared
        self._calls: Final = shared.calls
        self._commands: Final = shared.program.commands
        self._registers: Final = registers
        self._earlier: Final = _earlier(orders)
        self._before: Final = _setters_before(orders)
        self._may_fail: Final = _may_fail(shared)
        self._stopped: Final = _stopped(shared)
        self._members: Final[dict[object, list[int]]] = {}
        self._children: Final[dict[int, list[Command]]] = {}
        for thread in shared.program.threads:
            if isinstance(thread.placement, WorkItem):
                self._members.setdefault(thread.placement.work_group, []).append(thread.index)
                self._members.setdefault(thread.placement.kernel_instance, []).append(thread.index)
        for command in self._commands:
            if command.parent is not None:
                self._children.setdefault(command.parent, []).append(command)

    def definition(self, unknown: Unknown) -> Expression:
        """What a placeholder stands for, in terms of others."""
        if isinstance(unknown, Emptied):
            return conjunction(*(self._is_gone(call) for call in self._earlier.get(unknown.call, ())))
        if isinstance(unknown, TakesEffect):
            return negation(disjunction(*(call.guard for call in self._before[unknown.call])))
        command = self._commands[unknown.command]
        match unknown.stage:
            case Stage.STARTED:
                return self._started(command)
            case Stage.ENDED:
                return conjunction(self._now(command, Stage.STARTED), self._finished(command.units))
            case Stage.COMPLETE:
                return self._complete(command)
            case Stage.FAILED:
                return self._failed(command)
            case Stage.RESULT:
                return self._result(command, unknown.number)
            case Stage.STATUS:
                return self._status(command)

    def _now(self, command: Command, stage: Stage) -> Expression:
        return self._shared.condition(Progress(command.number, stage))

    def called(self, command: Command) -> Expression:
        """The condition that a command is enqueued."""
        return self._calls.enqueued[command.number][1] if command.number in self._calls.enqueued else FALSE

    def _started(self, command: Command) -> Expression:
        return conjunction(self._may_begin(command), *(negation(failed) for failed in self._failures(command.waits)))

    def _failures(self, commands: Iterable[int]) -> Iterator[Expression]:
        """The conditions that commands fail, of those that may."""
        for number in commands:
            if number in self._may_fail:
                yield self._now(self._commands[number], Stage.FAILED)

    def _may_begin(self, command: Command) -> Expression:
        """That a command has been enqueued, and that all that it waits for is over."""
        called = self.called(command)
        if called is FALSE:
            return FALSE
        demands = [called, *(self._now(self._commands[event], Stage.COMPLETE) for event in command.waits)]
        demands += (self._is_gone_or_absent(self._commands[number]) for number in command.requires)
        demands += (
            self._is_gone(call)
            for call in self._earlier.get(self._calls.enqueued[command.number][0], ())
            if call.command is not None and waits_for(self._shared, command, self._commands[call.command])
        )
        if command.enqueue_flag is not EnqueueFlag.NO_WAIT and command.enqueue_flag is not None:
            assert command.caller is not None
            place = self._shared.program.thread(command.caller).placement
            assert isinstance(place, WorkItem)
            is_kernel = command.enqueue_flag is EnqueueFlag.WAIT_KERNEL
            around = place.kernel_instance if is_kernel else place.work_group
            demands.append(self._finished(self._members[around]))
        return conjunction(*demands)

    def _complete(self, command: Command) -> Expression:
        if command.kind is CommandKind.USER:
            return disjunction(*(call.guard for call in self._calls.setters.get(command.number, ())))
        return disjunction(self._performed(command), *self._failures([command.number]))

    def _failed(self, command: Command) -> Expression:
        """HOST-18: that a user event is set to an error, or that a command waits for a failure, or has a child's."""
        if command.kind is CommandKind.USER:
            setters = self._calls.setters.get(command.number, ())
            return disjunction(*(conjunction(call.guard, call.first) for call in setters if call.status < 0))
        ended = conjunction(self._may_begin(command), disjunction(*self._failures(command.waits)))
        children = (child.number for child in self._children.get(command.number, ()))
        return disjunction(ended, conjunction(self._performed(command), disjunction(*self._failures(children))))

    def _status(self, command: Command) -> Expression:
        """0, which is CL_COMPLETE, or the error of what has failed."""
        found: Expression = Constant(0)
        if command.kind is CommandKind.USER:
            for call in self._calls.setters.get(command.number, ()):
                took_effect = conjunction(call.guard, call.first)
                found = select(took_effect, Constant(call.status), found) if call.status < 0 else found
        elif command.number in self._may_fail:
            found = select(self._now(command, Stage.FAILED), Constant(FAILED_IN_WAIT_LIST), found)
        return found

    def _performed(self, command: Command) -> Expression:
        """That the work of a command has ended, and its children are complete."""
        children = [
            disjunction(negation(self.called(child)), self._now(child, Stage.COMPLETE))
            for child in self._children.get(command.number, ())
            if self.called(child) is not FALSE
        ]
        return conjunction(self._now(command, Stage.ENDED), *children)

    def _result(self, command: Command, number: int) -> Expression:
        for unit in command.units:
            found = self._registers.get(RegisterName(unit, numbered(RESULT, number)))
            if found is not None:
                return found
        return Constant(0)

    def _is_gone(self, call: QueueCall) -> Expression:
        """That a call has enqueued nothing, or that its command is complete."""
        if call.command is None:
            return TRUE
        return disjunction(negation(call.guard), self._now(self._commands[call.command], Stage.COMPLETE))

    def _is_gone_or_absent(self, command: Command) -> Expression:
        """That a command is complete, if it is enqueued."""
        called = self.called(command)
        return TRUE if called is FALSE else disjunction(negation(called), self._now(command, Stage.COMPLETE))

    def _finished(self, threads: Sequence[int]) -> Expression:
        return negation(disjunction(*(self._stopped[thread] for thread in threads if thread in self._stopped)))


def waits_for(shared: Shared, command: Command, earlier: Command) -> bool:
    """Whether a command waits for one that comes before it in its queue, whatever its wait list says (HOST-5..7)."""
    assert command.queue is not None
    if shared.program.queues[command.queue].in_order or earlier.kind is CommandKind.BARRIER:
        return True
    return command.kind in {CommandKind.MARKER, CommandKind.BARRIER} and not command.is_listed


def _may_fail(shared: Shared) -> frozenset[int]:
    """The commands that may fail because some user event may."""
    found = {event for event, calls in shared.calls.setters.items() if any(call.status < 0 for call in calls)}
    before = -1
    while before != len(found):
        before = len(found)
        for command in shared.program.commands:
            if command.number in found and command.parent is not None:
                found.add(command.parent)
            elif found.intersection(command.waits):
                found.add(command.number)
    return frozenset(found)


def _earlier(orders: CallOrders) -> dict[int, tuple[QueueCall, ...]]:
    """For each call on a queue, those before it."""
    return {call.event: calls[:place] for calls in orders.queues.values() for place, call in enumerate(calls)}


def _setters_before(orders: CallOrders) -> dict[int, tuple[CompletedBy, ...]]:
    """For each call that sets a user event, by where it takes effect, those before it."""
    return {call.event: calls[:place] for calls in orders.setters.values() for place, call in enumerate(calls)}


def _stopped(shared: Shared) -> dict[int, Expression]:
    conditions: dict[int, list[Expression]] = {}
    for stop in shared.stops:
        conditions.setdefault(stop.thread, []).append(stop.condition)
    return {thread: disjunction(*each) for thread, each in conditions.items()}


# --- events and stops -------------------------------------------------------------------------------------------------


def add_command_events(shared: Shared) -> None:
    """Add start, end and completion of every command that is enqueued, and say where threads stop that wait."""
    for held in shared.calls.helds:
        waits = conjunction(held.guard, negation(held.opens))
        shared.stops.append(Stop(StopKind.EVENT, held.thread, waits, held.span, awaits=held.awaits))
    for number, (_, guard) in shared.calls.enqueued.items():
        command = shared.program.commands[number]
        started = shared.condition(Progress(number, Stage.STARTED))
        failed = shared.condition(Progress(number, Stage.FAILED))
        # What fails because of its wait list has waited as others do, and starts and is complete without any work.
        begins = disjunction(started, failed)
        waits = conjunction(guard, negation(begins))
        awaits = (*command.waits, *command.requires) or (number,)
        shared.stops += (Stop(StopKind.EVENT, unit, waits, command.span, awaits=awaits) for unit in command.units)
        for kind, stage in _EVENTS:
            identifier = len(shared.events)
            shared.grow(command.span)
            condition = begins if kind is EventKind.START else shared.condition(Progress(number, stage))
            shared.events.append(_pseudo_event(identifier, kind, condition, command))


_EVENTS: Final = (
    (EventKind.START, Stage.STARTED),
    (EventKind.END, Stage.ENDED),
    (EventKind.COMPLETE, Stage.COMPLETE),
)


def _pseudo_event(identifier: int, kind: EventKind, guard: Expression, command: Command) -> Event:
    return Event(
        identifier=identifier,
        kind=kind,
        thread=None,
        guard=guard,
        address=None,
        locations=(),
        value=None,
        order=None,
        scope=None,
        flags=frozenset(),
        atomic=False,
        barrier=None,
        span=command.span,
        command=command.number,
    )
