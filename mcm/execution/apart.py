"""C-PTR in terms of symbolic values: where two pointers lead into different objects."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from mcm.execution.addresses import points_into, sorted_locations
from mcm.execution.algebra import FALSE, TRUE, conjunction, disjunction, leaves
from mcm.execution.expression import BinaryValue, Constant, Select
from mcm.program.apart import are_apart
from mcm.program.types import Location, PointerType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.execution.expression import Expression
    from mcm.execution.shared import Shared


def apart(left: Expression, right: Expression, shared: Shared) -> Expression:
    """The condition that two pointers lead into different objects."""
    starts = {*_starts(left), *_starts(right)}
    # A pointer that a loop moves as memory says has many cases: they matter where not all begin at one object.
    if all(isinstance(start, Constant) for start in starts) and all(
        _are_apart(one, other, shared) is FALSE for one, other in combinations(starts, 2)
    ):
        return FALSE
    found: Expression = FALSE
    for case, one in _bases(left):
        for other_case, other in _bases(right):
            both = conjunction(case, other_case)
            if both is not FALSE:
                found = disjunction(found, conjunction(both, _are_apart(one, other, shared)))
    return found


def _starts(pointer: Expression) -> set[Expression]:
    """What a pointer may be, in any case, without what is added to it."""
    found: set[Expression] = set()
    met: set[Expression] = {pointer}
    waiting = [pointer]
    while waiting:
        match part := waiting.pop():
            case Select(_, then, otherwise):
                further = {then, otherwise} - met
            case BinaryValue("+" | "-", base, _, PointerType()):
                further = {base} - met
            case _:
                found.add(part)
                continue
        met |= further
        waiting += further
    return found


def _bases(pointer: Expression) -> Iterator[tuple[Expression, Expression]]:
    """The cases of a pointer without what is added to it."""
    for case, leaf in leaves(pointer):
        match leaf:
            case BinaryValue("+" | "-", base, _, PointerType()):
                for further, start in _bases(base):
                    yield conjunction(case, further), start
            case _:
                yield case, leaf


def _are_apart(left: Expression, right: Expression, shared: Shared) -> Expression:
    objects = shared.program.objects
    if isinstance(left, Constant) and isinstance(right, Constant):
        return TRUE if are_apart(left.value, right.value, objects) else FALSE
    # What is read from memory: the objects that it may lead into, each with those that are others.
    numbers = [sorted({one.object for one in sorted_locations(pointer, shared)}) for pointer in (left, right)]
    found: Expression = FALSE
    for number in numbers[0]:
        others = frozenset(other for other in numbers[1] if are_apart(Location(number), Location(other), objects))
        here = points_into(left, frozenset({number}), shared, private=False)
        there = points_into(right, others, shared, private=False)
        found = disjunction(found, conjunction(here, there))
    return found
