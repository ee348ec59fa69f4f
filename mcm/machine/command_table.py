"""The table of commands of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.machine.code import QueryStatus
from mcm.machine.command import CommandKind
from mcm.machine.command_code import CommandCode, CommandTable, QueueCode
from mcm.program.command import CommandKind as Written
from mcm.program.command import EnqueueFlag
from mcm.program.operators import Level
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.machine.code import ThreadCode
    from mcm.machine.groups import Group
    from mcm.program.command import Command
    from mcm.program.program import Program, Thread

# What the runtime does with a command; it performs all others, whatever they do with memory.
_KINDS: Final = {
    Written.NDRANGE: CommandKind.KERNEL,
    Written.CHILD: CommandKind.KERNEL,
    Written.MARKER: CommandKind.MARKER,
    Written.BARRIER: CommandKind.BARRIER,
    Written.USER: CommandKind.USER,
}


def table_of(program: Program, threads: Sequence[ThreadCode], groups: Sequence[Mapping[Level, Group]]) -> CommandTable:
    """The commands with their numbers in the program, and behind them its callbacks in the order of their threads."""
    positions = {code.index: number for number, code in enumerate(threads)}
    queues = tuple(QueueCode(queue.name, queue.device.number, queue.in_order) for queue in program.queues)
    asked = {node.event for code in threads for node in code.instructions if isinstance(node, QueryStatus)}
    commands = [
        replace(_command(program, command, positions, groups), is_asked=command.number in asked)
        for command in program.commands
    ]
    commands += [
        _callback(thread, thread.callback_of, positions) for thread in program.threads if thread.callback_of is not None
    ]
    return CommandTable(tuple(commands), queues)


def _command(
    program: Program, command: Command, positions: Mapping[int, int], groups: Sequence[Mapping[Level, Group]]
) -> CommandCode:
    units = [positions[unit] for unit in command.units]
    on_device = command.queue is None or program.queues[command.queue].on_device
    return CommandCode(
        name=command.name,
        kind=_KINDS.get(command.kind, CommandKind.COMMAND),
        span=command.span,
        queue=None if on_device else command.queue,
        wait_list=command.waits,
        requires=command.requires,
        groups=tuple(dict.fromkeys(groups[unit][Level.WORK_GROUP][1] for unit in units)),
        caller=None if command.caller is None else positions[command.caller],
        parent=command.parent,
        is_child=command.kind is Written.CHILD,
        is_map=command.kind is Written.MAP,
        is_unmap=command.kind is Written.UNMAP,
        after=_awaited_threads(program, command, positions, groups),
    )


def _awaited_threads(
    program: Program, command: Command, positions: Mapping[int, int], groups: Sequence[Mapping[Level, Group]]
) -> int:
    """HOST-13, HOST-14: the threads that have finished before a child kernel begins, as its flag says."""
    if command.caller is None:
        return 0
    caller = positions[command.caller]
    if command.enqueue_flag is EnqueueFlag.WAIT_WORK_GROUP:
        return groups[caller][Level.WORK_GROUP][1]
    if command.enqueue_flag is not EnqueueFlag.WAIT_KERNEL:
        return 0
    place = program.threads[caller].placement
    assert isinstance(place, WorkItem)
    return sum(
        1 << number
        for number, thread in enumerate(program.threads)
        if isinstance(thread.placement, WorkItem) and thread.placement.kernel_instance == place.kernel_instance
    )


def _callback(thread: Thread, event: int, positions: Mapping[int, int]) -> CommandCode:
    return CommandCode(
        name=thread.name,
        kind=CommandKind.COMMAND,
        span=thread.span,
        wait_list=(event,),
        groups=(1 << positions[thread.index],),
    )
