"""The steps of a program: calls and accesses of host threads, and commands, each with its events."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.event import EventKind
from mcm.program.command import CommandKind
from mcm.program.topology import HostThread, WorkItem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.command import Command
    from mcm.program.program import Program, Thread


class StepKind(Enum):
    """What a step is: a call of the host API or what comes after its return, accesses of memory, or a command."""

    CALL = "call"
    RETURN = "return"
    ACCESS = "access"
    COMMAND = "command"


class Place(Struct, frozen=True, order=True):
    """Where a step is: the host (`device` is None) or a device, and there a thread, a queue or a kernel instance."""

    device: int | None
    name: str
    about: str = ""


class Step(Struct, frozen=True):
    """Events of a skeleton, by their numbers, that one command or one operation of a host thread has.

    `short` is its text in few words. `is_certain`: it happens in every complete execution, whatever is read.
    """

    number: int
    kind: StepKind
    place: Place
    text: str
    short: str
    line: int
    events: tuple[int, ...]
    is_certain: bool


def steps_of(skeleton: Skeleton) -> tuple[Step, ...]:
    """The steps: those of host threads in their order, then the commands."""
    program = skeleton.program
    found = _Steps(skeleton)
    for thread in program.threads:
        if isinstance(thread.placement, HostThread) and thread.callback_of is None:
            found.add_host(thread)
    for command in program.commands:
        if command.kind is not CommandKind.USER:
            found.add_command(command)
    for thread in program.threads:
        if thread.callback_of is not None:
            found.add_callback(thread)
    found.add_launched()
    return tuple(found.steps)


class _Steps:
    def __init__(self, skeleton: Skeleton) -> None:
        self._program: Program = skeleton.program
        self._of_thread: dict[int, list[Event]] = {}
        self._of_command: dict[int, list[Event]] = {}
        for event in skeleton.events:
            if event.thread is not None:
                self._of_thread.setdefault(event.thread, []).append(event)
            elif event.command is not None:
                self._of_command.setdefault(event.command, []).append(event)
        self.steps: list[Step] = []

    def _add(self, kind: StepKind, place: Place, text: str, events: list[Event], line: int) -> None:
        if events:
            numbers = tuple(event.identifier for event in events)
            # Of a call that sets a user event, one event is for the case that another call was first.
            is_certain = all(event.guard is TRUE for event in events if event.guard is not FALSE)
            text = " ".join(text.split())
            short = self._short(kind, text, events[0])
            self.steps.append(Step(len(self.steps), kind, place, text, short, line, numbers, is_certain))

    def _short(self, kind: StepKind, text: str, first: Event) -> str:
        if kind is StepKind.COMMAND or first.command is None or first.kind is not EventKind.API_CALL:
            return text
        command = self._program.commands[first.command]
        return f"set {command.name}" if command.kind is CommandKind.USER else f"enqueue {command.name}"

    def add_host(self, thread: Thread) -> None:
        """A step for each call, and for the accesses of each expression."""
        place = Place(None, thread.name, "host thread")
        for kind, events in _runs(self._of_thread.get(thread.index, [])):
            span = events[0].span
            text = f"{span.text} returns" if kind is StepKind.RETURN else span.text
            self._add(kind, place, text, events, span.line)

    def add_command(self, command: Command) -> None:
        """One step for a command with all that its threads do."""
        if command.number not in self._of_command:
            return
        events = [event for unit in command.units for event in self._of_thread.get(unit, ())]
        events = [*self._of_command[command.number], *events]
        self._add(StepKind.COMMAND, self._place_of(command), command.name, events, command.span.line)

    def _place_of(self, command: Command) -> Place:
        if command.queue is not None and not self._program.queues[command.queue].on_device:
            queue = self._program.queues[command.queue]
            about = "in-order queue" if queue.in_order else "out-of-order queue"
            return Place(queue.device.number, queue.name, about)
        for unit in command.units:
            placement = self._program.thread(unit).placement
            if isinstance(placement, WorkItem):
                return Place(placement.device.number, f"device {placement.device.number}", "queue of the device")
        return Place(0, "device 0", "queue of the device")

    def add_callback(self, thread: Thread) -> None:
        """One step for a callback."""
        events = self._of_thread.get(thread.index, [])
        self._add(StepKind.COMMAND, Place(None, thread.name, "callback"), thread.name, events, thread.span.line)

    def add_launched(self) -> None:
        """One step for each kernel instance that no command launches."""
        threads: dict[Place, list[Event]] = {}
        for thread in self._program.threads:
            if isinstance(thread.placement, WorkItem) and thread.started_by is None:
                instance = thread.placement.kernel_instance
                place = Place(instance.device.number, f"kernel instance {instance.number}", "runs from the beginning")
                threads.setdefault(place, []).extend(self._of_thread.get(thread.index, ()))
        for place, events in threads.items():
            self._add(StepKind.COMMAND, place, place.name, events, events[0].span.line if events else 0)


def _runs(events: list[Event]) -> Iterator[tuple[StepKind, list[Event]]]:
    """The events of a host thread, in runs that belong to one operation in the text."""
    run: list[Event] = []
    for event in events:
        if run and (event.span != run[-1].span or _is_blocking_return(event, run)):
            yield _kind(run), run
            run = []
        run.append(event)
    if run:
        yield _kind(run), run


def _is_blocking_return(event: Event, run: list[Event]) -> bool:
    """Whether an event is the return of a call that has enqueued a command, which comes in between."""
    return event.kind is EventKind.RETURN and run[-1].command is not None


def _kind(run: list[Event]) -> StepKind:
    if run[0].kind is EventKind.RETURN and len(run) == 1 and "Wait" not in run[0].span.text:
        return StepKind.RETURN
    return StepKind.ACCESS if run[0].kind.is_access else StepKind.CALL
