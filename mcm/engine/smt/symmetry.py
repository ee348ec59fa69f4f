"""Threads that do the same: exchanging two of them turns executions into executions.

Where nothing observed tells such threads apart, it is enough to look at executions in which their first writes come in
the order of the threads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, assert_never

from mcm.execution.evaluate import subexpressions
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue, Select, UnaryValue
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable


def ordered_writes(skeleton: Skeleton, observed: Iterable[Observable]) -> list[tuple[int, int]]:
    """Pairs of writes that may be taken to be in modification order without losing a final state."""
    expressions = [skeleton.registers[what] for what in observed if isinstance(what, RegisterName)]
    pairs: list[tuple[int, int]] = []
    for group in _alike(skeleton):
        for one, other in pairwise(group):
            first, second = _key(one), _key(other)
            if first is None or second is None or not _Exchange(skeleton, one, other).changes_nothing(expressions):
                break
            pairs.append((first, second))
    return pairs


def _alike(skeleton: Skeleton) -> list[list[list[Event]]]:
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


def _key(events: list[Event]) -> int | None:
    """The first write that is surely executed and whose location is static."""
    for event in events:
        if event.kind.writes and event.guard is Constant(1) and isinstance(event.address, Constant):
            return event.identifier
    return None


class _Exchange:
    """The permutation that exchanges the events of two threads, position by position."""

    def __init__(self, skeleton: Skeleton, one: list[Event], other: list[Event]) -> None:
        self._skeleton = skeleton
        self._events = list(range(len(skeleton.events)))
        self._choices = list(range(skeleton.choices))
        for a, b in zip(one, other, strict=True):
            self._events[a.identifier], self._events[b.identifier] = b.identifier, a.identifier
        # A choice belongs to the thread whose expressions mention it; the n-th stands for the n-th of the other thread.
        for i, j in zip(_choices(one), _choices(other), strict=False):
            self._choices[i], self._choices[j] = j, i
        self._known: dict[Expression, Expression] = {}

    def changes_nothing(self, observed: list[Expression]) -> bool:
        """Whether events, sets, relations, constraints and everything observed stay the same."""
        skeleton = self._skeleton
        conditions = {*skeleton.constraints, *(cut.condition for cut in skeleton.stops)}
        return (
            all(self._renamed(expression) is expression for expression in observed)
            and {self._renamed(condition) for condition in conditions} == conditions
            and all(self._fits(event, skeleton.events[self._events[event.identifier]]) for event in skeleton.events)
            and all(self._mask(members.events) == members.events for members in skeleton.sets.values())
            and all(
                all(self._mask(row) == rows[self._events[event]] for event, row in enumerate(rows))
                for rows in skeleton.relations.values()
            )
        )

    def _fits(self, event: Event, image: Event) -> bool:
        return all(
            (None if before is None else self._renamed(before)) is after
            for before, after in (
                (event.guard, image.guard),
                (event.address, image.address),
                (event.value, image.value),
            )
        )

    def _mask(self, mask: int) -> int:
        moved = 0
        for event, image in enumerate(self._events):
            if event != image and (mask >> event & 1) != (mask >> image & 1):
                moved |= 1 << event
        return mask ^ moved

    def _renamed(self, expression: Expression) -> Expression:
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._rename(expression)
        return found

    def _rename(self, expression: Expression) -> Expression:
        match expression:
            case Constant():
                return expression
            case ReadValue(event):
                return ReadValue(self._events[event])
            case Choice(index):
                return Choice(self._choices[index])
            case UnaryValue(symbol, operand, type_):
                return UnaryValue(symbol, self._renamed(operand), type_)
            case BinaryValue(symbol, left, right, type_):
                return BinaryValue(symbol, self._renamed(left), self._renamed(right), type_)
            case Select(condition, then, otherwise):
                return Select(self._renamed(condition), self._renamed(then), self._renamed(otherwise))
            case _:
                assert_never(expression)


def _choices(events: list[Event]) -> Iterable[int]:
    """The choices that the expressions of a thread mention, in order."""
    found: dict[int, None] = {}
    for event in events:
        for expression in (event.guard, event.address, event.value):
            if expression is not None:
                found.update((part.index, None) for part in subexpressions(expression) if isinstance(part, Choice))
    return found
