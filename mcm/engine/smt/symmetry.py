"""Thread symmetry: exchanging two threads with the same code turns consistent executions into consistent executions.

Where nothing observed distinguishes such threads, it is enough to search the executions in which their first writes
are ordered as the threads are (lexicographic symmetry breaking).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mcm.execution.evaluate import subexpressions
from mcm.execution.expression import Choice, Constant
from mcm.execution.renaming import Renaming
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable


def ordered_writes(skeleton: Skeleton, observed: Iterable[Observable]) -> list[tuple[int, int]]:
    """Pairs of writes that may be required to be in modification order without losing a final state of `observed`."""
    expressions = [skeleton.registers[what] for what in observed if isinstance(what, RegisterName)]
    pairs: list[tuple[int, int]] = []
    for group in _similar_threads(skeleton):
        for one, other in pairwise(group):
            first, second = _first_static_write(one), _first_static_write(other)
            if (
                first is None
                or second is None
                or not _is_automorphism(_exchange(skeleton, one, other), skeleton, expressions)
            ):
                break
            pairs.append((first, second))
    return pairs


def _similar_threads(skeleton: Skeleton) -> list[list[list[Event]]]:
    """Threads with the same sequence of operations, as their events, in groups of at least two."""
    threads: dict[int, list[Event]] = {}
    for event in skeleton.events:
        if event.thread is not None:
            threads.setdefault(event.thread, []).append(event)
    groups: dict[tuple[object, ...], list[list[Event]]] = {}
    for events in threads.values():
        shape = tuple((e.kind, e.locations, e.order, e.scope, e.flags, e.atomic) for e in events)
        groups.setdefault(shape, []).append(events)
    return [group for group in groups.values() if len(group) > 1]


def _first_static_write(events: list[Event]) -> int | None:
    """The first write that is surely executed and whose location is static."""
    for event in events:
        if event.kind.writes and event.guard is Constant(1) and isinstance(event.address, Constant):
            return event.identifier
    return None


def _exchange(skeleton: Skeleton, one: list[Event], other: list[Event]) -> Renaming:
    """The permutation that exchanges the events and choices of two threads, position by position."""
    events, choices = list(range(len(skeleton.events))), list(range(skeleton.choices))
    for a, b in zip(one, other, strict=True):
        events[a.identifier], events[b.identifier] = b.identifier, a.identifier
    # A choice belongs to the thread whose expressions mention it; the n-th stands for the n-th of the other thread.
    for i, j in zip(_choices(one), _choices(other), strict=False):
        choices[i], choices[j] = j, i
    return Renaming(events, choices)


def _is_automorphism(renaming: Renaming, skeleton: Skeleton, observed: list[Expression]) -> bool:
    """Whether events, sets, relations, constraints and everything observed are their own images."""
    conditions = {*skeleton.constraints, *(cut.condition for cut in skeleton.stops)}
    return (
        all(renaming.expression(expression) is expression for expression in observed)
        and {renaming.expression(condition) for condition in conditions} == conditions
        and all(
            _is_image(renaming, event, skeleton.events[renaming.events[event.identifier]]) for event in skeleton.events
        )
        and all(renaming.mask(members.events) == members.events for members in skeleton.sets.values())
        and all(
            all(renaming.mask(row) == rows[renaming.events[event]] for event, row in enumerate(rows))
            for rows in skeleton.relations.values()
        )
    )


def _is_image(renaming: Renaming, event: Event, image: Event) -> bool:
    """Whether the expressions of `image` are those of `event`, renamed."""
    return (
        renaming.expression(event.guard) is image.guard
        and renaming.optional(event.address) is image.address
        and renaming.optional(event.value) is image.value
    )


def _choices(events: list[Event]) -> Iterable[int]:
    """The choices that the expressions of a thread mention, in order."""
    found: dict[int, None] = {}
    for event in events:
        for expression in (event.guard, event.address, event.value):
            if expression is not None:
                found.update((part.index, None) for part in subexpressions(expression) if isinstance(part, Choice))
    return found
