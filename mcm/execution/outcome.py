"""Final states against propositions."""

from __future__ import annotations

import operator
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING, assert_never

from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, Truth
from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcm.program.condition import Observable, Operand, Proposition
    from mcm.program.types import Value

_ORDERINGS: dict[str, Callable[[int | float, int | float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def holds(proposition: Proposition, state: Mapping[Observable, Value]) -> bool:
    """Whether a final state, given as the values of everything the proposition names, satisfies it."""
    match proposition:
        case Truth(value):
            return value
        case Not(body):
            return not holds(body, state)
        case And(left, right):
            return holds(left, state) and holds(right, state)
        case Or(left, right):
            return holds(left, state) or holds(right, state)
        case Comparison(symbol, left_operand, right_operand):
            return _compare(symbol, _value(left_operand, state), _value(right_operand, state))
        case _:
            assert_never(proposition)


def compiled(proposition: Proposition | None, names: Sequence[Observable]) -> Callable[[Sequence[Value]], bool]:
    """As `holds`, for many states: a function of the values of these names, in their order. None: it always holds."""
    if proposition is None:
        return lambda _: True
    places = {name: place for place, name in enumerate(names)}
    return _compiled(proposition, places)


def _compiled(proposition: Proposition, places: Mapping[Observable, int]) -> Callable[[Sequence[Value]], bool]:
    match proposition:
        case And() | Or():
            parts = [_compiled(part, places) for part in _parts(proposition, type(proposition))]
            combine = all if isinstance(proposition, And) else any
            return lambda values: combine(part(values) for part in parts)
        case Comparison("=", Observed(what), Fixed(value)):
            place = places[what]
            return lambda values: values[place] == value
        case _:
            return lambda values: holds(proposition, {name: values[place] for name, place in places.items()})


def _parts(proposition: Proposition, kind: type[And | Or]) -> Iterator[Proposition]:
    """The operands of a chain of conjunctions, or of disjunctions, from left to right."""
    waiting = [proposition]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kind):
            waiting += [part.right, part.left]
        else:
            yield part


def decisive(proposition: Proposition, state: Mapping[Observable, Value]) -> Proposition:
    """What of a proposition makes it true, or false, in a final state: of what is true in several ways, the first."""
    match proposition:
        case Truth() | Comparison():
            return proposition
        case Not(body):
            return Not(decisive(body, state))
        case And() | Or():
            kind = type(proposition)
            parts = list(_parts(proposition, kind))
            of_one = isinstance(proposition, Or)
            first = next((part for part in parts if holds(part, state) is of_one), None)
            if first is not None:
                return decisive(first, state)
            return reduce(kind, [decisive(part, state) for part in parts])
        case _:
            assert_never(proposition)


def first_parts(proposition: Proposition, most: int) -> Proposition:
    """The first parts of a chain of conjunctions; any other proposition as it is."""
    parts = islice(_parts(proposition, And), most)
    return reduce(And, parts)


def comparisons(proposition: Proposition) -> Iterator[tuple[Operand, Operand]]:
    """What a proposition compares, in order of occurrence."""
    waiting = [proposition]
    while waiting:
        part = waiting.pop()
        match part:
            case Comparison(_, left, right):
                yield left, right
            case Not(body):
                waiting.append(body)
            case And(first, second) | Or(first, second):
                waiting += (second, first)
            case Truth():
                pass
            case _:
                assert_never(part)


def observables(proposition: Proposition) -> Iterator[Observable]:
    """Everything that a proposition names, in order of occurrence, with repetitions."""
    for operands in comparisons(proposition):
        yield from (operand.what for operand in operands if isinstance(operand, Observed))


def constants(proposition: Proposition) -> Iterator[Value]:
    """The constants of a proposition."""
    for operands in comparisons(proposition):
        yield from (operand.value for operand in operands if isinstance(operand, Fixed))


def _value(operand: Operand, state: Mapping[Observable, Value]) -> Value:
    match operand:
        case Fixed(value):
            return value
        case Observed(what):
            return state[what]
        case _:
            assert_never(operand)


def _compare(symbol: str, left: Value, right: Value) -> bool:
    if symbol == "=":
        return left == right
    if symbol == "!=":
        return left != right
    if isinstance(left, (Location, RegisterPointer)) or isinstance(right, (Location, RegisterPointer)):
        return False
    return _ORDERINGS[symbol](left, right)
