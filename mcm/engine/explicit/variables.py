"""What an execution adds to a skeleton, as operators over bounds: reads-from, total orders, and least solutions."""

# ruff: noqa: D102 - the readings are documented in Operator
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.operators import Operator

if TYPE_CHECKING:
    from mcm.engine.explicit.bounds import Bounds


class ReadsFrom(Operator):
    """`rf`: the writes chosen so far, and those that are still possible for the other reads."""

    __slots__ = ("possible",)

    def __init__(self, index: int, possible: int) -> None:
        super().__init__(index, possible)
        self.possible: Final = possible

    def bound(self, b: Bounds) -> tuple[int, int]:
        chosen = b.chosen
        others = b.up[self.possible] & ~b.square.into(b.assigned)
        return chosen, (chosen | others) & ~b.forbidden

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        others = b.square.into(b.square.range(into)) & ~into
        new = (out | others) & b.up[self.index] & ~b.low[self.index]
        if new:
            b.forbidden |= new
            b.changed = True

    def trace(self, b: Bounds, wanted: int) -> None:
        """Nothing lies below."""


class TotalOrder(Operator):
    """A union of strict total orders, such as `mo` or a linearisation; `domain` holds all pairs to be ordered.

    `b.before[number]` holds what was decided: the first of a pair comes before the second if both take part.
    """

    __slots__ = ("domain", "number")

    def __init__(self, index: int, number: int, domain: int) -> None:
        super().__init__(index, domain)
        self.number: Final = number
        self.domain: Final = domain

    def bound(self, b: Bounds) -> tuple[int, int]:
        square = b.square
        before = b.before[self.number]
        low = square.closure(before & b.low[self.domain])
        return low, b.up[self.domain] & ~square.inverse(before | low)

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        new = (b.square.inverse(out) | into) & ~b.before[self.number]
        if new:
            b.before[self.number] |= new
            b.changed = True

    def trace(self, b: Bounds, wanted: int) -> None:
        """Nothing lies below."""


class Fixpoint(Operator):
    """One member of the least solution of equations; `inner` are the operators that depend on the variables."""

    __slots__ = ("equations", "inner", "member")

    def __init__(
        self,
        index: int,
        member: int,
        equations: tuple[tuple[int, int], ...],
        inner: tuple[Operator, ...],
        operands: tuple[int, ...],
    ) -> None:
        super().__init__(index, *operands)
        self.member: Final = member
        self.equations: Final = equations
        self.inner: Final = inner

    def bound(self, b: Bounds) -> tuple[int, int]:
        low, up = b.low, b.up
        for variable, _ in self.equations:
            low[variable] = up[variable] = 0
        while True:
            for operator in self.inner:
                low[operator.index], up[operator.index] = operator.bound(b)
            step = [(low[body], up[body]) for _, body in self.equations]
            if step == [(low[variable], up[variable]) for variable, _ in self.equations]:
                return low[self.member], up[self.member]
            for (variable, _), (lower, upper) in zip(self.equations, step, strict=True):
                low[variable], up[variable] = lower, upper

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        """Nothing is concluded through a recursion; the search decides what it depends on."""

    def trace(self, b: Bounds, wanted: int) -> None:
        if wanted:
            for operand in self.operands:
                b.traced[operand] |= b.up[operand]
