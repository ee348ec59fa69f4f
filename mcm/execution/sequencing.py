"""Sequenced-before inside one full expression, as C gives it (model-rules SB-1, SB-2, DR-3).

The operands of an operator are unsequenced. A call is indeterminately sequenced with respect to every other evaluation
of the full expression that it is not ordered with: it comes wholly before or wholly after, and both are looked at.
"""

from __future__ import annotations

from itertools import combinations, islice, pairwise, permutations, product
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.base.bits import members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.base.source import Span
    from mcm.execution.expression import Expression

# A partial order on events: for each event the bit mask of those sequenced before it.
Order = dict[int, int]


def mask(events: Iterable[int]) -> int:
    """The bit mask of some event identifiers."""
    result = 0
    for event in events:
        result |= 1 << event
    return result


def shifted(order: Order, first: int) -> Order:
    """An order whose masks count from the first event of a thread: those of late threads would be long."""
    return {event: before >> first for event, before in order.items()}


class PrivateAccess(Struct, frozen=True, gc=False):
    """An access of a private variable, where `guard` holds.

    `pending` marks a store that no sequence point follows, `called` what a call does to the variable that it is given.
    """

    name: str
    guard: Expression
    writes: bool
    pending: bool
    span: Span
    called: bool = False


class Effects(Struct, frozen=True, gc=False):
    """What evaluating an operand does, for the sequencing of what follows.

    `values` are the events that its value computation comprises, `pending` the stores that are side effects not
    sequenced before anything in the same full expression. Private variables have no events: `private` are the
    accesses of them.
    """

    values: int = 0
    pending: int = 0
    private: tuple[PrivateAccess, ...] = ()

    def __or__(self, other: Effects) -> Effects:
        """The effects of two operands together."""
        if self is NOTHING or other is NOTHING:
            return other if self is NOTHING else self
        return Effects(
            self.values | other.values,
            self.pending | other.pending,
            self.private + other.private,
        )

    def completed(self) -> Effects:
        """The effects after a sequence point: nothing is pending any more."""
        if not self.pending and not self.private:
            return self
        private = self.private
        if self.unfinished:
            private = tuple(replace(access, pending=False) if access.pending else access for access in private)
        return Effects(self.values | self.pending, 0, private)

    def by_call(self) -> Effects:
        """What a call does to private variables by itself."""
        if not self.private:
            return NOTHING
        return Effects(private=tuple(replace(access, pending=False, called=True) for access in self.private))

    @property
    def unfinished(self) -> tuple[PrivateAccess, ...]:
        """The side effects on private variables that are still pending."""
        return tuple([access for access in self.private if access.pending]) if self.private else ()


# What most operands do.
NOTHING: Final = Effects()


class FullExpression(Struct, gc=False):
    """The events of one full expression while it is being evaluated.

    `before` holds for each event what is sequenced before it; `calls` are the events of each call, `plain` the
    accesses that belong to no call.
    """

    before: Order = field(default_factory=dict)
    calls: list[int] = field(default_factory=list)
    plain: list[int] = field(default_factory=list)

    def alternatives(self, limit: int, free: int = 0, alike: int = 0) -> list[Order]:
        """All orders that resolve what is indeterminately sequenced; at least one, or none if more than `limit`.

        It makes no difference when the events of the mask `free` come, nor which calls of events of `alike` come first:
        these are left as they are.
        """
        found = [*islice(self.orders(free, alike), limit + 1)]
        return found if len(found) <= limit else []

    def orders(self, free: int = 0, alike: int = 0) -> Iterator[Order]:
        """The same orders, one after the other; that in which calls are written first."""
        base = self.unordered()
        calls, plain = self._loose(base, free, alike)
        if not calls:
            yield base
            return
        found: list[Order] = []
        for sequence in permutations(calls):
            chained = _with_edges(base, pairwise(sequence))
            if chained is None:
                continue
            for order in _with_plain(chained, calls, plain):
                if order not in found:
                    found.append(order)
                    yield order

    def backwards(self, free: int = 0, alike: int = 0) -> Order:
        """One of these orders: each call comes before those that are written before it, unless it needs them."""
        order = self.unordered()
        calls, plain = self._loose(order, free, alike)
        pairs = [
            *((later, sooner) for sooner, later in combinations(calls, 2)),
            *((call, 1 << access) for access in plain for call in calls),
        ]
        for first, second in pairs:
            if _unordered(first, second, order):
                order = _with_edges(order, [(first, second)]) or _with_edges(order, [(second, first)]) or order
        return order

    def unordered(self) -> Order:
        """What is sequenced in all of these orders."""
        return self.before if len(self.before) < 2 else _closed(self.before)

    def _loose(self, base: Order, free: int, alike: int) -> tuple[list[int], list[int]]:
        """The calls that may come before or after something else, and the plain accesses that matter to them."""
        plain = [p for p in self.plain if not free >> p & 1]
        calls = [c for c in self.calls if c & ~free]
        others = [*calls, *(1 << p for p in plain)]
        loose = [c for c in calls if any(o != c and (c | o) & ~alike and _unordered(c, o, base) for o in others)]
        return loose, plain


def _with_plain(order: Order, calls: Sequence[int], plain: Sequence[int]) -> Iterator[Order]:
    """Orient every plain access against every call that it is not ordered with."""
    pairs = [(1 << p, c) for p in plain for c in calls if _unordered(1 << p, c, order)]
    for flips in product((False, True), repeat=len(pairs)):
        edges = [(c, p) if flip else (p, c) for flip, (p, c) in zip(flips, pairs, strict=True)]
        extended = _with_edges(order, edges)
        if extended is not None:
            yield extended


def _unordered(ones: int, others: int, order: Order) -> bool:
    return not any(order[a] & others for a in members(ones)) and not any(order[b] & ones for b in members(others))


def _with_edges(order: Order, edges: Iterable[tuple[int, int]]) -> Order | None:
    """The order with every event of the first mask before every event of the second; None if that is a cycle."""
    extended = dict(order)
    for first, second in edges:
        for event in members(second):
            extended[event] |= first
    closed = _closed(extended)
    return None if any(before >> event & 1 for event, before in closed.items()) else closed


def _closed(order: Order) -> Order:
    """Transitive closure among the events of the order; bits of events outside stay as they are."""
    closed = dict(order)
    inside = mask(order)
    changed = True
    while changed:
        changed = False
        for event, before in closed.items():
            wider = before
            for other in members(before & inside):
                wider |= closed[other]
            if wider != before:
                closed[event] = wider
                changed = True
    return closed
