"""Expressions with some of their atoms replaced; what becomes constant by that is folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.execution.algebra import binary, negation, select, truth, unary
from mcm.execution.expression import BinaryValue, Choice, Constant, GroupResult, ReadValue, Select, UnaryValue, operands
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression


class Substitution:
    """Replaces atoms of expressions: results of group functions, what reads return, or choices, by what they are.

    `wholes` are larger parts of expressions, and what is put in their place.
    """

    def __init__(self, atoms: Mapping[Atom, Expression], wholes: Mapping[Expression, Expression] = {}) -> None:
        self._atoms: Final = atoms
        self._found: Final[dict[Expression, Expression]] = {**wholes}

    def with_more(self, atoms: Mapping[Atom, Expression]) -> Substitution:
        """A substitution of more atoms, also in what the others are replaced by."""
        new = Substitution(atoms)
        return Substitution({**{atom: new.apply(value) for atom, value in self._atoms.items()}, **atoms})

    def apply(self, expression: Expression) -> Expression:
        """The expression with its atoms replaced. Expressions share their parts, so what is found for parts is kept."""
        if type(expression) is Constant:
            return expression
        found = self._found.get(expression)
        if found is not None:
            return found
        waiting: list[Expression] = [expression]
        while waiting:
            part = waiting[-1]
            missing = [p for p in operands(part) if p not in self._found]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if part not in self._found:
                self._found[part] = self._replaced(part)
        return self._found[expression]

    def optional(self, expression: Expression | None) -> Expression | None:
        """The same for an address or a value that an event may lack."""
        return None if expression is None else self.apply(expression)

    def _replaced(self, expression: Expression) -> Expression:
        if type(expression) is GroupResult or type(expression) is ReadValue or type(expression) is Choice:
            return self._atoms.get(expression, expression)
        found = self._found
        if all(found[part] is part for part in operands(expression)):
            return expression
        match expression:
            case BinaryValue(symbol, left, right, type_):
                return binary(symbol, found[left], found[right], type_)
            case UnaryValue(symbol, operand, type_):
                return negation(found[operand]) if symbol == "!" else unary(symbol, found[operand], type_)
            case Select(condition, then, otherwise):
                return select(truth(found[condition]), found[then], found[otherwise])
            case _:
                return expression


def substituted(event: Event, atoms: Substitution) -> Event:
    """An event with atoms replaced; most events have none of them."""
    guard, address, value = atoms.apply(event.guard), atoms.optional(event.address), atoms.optional(event.value)
    if guard is event.guard and address is event.address and value is event.value:
        return event
    place = address.value if isinstance(address, Constant) else None
    # An address that is known now is one location, as it is where it is known from the start.
    locations = (place,) if isinstance(place, Location) and place in event.locations else event.locations
    return replace(event, guard=guard, address=address, value=value, locations=locations)
