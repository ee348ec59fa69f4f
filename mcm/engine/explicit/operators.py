"""The operators of terms, read over bounds.

Of each set and relation we know a lower bound (what it surely contains) and an upper bound (what it can contain).
An operator says three things: the bounds of its result (`bound`); what must be kept out of or put into its operands
so that something is kept out of or put into its result (`narrow`); and which pairs of its operands can matter to
pairs of its result (`trace`). Sets are ints of n bits and relations ints of n * n bits, so that the Boolean operators
are the same for both.
"""

# ruff: noqa: D102, ARG002 - the three readings are documented once, in Operator; not every one needs every argument
from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcm.engine.explicit.bounds import Bounds


class Operator(ABC):
    """A node of the plan; `index` is its place in the arrays of bounds, above those of its operands."""

    __slots__ = ("index", "operands")

    def __init__(self, index: int, *operands: int) -> None:
        self.index: Final = index
        self.operands: Final = operands

    @abstractmethod
    def bound(self, b: Bounds) -> tuple[int, int]:
        """Lower and upper bound of the result; the same object twice when they are equal."""

    @abstractmethod
    def narrow(self, b: Bounds, out: int, into: int) -> None:
        """Demand of the operands what keeps `out` out of the result and puts `into` into it."""

    @abstractmethod
    def trace(self, b: Bounds, wanted: int) -> None:
        """Mark what in the operands can matter to whether `wanted` is in the result."""


class _Unary(Operator):
    __slots__ = ("body",)

    def __init__(self, index: int, body: int) -> None:
        super().__init__(index, body)
        self.body: Final = body


class _Binary(Operator):
    __slots__ = ("left", "right")

    def __init__(self, index: int, left: int, right: int) -> None:
        super().__init__(index, left, right)
        self.left: Final = left
        self.right: Final = right

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.left] |= wanted
        b.traced[self.right] |= wanted


class Join(_Binary):
    """`left | right`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        low, up = b.low, b.up
        return low[self.left] | low[self.right], up[self.left] | up[self.right]

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        b.out[self.left] |= out
        b.out[self.right] |= out
        if into:
            b.into[self.left] |= into & ~b.up[self.right]
            b.into[self.right] |= into & ~b.up[self.left]


class Meet(_Binary):
    """`left & right`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        low, up = b.low, b.up
        return low[self.left] & low[self.right], up[self.left] & up[self.right]

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        b.out[self.left] |= out & b.low[self.right]
        b.out[self.right] |= out & b.low[self.left]
        b.into[self.left] |= into
        b.into[self.right] |= into


class Minus(_Binary):
    r"""`left \ right`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        low, up = b.low, b.up
        return low[self.left] & ~up[self.right], up[self.left] & ~low[self.right]

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        b.out[self.left] |= out & ~b.up[self.right]
        b.into[self.right] |= out & b.low[self.left]
        b.into[self.left] |= into
        b.out[self.right] |= into


class Chain(_Binary):
    """`left ; right`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        compose = b.square.compose
        low_left, low_right, up_left, up_right = b.low[self.left], b.low[self.right], b.up[self.left], b.up[self.right]
        low = compose(low_left, low_right)
        if low_left is up_left and low_right is up_right:
            return low, low
        return low, compose(up_left, up_right)

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        square, low, up = b.square, b.low, b.up
        if out:
            if low[self.left] is not up[self.left]:
                b.out[self.left] |= square.compose(out, square.inverse(low[self.right]))
            if low[self.right] is not up[self.right]:
                b.out[self.right] |= square.compose(square.inverse(low[self.left]), out)

    def trace(self, b: Bounds, wanted: int) -> None:
        square, up = b.square, b.up
        b.traced[self.left] |= square.compose(wanted, square.inverse(up[self.right]))
        b.traced[self.right] |= square.compose(square.inverse(up[self.left]), wanted)


