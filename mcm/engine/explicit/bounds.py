"""What is known of a partial execution: bounds of every node of the plan, and the demands that are still open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.engine.explicit.matrix import Square
    from mcm.engine.explicit.meter import Meter
    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.plan import Plan

# From this many events on, one operator can take long enough to look at the clock.
_LARGE: Final = 100


class Demand(Struct, frozen=True):
    """A node must have something in common with `pairs` (`hit`), or must not."""

    node: int
    pairs: int
    hit: bool


class Bounds:
    """Bounds `low[i]` and `up[i]` of each node, the same object when they are equal, and what they come from.

    `chosen` are the pairs of `rf`, `assigned` the reads that have one, `forbidden` the pairs that `rf` cannot have;
    `before[k]` is what was decided of the k-th order. These only grow, and what is concluded of a partial execution
    is true of all that complete it. `live` are the operators whose bounds differ and that open demands depend on,
    `flag_operators` those that flags depend on; `ground` says on what the bounds of base sets and relations rest.
    """

    __slots__ = (
        "assigned",
        "before",
        "changed",
        "chosen",
        "demands",
        "flag_operators",
        "forbidden",
        "ground",
        "into",
        "live",
        "low",
        "meter",
        "out",
        "plan",
        "square",
        "traced",
        "up",
    )

    def __init__(self, plan: Plan, square: Square, meter: Meter) -> None:
        self.plan = plan
        self.meter = meter
        self.square = square
        self.low = [0] * plan.size
        self.up = [0] * plan.size
        self.out: list[int] = []
        self.into: list[int] = []
        self.traced: list[int] = []
        self.live: list[Operator] = []
        self.demands: list[Demand] = []
        self.chosen = 0
        self.assigned = 0
        self.forbidden = 0
        self.before = [0] * len(plan.orders)
        self.changed = False
        self.flag_operators: list[Operator] = []
        self.ground: tuple[int, int, int] = (0, 0, 0)

    def copy(self) -> Bounds:
        """The same knowledge, to be extended apart."""
        twin = object.__new__(Bounds)
        twin.plan = self.plan
        twin.meter = self.meter
        twin.square = self.square
        twin.low = self.low.copy()
        twin.up = self.up.copy()
        twin.live = self.live
        twin.demands = self.demands
        twin.chosen = self.chosen
        twin.assigned = self.assigned
        twin.forbidden = self.forbidden
        twin.before = self.before.copy()
        twin.changed = False
        twin.flag_operators = self.flag_operators
        twin.ground = self.ground
        return twin

    def choose(self, write: int, read: int) -> None:
        """Let a read take its value from a write."""
        self.chosen |= self.square.pair(write, read)
        self.assigned |= 1 << read

    def tighten(self) -> bool:
        """Draw conclusions from the open demands until there are no more; false if they cannot be met."""
        while self.step():
            if not self.changed:
                return True
        return False

    def step(self) -> bool:
        """Draw conclusions once; `changed` says whether there may be more. False if the demands cannot be met."""
        return self.evaluate(self.live) and self._meet_demands()

    def evaluate(self, operators: Iterable[Operator]) -> bool:
        """Bound these operators anew; false if no execution is within the bounds."""
        low, up = self.low, self.up
        takes_long = self.square.size > _LARGE
        for operator in operators:
            if takes_long:
                self.meter.check_time()
            index = operator.index
            lower, upper = operator.bound(self)
            if lower == upper:
                low[index] = up[index] = lower
            elif lower and lower & ~upper:
                return False
            else:
                low[index] = lower
                up[index] = upper
        return True

    def _meet_demands(self) -> bool:
        low, up = self.low, self.up
        out = self.out = [0] * len(low)
        into = self.into = [0] * len(low)
        self.changed = False
        kept = []
        for demand in self.demands:
            node = demand.node
            possible = demand.pairs & up[node]
            if demand.hit:
                if not possible:
                    return False
                if demand.pairs & low[node]:
                    continue
                if possible & (possible - 1) == 0:
                    into[node] |= possible
            else:
                if not possible:
                    continue
                if possible & low[node]:
                    return False
                out[node] |= possible
            kept.append(demand)
        if len(kept) != len(self.demands):
            self.demands = kept
            if not kept:
                self.live = []
                return True
        self.restrict()
        return self._narrow(out, into)

    def demand(self, demand: Demand) -> None:
        """Open one more demand."""
        low, up = self.low, self.up
        self.demands = [*self.demands, demand]
        self.live = [o for o in self.plan.operators if low[o.index] is not up[o.index]]
        self.restrict()

    def restrict(self) -> None:
        """Forget operators that are exact or that no open demand depends on."""
        self.live = self._needed(self.live, (demand.node for demand in self.demands))

    def _needed(self, operators: Sequence[Operator], nodes: Iterable[int]) -> list[Operator]:
        """Those of the operators that are open and matter to some nodes; what is exact hides what is below it."""
        low, up = self.low, self.up
        needed = [False] * len(low)
        for node in nodes:
            needed[node] = True
        kept = []
        for operator in reversed(operators):
            index = operator.index
            if needed[index] and low[index] is not up[index]:
                kept.append(operator)
                for operand in operator.operands:
                    needed[operand] = True
        kept.reverse()
        return kept

    def _narrow(self, out: list[int], into: list[int]) -> bool:
        low, up = self.low, self.up
        for operator in reversed(self.live):
            index = operator.index
            excluded, included = out[index], into[index]
            if excluded:
                excluded &= up[index]
                if excluded & low[index]:
                    return False
            if included:
                included &= ~low[index]
                if included & ~up[index]:
                    return False
            if excluded or included:
                operator.narrow(self, excluded, included)
        return True

    def evaluate_flags(self, nodes: Sequence[int]) -> bool:
        """Bound what the flags at these nodes depend on; false if no execution is within the bounds."""
        self.flag_operators = self._needed(self.flag_operators, nodes)
        return self.evaluate(self.flag_operators)

    def relevant(self) -> list[tuple[int, int]]:
        """For each order that open demands may depend on: its number and the undecided pairs that can matter."""
        low, up = self.low, self.up
        self.traced = [0] * len(low)
        for demand in self.demands:
            self.traced[demand.node] |= demand.pairs & up[demand.node]
        for operator in reversed(self.live):
            wanted = self.traced[operator.index] & up[operator.index]
            if wanted:
                operator.trace(self, wanted)
        found = []
        for order in self.plan.orders:
            index = order.index
            undecided = self.traced[index] & up[index] & ~low[index]
            if undecided:
                found.append((order.number, undecided))
        return found

    def order(self, number: int) -> int | None:
        """What is decided of an order, and closed; None if it is contradictory."""
        order = self.plan.orders[number]
        if not self.evaluate((order,)):
            return None
        return self.low[order.index]
