"""What the runtime does in a run, told step by step: commands, work-groups, workers, and their work-items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mcm.base.bits import listed
from mcm.machine.clover_trace import Contexts
from mcm.machine.command import CommandKind
from mcm.machine.command_state import State
from mcm.program.operators import Level
from mcm.program.topology import HostThread, WorkItem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.machine.clover import CloverScheduler
    from mcm.machine.command_code import CommandCode
    from mcm.machine.commands import Transition
    from mcm.machine.configuration import Configuration, Step
    from mcm.machine.machine import Machine
    from mcm.program.topology import KernelInstance

_STATUS: Final = {3: "CL_QUEUED", 2: "CL_SUBMITTED", 1: "CL_RUNNING", 0: "CL_COMPLETE"}


class TraceStep(Struct, frozen=True):
    """One step of a run. `thread` is None for a step of the runtime; `span` is the operation in the source."""

    thread: str | None
    what: str
    span: Span | None = None


def status_name(status: int) -> str:
    """The status of a command as OpenCL names it."""
    return _STATUS.get(status, f"the error {status}")


class RuntimeTrace:
    """Tells of commands and work-groups; with `clover` also of its workers and the contexts of work-items."""

    def __init__(self, machine: Machine[Any], clover: CloverScheduler | None) -> None:
        self._machine = machine
        self._clover = clover
        self._table = machine.compiled.commands
        self._performed = {
            thread: number for number, code in enumerate(self._table.commands) for thread in listed(code.units)
        }
        self._begun: set[int] = set()
        self._running: dict[int, int] = {}
        self._contexts = Contexts(machine)
        if clover is not None:
            clover.begin()

    # --- the beginning ------------------------------------------------------------------------------------------------

    def begun(self) -> Iterator[TraceStep]:
        """Kernel instances that no command launches are with their devices from the beginning."""
        groups: dict[KernelInstance, set[int]] = {}
        for thread, code in enumerate(self._machine.threads):
            if isinstance(code.placement, WorkItem) and thread not in self._performed:
                groups.setdefault(code.placement.kernel_instance, set()).add(self._group(thread))
        for instance, found in groups.items():
            count = _counted(len(found), "work-group")
            yield TraceStep(
                None, f"kernel instance {instance.number} is pushed to device {instance.device.number}: {count}"
            )

    # --- before a step ------------------------------------------------------------------------------------------------

    def switched(self, now: Configuration[Any], thread: int) -> Iterator[TraceStep]:
        """The reservation of work at its first step, and switches between the work-items of a group."""
        if self._clover is not None:
            self._clover.pick(self._machine, now, self._machine.ready(now))
        group = self._group(thread)
        place = self._machine.threads[thread].placement
        if isinstance(place, HostThread):
            return
        if group not in self._begun:
            yield self._reserved(thread)
            self._begun.add(group)
        elif isinstance(place, WorkItem) and self._running[group] != thread:
            yield TraceStep(None, self._switch(now, self._running[group], thread))
        self._running[group] = thread

    def _switch(self, now: Configuration[Any], one: int, other: int) -> str:
        if self._clover is not None:
            return self._contexts.switched(one, other, has_ended=now.is_finished(one))
        names = self._machine.threads
        return f"switch from {names[one].name} to {names[other].name}"

    def _reserved(self, thread: int) -> TraceStep:
        """QUE-4: a worker reserves a work-group, or takes a command off the list of its device."""
        place = self._machine.threads[thread].placement
        assert not isinstance(place, HostThread)
        worker = None if self._clover is None else self._clover.worker_of(thread)
        device = f"device {place.device.number}"
        command = self._performed.get(thread)
        if not isinstance(place, WorkItem):
            assert command is not None
            name = self._table.commands[command].name
            return TraceStep(None, f"{f'worker {worker} of ' * (worker is not None)}{device} takes {name} off its list")
        instance = f"kernel instance {place.kernel_instance.number}"
        name = instance if command is None else self._table.commands[command].name
        if worker is None:
            of = f"{device}, {instance}" if command is None else name
            return TraceStep(None, f"work-group {place.work_group.number} of {of} is reserved")
        last = self._is_last(thread, command)
        return TraceStep(
            None,
            f"worker {worker} of {device} reserves work-group {place.work_group.number} of {name}"
            + (f", the last: {name} leaves the list of {device}" if last else ""),
        )

    def _is_last(self, thread: int, command: int | None) -> bool:
        """Whether all other work-groups of the kernel of a work-item have been reserved."""
        if command is None:
            place = self._machine.threads[thread].placement
            assert isinstance(place, WorkItem)
            same = (
                number
                for number, code in enumerate(self._machine.threads)
                if isinstance(code.placement, WorkItem) and code.placement.kernel_instance == place.kernel_instance
            )
            groups = {self._group(number) for number in same}
        else:
            groups = set(self._table.commands[command].groups)
        return groups - self._begun == {self._group(thread)}

    # --- after a step -------------------------------------------------------------------------------------------------

    def finishing(self, now: Configuration[Any], thread: int, finished: int) -> Iterator[TraceStep]:
        """The threads of one group that have finished with a step of one of them: Clover comes to each in turn."""
        group, has_ended = self._group(thread), False
        for other in listed(finished):
            running = self._running.get(group, other)
            if self._clover is not None and running != other:
                has_ended |= now.is_finished(running)
                yield TraceStep(None, self._contexts.switched(running, other, has_ended=has_ended))
                self._running[group] = other
            yield TraceStep(self._machine.threads[other].name, "finishes")
            has_ended = True

    def followed(self, now: Configuration[Any], step: Step[Any], thread: int) -> Iterator[TraceStep]:
        """What has become of kernels and commands, and the host threads that go on because of it."""
        place = self._machine.threads[thread].placement
        if isinstance(place, WorkItem) and step.after.finished != now.finished and thread not in self._performed:
            same = (
                number
                for number, code in enumerate(self._machine.threads)
                if isinstance(code.placement, WorkItem) and code.placement.kernel_instance == place.kernel_instance
            )
            if all(step.after.is_finished(other) for other in same):
                instance, device = place.kernel_instance.number, place.device.number
                yield TraceStep(None, f"kernel instance {instance} of device {device} is complete")
        for transition in step.transitions:
            yield from self._changed(transition)
        for other in listed(now.waiting & ~step.after.waiting):
            if isinstance(self._machine.threads[other].placement, HostThread):
                yield TraceStep(self._machine.threads[other].name, "goes on")

    def _changed(self, transition: Transition) -> Iterator[TraceStep]:
        """HOST-17: a command has come into a state."""
        code = self._table.commands[transition.command]
        name, what = code.name, None
        if code.kind is CommandKind.USER:
            what = f"user event {name} is {'complete' if transition.state == State.COMPLETE else 'an error'}"
        elif transition.state < 0:
            what = f"{name} fails with {transition.state}: an event that it waits for has failed"
        elif transition.state == State.QUEUED:
            what = self._queued(code)
        elif transition.state == State.READY:
            what = self._pushed(code)
        elif transition.state == State.ENDED and self._has_children(transition.command):
            what = f"{name} has ended; it is complete when its children are"
        elif transition.state == State.COMPLETE and not self._is_callback(transition.command):
            what = f"{name} is complete"
        if what is not None:
            yield TraceStep(None, what)

    def _queued(self, code: CommandCode) -> str:
        if code.queue is not None:
            return f"{code.name} is queued on {self._table.queues[code.queue].name}"
        return f"{code.name} is queued on its device" if code.is_child else f"{code.name} is registered"

    def _pushed(self, code: CommandCode) -> str:
        """QUE-1: a command goes from its queue to the list of the device."""
        if code.queue is None:
            place = self._machine.threads[listed(code.units)[0]].placement
            if isinstance(place, HostThread):
                return f"{code.name} is called"
            return f"{code.name} is pushed to device {place.device.number}: {self._work(code)}"
        queue = self._table.queues[code.queue]
        if code.kind.only_orders:
            return f"{queue.name} comes to {code.name}, which only orders: there is nothing to push"
        return f"{queue.name} pushes {code.name} to device {queue.device}: {self._work(code)}"

    def _work(self, code: CommandCode) -> str:
        if code.kind is CommandKind.KERNEL:
            return _counted(len(code.groups), "work-group")
        return "nothing to do" if not code.groups else "work for one worker"

    def _has_children(self, command: int) -> bool:
        return any(code.parent == command for code in self._table.commands)

    def _is_callback(self, command: int) -> bool:
        return command >= len(self._machine.program.commands)

    def _group(self, thread: int) -> int:
        return self._machine.compiled.group(thread, Level.WORK_GROUP)[1]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
