"""Expressions and masks under a permutation of events and choices, such as the exchange of two threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.expression import (
    BinaryValue,
    Choice,
    Constant,
    GroupResult,
    ReadValue,
    Select,
    UnaryValue,
    is_large,
    parts,
    unfilled,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.execution.expression import Expression


class Renaming:
    """Gives event `e` the identifier `events[e]`, and choice `c` the index `choices[c]`.

    `moved_events` and `moved_choices` are those that get another one. Expressions share their parts, so the renamed
    expressions are kept.
    """

    def __init__(self, events: Sequence[int], choices: Sequence[int]) -> None:
        self.events: Final = events
        self.choices: Final = choices
        self.moved_events: Final = [old for old, new in enumerate(events) if old != new]
        self.moved_choices: Final = [old for old, new in enumerate(choices) if old != new]
        # Neighbours that stay neighbours, such as the events of a thread, move together.
        self._moved: Final = _runs(self.moved_events, events)
        self._fixed: Final = ~sum(bits << old for old, _, bits in self._moved)
        self._known: Final[dict[Expression, Expression]] = {}

    def mask(self, events: int) -> int:
        """A set of events, as a mask, under the new identifiers."""
        renamed = events & self._fixed
        for old, new, bits in self._moved:
            renamed |= (events >> old & bits) << new
        return renamed

    def expression(self, expression: Expression) -> Expression:
        """An expression with its reads and choices renamed. The result is interned: `is` compares it."""
        found = self._known.get(expression)
        if found is None:
            known = self._known
            for part in parts(expression, lambda part: part not in known) if is_large(expression) else (expression,):
                found = known[part] = known.get(part) or self._rename(part)
        assert found is not None, "the last part is the expression"
        return found

    def optional(self, expression: Expression | None) -> Expression | None:
        """The same for an address or a value that an event may lack."""
        return None if expression is None else self.expression(expression)

    def _rename(self, expression: Expression) -> Expression:
        match expression:
            case Constant():
                return expression
            case ReadValue(event):
                return ReadValue(self.events[event])
            case Choice(index):
                return Choice(self.choices[index])
            case UnaryValue(symbol, operand, type_):
                return UnaryValue(symbol, self.expression(operand), type_)
            case BinaryValue(symbol, left, right, type_):
                return BinaryValue(symbol, self.expression(left), self.expression(right), type_)
            case Select(condition, then, otherwise):
                return Select(self.expression(condition), self.expression(then), self.expression(otherwise))
            case GroupResult():
                raise unfilled(expression)
            case _:
                assert_never(expression)


def _runs(moved: Sequence[int], events: Sequence[int]) -> list[tuple[int, int, int]]:
    """The events that are moved, in runs of neighbours: the first, its image, and a bit for each."""
    runs: list[tuple[int, int, int]] = []
    for old in moved:
        new = events[old]
        first, image, bits = runs[-1] if runs else (0, 0, 0)
        length = bits.bit_length()
        if length and old - first == new - image == length:
            runs[-1] = first, image, bits << 1 | 1
        else:
            runs.append((old, new, 1))
    return runs
