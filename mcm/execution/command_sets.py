"""The base sets that the events of commands, and of calls about them, belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.commands import COMPLETE, QUEUED, RUNNING, SUBMITTED
from mcm.execution.event import EventKind
from mcm.program.command import CommandKind, EnqueueFlag, MapFlag
from mcm.program.instruction import SetUserEventStatus
from mcm.program.topology import HostThread
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.event import Event
    from mcm.program.command import Command
    from mcm.program.program import Program

_NAMES: Final = {
    EventKind.API_CALL: "CALL",
    EventKind.RETURN: "RETURN",
    EventKind.QUERY: "QUERY",
    EventKind.START: "START",
    EventKind.END: "END",
    EventKind.COMPLETE: "COMPLETE",
}
_ANSWERS: Final = {QUEUED: "QUEUED", SUBMITTED: "SUBMITTED", RUNNING: "RUNNING", COMPLETE: "COMPLETED"}
_STAGES: Final = frozenset({EventKind.START, EventKind.END, EventKind.COMPLETE})


def sets_of_commands(program: Program, events: Sequence[Event]) -> Iterator[tuple[str, int]]:
    """Names of sets with the events that are members because of commands."""
    maps = {unit: c for c in program.commands if c.kind is CommandKind.MAP for unit in c.units}
    for event in events:
        if event.kind.is_of_commands:
            yield from ((name, event.identifier) for name in _sets_of(event, program))
        elif event.thread in maps:
            yield from ((name, event.identifier) for name in _map_sets(event, maps[event.thread]))


def _sets_of(event: Event, program: Program) -> Iterator[str]:
    """The sets of an event of a command, or of a call; all are global actions."""
    yield "G"
    yield _NAMES[event.kind]
    if event.thread is not None and isinstance(program.thread(event.thread).placement, HostThread):
        yield "H"
    if event.answer is not None:
        yield _ANSWERS[event.answer]
    if event.kind is EventKind.RETURN and _is_of_blocking(event, program):
        yield "BLOCKING"
    if event.command is None:
        return
    command = program.commands[event.command]
    if event.kind in _STAGES:
        yield from _of_command(command, program)
    elif event.kind is EventKind.API_CALL and command.kind is CommandKind.USER:
        yield "SETTER"
        if _is_abnormal(event, program):
            yield "ABNORMAL"


def _of_command(command: Command, program: Program) -> Iterator[str]:
    if command.queue is not None and program.queues[command.queue].in_order:
        yield "IN_ORDER"
    if command.is_listed:
        yield "LISTED"
    if command.kind is CommandKind.MARKER:
        yield "MARKER"
    elif command.kind is CommandKind.BARRIER:
        yield "COMMAND_BARRIER"
    elif command.kind is CommandKind.CHILD:
        yield "CHILD"
        if command.enqueue_flag is EnqueueFlag.WAIT_KERNEL:
            yield "WAIT_KERNEL"
        elif command.enqueue_flag is EnqueueFlag.WAIT_WORK_GROUP:
            yield "WAIT_WORK_GROUP"


def _is_of_blocking(event: Event, program: Program) -> bool:
    """Whether a call that waits enqueued what it waits for."""
    return any(c.blocking and c.caller == event.thread and c.span == event.span for c in program.commands)


def _is_abnormal(event: Event, program: Program) -> bool:
    assert event.thread is not None
    nodes = walk(program.thread(event.thread).body)
    return any(isinstance(node, SetUserEventStatus) and node.span == event.span and node.status < 0 for node in nodes)


def _map_sets(event: Event, command: Command) -> Iterator[str]:
    """The sets of an access that a map makes."""
    yield "MAP"
    if MapFlag.READ not in command.map_flags or len(command.map_flags) > 1:
        yield "MAP_WRITE"
    if MapFlag.WRITE_INVALIDATE in command.map_flags and event.kind.writes:
        yield "INDETERMINATE"
