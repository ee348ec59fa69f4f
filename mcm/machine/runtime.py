"""A small OpenCL runtime: command queues push commands to devices, whose workers perform them (EXE-1, QUE-1 to QUE-4).

Every step is written to the log of the context.
"""

from __future__ import annotations

from threading import Condition, Thread
from typing import TYPE_CHECKING, Self

from mcm.machine.command import Command, CommandKind, KernelCommand
from mcm.machine.command_state import FAILED, State, to_push
from mcm.program.command import FAILED_IN_WAIT_LIST

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class Context:
    """Devices and queues that share commands. A device without workers is driven by `Device.perform_next`.

    `errors` are the exceptions that commands and kernels raised.
    """

    def __init__(self) -> None:
        self.changed = Condition()
        self.queues: list[CommandQueue] = []
        self.devices: list[Device] = []
        self.log: list[str] = []
        self.errors: list[Exception] = []

    def __enter__(self) -> Self:
        """The context itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all workers."""
        for device in self.devices:
            device.stop()

    def user_event(self, name: str) -> Command:
        """A user event, which only the host completes."""
        command = Command(name, CommandKind.USER)
        command.state = State.SUBMITTED
        command.listeners.append(self.ended)
        return command

    def set_status(self, command: Command, status: int = 0) -> None:
        """Complete a user event, or let it fail: `status` is CL_COMPLETE, which is 0, or a negative error code."""
        if command.kind is not CommandKind.USER:
            message = f"'{command.name}' is not a user event"
            raise ValueError(message)
        if status > 0:
            message = f"{status} is not the status of a command that has ended"
            raise ValueError(message)
        self.finish(command, status or State.COMPLETE)

    def wait(self, *commands: Command, seconds: float | None = None) -> bool:
        """Wait until all commands have ended; False if the time was too short."""
        with self.changed:
            return self.changed.wait_for(lambda: all(command.is_over for command in commands), seconds)

    def finish(self, command: Command, state: int) -> None:
        """End a command as complete or with an error, and let every queue push the commands that waited for it."""
        with self.changed:
            command.finish(state)

    def ended(self, command: Command) -> None:
        """Log the end of a command, and let every queue push the commands that waited for it."""
        self.log.append(f"{command.name} {f'fails with {command.state}' if command.state < 0 else 'completes'}")
        for queue in self.queues:
            queue.push_commands()
        self.changed.notify_all()


class CommandQueue:
    """An ordered list of commands for one device."""

    def __init__(self, context: Context, device: Device, name: str, *, in_order: bool = True) -> None:
        self.context = context
        self.device = device
        self.name = name
        self.in_order = in_order
        self._pending: list[Command] = []
        context.queues.append(self)

    def enqueue(self, command: Command) -> Command:
        """Append a command. Markers, barriers and waits without a wait list wait for all commands before them."""
        with self.context.changed:
            if command.kind is CommandKind.USER:
                message = f"user event '{command.name}' cannot be enqueued"
                raise ValueError(message)
            if command.kind.only_orders and not command.wait_list:
                command.earlier = tuple(self._pending)
            command.listeners.append(self.context.ended)
            self._pending.append(command)
            self.context.log.append(f"{command.name} is queued on {self.name}")
            self.push_commands()
        return command

    def push_commands(self) -> None:
        """QUE-2: push the commands that may begin now."""
        self._pending = [command for command in self._pending if not command.is_over]
        pushed = to_push(
            list(self._pending),
            in_order=self.in_order,
            has_begun=lambda command: command.state not in {State.QUEUED, State.SUBMITTED},
            may_begin=lambda command: command.may_begin,
            blocks_later=lambda command: command.kind.blocks_later,
        )
        for command in pushed:
            self._push(command)

    def flush(self) -> None:
        """Submit what is queued: the device knows of it, and begins with it when it may."""
        with self.context.changed:
            for command in self._pending:
                if command.state == State.QUEUED:
                    command.state = State.SUBMITTED
            self.context.log.append(f"{self.name} is flushed")

    def _push(self, command: Command) -> None:
        if command.has_failed_dependency:
            command.finish(FAILED_IN_WAIT_LIST)
            return
        command.state = State.READY
        self.context.log.append(f"{self.name} pushes {command.name}")
        self.device.push(command)

    def finish(self, seconds: float | None = None) -> bool:
        """Wait until every command of the queue has ended; False if the time was too short."""
        return self.context.wait(*self._pending, seconds=seconds)


class Device:
    """An unordered list of commands, and workers that perform them."""

    def __init__(self, context: Context, name: str, workers: int = 0) -> None:
        self.context = context
        self.name = name
        self._commands: list[Command] = []
        self._stopping = False
        self._workers = [Thread(target=self._work, args=(number,), daemon=True) for number in range(workers)]
        context.devices.append(self)
        for worker in self._workers:
            worker.start()

    def push(self, command: Command) -> None:
        """Accept a command; called by queues."""
        self._commands.append(command)
        self.context.changed.notify_all()

    def perform_next(self, worker: int = 0) -> bool:
        """Perform one command, or one work-group of a kernel; False if there is none."""
        with self.context.changed:
            if not self._commands:
                return False
            work = self._take(worker)
        work()
        return True

    def stop(self) -> None:
        """Let the workers end after their current work."""
        with self.context.changed:
            self._stopping = True
            self.context.changed.notify_all()
        for worker in self._workers:
            worker.join()

    def _work(self, number: int) -> None:
        while True:
            with self.context.changed:
                self.context.changed.wait_for(lambda: self._commands or self._stopping)
                if self._stopping:
                    return
                work = self._take(number)
            work()

    def _take(self, worker: int) -> Callable[[], None]:
        """QUE-4: take the first command; a kernel stays in the list until its last work-group is reserved."""
        command = self._commands[0]
        command.state = State.RUNNING
        if not isinstance(command, KernelCommand):
            self._commands.remove(command)
            self.context.log.append(f"worker {worker} of {self.name} takes {command.name}")
            return lambda: self._perform(command)
        if command.reserve():
            self._commands.remove(command)
        number, group = command.take()
        self.context.log.append(f"worker {worker} of {self.name} reserves work-group {number} of {command.name}")
        return lambda: self._perform_group(command, group)

    def _perform(self, command: Command) -> None:
        state: int = State.COMPLETE
        if command.action is not None and not self._succeeds(command.action):
            state = FAILED
        self.context.finish(command, state)

    def _perform_group(self, command: KernelCommand, group: Callable[[], None]) -> None:
        state = command.group_finished(failed=not self._succeeds(group))
        if state is not None:
            self.context.finish(command, state)

    def _succeeds(self, work: Callable[[], None]) -> bool:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - kept in `errors`; the status of the command says that the work has failed
            self.context.errors.append(error)
            return False
        return True
