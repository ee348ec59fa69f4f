"""How control leaves statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.execution.algebra import TRUE
from mcm.execution.path import Way, behind, joined

if TYPE_CHECKING:
    from mcm.execution.expression import Expression


class Flow(Struct, frozen=True, gc=False):
    """How control leaves a statement; conditions count from its beginning. `stops`: the thread may stop in it."""

    falls: Way | None = None
    breaks: Way | None = None
    continues: Way | None = None
    returns: Way | None = None
    stops: bool = False

    def behind(self, condition: Expression) -> Flow:
        """The flow of a statement that is executed where a condition holds."""
        if condition is TRUE:
            return self
        return Flow(
            behind(condition, self.falls),
            behind(condition, self.breaks),
            behind(condition, self.continues),
            behind(condition, self.returns),
            self.stops,
        )

    def passing(self, condition: Expression) -> Flow:
        """The flow of a statement in which the thread stops unless a condition holds."""
        if condition is TRUE:
            return self
        flow = self.behind(condition)
        return Flow(flow.falls, flow.breaks, flow.continues, flow.returns, stops=True)

    def beside(self, other: Flow) -> Flow:
        """The flow of this statement or another one: their conditions exclude each other."""
        return Flow(
            joined(self.falls, other.falls),
            joined(self.breaks, other.breaks),
            joined(self.continues, other.continues),
            joined(self.returns, other.returns),
            self.stops or other.stops,
        )

    def settled(self) -> Flow:
        """The same flow; where there is only one way, that is taken always."""
        falls, breaks, continues, returns = self.falls, self.breaks, self.continues, self.returns
        # Mostly control goes on, and that is all.
        if falls is not None and falls.condition is TRUE:
            return self
        ways = [way for way in (falls, breaks, continues, returns) if way is not None]
        if self.stops or len(ways) != 1 or ways[0].condition is TRUE:
            return self
        taken = Way(TRUE, ways[0].state)
        return Flow(falls and taken, breaks and taken, continues and taken, returns and taken)
