"""The unknown relations of an execution, as operators without a term: reads-from and the total orders.

They are the relation variables of the search. All other slots are computed from them and from the base relations.
"""

# ruff: noqa: D102 - the rules are documented in Operator
from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from mcm.engine.explicit.operators import Operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.operators import Narrowing


class ReadsFrom(Operator):
    """`rf`: the writes chosen so far, and those that are still possible for the other reads."""

    __slots__ = ("possible",)

    def __init__(self, index: int, possible: int) -> None:
        super().__init__(index, possible)
        self.possible: Final = possible

    def bound(self, bounds: Bounds) -> tuple[int, int]:
        chosen = bounds.chosen
        others = bounds.upper[self.possible] & ~bounds.matrices.ending_in(bounds.assigned)
        return chosen, (chosen | others) & ~bounds.forbidden

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        # A read takes its value from one write.
        others = bounds.matrices.ending_in(bounds.matrices.range(included)) & ~included
        new = (excluded | others) & bounds.upper[self.index] & ~bounds.lower[self.index]
        if new:
            bounds.forbidden |= new
            narrowing.changed = True

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        """Nothing: `rf` is not computed from another slot that the search decides."""

    def moved(self, place: Callable[[int], int]) -> Self:
        return type(self)(place(self.index), place(self.possible))


class TotalOrder(Operator):
    """A union of strict total orders, such as `mo` or a linearisation; `domain` is the slot of all pairs to be ordered.

    `bounds.ordered[number]` holds what was decided: the first of a pair comes before the second if both take part.
    """

    __slots__ = ("domain", "number")

    def __init__(self, index: int, number: int, domain: int) -> None:
        super().__init__(index, domain)
        self.number: Final = number
        self.domain: Final = domain

    def bound(self, bounds: Bounds) -> tuple[int, int]:
        matrices = bounds.matrices
        ordered = bounds.ordered[self.number]
        lower = matrices.closure(ordered & bounds.lower[self.domain])
        return lower, bounds.upper[self.domain] & ~matrices.inverse(ordered | lower)

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        # Of two events that are ordered, one comes first: what is not (a, b) is (b, a).
        new = (bounds.matrices.inverse(excluded) | included) & ~bounds.ordered[self.number]
        if new:
            bounds.ordered[self.number] |= new
            narrowing.changed = True

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        """Nothing: an order is not computed from another slot that the search decides."""

    def moved(self, place: Callable[[int], int]) -> Self:
        return type(self)(place(self.index), self.number, place(self.domain))
