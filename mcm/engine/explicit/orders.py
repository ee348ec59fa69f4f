"""Completing the orders of an execution whose reads all have their writes.

An order is decided only as far as open demands depend on it: when none is open, every way to complete it is good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.meter import Meter


def complete(bounds: Bounds, meter: Meter) -> Bounds | None:
    """Bounds without open demands inside the given ones, which are tight; None if there are none."""
    if not bounds.demands:
        return bounds
    meter.spend()
    likely = _guess(bounds)
    if likely.tighten() and not likely.demands:
        return likely
    stack = _split(bounds)
    while stack:
        meter.spend()
        current = stack.pop()
        if current.tighten():
            if not current.demands:
                return current
            stack.extend(_split(current))
    return None


def _guess(bounds: Bounds) -> Bounds:
    """The bounds with every order decided at one stroke: along what must not be cyclic."""
    square, low, up = bounds.square, bounds.low, bounds.up
    guide = 0
    for demand in bounds.demands:
        if demand.pairs == square.identity:
            guide |= low[demand.node]
    for order in bounds.plan.orders:
        guide |= low[order.index]
    guide = square.closure(guide)
    earlier = square.inverse(guide)
    rank = [square.successors(earlier, event).bit_count() for event in range(square.size)]
    guessed = bounds.copy()
    for order in bounds.plan.orders:
        for a, b in square.pairs(up[order.index] & ~low[order.index]):
            if (rank[a], a) < (rank[b], b):
                guessed.before[order.number] |= square.pair(a, b)
    return guessed


def _split(bounds: Bounds) -> list[Bounds]:
    """One undecided pair that matters, in both ways; the way to be tried first comes last."""
    number, pairs = bounds.relevant()[0]
    return _both_ways(bounds, number, pairs & -pairs)


def total_orders(bounds: Bounds, meter: Meter) -> Iterator[Bounds]:
    """Every way to complete the modification orders; the other orders and demands stay open."""
    modification = bounds.plan.orders[0].index
    stack = [bounds.copy()]
    while stack:
        meter.spend()
        current = stack.pop()
        if not current.tighten() or current.order(0) is None:
            continue
        undecided = current.up[modification] & ~current.low[modification]
        if undecided:
            stack.extend(_both_ways(current, 0, undecided & -undecided))
        else:
            yield current


def last_in(bounds: Bounds, writes: int) -> int:
    """Those of the writes to one location that can be the last of its modification order."""
    order = bounds.low[bounds.plan.orders[0].index]
    square = bounds.square
    return sum(1 << w for w in members(writes) if not square.successors(order, w) & writes)


def make_last(bounds: Bounds, writes: int, last: int) -> Bounds | None:
    """The bounds with one write as the last of its location; None if that is impossible."""
    current = bounds.copy()
    current.before[0] |= current.square.product(writes & ~(1 << last), 1 << last)
    return current if current.tighten() and current.order(0) is not None else None


def _both_ways(bounds: Bounds, number: int, pair: int) -> list[Bounds]:
    forth, back = bounds.copy(), bounds.copy()
    forth.before[number] |= pair
    back.before[number] |= bounds.square.inverse(pair)
    return [back, forth]
