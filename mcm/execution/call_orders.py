"""In which orders the calls of a program's expressions may come, as far as it makes a difference (model-rules SB-2)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError, Note
from mcm.execution.event import EventKind
from mcm.execution.sequencing import mask, shifted
from mcm.program.types import Order as MemoryOrder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mcm.base.source import Span
    from mcm.execution.event import Event
    from mcm.execution.sequencing import FullExpression, Order
    from mcm.program.types import Location

MOST_SEQUENCINGS: Final = 64

# Nobody, and more than one thread, of those that write to a location.
_NOBODY: Final = -1
_SEVERAL: Final = -2


class CallOrders(Enum):
    """Which of the orders are looked at in which C lets the calls of an expression come.

    EACH of them; one, FORWARDS as the calls are written, or BACKWARDS, except that a call comes behind those whose
    results it needs; or NONE: then calls are not sequenced, which allows at least what each order does.
    """

    EACH = "each"
    FORWARDS = "forwards"
    BACKWARDS = "backwards"
    NONE = "none"


class TooManyOrdersError(InputError):
    """The calls of a program's expressions can come in more orders than are looked at one by one."""


class OpenExpression(Struct, frozen=True):
    """A full expression whose calls may come in several orders; `first` is the first event of its thread."""

    full: FullExpression
    first: int
    span: Span

    def overtakers(self) -> Order:
        """For each event the mask of those that are written behind it and come before it in one of the orders."""
        before = self.full.unordered()
        return {
            event: mask(later for later in before if later > event and not before[later] >> event & 1)
            for event in before
        }


def overtakers(expressions: Sequence[OpenExpression], begin: int) -> Order:
    """For events from an identifier on the masks of those that are written behind them and may come before them."""
    found: Order = {}
    for expression in reversed(expressions):
        if min(expression.full.before) < begin:
            break
        found |= expression.overtakers()
    return found


def too_large(message: str, span: Span, *notes: Note) -> InputError:
    """The program is beyond a limit of the elaboration."""
    return InputError(Diagnostic("E153", message, span, notes=notes))


def orders_of_calls(
    expressions: Sequence[OpenExpression],
    events: Sequence[Event],
    enqueuing: Collection[int] = (),
    wanted: CallOrders = CallOrders.EACH,
) -> list[list[Order]]:
    """For each expression the wanted orders in which its calls may come, counted from the first event of its thread.

    `enqueuing` are the threads of the host in a program with commands: their calls may be about what they read.
    Raises TooManyOrdersError where each is wanted, and the program can be executed in more than MOST_SEQUENCINGS.
    """
    if not expressions:
        return []
    writers = _writers(events)
    found: list[list[Order]] = []
    several: list[Span] = []
    combinations = 1
    for expression in expressions:
        full = expression.full
        if _only_reads(full, events, writers):
            idle = mask(full.before)
        else:
            idle = 0 if events[expression.first].thread in enqueuing else _idle_reads(full, events, writers)
        alike = _group_functions(full, events)
        if wanted is not CallOrders.EACH:
            found.append([shifted(_order(full, wanted, idle, alike), expression.first)])
            continue
        orders = full.alternatives(MOST_SEQUENCINGS, idle, alike)
        if not orders:
            message = f"the calls of this expression can come in more than {MOST_SEQUENCINGS} orders"
            raise _too_many(message, expression.span)
        found.append([shifted(order, expression.first) for order in orders])
        combinations *= len(orders)
        if len(orders) > 1:
            several.append(expression.span)
    if combinations > MOST_SEQUENCINGS:
        where = min(several, key=lambda span: span.start)
        message = (
            f"the calls of the program's expressions, of this one first, can come in {combinations} orders, "
            f"more than {MOST_SEQUENCINGS}"
        )
        raise _too_many(message, where)
    return found


def _order(full: FullExpression, wanted: CallOrders, idle: int, alike: int) -> Order:
    """The one order of calls that is wanted."""
    match wanted:
        case CallOrders.NONE:
            return full.unordered()
        case CallOrders.BACKWARDS:
            return full.backwards(idle, alike)
        case _:
            return next(full.orders(idle, alike))


def _too_many(message: str, span: Span) -> TooManyOrdersError:
    return TooManyOrdersError(Diagnostic("E153", message, span, notes=(_HOW_TO_ORDER,)))


_HOW_TO_ORDER: Final = Note(
    "C leaves open which of the accesses of an expression comes first; a statement of its own for each call, "
    "such as 'int i = atomic_inc(n);', says it"
)


def _writers(events: Iterable[Event]) -> dict[Location, int]:
    """Which thread alone writes to a location, beside its initial value."""
    found: dict[Location, int] = {}
    for event in events:
        if not event.kind.writes or event.kind is EventKind.INITIAL:
            continue
        # Asynchronous copies go on beside the thread that began them.
        writer = _SEVERAL if event.thread is None or event.asynchronous is not None else event.thread
        for location in event.locations:
            if found.setdefault(location, writer) != writer:
                found[location] = _SEVERAL
    return found


def _group_functions(full: FullExpression, events: Sequence[Event]) -> int:
    """The mask of the calls of group functions: all members come to each of them, so no matter which comes first."""
    return mask(number for number in full.before if events[number].kind is EventKind.CALL)


def _only_reads(full: FullExpression, events: Sequence[Event], writers: dict[Location, int]) -> bool:
    """Whether an expression makes nothing but plain reads and relaxed loads, of different locations where these change.

    Then it makes no difference in which order it does: a read synchronises with nobody, takes part in no race with
    another one, and hands nothing on to other threads, so that whatever leads to one of them, or from it, does so past
    the others. Of two loads of one location, the second finds nothing older than the first.
    """
    found: set[Location] = set()
    for number in full.before:
        event = events[number]
        if event.kind is not EventKind.READ or event.order not in (None, MemoryOrder.RELAXED):
            return False
        changing = {location for location in event.locations if location in writers}
        if found & changing:
            return False
        found |= changing
    return True


def _idle_reads(full: FullExpression, events: Sequence[Event], writers: dict[Location, int]) -> int:
    """The mask of the reads of which it makes no difference whether they come before a call or after it.

    Such a read is plain or a relaxed load, and finds what its own thread has written before the expression, or the
    initial value: nobody else writes there, nor does the expression. It takes part in no race and synchronises with
    nobody, its write and what overwrites it are sequenced with the call already, and a read hands nothing on to other
    threads. So whatever leads through it leads past it.
    """
    written = {location for event in full.before if events[event].kind.writes for location in events[event].locations}

    def is_idle(event: Event) -> bool:
        return (
            event.kind is EventKind.READ
            and event.order in (None, MemoryOrder.RELAXED)
            and all(
                location not in written and writers.get(location, _NOBODY) in (_NOBODY, event.thread)
                for location in event.locations
            )
        )

    return mask(number for number in full.before if is_idle(events[number]))
