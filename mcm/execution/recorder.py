"""What one thread adds to a skeleton: its events with their order, and its faults."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from mcm.execution.addresses import sorted_locations
from mcm.execution.algebra import FALSE
from mcm.execution.call_orders import OpenExpression
from mcm.execution.event import BarrierInstance, Event, EventKind
from mcm.execution.sequencing import Effects, FullExpression, mask, shifted
from mcm.execution.skeleton import Fault
from mcm.program.operators import Level
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Shared
    from mcm.program.operators import PipeEnd
    from mcm.program.program import Thread
    from mcm.program.types import Flag, Order, Scope


class Recorder:
    """Adds the events of one thread to the skeleton, one full expression after the other.

    `iteration` are the numbers of the iterations that are being executed, one for each loop around, outermost first.
    """

    def __init__(self, shared: Shared, thread: Thread) -> None:
        self.shared: Final = shared
        self.thread: Final = thread
        self.iteration: tuple[int, ...] = ()
        self.full = FullExpression()
        # For each weak compare-exchange, in order: that it does not fail spuriously.
        self.not_spurious: Final[list[Expression]] = []
        # The mask of all events before the current full expression, but for those of asynchronous copies.
        self.done = 0
        self._has_copies = False
        self._first: int | None = None

    def begin(self) -> None:
        """Begin a full expression."""
        if self.full.before:
            self.full = FullExpression()

    def finish(self, span: Span) -> None:
        """Close the current full expression; where its calls may come in several orders, these are looked at later.

        What comes after everything earlier in the thread is not noted.
        """
        before = self.full.before
        if len(before) == 1 and not self._has_copies:
            ((event, after),) = before.items()
            if after == self.done:
                self.done |= 1 << event
                return
        order, *others = islice(self.full.orders(), 2)
        first = self._first or 0
        self.shared.before.update(shifted(order, first))
        if others:
            self.shared.open_expressions.append(OpenExpression(self.full, first, span))
        self.done |= mask(self.full.before)

    def event(  # noqa: PLR0913 - an event is its attributes
        self,
        kind: EventKind,
        guard: Expression,
        after: int,
        span: Span,
        *,
        address: Expression | None = None,
        value: Expression | None = None,
        order: Order | None = None,
        scope: Scope | None = None,
        flags: frozenset[Flag] = frozenset(),
        barrier: BarrierInstance | None = None,
        plain: bool = False,
        command: int | None = None,
        answer: int | None = None,
        asynchronous: int | None = None,
        pipe: PipeEnd | None = None,
    ) -> int:
        """Add an event, sequenced after those of the mask `after`; `plain` marks accesses that are no call.

        An `asynchronous` one is sequenced before nothing that the thread does.
        """
        shared = self.shared
        shared.grow(span)
        identifier = len(shared.events)
        if self._first is None:
            self._first = identifier
        shared.events.append(
            Event(
                identifier=identifier,
                kind=kind,
                thread=self.thread.index,
                guard=guard,
                address=address,
                locations=() if address is None else sorted_locations(address, shared),
                value=value,
                order=order,
                scope=scope,
                flags=flags,
                atomic=kind.is_access and order is not None,
                barrier=barrier,
                span=span,
                command=command,
                answer=answer,
                asynchronous=asynchronous,
                pipe=pipe,
                iteration=self.iteration,
            )
        )
        if asynchronous is not None:
            self._has_copies = True
            shared.before.update(shifted({identifier: after}, self._first))
            return identifier
        self.full.before[identifier] = after
        if plain:
            self.full.plain.append(identifier)
        return identifier

    def fault(
        self,
        kind: str,
        rule: str,
        condition: Expression,
        why: str,
        *spans: Span,
        operand: Expression | None = None,
        access: EventKind | None = None,
    ) -> None:
        """Note undefined behaviour of the thread's values."""
        if condition is not FALSE:
            thread, place = self.thread.index, len(self.shared.events)
            fault = Fault(
                kind, rule, condition, why, (), spans, thread, operand, self.iteration, access=access, place=place
            )
            self.shared.faults.append(fault)

    def instance(self, level: Level, site: str, *, of_active: bool = False) -> BarrierInstance | None:
        """The dynamic instance that a call at a site belongs to; None for host threads."""
        placement = self.thread.placement
        if not isinstance(placement, WorkItem):
            return None
        group = placement.work_group if level is Level.WORK_GROUP else placement.sub_group
        return BarrierInstance(level, group, site, self.iteration, of_active)

    def called(self, events: list[int], arguments: Effects) -> Effects:
        """The effects of a call with these events: arguments are complete before it, it is complete when it returns."""
        values = mask(events)
        if events:
            self.full.calls.append(values)
        return arguments.completed() | Effects(values)
