"""Values of expressions in one execution, each computed once: expressions share their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

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
from mcm.program.value_arithmetic import apply_binary, apply_unary, is_true

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.execution.expression import Expression
    from mcm.program.types import Value


class Evaluation:
    """Evaluates as `execution.evaluate` does. Values may be added to `reads`."""

    def __init__(self, reads: dict[int, Value], choices: Sequence[bool]) -> None:
        self.reads = reads
        self._choices = choices
        self._known: dict[Expression, Value | None] = {}

    def known_value(self, expression: Expression | None) -> Value:
        """The value of an expression that has one."""
        value = None if expression is None else self.value(expression)
        assert value is not None, "what is executed has a value"
        return value

    def value(self, expression: Expression) -> Value | None:
        """The value of an expression; None where it depends on a read that is not executed."""
        if expression in self._known:
            return self._known[expression]
        if is_large(expression):
            for part in parts(expression, lambda part: part not in self._known):
                if part is not expression and part not in self._known:
                    self._known[part] = self._find(part)
        found = self._find(expression)
        if found is not None:
            self._known[expression] = found
        return found

    def _find(self, expression: Expression) -> Value | None:
        match expression:
            case Constant(value):
                return value
            case ReadValue(event):
                return self.reads.get(event)
            case Choice(index):
                return int(self._choices[index])
            case UnaryValue(symbol, operand, type_):
                inner = self.value(operand)
                return None if inner is None else apply_unary(symbol, inner, type_)
            case BinaryValue("&&" | "||" as symbol, left, right, _):
                decisive = symbol == "||"
                sides = [self.value(left), self.value(right)]
                if any(side is not None and is_true(side) == decisive for side in sides):
                    return int(decisive)
                return None if None in sides else int(not decisive)
            case BinaryValue(symbol, left, right, type_):
                one, other = self.value(left), self.value(right)
                return None if one is None or other is None else apply_binary(symbol, one, other, type_)
            case Select(condition, then, otherwise):
                test = self.value(condition)
                return None if test is None else self.value(then if is_true(test) else otherwise)
            case GroupResult():
                raise unfilled(expression)
            case _:
                assert_never(expression)
