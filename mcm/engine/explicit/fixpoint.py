"""Least solutions of recursive definitions (`let rec`), as an operator over bounds."""

# ruff: noqa: D102 - the rules are documented in Operator
from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from mcm.engine.explicit.operators import Operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.operators import Narrowing


class Fixpoint(Operator):
    """One member of the least solution of equations.

    `equations` are pairs of slots, of a variable and of the body that defines it; `inner` are the operators of the
    bodies that depend on the variables; `member` is the variable whose value is the result.
    """

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

    def bound(self, bounds: Bounds) -> tuple[int, int]:
        # Variables occur positively, so both bounds grow from the empty relation to a least fixpoint of their own.
        lower, upper = bounds.lower, bounds.upper
        for variable, _ in self.equations:
            bounds.set(variable, 0, 0)
        while True:
            for operator in self.inner:
                bounds.set(operator.index, *operator.bound(bounds))
            step = [(lower[body], upper[body]) for _, body in self.equations]
            if step == [(lower[variable], upper[variable]) for variable, _ in self.equations]:
                return lower[self.member], upper[self.member]
            for (variable, _), (least, greatest) in zip(self.equations, step, strict=True):
                bounds.set(variable, least, greatest)

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        """Nothing: a recursion is not narrowed backwards; the search decides what it depends on."""

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        if wanted:
            for operand in self.operands:
                relevant[operand] |= bounds.upper[operand]

    def moved(self, place: Callable[[int], int]) -> Self:
        return type(self)(
            place(self.index),
            place(self.member),
            tuple((place(variable), place(body)) for variable, body in self.equations),
            tuple(operator.moved(place) for operator in self.inner),
            tuple(map(place, self.operands)),
        )
