"""The base relations about commands, in a given order of the calls on each queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.event import EventKind
from mcm.execution.unmapping import unmapped_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.event import Event
    from mcm.execution.progress import CallOrders, CommandCalls
    from mcm.program.program import Program

Pair = tuple[int, int]


def command_relations(
    program: Program, all_events: Sequence[Event], calls: CommandCalls, orders: CallOrders
) -> dict[str, tuple[int, ...]]:
    """The rows of every base relation about commands; nothing where there are no commands."""
    size = len(all_events)
    if not program.has_commands:
        return {}
    events = _CommandEvents(program, all_events, calls)
    found = {
        "enqueue": events.enqueue(),
        "run": events.run(),
        "same-command": events.command(),
        "awaits": events.awaits(),
        "before-in-queue": events.earlier(orders),
        "queued": events.queued(orders),
        "callback": events.callback(),
        "child": events.child(),
        "status": events.status(),
        "unmap": events.unmap(),
    }
    return {name: _rows(pairs, size) for name, pairs in found.items()}


def _rows(pairs: Iterator[Pair], size: int) -> tuple[int, ...]:
    rows = [0] * size
    for first, second in pairs:
        rows[first] |= 1 << second
    return tuple(rows)


class _CommandEvents:
    """The events of each command, and who executes it."""

    def __init__(self, program: Program, events: Sequence[Event], calls: CommandCalls) -> None:
        self._calls: Final = calls
        self._guards: Final = [event.guard for event in events]
        self._program: Final = program
        self._by_kind: Final[dict[tuple[EventKind, int], int]] = {}
        self._of_thread: Final[dict[int, list[int]]] = {}
        for event in events:
            if event.thread is not None:
                self._of_thread.setdefault(event.thread, []).append(event.identifier)
            elif event.command is not None:
                self._by_kind[event.kind, event.command] = event.identifier

    def _at(self, kind: EventKind, command: int) -> Iterator[int]:
        if (kind, command) in self._by_kind:
            yield self._by_kind[kind, command]

    def _completions(self, command: int) -> Iterator[int]:
        """The events that complete a command: its completion, or the calls that set a user event, where they do."""
        yield from self._at(EventKind.COMPLETE, command)
        yield from (call.event for call in self._calls.setters.get(command, ()))

    def enqueue(self) -> Iterator[Pair]:
        """Calls, and the starts of the commands that they enqueue."""
        for command, (call, _) in self._calls.enqueued.items():
            yield from ((call, start) for start in self._at(EventKind.START, command))

    def run(self) -> Iterator[Pair]:
        """Starts of commands, and the events of the threads that execute them."""
        for command in self._program.commands:
            for start in self._at(EventKind.START, command.number):
                yield from ((start, event) for unit in command.units for event in self._of_thread.get(unit, ()))

    def command(self) -> Iterator[Pair]:
        """Start, end and completion of each command, all with all."""
        for command in self._program.commands:
            own = [e for kind in _OWN for e in self._at(kind, command.number)]
            yield from ((one, other) for one in own for other in own)

    def awaits(self) -> Iterator[Pair]:
        """Completions, and the starts and returns that wait for them by name, or because of accessors."""
        for command in self._program.commands:
            for start in self._at(EventKind.START, command.number):
                for event in (*command.waits, *command.requires):
                    yield from ((done, start) for done in self._completions(event))
        for command_number, event in self._calls.awaited:
            yield from ((done, event) for done in self._completions(command_number))

    def earlier(self, orders: CallOrders) -> Iterator[Pair]:
        """Completions of commands, and the starts of later ones in the queue and the returns of later clFinish."""
        for calls in orders.queues.values():
            for place, call in enumerate(calls):
                later = self._at(EventKind.START, call.command) if call.command is not None else None
                # A run that is told so far may not have come to the end of a clFinish.
                finished = [self._calls.finishes[call.event]] if call.event in self._calls.finishes else []
                ends = finished if later is None else list(later)
                for before in calls[:place]:
                    if before.command is not None:
                        done = list(self._at(EventKind.COMPLETE, before.command))
                        yield from ((one, end) for one in done for end in ends)

    def queued(self, orders: CallOrders) -> Iterator[Pair]:
        """Calls, and those that come later to the same queue, or to the same user event."""
        for queue in orders.queues.values():
            for place, call in enumerate(queue):
                yield from ((before.event, call.event) for before in queue[:place])
        for setters in orders.setters.values():
            for place, setter in enumerate(setters):
                earlier = [event for before in setters[:place] for event in before.events]
                yield from ((one, other) for one in earlier for other in setter.events)

    def callback(self) -> Iterator[Pair]:
        """Completions, and the events of the callbacks that were registered for them."""
        for thread in self._program.threads:
            if thread.callback_of is not None:
                for done in self._completions(thread.callback_of):
                    yield from ((done, event) for event in self._of_thread.get(thread.index, ()))

    def child(self) -> Iterator[Pair]:
        """Completions of child kernels, and the completions of their parents."""
        for command in self._program.commands:
            if command.parent is not None:
                for done in self._at(EventKind.COMPLETE, command.number):
                    yield from ((done, parent) for parent in self._at(EventKind.COMPLETE, command.parent))

    def status(self) -> Iterator[Pair]:
        """The call, start and completion of each command, and the queries that ask for its status."""
        for command, query in self._calls.queried:
            if command in self._calls.enqueued:
                yield self._calls.enqueued[command][0], query
            yield from ((start, query) for start in self._at(EventKind.START, command))
            yield from ((done, query) for done in self._completions(command))

    def unmap(self) -> Iterator[Pair]:
        """The accesses of maps, and the calls and completions of the unmaps that end them."""
        guards = {number: self._guards[call] for number, (call, _) in self._calls.enqueued.items()}
        for mapped, unmap in unmapped_by(self._program.commands, guards):
            accesses = [event for unit in mapped.units for event in self._of_thread.get(unit, ())]
            ends = [self._calls.enqueued[unmap.number][0], *self._at(EventKind.COMPLETE, unmap.number)]
            yield from ((access, end) for access in accesses for end in ends)


_OWN: Final = (EventKind.START, EventKind.END, EventKind.COMPLETE)
