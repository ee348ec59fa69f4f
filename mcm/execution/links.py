"""Where members are of the structures whose heads addresses are those of (ADR 124)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.addresses import is_one_of, sorted_locations
from mcm.execution.algebra import ZERO, binary, leaves, select
from mcm.execution.expression import Constant
from mcm.program.types import Location, Scalar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.execution.expression import Expression
    from mcm.execution.shared import Shared
    from mcm.program.instruction import HeldMembers
    from mcm.program.types import Type

    Places = Mapping[int, HeldMembers]

# So many addresses are told one by one, which says more of what follows than a sum does.
_FEW: Final = 16


def member_address(head: Expression, places: Sequence[HeldMembers], type_: Type, shared: Shared) -> Expression:
    """The address of a member of the structure whose head is at an address; NULL where there is none."""
    by_heads = {place.heads: place for place in places}
    result: Expression = ZERO
    for condition, leaf in leaves(head):
        result = select(condition, _of_one(leaf, by_heads, type_, shared), result)
    return result


def _of_one(head: Expression, places: Places, type_: Type, shared: Shared) -> Expression:
    """The same of an address that is not chosen among others."""
    if isinstance(head, Constant):
        # It may be that of what is behind the last structure.
        return _of_known(head.value, places) if isinstance(head.value, Location) else ZERO
    candidates = [one for one in sorted_locations(head, shared) if one.object in places]
    result: Expression = ZERO
    if len(candidates) <= _FEW:
        for one in candidates:
            result = select(binary("==", head, Constant(one), Scalar.INT), _of_known(one, places), result)
        return result
    for number in sorted({one.object for one in candidates}):
        place = places[number]
        index = binary("-", head, Constant(Location(number)), Scalar.LONG)
        moved = binary("*", index, Constant(place.width), Scalar.LONG)
        there = binary("+", Constant(Location(place.object)), moved, type_)
        result = select(is_one_of(head, [one for one in candidates if one.object == number]), there, result)
    return result


def _of_known(head: Location, places: Places) -> Expression:
    place = places.get(head.object)
    return ZERO if place is None else Constant(place.of(head))
