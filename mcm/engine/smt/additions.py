"""Updates that add a number to a location: those that are additions, and compare-exchanges that write such a sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.execution.algebra import disjunction, negation
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant, ReadValue
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Type


class Addition(Struct, frozen=True):
    """What an update does: it adds a number to what it reads, in the arithmetic of a type.

    `read` is an expression for what it reads.
    """

    read: Expression
    number: int
    type: Type


def added_by(event: Event) -> Addition | None:
    """What an update adds whose value says so; None if it does something else."""
    return _added_to(ReadValue(event.identifier), event.value)


def additions(writes: Sequence[Event], expected: Mapping[int, Expression]) -> dict[int, Addition]:
    """What the writes of one location add that add in one type; none if they do in several types.

    `expected` is what compare-exchanges read. One of constants adds their difference, in the type of the others.
    """
    found: dict[int, Addition] = {}
    for event in writes:
        addition = added_by(event)
        if addition is None and event.identifier in expected:
            addition = _added_to(expected[event.identifier], event.value)
        if addition is not None:
            found[event.identifier] = addition
    types = {addition.type for addition in found.values()}
    if len(types) != 1:
        return {}
    (type_,) = types
    for event in writes:
        if event.identifier in expected and event.identifier not in found:
            difference = _difference(expected[event.identifier], event.value, type_)
            if difference is not None:
                found[event.identifier] = difference
    return found


def expected_by(skeleton: Skeleton) -> dict[int, Expression]:
    """What each compare-exchange reads that succeeds: a constraint says so."""
    found: dict[int, Expression] = {}
    for constraint in skeleton.constraints:
        match constraint:
            case BinaryValue("||", _, last, _) | last:
                pass
        match last:
            case BinaryValue("==", ReadValue(read), expected) | BinaryValue("==", expected, ReadValue(read)):
                event = skeleton.events[read]
                if event.kind is EventKind.UPDATE and disjunction(negation(event.guard), last) == constraint:
                    found[read] = expected
            case _:
                pass
    return found


def _added_to(read: Expression, value: Expression | None) -> Addition | None:
    """The number in a sum of what is read and that; None if the value is something else."""
    match value:
        case BinaryValue(("+" | "-") as symbol, left, Constant(int(number)), Scalar() as type_) if (
            left == read and not type_.is_floating
        ):
            return Addition(read, _integer(symbol, 0, number, type_), type_)
        case _:
            return None


def _difference(read: Expression, value: Expression | None, type_: Type) -> Addition | None:
    """What makes a constant of another one; None if one of the two is none, or what is written is not of the type."""
    match read, value:
        case Constant(int(old)), Constant(int(new)):
            number = _integer("-", new, old, type_)
            return Addition(read, number, type_) if _integer("+", old, number, type_) == new else None
        case _:
            return None


def _integer(symbol: str, left: int, right: int, type_: Type) -> int:
    result = apply_binary(symbol, left, right, type_)
    assert isinstance(result, int), "an operator on integers"
    return result
