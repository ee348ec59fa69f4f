"""Sets and relations as literals, with static bounds, so that most pairs need no gate.

`may` is an upper bound; `must` is a lower bound for the executions in which the event is (both events are) executed.
Literals say that the events are executed, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import transposed
from mcm.engine.smt.circuit import FALSE
from mcm.engine.smt.rows import closed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution


class Members:
    """A set of events: bounds as masks, and a literal for each event."""

    __slots__ = ("_encode", "_execution", "_known", "may", "must")

    def __init__(self, execution: Execution, may: int, must: int, encode: Callable[[int], int]) -> None:
        self.may = may & execution.possible
        self.must = must & self.may
        self._execution = execution
        self._encode = encode
        self._known: dict[int, int] = {}

    def literal(self, event: int) -> int:
        """The literal that the event is executed and in the set."""
        if not self.may >> event & 1:
            return FALSE
        if self.must >> event & 1:
            return self._execution.executed[event]
        found = self._known.get(event)
        if found is None:
            found = self._known[event] = self._encode(event)
        return found


class Relation:
    """A relation between events: bounds as rows, and a literal for each pair; `encode` makes it between them."""

    __slots__ = ("_columns", "_encode", "_execution", "_known", "may", "must")

    def __init__(
        self, execution: Execution, may: Sequence[int], must: Sequence[int], encode: Callable[[int, int], int]
    ) -> None:
        self._execution = execution
        self._encode = encode
        self._known: dict[tuple[int, int], int] = {}
        self.bound(may, must)

    def bound(self, may: Sequence[int], must: Sequence[int]) -> None:
        """Set the bounds; tighter ones may be set later, and what was derived from the former stays correct."""
        self.may = [row & mask for row, mask in zip(may, self._execution.together, strict=True)]
        self.must = [row & mask for row, mask in zip(must, self.may, strict=True)]
        self._columns: list[int] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the upper bound has no pair."""
        return not any(self.may)

    @property
    def columns(self) -> list[int]:
        """The inverse of `may`: the possible predecessors of each event."""
        if self._columns is None:
            self._columns = transposed(self.may)
        return self._columns

    def literal(self, a: int, b: int) -> int:
        """The literal that both events are executed and related."""
        if not self.may[a] >> b & 1:
            return FALSE
        if self.must[a] >> b & 1:
            return self._execution.both_executed(a, b)
        key = (a, b)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._encode(a, b)
        return found


def joined(circuit: Circuit, execution: Execution, one: Relation, other: Relation, a: int, middle: int, b: int) -> int:
    """The literal that `a` is related to `middle` by one relation, and `middle` to `b` by another."""
    implied = execution.implied
    # The literal of a pair in `must` says that both events are executed; the other pair may imply that.
    if one.must[a] >> middle & 1 and (implied[middle] | implied[b]) >> a & 1:
        return other.literal(middle, b)
    if other.must[middle] >> b & 1 and (implied[a] | implied[middle]) >> b & 1:
        return one.literal(a, middle)
    return circuit.both(one.literal(a, middle), other.literal(middle, b))


def never(_: int, __: int) -> int:
    """The encoding of a relation whose bounds are equal: it has no pair between them."""
    return FALSE


def sure_steps(relation: Relation, execution: Execution) -> list[int]:
    """`must ; must` over middles that are executed whenever one of the ends is."""
    return through(relation.must, relation.must, execution)


def through(first: Sequence[int], second: Sequence[int], execution: Execution) -> list[int]:
    """`first ; second` for lower bounds, over middles that are executed whenever one of the ends is."""
    implying = execution.implying
    result = []
    for source, row in enumerate(first):
        surely = execution.implied[source]
        reached = 0
        rest = row
        while rest:
            lowest = rest & -rest
            rest ^= lowest
            middle = lowest.bit_length() - 1
            targets = second[middle]
            reached |= targets if surely & lowest else targets & implying[middle]
        result.append(reached)
    return result


def surely_closed(rows: Sequence[int], execution: Execution) -> list[int]:
    """A lower bound of the transitive closure, from the lower bound of a relation.

    An event reaches what its successors reach: all of it, if it is executed only where the successor is; otherwise what
    is executed only where the successor is.
    """
    implied, implying = execution.implied, execution.implying
    reached = list(rows)
    # What an event need not go through: it has all that it can have by that.
    passed = [0] * len(rows)
    begun = done = 0
    for root in reversed(range(len(rows))):
        path = [] if begun >> root & 1 else [root]
        begun |= 1 << root
        while path:
            source = path[-1]
            rest = reached[source] & ~passed[source]
            if not rest:
                done |= 1 << path.pop()
                continue
            # The nearest one behind it first: most lies beyond that.
            later = rest >> source
            middle = source + (later & -later).bit_length() - 1 if later else (rest & -rest).bit_length() - 1
            bit = 1 << middle
            if not begun & bit:
                begun |= bit
                path.append(middle)
                continue
            is_sure = implied[source] & bit
            beyond = reached[middle]
            reached[source] |= beyond if is_sure else beyond & implying[middle]
            passed[source] |= bit
            if done & bit:
                passed[source] |= beyond & implied[middle] if is_sure else beyond & implied[middle] & implying[middle]
    return reached


def reduced(relation: Relation, execution: Execution) -> list[int]:
    """`may` without the pairs that are implied by two steps of `must` wherever they hold.

    Transitive closure and acyclicity stay the same: `must` has no cycle (else nothing is dropped), so each dropped pair
    is implied by steps that are kept.
    """
    if any(row >> event & 1 for event, row in enumerate(closed(relation.must))):
        return list(relation.may)
    return [row & ~detour for row, detour in zip(relation.may, sure_steps(relation, execution), strict=True)]
