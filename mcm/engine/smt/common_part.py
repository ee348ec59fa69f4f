"""The part of an expression through which alone it depends on what is not known.

In `bits & ~(1 << ctz(bits))` the value of `bits`, whatever that is, decides that of every part. What the operands may
be is not combined then, which makes values that no execution has: of a bit that is cleared, and of other bits than
those it was in.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

from mcm.engine.smt.value_forms import with_operands
from mcm.execution.evaluate import evaluate
from mcm.execution.expression import BinaryValue, Constant, ReadValue, operands, parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.execution.expression import Expression
    from mcm.program.types import Value

# So many parts are looked into: the common part is near where it matters, in what one statement computes.
_MOST_PARTS: Final = 128

# Where one operand alone is not constant, there is nothing to be combined.
_SEVERAL: Final = 2

# Stands for the common part in a shape. No event has this number.
_HOLE: Final = ReadValue(-1)


def common_part(expression: Expression) -> Expression | None:
    """The part that several operands share, and beside which they are constant; None where it is not found."""
    # In a cut that all ways to what is not known lead through, the largest part is looked into until one is left.
    waiting: list[tuple[int, int, Expression]] = []
    seen: set[Expression] = set()

    def add(parts: Iterable[Expression]) -> None:
        for part in parts:
            if not isinstance(part, Constant) and part not in seen:
                seen.add(part)
                # Of those of one size the first that was met comes first.
                heappush(waiting, (-part.size, len(seen), part))

    open_ = [part for part in operands(expression) if not isinstance(part, Constant)]
    if len(open_) < _SEVERAL:
        return None
    add(open_)
    for _ in range(_MOST_PARTS):
        if len(waiting) == 1:
            return waiting[0][2]
        _, _, part = heappop(waiting)
        inner = operands(part)
        if not inner:
            # What is left beside it is something else.
            return None
        add(inner)
    return None


class Shapes:
    """What expressions make of the values of their common part, found once for each shape and value.

    Expressions have the same shape that differ in nothing but that part: work-items do the same with what each reads.
    """

    def __init__(self) -> None:
        self._found: Final[dict[Expression, tuple[Expression, Expression] | None]] = {}
        self._values: Final[dict[tuple[Expression, Value], Value | None]] = {}

    def common_part(self, expression: Expression) -> Expression | None:
        """The common part of an expression; None where it has none, or may have a value where that has none.

        Nor is it told of `&&` and `||`, whose operands are two values each.
        """
        found = self._shape(expression)
        return None if found is None else found[0]

    def by_part(self, expression: Expression, values: Iterable[Value]) -> Iterator[tuple[Value, Value]]:
        """Each of some values of the common part that an expression has, with what it makes of it, if anything."""
        found = self._shape(expression)
        assert found is not None, "it has a common part"
        _, shape = found
        for each in values:
            key = shape, each
            if key not in self._values:
                self._values[key] = evaluate(shape, {_HOLE.event: each}, ())
            value = self._values[key]
            if value is not None:
                yield each, value

    def _shape(self, expression: Expression) -> tuple[Expression, Expression] | None:
        """The common part of an expression, and the expression without it."""
        if expression not in self._found:
            self._found[expression] = _part_and_shape(expression)
        return self._found[expression]


def _part_and_shape(expression: Expression) -> tuple[Expression, Expression] | None:
    is_connective = isinstance(expression, BinaryValue) and expression.operator in {"&&", "||"}
    part = None if is_connective else common_part(expression)
    if part is None:
        return None
    shape = _with_hole(expression, part)
    return (part, shape) if evaluate(shape, {}, ()) is None else None


def _with_hole(expression: Expression, common: Expression) -> Expression:
    made: dict[Expression, Expression] = {}
    for part in parts(expression, lambda part: part is not common):
        inner = [made[each] for each in operands(part)] if part is not common else []
        made[part] = _HOLE if part is common else with_operands(part, inner) if inner else part
    return made[expression]
