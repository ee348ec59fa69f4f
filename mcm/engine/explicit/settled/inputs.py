"""What reads return of locations that no thread writes: the one write that there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import members
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value


def unwritten(skeleton: Skeleton) -> dict[Location, Value]:
    """The locations that no thread writes, with the values that they have."""
    found: dict[Location, Value] = {}
    indeterminate = {*members(skeleton.sets["INDETERMINATE"].events)}
    for event in skeleton.events:
        for location in event.locations if event.kind.writes else ():
            if event.kind is not EventKind.INITIAL:
                found.pop(location, None)
            elif event.identifier not in indeterminate and isinstance(event.value, Constant):
                found[location] = event.value.value
    return found


def values_of_inputs(skeleton: Skeleton) -> dict[Atom, Expression]:
    """What each read of such a location returns whose address is known, by that of others perhaps."""
    values = unwritten(skeleton)
    found: dict[Atom, Expression] = {}
    if not values:
        return found
    for event in skeleton.events:
        if event.kind is EventKind.READ and event.address is not None and values.keys() >= {*event.locations}:
            # What is found later is not kept by what was asked before, so each asks for itself.
            address = event.address if isinstance(event.address, Constant) else Substitution(found).apply(event.address)
            if isinstance(address, Constant) and address.value in event.locations:
                found[ReadValue(event.identifier)] = Constant(values[address.value])
    return found
