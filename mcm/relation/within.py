"""What the members of a set all are, as far as its term alone says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.relation.term import DefinedSet, SetDifference, SetIntersection, SetUnion

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.relation.term import SetTerm


def lies_within(events: SetTerm, holds_of: Callable[[SetTerm], bool]) -> bool:
    """Whether something holds of all members; `holds_of` answers for sets that are not made of others."""
    match events:
        case DefinedSet(_, body):
            return lies_within(body, holds_of)
        case SetUnion(left, right):
            return lies_within(left, holds_of) and lies_within(right, holds_of)
        case SetIntersection(left, right):
            return lies_within(left, holds_of) or lies_within(right, holds_of)
        case SetDifference(left, _):
            return lies_within(left, holds_of)
        case _:
            return holds_of(events)
