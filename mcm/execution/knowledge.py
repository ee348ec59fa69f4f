"""What is known where control has got to."""

from __future__ import annotations

from sys import maxsize
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.algebra import FALSE, TRUE, conjuncts, disjuncts, facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.execution.expression import Expression


class Knowledge(Struct, frozen=True, gc=False):
    """Which conditions are TRUE and FALSE, and conditions of which one holds at least, it is not known which.

    `oldest`: each fact depends on an event with this number or a higher one.
    """

    facts: Mapping[Expression, Expression]
    alternatives: tuple[tuple[Expression, ...], ...] = ()
    oldest: int = maxsize

    def with_condition(self, condition: Expression) -> Knowledge:
        """What is known where a condition holds, too: where all alternatives but one are FALSE, that one holds."""
        if condition is TRUE:
            return self
        more = facts(condition)
        known = {**self.facts, **more}
        oldest = min([self.oldest, *[fact.newest for fact in more]])
        added = [parts for part in conjuncts(condition) if len(parts := disjuncts(part)) > 1]
        if not (added or self.alternatives):
            return Knowledge(known, (), oldest)
        left: list[tuple[Expression, ...]] = [*self.alternatives, *added]
        while True:
            left = [
                tuple(part for part in parts if known.get(part) is not FALSE)
                for parts in left
                if all(known.get(part) is not TRUE for part in parts)
            ]
            certain = [parts[0] for parts in left if len(parts) == 1]
            if not certain:
                return Knowledge(known, tuple(left), oldest)
            left = [parts for parts in left if len(parts) > 1]
            for part in certain:
                more = facts(part)
                known |= more
                oldest = min([oldest, *[fact.newest for fact in more]])


NOTHING_KNOWN: Final = Knowledge({})
