"""Events as sites in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import Site

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.event import Event
    from mcm.program.program import Program


def site_of(event: Event, program: Program) -> Site:
    """Where an event was written, and by which thread."""
    thread = None if event.thread is None else program.thread(event.thread).name
    return Site(thread, event.span, one_line(event.span))


def site_at(span: Span, program: Program) -> Site:
    """A site in the text of a program; text that several work-items share belongs to none in particular."""
    owners = [thread.name for thread in program.threads if _is_inside(span, thread.span)]
    return Site(owners[0] if len(owners) == 1 else None, span, one_line(span))


def _is_inside(span: Span, other: Span) -> bool:
    return other.start <= span.start and span.end <= other.end


def one_line(span: Span) -> str:
    """The text of a span with its white space collapsed."""
    return " ".join(span.text.split())
