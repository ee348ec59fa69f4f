"""What addresses can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.algebra import FALSE, TRUE, ZERO, binary, conjunction, disjunction, leaves
from mcm.execution.expression import BinaryValue, Constant, ReadValue
from mcm.execution.intervals import elements_of
from mcm.program.types import Location, PointerType, RegisterPointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.expression import Expression
    from mcm.execution.shared import Shared
    from mcm.program.types import Type


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
                case BinaryValue(_, _, _, PointerType()) if (elements := elements_of(leaf)) is not None:
                    number, low, high = elements
                    target.update(one for one in shared.elements.get(number, ()) if low <= one.offset <= high)
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


def _starts(address: Expression) -> Iterator[Expression]:
    """What an address may be, or what arithmetic that makes it may start from."""
    waiting: list[Expression] = [address]
    seen = {*waiting}
    while waiting:
        for _, leaf in leaves(waiting.pop()):
            if isinstance(leaf, BinaryValue) and isinstance(leaf.type, PointerType):
                further = [base for base in _bases(leaf) if base not in seen]
                seen.update(further)
                waiting += further
            else:
                yield leaf


def reads_addresses(address: Expression) -> bool:
    """Whether an address depends on one that is read from memory, rather than on an index."""
    # So are most: a constant.
    return type(address) is not Constant and any(not isinstance(start, Constant) for start in _starts(address))


def _leads_to_private(address: Expression) -> bool:
    """Whether an address may be that of a private variable."""
    return any(isinstance(start, Constant) and isinstance(start.value, RegisterPointer) for start in _starts(address))


def validity(address: Expression, shared: Shared) -> Expression:
    """The condition that an address is that of an element of some memory object."""
    result: Expression = FALSE
    for condition, leaf in leaves(address):
        candidates = sorted_locations(leaf, shared)
        elements = elements_of(leaf)
        if elements is not None and len(candidates) == elements[2] - elements[1] + 1:
            # Whatever it is, it is an element.
            valid: Expression = TRUE
        elif isinstance(leaf, Constant):
            valid = TRUE if candidates else FALSE
        else:
            valid = is_one_of(leaf, candidates)
        result = disjunction(result, conjunction(condition, valid))
    return result


def is_one_of(address: Expression, locations: Sequence[Location]) -> Expression:
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


class InPrivate(Struct, frozen=True, gc=False):
    """An address in private memory: an element of a private array, or a variable as the only element of one."""

    array: str
    index: Expression


def split(address: Expression) -> list[tuple[Expression, Expression | InPrivate]]:
    """The cases of an address if some lead to private variables; otherwise one case, the address itself."""
    if not _leads_to_private(address):
        return [(TRUE, address)]
    cases: list[tuple[Expression, Expression | InPrivate]] = []
    # What is added to an address is collected on the way to where the addition starts.
    waiting: list[tuple[Expression, Expression, Expression, Type]] = [(TRUE, address, ZERO, Scalar.LONG)]
    while waiting:
        condition, expression, moved, type_ = waiting.pop()
        for here, leaf in leaves(expression):
            case = conjunction(condition, here)
            match leaf:
                case Constant(RegisterPointer(register=array, offset=offset)):
                    cases.append((case, InPrivate(array, _sum("+", Constant(offset), moved, Scalar.LONG))))
                case BinaryValue(symbol, left, right, PointerType()) if _leads_to_private(leaf):
                    base, index = (left, right) if _leads_to_private(left) else (right, left)
                    waiting.append((case, base, _sum(symbol, moved, index, Scalar.LONG), leaf.type))
                case _:
                    cases.append((case, _sum("+", leaf, moved, type_)))
    return cases


def _sum(symbol: str, left: Expression, right: Expression, type_: Type) -> Expression:
    """The sum, or the difference, of two expressions; nothing is added to 0, nor 0 to anything."""
    if right is ZERO:
        return left
    return right if left is ZERO and symbol == "+" else binary(symbol, left, right, type_)


def privacy(address: Expression) -> Expression:
    """The condition that an address is that of a private variable, or of one that is moved."""
    return disjunction(*(condition for condition, leaf in split(address) if isinstance(leaf, InPrivate)))


def points_into(address: Expression, objects: frozenset[int], shared: Shared, *, private: bool) -> Expression:
    """The condition that a pointer points at an element of one of some objects, or at a private variable."""
    result: Expression = FALSE
    for case, pointer in split(address):
        if isinstance(pointer, InPrivate):
            result = disjunction(result, case if private else FALSE)
            continue
        for condition, leaf in leaves(pointer):
            if isinstance(leaf, Constant):
                is_there = isinstance(leaf.value, Location) and leaf.value.object in objects
                here: Expression = TRUE if is_there else FALSE
            else:
                here = is_one_of(leaf, [one for one in sorted_locations(leaf, shared) if one.object in objects])
            result = disjunction(result, conjunction(case, condition, here))
    return result
