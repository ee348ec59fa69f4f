"""Which commands may run while others do, or while the host does something, by the program's text alone.

So whatever data decides: a command that is not executed runs at no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program import instruction as hir
from mcm.program.command import CommandKind
from mcm.program.resolve.accessed import ATOMIC, Reach
from mcm.program.topology import HostThread
from mcm.program.types import Region
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.command import Command
    from mcm.program.instruction import Expression, Statement, Written
    from mcm.program.program import Program, Thread

_COMMANDS: Final = frozenset(
    (
        *(CommandKind.NDRANGE, CommandKind.READ, CommandKind.WRITE, CommandKind.FILL, CommandKind.COPY),
        CommandKind.MIGRATE,
        *(CommandKind.MARKER, CommandKind.BARRIER),
    )
)
_Running = frozenset[int]
_NOTHING: Final[_Running] = frozenset()


class NotToldError(Exception):
    """What runs at a time is not told by the text."""


def host_of(program: Program) -> Thread | None:
    """The one thread of the host that enqueues all commands, of kinds that are looked at; None for other programs."""
    own = [thread for thread in program.threads if thread.started_by is None]
    if len(own) != 1 or not isinstance(own[0].placement, HostThread) or program.has_pipes or program.used_parts:
        return None
    if any(command.kind not in _COMMANDS or command.caller != own[0].index for command in program.commands):
        return None
    return own[0]


def meet_at_atomics(program: Program) -> bool:
    """Whether two commands, or a command and the host, may access an atomic object while both run.

    The program is one with a host (`host_of`). True as well where that is not told.
    """
    host = host_of(program)
    assert host is not None, "there is one"
    atomic = {number for number, item in enumerate(program.objects) if item.atomic and item.region is not Region.LOCAL}
    if not atomic:
        return False
    try:
        times = _Times(program, host)
    except NotToldError:
        return True
    of_command = accessed_by_commands(program)
    return any(of_command[one] & of_command[other] & atomic for one, other in times.together) or any(
        number in of_command[command] & atomic for command, number in times.of_host
    )


def one_of_each_text(program: Program) -> Iterator[Thread]:
    """The threads whose texts are looked at: members of a group that share theirs are given the same objects."""
    found: set[tuple[int, int | None, object]] = set()
    for thread in program.threads:
        text = id(thread.body), thread.started_by, thread.group
        if text not in found:
            found.add(text)
            yield thread


def accessed_by_commands(program: Program) -> dict[int, set[int]]:
    """The objects that the threads of each command may access."""
    found: dict[int, set[int]] = {command.number: set() for command in program.commands}
    for thread in one_of_each_text(program):
        if thread.started_by is not None:
            nodes = walk(thread.body)
            reach = Reach(thread, nodes, program.objects)
            found[thread.started_by].update(*(reach.of(address) for node in nodes for address in _addresses(node)))
    return found


def _addresses(node: Written) -> Iterator[Expression]:
    """The addresses of the accesses that a node alone makes."""
    if isinstance(node, (hir.MemoryPlace, *ATOMIC, hir.AtomicInit)):
        yield node.address


class _Times:
    """Which commands run `together`, and what objects the host accesses while commands run (`of_host`)."""

    def __init__(self, program: Program, host: Thread) -> None:
        self._program: Final = program
        self._reach: Final = Reach(host, walk(host.body), program.objects)
        # For each command that was enqueued those that are complete when it starts, if they are executed at all.
        self._before: Final[dict[int, set[int]]] = {}
        # Those that are enqueued in any case; whether what is looked at is executed in any case.
        self._sure: Final[set[int]] = set()
        self._is_sure = True
        # What may run where control leaves the innermost `switch`.
        self._breaks = _NOTHING
        self._in_queue: Final[dict[int | None, list[Command]]] = {}
        self.together: Final[set[tuple[int, int]]] = set()
        self.of_host: Final[set[tuple[int, int]]] = set()
        self._execute(host.body, frozenset())

    def _execute(self, node: Statement, running: _Running) -> _Running:
        """The commands that may run behind a statement, where these may run before it."""
        match node:
            case hir.Block(statements):
                for statement in statements:
                    running = self._execute(statement, running)
                return running
            case hir.If(condition, then, otherwise):
                running = self._note(condition, running)
                is_sure, self._is_sure = self._is_sure, False
                found = self._execute(then, running) | self._execute(otherwise, running)
                self._is_sure = is_sure
                return found
            case hir.Inlined(body):
                return self._execute(body, running)
            case hir.Switch(condition, arms) if len(arms) == 1 and arms[0].is_default:
                return self._written_out(arms[0].body, self._note(condition, running))
            case hir.Break():
                self._breaks |= running
                return _NOTHING
            case hir.Loop() | hir.Switch():
                # What is waited for in some turns, or arms, may not be waited for.
                if any(isinstance(part, hir.Enqueue) for part in walk(node)):
                    raise NotToldError
                self._access(node, running)
                return running
            case hir.Return() | hir.Continue():
                raise NotToldError
            case _:
                return self._note(node, running)

    def _written_out(self, body: Statement, running: _Running) -> _Running:
        """The iterations of a loop that are written out; behind the first, it may have been left."""
        outer = self._breaks, self._is_sure
        self._breaks, self._is_sure = _NOTHING, False
        running = self._execute(body, running) | self._breaks
        self._breaks, self._is_sure = outer
        return running

    def _note(self, node: Written, running: _Running) -> _Running:
        """The same of an expression, or a statement without others in it."""
        self._access(node, running)
        before = running
        for part in walk(node):
            match part:
                case hir.Enqueue(command=number):
                    running = self._enqueue(self._program.commands[number], running)
                case hir.WaitForEvents(events=events):
                    running = running.difference(events, *(self._before.get(event, ()) for event in events))
                case hir.Finish(queue=queue):
                    earlier = {command.number for command in self._in_queue.get(queue, ())}
                    running = running.difference(earlier, *(self._before[number] for number in earlier & self._sure))
        if running != before:
            self._access(node, running)
        return running

    def _access(self, node: Written, running: _Running) -> None:
        if running:
            accessed = {number for part in walk(node) for a in _addresses(part) for number in self._reach.of(a)}
            self.of_host.update((command, number) for command in running for number in accessed)

    def _enqueue(self, command: Command, running: _Running) -> _Running:
        earlier = self._in_queue.setdefault(command.queue, [])
        waits_for_all = command.queue is not None and self._program.queues[command.queue].in_order
        waits_for_all |= command.kind in {CommandKind.MARKER, CommandKind.BARRIER} and not command.is_listed
        named = {*command.waits, *command.requires}
        direct = {*named, *(c.number for c in earlier if waits_for_all or c.kind is CommandKind.BARRIER)}
        # What is waited for by name is executed, or the command is not.
        executed = direct & (self._sure | {*command.waits})
        before = direct.union(*(self._before.get(other, ()) for other in executed))
        self._before[command.number] = before
        if self._is_sure:
            self._sure.add(command.number)
        earlier.append(command)
        self.together.update((other, command.number) for other in running - before)
        return running - before if command.blocking else running | {command.number}
