"""Events as sites in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.result import Site
from mcm.base.recent import Recent
from mcm.execution.event import EventKind
from mcm.program.instruction import Arm, Block, If, Inlined, Loop, Switch
from mcm.program.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.result import Access
    from mcm.base.source import Span
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.program.instruction import Written
    from mcm.program.program import Program, Thread

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
    iteration = _times_before(event, execution) + 1 if _is_in_loop(event.span, thread) else None
    return Site(thread.name, event.span, one_line(event.span), iteration, ACCESSES.get(event.kind))


def _times_before(event: Event, execution: Candidate) -> int:
    """How often the same operation of the thread was executed before."""
    before = [
        other
        for other in execution.skeleton.events[: event.identifier]
        if other.identifier in execution.executed
        and (other.thread, other.kind, other.span.start) == (event.thread, event.kind, event.span.start)
    ]
    if event.asynchronous is None:
        return len(before) + execution.skeleton.earlier.get(event.identifier, 0)
    # A copy is one operation on many elements.
    return len({other.asynchronous for other in before} - {event.asynchronous})


# The loops of so many threads are kept, each with the thread, so that no other can have its identity.
_LOOPS: Final[Recent[tuple[Thread, tuple[Span, ...]]]] = Recent(8)


def _is_in_loop(span: Span, thread: Thread) -> bool:
    def loops() -> tuple[Thread, tuple[Span, ...]]:
        return thread, tuple(_loops_in(thread.body))

    return any(_is_inside(span, loop) for loop in _LOOPS.get(id(thread), loops)[1])


def _loops_in(body: Block) -> Iterator[Span]:
    """Where the loops are: only statements of these kinds have statements inside."""
    waiting: list[Written] = [body]
    while waiting:
        node = waiting.pop()
        if type(node) is Loop:
            yield node.span
        waiting += [part for part in parts_of(node) if isinstance(part, (Block, If, Switch, Arm, Inlined, Loop))]


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
