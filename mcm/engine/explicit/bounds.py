"""Relational bounds: for each slot of a plan a lower and an upper bound of its value, as in Kodkod.

A slot holds the value of one set or relation. Its lower bound is contained in that value in every completion of a
partial execution, its upper bound contains it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.engine.explicit.bit_matrices import BitMatrices


class Bounds:
    """`lower[i]` and `upper[i]` bound slot `i`, and `exact[i]` says that they are known to be equal.

    Slots that a plan does not fill stay empty.

    The bounds rest on decisions: `chosen` are the pairs of `rf`, `assigned` is the mask of the reads that have one,
    `forbidden` are the pairs that `rf` cannot have, `ordered[k]` is what was decided of the k-th order. Decisions only
    grow, so whatever follows from those of a partial execution holds in all of its completions.
    """

    __slots__ = ("assigned", "chosen", "exact", "forbidden", "lower", "matrices", "ordered", "upper")

    def __init__(self, matrices: BitMatrices, size: int, orders: int) -> None:
        self.matrices = matrices
        self.lower = [0] * size
        self.upper = [0] * size
        self.exact = [False] * size
        self.chosen = 0
        self.assigned = 0
        self.forbidden = 0
        self.ordered = [0] * orders

    def copy(self) -> Bounds:
        """A copy that can be changed independently."""
        twin = object.__new__(Bounds)
        twin.matrices = self.matrices
        twin.lower = self.lower.copy()
        twin.upper = self.upper.copy()
        twin.exact = self.exact.copy()
        twin.chosen = self.chosen
        twin.assigned = self.assigned
        twin.forbidden = self.forbidden
        twin.ordered = self.ordered.copy()
        return twin

    def set(self, slot: int, lower: int, upper: int) -> None:
        """Set both bounds of a slot."""
        self.lower[slot] = lower
        self.upper[slot] = upper
        self.exact[slot] = lower == upper

    def set_all(self, least: Mapping[int, int], greatest: Mapping[int, int]) -> None:
        """Set both bounds of the same slots."""
        lower, upper, exact = self.lower, self.upper, self.exact
        for slot, most in greatest.items():
            lower[slot] = some = least[slot]
            upper[slot] = most
            exact[slot] = some == most

    def choose(self, write: int, read: int) -> None:
        """Decide that a read takes its value from a write."""
        self.chosen |= self.matrices.pair(write, read)
        self.assigned |= 1 << read
