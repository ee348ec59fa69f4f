"""Events as places in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import Place

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.event import Event
    from mcm.program.program import Program


def place_of(event: Event, program: Program) -> Place:
    """Where an event was written, and by which thread."""
    thread = None if event.thread is None else program.threads[event.thread].name
    return Place(thread, event.span, one_line(event.span))


def place_at(span: Span) -> Place:
    """A place that belongs to no thread in particular."""
    return Place(None, span, one_line(span))


def one_line(span: Span) -> str:
    """The text of a span with its white space collapsed."""
    return " ".join(span.text.split())
