"""The operators of relational algebra over bounds.

The value of each slot is known by a lower bound (what it contains in every completion of the partial execution) and an
upper bound (what it contains in some completion, and perhaps more). An operator has three rules:

* `bound` computes bounds of its result from the bounds of its operands; that of most follows from their `value`;
* `narrow` goes back: given what must be excluded from and included in the result, it says what must be excluded from
  and included in the operands;
* `trace` says which members of the operands can decide whether given members are in the result.

Two more make a plan for programs in which some operands are empty (`specialise`): `equal_operand` and `moved`.

Sets are ints of n bits and relations ints of n * n bits, so the Boolean operators are the same for both.
"""

# ruff: noqa: D102, ARG002 - the rules are documented once, in Operator; not every one needs every argument
from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final, Self

from mcm.engine.explicit.plan import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from mcm.engine.explicit.bit_matrices import BitMatrices
    from mcm.engine.explicit.bounds import Bounds


class Narrowing:
    """What must be excluded from each slot and included in it, so that all formulas can hold.

    `changed` says that this has decided something of reads-from or of an order.
    """

    __slots__ = ("changed", "exclude", "include")

    def __init__(self, size: int) -> None:
        self.exclude: Final = [0] * size
        self.include: Final = [0] * size
        self.changed = False


class Operator(ABC):
    """An operator of a plan; `index` is the slot of its result, `operands` are those of its operands.

    `is_strict`: the result is empty where any of the operands is. `is_function`: it depends on nothing but these.
    """

    __slots__ = ("index", "operands")

    is_strict: ClassVar[bool] = False
    is_function: ClassVar[bool] = False

    def __init__(self, index: int, *operands: int) -> None:
        self.index: Final = index
        self.operands: Final = operands

    @abstractmethod
    def bound(self, bounds: Bounds) -> tuple[int, int]:
        """Lower and upper bound of the result: each monotone in the bounds of the operands."""

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int | None:
        """The result where all operands are known, with their `values`; None where it depends on more than these."""
        return None

    @abstractmethod
    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        """Narrow the operands so far as `excluded` not being in the result, and `included` being in it, implies."""

    @abstractmethod
    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        """Add to `relevant[operand]` the members that can decide whether those of `wanted` are in the result."""

    def equal_operand(self, empty: Container[int]) -> int | None:
        """The operand, or `NOTHING`, that the result equals where these slots are empty; None if it is computed."""
        return NOTHING if self.is_strict and any(operand in empty for operand in self.operands) else None

    @abstractmethod
    def moved(self, place: Callable[[int], int]) -> Self:
        """The same operator with other slots."""


class _Function(Operator):
    """A function of its operands, monotone in each unless it has bounds of its own."""

    __slots__ = ()

    is_strict = True
    is_function = True

    @abstractmethod
    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int: ...

    def bound(self, bounds: Bounds) -> tuple[int, int]:
        matrices = bounds.matrices
        return self.value(matrices, bounds.lower), self.value(matrices, bounds.upper)


class _Unary(_Function):
    __slots__ = ("body",)

    def __init__(self, index: int, body: int) -> None:
        super().__init__(index, body)
        self.body: Final = body

    def moved(self, place: Callable[[int], int]) -> Self:
        return type(self)(place(self.index), place(self.body))


class _Binary(_Function):
    __slots__ = ("left", "right")

    def __init__(self, index: int, left: int, right: int) -> None:
        super().__init__(index, left, right)
        self.left: Final = left
        self.right: Final = right

    def moved(self, place: Callable[[int], int]) -> Self:
        return type(self)(place(self.index), place(self.left), place(self.right))

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        relevant[self.left] |= wanted
        relevant[self.right] |= wanted


class Union(_Binary):
    """`left | right`."""

    __slots__ = ()

    is_strict = False

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return values[self.left] | values[self.right]

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        narrowing.exclude[self.left] |= excluded
        narrowing.exclude[self.right] |= excluded
        if included:
            narrowing.include[self.left] |= included & ~bounds.upper[self.right]
            narrowing.include[self.right] |= included & ~bounds.upper[self.left]

    def equal_operand(self, empty: Container[int]) -> int | None:
        if self.left in empty:
            return self.right
        return self.left if self.right in empty else None


class Intersection(_Binary):
    """`left & right`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return values[self.left] & values[self.right]

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        narrowing.exclude[self.left] |= excluded & bounds.lower[self.right]
        narrowing.exclude[self.right] |= excluded & bounds.lower[self.left]
        narrowing.include[self.left] |= included
        narrowing.include[self.right] |= included


class Difference(_Binary):
    r"""`left \ right`."""

    __slots__ = ()

    is_strict = False

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return values[self.left] & ~values[self.right]

    def bound(self, bounds: Bounds) -> tuple[int, int]:
        lower, upper = bounds.lower, bounds.upper
        return lower[self.left] & ~upper[self.right], upper[self.left] & ~lower[self.right]

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        narrowing.exclude[self.left] |= excluded & ~bounds.upper[self.right]
        narrowing.include[self.right] |= excluded & bounds.lower[self.left]
        narrowing.include[self.left] |= included
        narrowing.exclude[self.right] |= included

    def equal_operand(self, empty: Container[int]) -> int | None:
        if self.left in empty:
            return NOTHING
        return self.left if self.right in empty else None


class Composition(_Binary):
    """`left ; right`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return matrices.compose(values[self.left], values[self.right])

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        matrices, lower = bounds.matrices, bounds.lower
        if excluded:
            if not bounds.exact[self.left]:
                narrowing.exclude[self.left] |= matrices.compose(excluded, matrices.inverse(lower[self.right]))
            if not bounds.exact[self.right]:
                narrowing.exclude[self.right] |= matrices.compose(matrices.inverse(lower[self.left]), excluded)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        matrices, upper = bounds.matrices, bounds.upper
        relevant[self.left] |= matrices.compose(wanted, matrices.inverse(upper[self.right]))
        relevant[self.right] |= matrices.compose(matrices.inverse(upper[self.left]), wanted)


