"""Events as sites in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.result import Site
from mcm.execution.event import EventKind
from mcm.program.walk import walk

if TYPE_CHECKING:
    from mcm.answer.result import Access
    from mcm.base.source import Span
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.program.program import Program

# What events do to memory.
ACCESSES: Final[dict[EventKind, Access]] = {
    EventKind.READ: "read",
    EventKind.WRITE: "write",
    EventKind.UPDATE: "update",
}


def site_of(event: Event, execution: Candidate) -> Site:
    """Where an event of an execution was written, and by which thread."""
    if event.thread is None:
        return Site(None, event.span, one_line(event.span))
    thread = execution.skeleton.program.thread(event.thread)
    iterations = tuple(number + 1 for number in event.iteration)
    return Site(thread.name, event.span, one_line(event.span), iterations, ACCESSES.get(event.kind))


def site_at(span: Span, program: Program) -> Site:
    """A site in the text of a program; text that several work-items share belongs to none in particular."""
    owners = [thread.name for thread in program.threads if _is_inside(span, thread.span)]
    if not owners:
        # It stands in a function: whose calls are meant shows in the bodies, where its text was put.
        owners = [t.name for t in program.threads if any(_is_inside(span, node.span) for node in walk(t.body))]
    return Site(owners[0] if len(owners) == 1 else None, span, one_line(span))


def _is_inside(span: Span, other: Span) -> bool:
    return other.source is span.source and other.start <= span.start and span.end <= other.end


def one_line(span: Span) -> str:
    """The text of a span with its white space collapsed."""
    return " ".join(span.text.split())
