"""What is asked about a skeleton, and what has to stay because of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.engine.explicit.settled.commuting import is_summand
from mcm.execution.evaluate import reads_of, reads_of_all
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable


class Asked(Struct, frozen=True):
    """What is `watched` in the end; the events that are `named`, which stay; the reads that are `used`.

    `counts`: it is also asked what reads return of locations whose accesses stay.
    """

    watched: frozenset[Observable]
    named: frozenset[int]
    used: frozenset[int]
    counts: bool


def asked_about(skeleton: Skeleton, watched: Collection[Observable], named: Collection[int], *, counts: bool) -> Asked:
    """What is asked, where some events are named besides those of stops and faults."""
    return Asked(
        frozenset(watched),
        skeleton.named.union(named),
        frozenset(_used_reads(skeleton, watched)),
        counts,
    )


def _used_reads(skeleton: Skeleton, watched: Collection[Observable]) -> Iterator[int]:
    """The reads that anything depends on, but for updates that add something to what they read themselves."""
    # Many events have one guard.
    expressions: set[Expression | None] = {*skeleton.constraints}
    for event in skeleton.events:
        expressions |= {event.guard, event.address}
        if event.value is not None and is_summand(event):
            yield from reads_of(event.value) - {event.identifier}
        else:
            expressions.add(event.value)
    expressions.update(fault.condition for fault in skeleton.faults)
    for stop in skeleton.stops:
        expressions |= {stop.condition, stop.persists}
    expressions.update(skeleton.registers[what] for what in watched if isinstance(what, RegisterName))
    expressions.update(value for place, value in skeleton.finals.items() if place in watched)
    yield from reads_of_all(expression for expression in expressions if expression is not None)
