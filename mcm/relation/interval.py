"""The value of a term as far as it is known: where base sets and relations are known by two values each.

The *least* value is contained in the real one, the *greatest* contains it. One element of a structure may stand for
many events, of which nothing is known: then all pairs with it are in the greatest value, and none in the least.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.relation.evaluate import Evaluator
from mcm.relation.term import Difference, RecursionVariable, Recursive, SetDifference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.relation.evaluate import Rows, Structure
    from mcm.relation.term import RelationTerm, SetTerm


def interval(term: RelationTerm, least: Structure, greatest: Structure) -> tuple[Rows, Rows]:
    """The least and the greatest value of a relation between two structures of one size."""
    low, high = _Side(least, (0,) * least.size), _Side(greatest, (greatest.universe,) * greatest.size)
    low.other, high.other = high, low
    return low.relation(term), high.relation(term)


class _Side(Evaluator):
    """Evaluates terms on one side; all operators are monotone, but for what differences take away.

    Of recursions nothing is said: they are `unknown`.
    """

    other: _Side

    def __init__(self, structure: Structure, unknown: Rows) -> None:
        super().__init__(structure)
        self._unknown = unknown

    def _evaluate_set(self, term: SetTerm) -> int:
        match term:
            case SetDifference(left, right):
                return self.set(left) & ~self.other.set(right)
            case _:
                return super()._evaluate_set(term)

    def _evaluate_relation(
        self, term: RelationTerm, bound: Mapping[str, Rows], value: Callable[[RelationTerm], Rows]
    ) -> Rows:
        match term:
            case Difference(one, other):
                return tuple(a & ~b for a, b in zip(value(one), self.other.relation(other), strict=True))
            case Recursive() | RecursionVariable():
                return self._unknown
            case _:
                return super()._evaluate_relation(term, bound, value)
