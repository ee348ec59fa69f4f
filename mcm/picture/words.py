"""What a picture says of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.event import EventKind, iteration_numbers
from mcm.program.pipe_state import show_pipe_state
from mcm.program.types import Flag
from mcm.program.words import show_scope

if TYPE_CHECKING:
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.program.command import Command
    from mcm.program.types import Value

_FLAGS = {Flag.GLOBAL: "global", Flag.LOCAL: "local", Flag.IMAGE: "image"}


def text_of(event: Event, candidate: Candidate) -> str:
    """What an event does: `write x = 1`, `read x = 1`, `update x: 0 → 1`, `fence`."""
    place, read, written = location_of(event, candidate), _read(event, candidate), _written(event, candidate)
    match event.kind:
        case EventKind.INITIAL:
            return f"{place} = {written}"
        case EventKind.READ:
            return f"read {place} = {read}"
        case EventKind.WRITE:
            return f"write {place} = {written}"
        case EventKind.UPDATE:
            return f"update {place}: {read} → {written}"
        case EventKind.FENCE:
            return "fence"
        case EventKind.ENTRY:
            return "barrier: enter"
        case EventKind.EXIT:
            return "barrier: leave"
        case EventKind.COPIED:
            return "copy complete"
        case EventKind.AWAITED:
            return "copy awaited"
        case EventKind.CALL:
            return event.span.text.partition("(")[0].strip() or "group function"
        case EventKind.API_CALL | EventKind.RETURN | EventKind.QUERY:
            name = event.span.text.partition("(")[0].strip() or "call"
            return f"return of {name}" if event.kind is EventKind.RETURN else name
        case EventKind.START | EventKind.END | EventKind.COMPLETE:
            word: str = event.kind.value
            return word


def detail_of(event: Event, candidate: Candidate) -> str:
    """How it does it: order, scope, and the regions of a fence; `plain` for accesses that are not atomic."""
    if event.kind is EventKind.INITIAL:
        return "no initial value" if candidate.lacks_value(event.identifier) else "initial value"
    has_devices = candidate.skeleton.program.dialect.has_devices
    if event.kind.is_of_commands:
        command = command_of(event, candidate)
        return command.name if command is not None and event.thread is not None else ""
    words = [] if event.order is None else [event.order.value.removeprefix("memory_order_")]
    if event.kind.is_access and not event.atomic:
        words = ["plain"]
    elif has_devices and event.scope is not None:
        words.append(show_scope(event.scope, candidate.skeleton.program.dialect))
    if has_devices and event.flags:
        words.append("+".join(word for flag, word in _FLAGS.items() if flag in event.flags))
    return ", ".join(words)


def command_of(event: Event, candidate: Candidate) -> Command | None:
    """The command that an event is about, None if it is about none."""
    return None if event.command is None else candidate.skeleton.program.commands[event.command]


def location_of(event: Event, candidate: Candidate) -> str | None:
    """The location that an event accesses, None if it accesses none."""
    location = candidate.locations.get(event.identifier)
    return None if location is None else candidate.skeleton.program.show_location(location)


def place_of(event: Event, candidate: Candidate) -> str:
    """Who does it and where it was written: `P1 line 17`, in a loop `P1 line 17 (iteration 2)`."""
    if event.thread is None:
        command = command_of(event, candidate)
        return "the initial state" if command is None else f"the {event.kind.noun} of {command.name}"
    return f"{candidate.skeleton.program.thread(event.thread).name} {line_of(event)}"


def line_of(event: Event) -> str:
    """Where it was written: `line 17`, in a loop `line 17 (iteration 2)`."""
    iteration = f" (iteration {iteration_numbers(event.iteration)})" if event.iteration else ""
    return f"line {event.span.line}{iteration}"


def title_of(event: Event, candidate: Candidate) -> str:
    """All of it."""
    detail = detail_of(event, candidate)
    head = f"{place_of(event, candidate)}: {text_of(event, candidate)}"
    if event.thread is None:
        return head if event.command is None else place_of(event, candidate)
    return f"{head} ({detail})\n{one_line(event.span.text)}" if detail else f"{head}\n{one_line(event.span.text)}"


def one_line(text: str) -> str:
    """A text with its white space collapsed."""
    return " ".join(text.split())


def _read(event: Event, candidate: Candidate) -> str:
    value = None if candidate.lacks_value(event.identifier) else candidate.read_values.get(event.identifier)
    return show_pipe_state(value) if event.pipe is not None and value is not None else _shown(value, candidate)


def _written(event: Event, candidate: Candidate) -> str:
    is_missing = event.kind is EventKind.INITIAL and candidate.lacks_value(event.identifier)
    value = None if is_missing else candidate.written_values.get(event.identifier)
    return show_pipe_state(value) if event.pipe is not None and value is not None else _shown(value, candidate)


def _shown(value: Value | None, candidate: Candidate) -> str:
    return "?" if value is None else candidate.skeleton.program.show_value(value)
