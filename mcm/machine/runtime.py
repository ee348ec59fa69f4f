"""A small OpenCL runtime: command queues push events to devices, whose workers perform them (EXE-1, QUE-1 to QUE-4).

Everything that happens is written to the context's log, so that a run can be told.
"""

from __future__ import annotations

from threading import Condition, Thread
from typing import TYPE_CHECKING, Self

from mcm.machine.command import (
    COMPLETE,
    FAILED,
    FAILED_IN_WAIT_LIST,
    QUEUED,
    RUNNING,
    SUBMITTED,
    Command,
    CommandKind,
    KernelCommand,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class Context:
    """Devices and queues that share events. A device without workers is driven by `Device.perform_next`.

    `errors` are what commands and kernels raised.
    """

    def __init__(self) -> None:
        self.changed = Condition()
        self.queues: list[CommandQueue] = []
        self.devices: list[Device] = []
        self.log: list[str] = []
        self.errors: list[Exception] = []

    def __enter__(self) -> Self:
        """Nothing has to be opened."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all workers."""
        for device in self.devices:
            device.stop()

    def user_event(self, name: str) -> Command:
        """An event that only the host completes."""
        event = Command(name, CommandKind.USER)
        event.status = SUBMITTED
        event.listeners.append(self.ended)
        return event

    def set_status(self, event: Command, status: int = COMPLETE) -> None:
        """Complete a user event, or let it fail."""
        if event.kind is not CommandKind.USER:
            message = f"event '{event.name}' is no user event"
            raise ValueError(message)
        self.finish(event, status)

    def wait(self, *events: Command, seconds: float | None = None) -> bool:
        """Wait until all events are over; False if the time was too short."""
        with self.changed:
            return self.changed.wait_for(lambda: all(event.is_over for event in events), seconds)

    def finish(self, event: Command, status: int) -> None:
        """An event is over: every queue looks again at what it may push."""
        with self.changed:
            event.finish(status)

    def ended(self, event: Command) -> None:
        """Tell of an event that is over, and go on with what waited for it."""
        self.log.append(f"{event.name} {'completes' if event.status == COMPLETE else f'fails with {event.status}'}")
        for queue in self.queues:
            queue.push_events()
        self.changed.notify_all()


class CommandQueue:
    """An ordered list of events, for one device."""

    def __init__(self, context: Context, device: Device, name: str, *, in_order: bool = True) -> None:
        self.context = context
        self.device = device
        self.name = name
        self.in_order = in_order
        self._pending: list[Command] = []
        context.queues.append(self)

    def enqueue(self, event: Command) -> Command:
        """Append an event. Markers, barriers and waits without a wait list wait for all events before them."""
        with self.context.changed:
            if event.kind is CommandKind.USER:
                message = f"user event '{event.name}' belongs to no queue"
                raise ValueError(message)
            if event.kind.is_dummy and not event.wait_list:
                event.earlier = tuple(self._pending)
            event.listeners.append(self.context.ended)
            self._pending.append(event)
            self.context.log.append(f"{event.name} is queued on {self.name}")
            self.push_events()
        return event

    def push_events(self) -> None:
        """QUE-2: push what is allowed now."""
        self._pending = [event for event in self._pending if not event.is_over]
        for event in list(self._pending):
            if event.status == QUEUED and event.may_begin:
                self._push(event)
            if self.in_order or event.kind.holds_back:
                # In order, the next one waits for this one; nothing passes a barrier either.
                return

    def _push(self, event: Command) -> None:
        if event.waits_in_vain:
            event.finish(FAILED_IN_WAIT_LIST)
            return
        event.status = SUBMITTED
        self.context.log.append(f"{self.name} pushes {event.name}")
        self.device.push(event)

    def finish(self, seconds: float | None = None) -> bool:
        """Wait until every event of the queue is over; False if the time was too short."""
        return self.context.wait(*self._pending, seconds=seconds)


class Device:
    """An unordered list of events, and workers that perform them."""

    def __init__(self, context: Context, name: str, workers: int = 0) -> None:
        self.context = context
        self.name = name
        self._events: list[Command] = []
        self._stopping = False
        self._workers = [Thread(target=self._work, args=(number,), daemon=True) for number in range(workers)]
        context.devices.append(self)
        for worker in self._workers:
            worker.start()

    def push(self, event: Command) -> None:
        """Take an event in; called by queues."""
        self._events.append(event)
        self.context.changed.notify_all()

    def perform_next(self, worker: int = 0) -> bool:
        """Perform one event, or one work-group of a kernel, if there is any."""
        with self.context.changed:
            if not self._events:
                return False
            work = self._take(worker)
        work()
        return True

    def stop(self) -> None:
        """Let the workers end when they have finished what they are at."""
        with self.context.changed:
            self._stopping = True
            self.context.changed.notify_all()
        for worker in self._workers:
            worker.join()

    def _work(self, number: int) -> None:
        while True:
            with self.context.changed:
                self.context.changed.wait_for(lambda: self._events or self._stopping)
                if self._stopping:
                    return
                work = self._take(number)
            work()

    def _take(self, worker: int) -> Callable[[], None]:
        """QUE-4: the first event; a kernel stays in the list until its last work-group is reserved."""
        event = self._events[0]
        event.status = RUNNING
        if not isinstance(event, KernelCommand):
            self._events.remove(event)
            self.context.log.append(f"worker {worker} of {self.name} takes {event.name}")
            return lambda: self._perform(event)
        if event.reserve():
            self._events.remove(event)
        number, group = event.take()
        self.context.log.append(f"worker {worker} of {self.name} reserves work-group {number} of {event.name}")
        return lambda: self._perform_group(event, group)

    def _perform(self, event: Command) -> None:
        status = COMPLETE
        if event.action is not None and not self._succeeds(event.action):
            status = FAILED
        self.context.finish(event, status)

    def _perform_group(self, event: KernelCommand, group: Callable[[], None]) -> None:
        status = event.group_finished(failed=not self._succeeds(group))
        if status is not None:
            self.context.finish(event, status)

    def _succeeds(self, work: Callable[[], None]) -> bool:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the event's status says that the work has failed
            self.context.errors.append(error)
            return False
        return True