class Inverse(_Unary):
    """`body^-1`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return matrices.inverse(values[self.body])

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        narrowing.exclude[self.body] |= bounds.matrices.inverse(excluded)
        narrowing.include[self.body] |= bounds.matrices.inverse(included)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        relevant[self.body] |= bounds.matrices.inverse(wanted)


class Closure(_Unary):
    """`body+`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return matrices.closure(values[self.body])

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        if not excluded:
            return
        matrices, closure = bounds.matrices, bounds.lower[self.index]
        if excluded == bounds.upper[self.index] & matrices.identity:
            # No event is on a cycle. A pair (c, d) with c reachable from d would close one.
            narrowing.exclude[self.body] |= matrices.inverse(closure) | matrices.identity
        else:
            narrowing.exclude[self.body] |= _completing_pairs(matrices, closure, excluded)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        matrices, closure = bounds.matrices, bounds.upper[self.index]
        if wanted == closure & matrices.identity:
            # Every pair that can be on a cycle.
            relevant[self.body] |= matrices.inverse(closure) | matrices.identity
        else:
            relevant[self.body] |= _completing_pairs(matrices, closure, wanted)


def _completing_pairs(matrices: BitMatrices, closure: int, ends: int) -> int:
    """The pairs (c, d) that complete a path from a to z, for some (a, z) in `ends`, if added to a relation.

    `closure` is the closure of the relation: c is `a` or reachable from it, and z is d or reachable from it.
    """
    back = matrices.inverse(closure) | matrices.identity
    return matrices.compose(matrices.compose(back, ends), back)


class DomainRestriction(_Binary):
    """`[right] ; left`: the pairs of the relation `left` that start in the set `right`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return values[self.left] & matrices.starting_in(values[self.right])

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        matrices = bounds.matrices
        narrowing.exclude[self.left] |= excluded & matrices.starting_in(bounds.lower[self.right])
        narrowing.include[self.left] |= included
        if not bounds.exact[self.right]:
            narrowing.exclude[self.right] |= matrices.domain(excluded & bounds.lower[self.left])
            narrowing.include[self.right] |= matrices.domain(included)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        relevant[self.left] |= wanted
        relevant[self.right] |= bounds.matrices.domain(wanted)


class RangeRestriction(_Binary):
    """`left ; [right]`: the pairs of the relation `left` that end in the set `right`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return values[self.left] & matrices.ending_in(values[self.right])

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        matrices = bounds.matrices
        narrowing.exclude[self.left] |= excluded & matrices.ending_in(bounds.lower[self.right])
        narrowing.include[self.left] |= included
        if not bounds.exact[self.right]:
            narrowing.exclude[self.right] |= matrices.range(excluded & bounds.lower[self.left])
            narrowing.include[self.right] |= matrices.range(included)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        relevant[self.left] |= wanted
        relevant[self.right] |= bounds.matrices.range(wanted)


class Product(_Binary):
    """`left * right`, of two sets."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return matrices.product(values[self.left], values[self.right])

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        matrices = bounds.matrices
        narrowing.exclude[self.left] |= matrices.domain(excluded & matrices.ending_in(bounds.lower[self.right]))
        narrowing.exclude[self.right] |= matrices.range(excluded & matrices.starting_in(bounds.lower[self.left]))
        narrowing.include[self.left] |= matrices.domain(included)
        narrowing.include[self.right] |= matrices.range(included)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        relevant[self.left] |= bounds.matrices.domain(wanted)
        relevant[self.right] |= bounds.matrices.range(wanted)


class Identity(_Unary):
    """`[body]`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return matrices.starting_in(values[self.body]) & matrices.identity

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        narrowing.exclude[self.body] |= bounds.matrices.domain(excluded & bounds.matrices.identity)
        narrowing.include[self.body] |= bounds.matrices.domain(included)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        relevant[self.body] |= bounds.matrices.domain(wanted & bounds.matrices.identity)


class Domain(_Unary):
    """`domain(body)`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return matrices.domain(values[self.body])

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        narrowing.exclude[self.body] |= bounds.matrices.starting_in(excluded)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        relevant[self.body] |= bounds.matrices.starting_in(wanted)


class Range(_Unary):
    """`range(body)`."""

    __slots__ = ()

    def value(self, matrices: BitMatrices, values: Sequence[int]) -> int:
        return matrices.range(values[self.body])

    def narrow(self, bounds: Bounds, narrowing: Narrowing, excluded: int, included: int) -> None:
        narrowing.exclude[self.body] |= bounds.matrices.ending_in(excluded)

    def trace(self, bounds: Bounds, relevant: list[int], wanted: int) -> None:
        relevant[self.body] |= bounds.matrices.ending_in(wanted)
