"""Why commands, and what the host does, are not ordered: what each rule of commands asks for, and is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Sentence
from mcm.catalogue.rules import rules
from mcm.execution.event import EventKind
from mcm.explain.sycl_commands_story import lacks, sycl_commands_told, sycl_host_told
from mcm.program.command import CommandKind, EnqueueFlag
from mcm.program.instruction import SetUserEventStatus
from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.program.command import Command

# How the rules begin that order commands.
_OF_COMMANDS: Final = ("HOST-", "SYCL-CMD-")

_COARSE: Final = {
    AllocationKind.BUFFER: "a buffer",
    AllocationKind.COARSE_SVM: "coarse-grain SVM",
    AllocationKind.PROGRAM_SCOPE: "a program-scope variable",
}


def commands_story(candidate: Candidate, first: int, last: int, model: Model) -> tuple[Sentence, ...]:
    """What keeps two accesses unordered that commands or the host make; nothing where there is nothing to say.

    The rules of SYCL and those of OpenCL are asked in turn: only those are told that the model states.
    """
    told = list(CommandsOf(candidate, first, last).sentences())
    if told and not any(rule.startswith(_OF_COMMANDS) for rule in _known(model)):
        text = f"{model.name} states no rule about commands: no queue, event or wait orders anything under it"
        return (Sentence(text, events=(first, last), mark=False),)
    return of_stated_rules(told, model)


def of_stated_rules(sentences: Iterable[Sentence], model: Model) -> tuple[Sentence, ...]:
    """Those of some sentences about rules that a model states."""
    known = _known(model)
    return tuple(one for one in sentences if one.rules and set(one.rules) <= known)


def _known(model: Model) -> set[str]:
    return {identifier for entry in rules(model) for identifier in entry.rule.identifiers}


class CommandsOf:
    """The commands that two accesses belong to, and what the program says of them."""

    def __init__(self, candidate: Candidate, first: int, last: int) -> None:
        self._candidate: Final = candidate
        self._program: Final = candidate.skeleton.program
        self._events: Final = [candidate.skeleton.events[number] for number in (first, last)]

    def sentences(self) -> Iterator[Sentence]:
        """What keeps the two unordered."""
        one, other = (self._command(event) for event in self._events)
        if (child := self._child_beside_caller()) is not None:
            yield from self._of_child(*child)
        elif one is not None and other is not None:
            if one.number != other.number:
                yield from self._of_commands(*sorted((one, other), key=lambda command: command.number))
        elif one is not None:
            yield from self._of_host(one, self._events[1])
        elif other is not None:
            yield from self._of_host(other, self._events[0])

    def _child_beside_caller(self) -> tuple[str, Command] | None:
        """The kernel that one access belongs to, by its name, and its child that makes the other one, if it is so."""
        for child, access in zip(map(self._command, self._events), reversed(self._events), strict=True):
            if child is None or child.kind is not CommandKind.CHILD or child.caller is None or access.thread is None:
                continue
            caller, unit = (self._program.thread(one) for one in (child.caller, access.thread))
            instances = [one.placement.kernel_instance for one in (caller, unit) if isinstance(one.placement, WorkItem)]
            if len(instances) == 2 and instances[0] == instances[1]:
                parent = None if unit.started_by is None else self._program.commands[unit.started_by]
                return parent.name if parent else f"the kernel of {unit.name}", child
        return None

    def _command(self, event: Event) -> Command | None:
        """The command that an access is made for."""
        if event.thread is None:
            return None
        number = self._program.thread(event.thread).started_by
        return None if number is None else self._program.commands[number]

    def _of_commands(self, earlier: Command, later: Command) -> Iterator[Sentence]:
        if self._are_siblings(earlier, later):
            yield lacks(f"the event of {earlier.name} is not in the wait list of {later.name}", "HOST-2")
        else:
            yield from self._of_ancestors(earlier, later)

    def _of_ancestors(self, earlier: Command, later: Command) -> Iterator[Sentence]:
        """The commands of the host that two commands are, or are children in: those are complete last (HOST-16)."""
        above = [one for one in map(self._above, (earlier, later)) if one is not None]
        if len({one.number for one in above}) <= 1:
            return
        first, last = sorted(above, key=lambda command: command.number)
        yield from self.of_queues(first, last)
        child = later if above[1].number == last.number else earlier
        if child.number != last.number:
            yield from self._of_memory(child)

    def of_the_host(self) -> list[Command | None]:
        """The command of the host that each access is made for, or for a child of it."""
        commands = map(self._command, self._events)
        return [None if command is None else self._above(command) for command in commands]

    def _above(self, command: Command) -> Command | None:
        """The command of the host that a command is, or is a child in; None for one of a kernel that runs anyway."""
        while command.kind is CommandKind.CHILD:
            parent = self._parent(command)
            if parent is None:
                return None
            command = self._program.commands[parent]
        return command

    def _parent(self, child: Command) -> int | None:
        assert child.caller is not None
        return self._program.thread(child.caller).started_by

    def _are_siblings(self, one: Command, other: Command) -> bool:
        """Whether two commands are enqueued by the work-items of one kernel."""
        both_are = one.kind is CommandKind.CHILD and other.kind is CommandKind.CHILD
        return both_are and self._parent(one) == self._parent(other)

    def _of_child(self, parent: str, child: Command) -> Iterator[Sentence]:
        """HOST-1 and HOST-13..15: a child, and the kernel that enqueues it."""
        flag = child.enqueue_flag
        if flag is EnqueueFlag.NO_WAIT:
            yield lacks(f"{child.name} waits for nothing that {parent} does: its flag is {flag.value}", "HOST-15")
        elif flag is EnqueueFlag.WAIT_WORK_GROUP:
            yield lacks(f"{child.name} waits for the work-group only that enqueues it: {flag.value}", "HOST-14")
        yield from self._of_memory(child)
        if flag is not EnqueueFlag.WAIT_KERNEL:
            wanted = EnqueueFlag.WAIT_KERNEL.value
            yield Sentence(f"with {wanted}, {child.name} would start after all of {parent}", ("HOST-13",))

    def _of_memory(self, child: Command) -> Iterator[Sentence]:
        """HOST-1: that what is before a call that enqueues a child does not reach it, in this memory."""
        kind = self._kind_of_memory()
        if kind is not None:
            called = f"the call at line {child.span.line}"
            yield lacks(
                f"what comes before {called} reaches {child.name} in fine-grain SVM only; this is {kind}", "HOST-1"
            )

    def _kind_of_memory(self) -> str | None:
        """The kind of the memory that is accessed, if it is not fine-grain SVM."""
        location = self._candidate.locations.get(self._events[0].identifier)
        return None if location is None else _COARSE.get(self._program.objects[location.object].allocation)

    def of_queues(self, earlier: Command, later: Command) -> Iterator[Sentence]:
        """HOST-2, HOST-5 and HOST-7: two commands that the host enqueues."""
        yield from sycl_commands_told(self._program, earlier, later)
        queues = self._program.queues
        assert earlier.queue is not None
        assert later.queue is not None
        for mapping in (one for one in (earlier, later) if one.kind is CommandKind.MAP):
            yield Sentence(
                f"the {mapping.name} may overwrite every element of it with what it has seen there", ("MAP-2",)
            )
        names = f"{earlier.name} (line {earlier.span.line}) and {later.name} (line {later.span.line})"
        if earlier.queue != later.queue:
            pair = f"{queues[earlier.queue].name} and {queues[later.queue].name}"
            yield lacks(f"{names} are in two queues, {pair}: a queue orders its own commands only", "HOST-5")
        else:
            queue = queues[earlier.queue]
            if not queue.in_order:
                yield lacks(f"{names} are in one queue, but {queue.name} is out-of-order", "HOST-5")
                yield lacks(f"no command barrier stands between them in {queue.name}", "HOST-7")
        waited = self._program.commands
        listed = f", which waits for {' and '.join(waited[event].name for event in later.waits)}" if later.waits else ""
        yield lacks(f"the event of {earlier.name} is not in the wait list of {later.name}{listed}", "HOST-2")

    def _of_host(self, command: Command, access: Event) -> Iterator[Sentence]:
        """HOST-1, HOST-4 and HOST-8: a command, and an access of the host."""
        assert access.thread is not None
        thread = self._program.thread(access.thread)
        if not isinstance(thread.placement, HostThread) or command.kind is CommandKind.CHILD:
            return
        yield from sycl_host_told(self._program, command, thread, access.span.line)
        around = f"{thread.name} line {access.span.line}"
        calls = self._made_before(access)
        if thread.callback_of is not None:
            event = self._program.commands[thread.callback_of].name
            yield lacks(f"callback {thread.name} is registered for {event}, not for {command.name}", "HOST-11")
        elif command.caller == thread.index and all(one.command != command.number for one in calls if _enqueues(one)):
            yield lacks(f"{around} comes after the call that enqueues {command.name} or beside it", "HOST-1")
        else:
            yield lacks(
                f"{thread.name} does not wait for {command.name} before line {access.span.line}", "HOST-4", "HOST-8"
            )
            yield from self._of_setters(command, access)
            for query in (one for one in calls if one.kind is EventKind.QUERY and one.command == command.number):
                text = f"the status that it asks for at line {query.span.line} orders nothing, whatever the answer"
                yield lacks(text, "HOST-4q")

    def _of_setters(self, command: Command, access: Event) -> Iterator[Sentence]:
        """HOST-12: calls behind an access that would order, had another one not set the user event before."""
        skeleton = self._candidate.skeleton
        later = skeleton.relations["po"][access.identifier]
        made = [skeleton.events[number] for number in sorted(self._candidate.executed)]
        calls = [one for one in made if one.kind is EventKind.API_CALL]
        second = [one for one in calls if one.command is None and later >> one.identifier & 1]
        for first in (one for one in calls if one.command in command.waits):
            for call in (one for one in second if self._sets(one, first.command)):
                name = self._program.commands[first.command or 0].name
                text = f"the call at line {call.span.line} does not set {name}"
                yield lacks(f"{text}: that at line {first.span.line} was made before", "HOST-12")

    def _sets(self, call: Event, event: int | None) -> bool:
        """Whether a call in the text is one that sets a user event."""
        assert call.thread is not None
        nodes = walk(self._program.thread(call.thread).body)
        return any(isinstance(n, SetUserEventStatus) and n.event == event and n.span == call.span for n in nodes)

    def _made_before(self, access: Event) -> list[Event]:
        """The calls that the thread of an access has made by then."""
        before = self._candidate.skeleton.relations["po"]
        executed = (self._candidate.skeleton.events[number] for number in sorted(self._candidate.executed))
        return [
            one for one in executed if one.thread == access.thread and before[one.identifier] >> access.identifier & 1
        ]


def _enqueues(event: Event) -> bool:
    return event.kind is EventKind.API_CALL
