"""The calls about commands in a recorded run, in the form in which the elaboration of a program keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.algebra import TRUE
from mcm.execution.event import EventKind
from mcm.execution.progress import CallOrders, CommandCalls, CompletedBy, QueueCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.machine.recording import Operation
    from mcm.program.program import Program


def command_calls(
    program: Program, operations: Mapping[int, Operation], events: Mapping[int, int]
) -> tuple[CommandCalls, CallOrders]:
    """The calls, and their order on each queue and user event, which is that in which they were made.

    `events` numbers operations.
    """
    calls = CommandCalls()
    for number, operation in operations.items():
        event, thread = events[number], operation.thread
        match operation.kind:
            case EventKind.API_CALL if thread is not None:
                _add_call(calls, program, operation, event, thread)
            case EventKind.QUERY if operation.command is not None:
                calls.queried.append((operation.command, event))
            case EventKind.RETURN:
                calls.awaited += ((command, event) for command in operation.awaited)
                if operation.call is not None and operations[operation.call].queue is not None:
                    calls.finishes[events[operation.call]] = event
    orders: dict[int, tuple[QueueCall, ...]] = {}
    for call in calls.queue_calls:
        orders[call.queue] = (*orders.get(call.queue, ()), call)
    return calls, CallOrders(orders, {event: tuple(setters) for event, setters in calls.setters.items()})


def _add_call(calls: CommandCalls, program: Program, operation: Operation, event: int, thread: int) -> None:
    if operation.queue is not None:
        calls.queue_calls.append(QueueCall(operation.queue, event, thread, TRUE))
        return
    if operation.command is None:
        return
    command = program.commands[operation.command]
    if command.caller is None:
        calls.setters.setdefault(command.number, []).append(CompletedBy(event, TRUE, thread))
        return
    calls.enqueued[command.number] = event, TRUE
    if command.queue is not None and not program.queues[command.queue].on_device:
        calls.queue_calls.append(QueueCall(command.queue, event, thread, TRUE, command.number))
