"""An execution of a skeleton as literals: which events are executed, locations, reads-from, modification orders.

The structural constraints on them are asserted here; values are linked in by `link`.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from mcm.base.bits import transposed
from mcm.engine.smt.circuit import FALSE, TRUE
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant

_NEVER = Constant(0)
_NONE: Final[Mapping[int, int]] = {}

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.values import Values
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location


def possible_sources(skeleton: Skeleton) -> dict[int, list[int]]:
    """For each event that reads, the writes that may access the same location, by their static locations."""
    alive = [event for event in skeleton.events if event.guard is not _NEVER]
    writes = [(event.identifier, frozenset(event.locations)) for event in alive if event.kind.writes]
    return {
        event.identifier: [
            write for write, reached in writes if write != event.identifier and not reached.isdisjoint(event.locations)
        ]
        for event in alive
        if event.kind.reads
    }


class Execution:
    """The literals of one skeleton's execution.

    `executed[e]`; `locations[e]` maps each location that `e` may access to the literal that it does (if executed);
    `sources[r]` are the writes that `r` may read from and `reads_from[w, r]` the literals. Masks of events:
    `implied[e]` are executed whenever `e` is, `implying[e]` the other way round, `together[e]` can be executed with
    `e`; `meets[e]` are accesses that can be executed with `e` and access the same location, `e` among them. `static`
    are those with one possible location. Accesses of the mask `apart[e]` never reach the location that `e` reaches, and
    events of the mask `excluded[e]` are never executed with `e`.
    `sure_orders` are pairs of writes of which the first comes before the second in modification order if they meet.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        reads_from: Mapping[tuple[int, int], int],
        sources: Mapping[int, list[int]],
        values: Values,
        circuit: Circuit,
        apart: Mapping[int, int] = _NONE,
        excluded: Mapping[int, int] = _NONE,
    ) -> None:
        self.skeleton = skeleton
        self.size = len(skeleton.events)
        self._circuit = circuit
        self._values = values
        self.executed = [values.executed(e.identifier) for e in skeleton.events]
        self._conjuncts = [values.conjuncts(e.guard) for e in skeleton.events]
        self.possible = sum(1 << i for i, literal in enumerate(self.executed) if literal != FALSE)
        self.implied, together = self._implications()
        self.together = [mask & ~excluded.get(event, 0) for event, mask in enumerate(together)]
        self.implying = transposed(self.implied)
        self.locations = [self._locations(i) for i in range(self.size)]
        self.static = sum(1 << i for i, locations in enumerate(self.locations) if len(locations) == 1)
        self.meets = self._meetings(apart)
        self._both: dict[tuple[int, int], int] = {}
        self._same: dict[tuple[int, int], int] = {}
        self._before: dict[tuple[int, int], int] = {}
        self._mo: dict[tuple[int, int], int] = {}
        self.sure_orders: set[tuple[int, int]] = set()
        self.sources = {
            read: [write for write in writes if self.may_meet(write, read)]
            for read, writes in sources.items()
            if self.possible >> read & 1
        }
        self.reads_from = {(w, r): reads_from[w, r] for r, writes in self.sources.items() for w in writes}
        for pair, literal in reads_from.items():
            if pair not in self.reads_from:
                circuit.require(-literal)
        self._open_orders()

    def _implications(self) -> tuple[list[int], list[int]]:
        # Events of one block have the same guard: masks are computed once for each set of conjuncts.
        groups: dict[frozenset[int], int] = {}
        for event, conjuncts in enumerate(self._conjuncts):
            if self.possible >> event & 1:
                groups[conjuncts] = groups.get(conjuncts, 0) | 1 << event
        implied, together = {}, {}
        for conjuncts in groups:
            refuted = {-literal for literal in conjuncts}
            implied[conjuncts] = sum(mask for other, mask in groups.items() if other <= conjuncts)
            together[conjuncts] = sum(mask for other, mask in groups.items() if refuted.isdisjoint(other))
        return (
            [implied.get(c, 0) for c in self._conjuncts],
            [together.get(c, 0) for c in self._conjuncts],
        )

    def _locations(self, event: int) -> dict[Location, int]:
        node = self.skeleton.events[event]
        if node.address is None or not self.possible >> event & 1:
            return {}
        if isinstance(node.address, Constant):
            return dict.fromkeys(node.locations, TRUE)
        literals = {location: self._values.equals(node.address, location) for location in node.locations}
        # NOTE(valid-addresses): an access of no valid location is a fault of the skeleton, not an execution.
        self._circuit.require(-self.executed[event], *literals.values())
        return dict.fromkeys(literals, TRUE) if len(literals) == 1 else literals

    def _meetings(self, apart: Mapping[int, int]) -> list[int]:
        accesses: dict[Location, int] = {}
        for event, locations in enumerate(self.locations):
            for location in locations:
                accesses[location] = accesses.get(location, 0) | 1 << event
        meets = []
        for event, (together, locations) in enumerate(zip(self.together, self.locations, strict=True)):
            near = 0
            for location in locations:
                near |= accesses[location]
            meets.append(near & together & ~apart.get(event, 0))
        return meets

    # --- pairs of events ----------------------------------------------------------------------------------------------

    def both_executed(self, a: int, b: int) -> int:
        """Both events are executed."""
        if self.implied[a] >> b & 1:
            return self.executed[a]
        if self.implied[b] >> a & 1:
            return self.executed[b]
        key = (a, b) if a < b else (b, a)
        found = self._both.get(key)
        if found is None:
            found = self._both[key] = self._circuit.all_of(self._conjuncts[a] | self._conjuncts[b])
        return found

    def same_location(self, a: int, b: int) -> int:
        """Two accesses, if executed, reach the same location."""
        if a == b:
            return TRUE
        key = (a, b) if a < b else (b, a)
        found = self._same.get(key)
        if found is None:
            other = self.locations[key[1]]
            found = self._same[key] = self._circuit.any_of(
                self._circuit.both(literal, other[location])
                for location, literal in self.locations[key[0]].items()
                if location in other
            )
        return found

    def may_meet(self, a: int, b: int) -> bool:
        """Whether two accesses can both be executed and reach the same location."""
        return bool(self.meets[a] >> b & 1)

    def writes_before(self, first: int, second: int) -> int:
        """Modification order on executed writes of the same location: `first` comes before `second`."""
        if not self.may_meet(first, second):
            return FALSE
        key = (first, second)
        found = self._mo.get(key)
        if found is None:
            found = self._mo[key] = self._circuit.both(self._meet(first, second), self.order(first, second))
        return found

    def _meet(self, a: int, b: int) -> int:
        """Two accesses are executed and reach the same location."""
        return self._circuit.both(self.same_location(a, b), self.both_executed(a, b))

    def order(self, first: int, second: int) -> int:
        """The literal that one write comes before another in an order that contains all modification orders."""
        if self.skeleton.events[first].kind is EventKind.INITIAL:
            return TRUE
        if self.skeleton.events[second].kind is EventKind.INITIAL:
            return FALSE
        return self._before[first, second] if first < second else -self._before[second, first]

    def are_ordered(self, first: int, second: int) -> bool:
        """Whether `order` compares two events: writes that may meet, none of them initial."""
        return (min(first, second), max(first, second)) in self._before

    @property
    def order_variables(self) -> dict[tuple[int, int], int]:
        """The variables of the modification orders: for writes `a < b`, whether `a` comes before `b`."""
        return self._before

    def narrow(self) -> bool:
        """Drop sources and orders of writes that what was asserted makes impossible; returns whether any are new.

        If two writes access one location and one of their orders is impossible, the other one is known.
        """
        is_fixed, before = self._circuit.is_fixed, self._known_pairs
        for read, writes in self.sources.items():
            self.sources[read] = [write for write in writes if not is_fixed(-self.reads_from[write, read])]
        impossible = [pair for pair, literal in self._mo.items() if is_fixed(-literal) and self.are_ordered(*pair)]
        for second, first in impossible:
            self.sure_orders.add((first, second))
            self._mo[first, second] = self._meet(first, second)
        return self._known_pairs != before

    @property
    def _known_pairs(self) -> tuple[int, int]:
        return sum(map(len, self.sources.values())), len(self.sure_orders)

    # --- assertions ---------------------------------------------------------------------------------------------------

    def require_sources(self) -> None:
        """Assert that an executed read reads from exactly one write, which is executed and reaches the same location.

        To be called after the model was asserted: what it makes impossible has been dropped.
        """
        circuit = self._circuit
        for read, writes in self.sources.items():
            literals = [self.reads_from[write, read] for write in writes]
            for write, literal in zip(writes, literals, strict=True):
                for needed in (self.executed[read], self.executed[write], self.same_location(write, read)):
                    if needed != TRUE:
                        circuit.require(-literal, needed)
            circuit.require(-self.executed[read], *literals)
            circuit.at_most_one(literals)

    def _open_orders(self) -> None:
        """Assert total orders on the writes that may access one location; other pairs are not compared."""
        writes = [
            e.identifier
            for e in self.skeleton.events
            if e.kind.writes and e.kind is not EventKind.INITIAL and self.possible >> e.identifier & 1
        ]
        partners: dict[int, list[int]] = {write: [] for write in writes}
        for first, second in combinations(writes, 2):
            if self.may_meet(first, second):
                self._before[first, second] = self._circuit.variable()
                partners[first].append(second)
        before = self._before
        for first, later in partners.items():
            for second, third in combinations(later, 2):
                if (second, third) in before:
                    self._circuit.forbid_cycle(before[first, second], before[second, third], -before[first, third])
