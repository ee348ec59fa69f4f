"""What addresses can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import FALSE, TRUE, binary, conjunction, disjunction, leaves
from mcm.execution.expression import BinaryValue, Constant, ReadValue, Select
from mcm.program.types import Location, PointerType, RegisterPointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.execution.expression import Expression
    from mcm.execution.shared import Shared


def sorted_locations(address: Expression, shared: Shared) -> tuple[Location, ...]:
    """Everything that an address can be, supposing that it is valid, in order."""
    if isinstance(address, Constant):
        return (address.value,) if address.value in shared.locations else ()
    return tuple(sorted(_possible_locations(address, shared)))


def _possible_locations(address: Expression, shared: Shared) -> frozenset[Location]:
    found: set[Location] = set()
    # What arithmetic starts from leads to any element of the same object.
    moved: set[Location] = set()
    waiting, seen = [(address, found)], {(address, False)}
    while waiting:
        expression, target = waiting.pop()
        for _, leaf in leaves(expression):
            match leaf:
                case Constant(Location() as location):
                    target.add(location)
                case BinaryValue(_, _, _, PointerType()):
                    bases = [base for base in _bases(leaf) if (base, True) not in seen]
                    seen.update((base, True) for base in bases)
                    waiting += ((base, moved) for base in bases)
                case ReadValue():
                    target.update(shared.foreknown.stored)
                case _:
                    pass
    objects = {base.object for base in moved & shared.locations}
    return (shared.locations & found).union(*(shared.elements[number] for number in objects))


def _bases(sum_: BinaryValue) -> tuple[Expression, ...]:
    """The operands that may be the address to which another one is added: no more than one is."""
    both = sum_.left, sum_.right
    known = tuple(side for side in both if isinstance(side, Constant) and isinstance(side.value, _ADDRESSES))
    return known or both


_ADDRESSES: Final = (Location, RegisterPointer)


def reads_addresses(address: Expression) -> bool:
    """Whether an address depends on one that is read from memory, rather than on an index."""
    if isinstance(address, Constant):
        return False
    waiting: list[Expression] = [address]
    seen = {*waiting}
    while waiting:
        for _, leaf in leaves(waiting.pop()):
            if isinstance(leaf, BinaryValue) and isinstance(leaf.type, PointerType):
                further = [base for base in _bases(leaf) if base not in seen]
                seen.update(further)
                waiting += further
            elif not isinstance(leaf, Constant):
                return True
    return False


def validity(address: Expression, shared: Shared) -> Expression:
    """The condition that an address is that of an element of some memory object."""
    result: Expression = FALSE
    for condition, leaf in leaves(address):
        candidates = sorted_locations(leaf, shared)
        if isinstance(leaf, Constant):
            valid: Expression = TRUE if candidates else FALSE
        else:
            valid = _is_one_of(leaf, candidates)
        result = disjunction(result, conjunction(condition, valid))
    return result


def _is_one_of(address: Expression, locations: Sequence[Location]) -> Expression:
    """The condition that an address is one of some locations, in order.

    It is between the ends of one of their runs: addresses are compared within one object, else a comparison is 0.
    """

    def compared(symbol: str, location: Location) -> Expression:
        return binary(symbol, address, Constant(location), Scalar.INT)

    runs: list[tuple[Location, Location]] = []
    for one in locations:
        if runs and one == (runs[-1][1].object, runs[-1][1].offset + 1):
            runs[-1] = runs[-1][0], one
        else:
            runs.append((one, one))
    return disjunction(
        *(
            compared("==", first) if first == last else conjunction(compared(">=", first), compared("<=", last))
            for first, last in runs
        )
    )


def privacy(address: Expression) -> Expression:
    """The condition that an address is that of a private variable."""
    result: Expression = FALSE
    for condition, leaf in leaves(address):
        if isinstance(leaf, Constant) and isinstance(leaf.value, RegisterPointer):
            result = disjunction(result, condition)
    return result


def points_into(address: Expression, objects: frozenset[int], shared: Shared, *, private: bool) -> Expression:
    """The condition that a pointer points at an element of one of some objects, or at a private variable."""
    result: Expression = FALSE
    for condition, leaf in leaves(address):
        if isinstance(leaf, Constant):
            is_there = isinstance(leaf.value, RegisterPointer) and private
            is_there = is_there or (isinstance(leaf.value, Location) and leaf.value.object in objects)
            here: Expression = TRUE if is_there else FALSE
        else:
            here = _is_one_of(leaf, [one for one in sorted_locations(leaf, shared) if one.object in objects])
        result = disjunction(result, conjunction(condition, here))
    return result


def split(address: Expression) -> list[tuple[Expression, Expression]]:
    """The cases of an address if some lead to private variables; otherwise one case, the address itself."""
    if not isinstance(address, Select):
        return [(TRUE, address)]
    cases = leaves(address)
    if any(isinstance(p, Constant) and isinstance(p.value, RegisterPointer) for _, p in cases):
        return cases
    return [(TRUE, address)]
