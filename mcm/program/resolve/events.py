"""The events that one thread has names for: each is that of one command, known from the text."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.base.diagnostic import Note
from mcm.base.suggest import did_you_mean
from mcm.program.resolve.buffer_order import BufferOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.plan import CommandDraft, CommandPlan


class EventName(Struct):
    """An event variable; `branches` are those around its declaration, `command` is None before it has a value."""

    span: Span
    branches: int
    command: int | None = None


class Waiter(Struct, frozen=True):
    """A wait for an event that has no command yet, by a command or (None) by the thread."""

    name: str
    span: Span
    command: int | None


class Events(Struct):
    """The event variables of a thread.

    `branches` counts the branches around what is being resolved, `unreached` those of them against which constants and
    ids decide. `buffers` has the commands on buffers that the thread has submitted so far.
    """

    plan: CommandPlan
    complaints: Complaints
    branches: int = 0
    unreached: int = 0
    buffers: BufferOrder[int] = field(default_factory=BufferOrder)
    _names: dict[str, EventName] = field(default_factory=dict)
    _early: list[Waiter] = field(default_factory=list)

    def __contains__(self, name: str) -> bool:
        """Whether a name is that of an event variable of the thread."""
        return name in self._names

    @contextmanager
    def branch(self, *, unreached: bool) -> Iterator[None]:
        """A branch; `unreached`: it is never taken."""
        self.branches += 1
        self.unreached += unreached
        try:
            yield
        finally:
            self.branches -= 1
            self.unreached -= unreached

    def declare(self, name: str, span: Span) -> None:
        """Declare an event variable that has no command yet."""
        self._names[name] = EventName(span, self.branches)

    def bind(self, name: str, command: CommandDraft, span: Span) -> None:
        """Give an event variable its command."""
        variable = self._names[name]
        if variable.branches != self.branches:
            message = f"which command '{name}' is the event of depends on a branch; declare it in the branch"
            self.complaints.fail("E164", span, message, Note("declared here", variable.span))
        variable.command = command.number
        waiting = self._reached_by(command)
        for waiter in [w for w in self._early if w.name == name and w.command in waiting]:
            message = f"'{name}' is the event of a command that waits for this one"
            self.complaints.error("E162", waiter.span, message, Note("the command is enqueued here", command.span))
            self._early.remove(waiter)

    def _reached_by(self, command: CommandDraft) -> set[int]:
        """A command and all that it waits for, directly or not."""
        found: set[int] = set()
        work = [command.number]
        while work:
            number = work.pop()
            if number not in found:
                found.add(number)
                work += self.plan.commands[number].waits
        return found

    def find(self, name: str, span: Span, waiter: int | None) -> int | None:
        """The command of an event; None, with or without a complaint by now, where it is that of nothing.

        Where constants say that nothing gets there, no command is enqueued, and none is missing.
        """
        variable = self._names.get(name)
        if variable is None:
            return self._user_event(name, span)
        if variable.command is None and not self.unreached:
            self._early.append(Waiter(name, span, waiter))
        return variable.command

    def _user_event(self, name: str, span: Span) -> int | None:
        number = self.plan.user_events.get(name)
        if number is None and self.complaints.is_new("E161", name, span.start):
            hint = did_you_mean(name, (*self._names, *self.plan.user_events))
            if not hint:
                hint = "; events are known to the thread that declares them, user events to all"
            self.complaints.error("E161", span, f"there is no event '{name}'{hint}")
        return number

    def finish(self) -> None:
        """Report the waits for events that have never had a command."""
        for waiter in self._early:
            if self.complaints.is_new("E161", waiter.name, waiter.span.start):
                note = Note("declared here", self._names[waiter.name].span)
                message = f"'{waiter.name}' is the event of no command here: none has been enqueued for it"
                self.complaints.error("E161", waiter.span, message, note)