class Turn(_Unary):
    """`body^-1`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        low, up = b.low[self.body], b.up[self.body]
        turned = b.square.inverse(low)
        return turned, turned if low is up else b.square.inverse(up)

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        b.out[self.body] |= b.square.inverse(out)
        b.into[self.body] |= b.square.inverse(into)

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.body] |= b.square.inverse(wanted)


class Reach(_Unary):
    """`body+`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        low, up = b.low[self.body], b.up[self.body]
        closed = b.square.closure(low)
        return closed, closed if low is up else b.square.closure(up)

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        if out:
            b.out[self.body] |= self._between(b, b.low[self.index], out)

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.body] |= self._between(b, b.up[self.index], wanted)

    @staticmethod
    def _between(b: Bounds, reach: int, ends: int) -> int:
        """The steps (c, d) that close a path from `a` to `z` for some (a, z) in `ends`, given what is reachable."""
        square = b.square
        back = square.inverse(reach) | square.identity
        if ends & ~square.identity == 0:
            # A step that closes a cycle leads back to where it is reachable from, whichever events are on the cycle.
            return back
        return square.compose(square.compose(back, ends), back)


class Rows(_Binary):
    """`[right] ; left`: the relation `left` from the events of the set `right`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        from_ = b.square.from_
        low, up = b.low, b.up
        return low[self.left] & from_(low[self.right]), up[self.left] & from_(up[self.right])

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        square = b.square
        b.out[self.left] |= out & square.from_(b.low[self.right])
        b.into[self.left] |= into
        if b.low[self.right] is not b.up[self.right]:
            b.out[self.right] |= square.domain(out & b.low[self.left])
            b.into[self.right] |= square.domain(into)

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.left] |= wanted
        b.traced[self.right] |= b.square.domain(wanted)


class Columns(_Binary):
    """`left ; [right]`: the relation `left` into the events of the set `right`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        into = b.square.into
        low, up = b.low, b.up
        return low[self.left] & into(low[self.right]), up[self.left] & into(up[self.right])

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        square = b.square
        b.out[self.left] |= out & square.into(b.low[self.right])
        b.into[self.left] |= into
        if b.low[self.right] is not b.up[self.right]:
            b.out[self.right] |= square.range(out & b.low[self.left])
            b.into[self.right] |= square.range(into)

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.left] |= wanted
        b.traced[self.right] |= b.square.range(wanted)


class Cross(_Binary):
    """`left * right`, of two sets."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        product = b.square.product
        return product(b.low[self.left], b.low[self.right]), product(b.up[self.left], b.up[self.right])

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        square = b.square
        b.out[self.left] |= square.domain(out & square.into(b.low[self.right]))
        b.out[self.right] |= square.range(out & square.from_(b.low[self.left]))
        b.into[self.left] |= square.domain(into)
        b.into[self.right] |= square.range(into)

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.left] |= b.square.domain(wanted)
        b.traced[self.right] |= b.square.range(wanted)


class Diagonal(_Unary):
    """`[body]`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        square = b.square
        return square.from_(b.low[self.body]) & square.identity, square.from_(b.up[self.body]) & square.identity

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        b.out[self.body] |= b.square.domain(out & b.square.identity)
        b.into[self.body] |= b.square.domain(into)

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.body] |= b.square.domain(wanted & b.square.identity)


class Starts(_Unary):
    """`domain(body)`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        return b.square.domain(b.low[self.body]), b.square.domain(b.up[self.body])

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        b.out[self.body] |= b.square.from_(out)

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.body] |= b.square.from_(wanted)


class Ends(_Unary):
    """`range(body)`."""

    __slots__ = ()

    def bound(self, b: Bounds) -> tuple[int, int]:
        return b.square.range(b.low[self.body]), b.square.range(b.up[self.body])

    def narrow(self, b: Bounds, out: int, into: int) -> None:
        b.out[self.body] |= b.square.into(out)

    def trace(self, b: Bounds, wanted: int) -> None:
        b.traced[self.body] |= b.square.into(wanted)
