"""Long chains of binary operators, `r + 1 + 1 + …`, as trees that are no deeper than they have to be.

C groups such a chain to the left, which makes a tree as deep as it has operands. Where arithmetic is modular, or only
truth matters, another grouping has the same value. Operands that do nothing but compute with private variables and
constants are grouped so; the others keep the places that they have in C, where the order of their effects is decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.source import Span
from mcm.program.instruction import (
    Binary,
    Conditional,
    Convert,
    ElementPlace,
    Literal,
    Logical,
    Read,
    RegisterPlace,
    Sequence,
    Unary,
)
from mcm.program.resolve.arithmetic import binary, operand_type
from mcm.program.resolve.conversions import converted
from mcm.program.types import Scalar
from mcm.program.walk import parts_of, walk
from mcm.syntax.limits import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.program.instruction import Expression, Written
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.types import Type

_LOGICAL: Final = frozenset({"&&", "||"})
# The operators that may be regrouped with each other, by the one that joins the operands on the right.
_MODULAR: Final = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
# Conversions that are not written make a tree a little deeper than its text.
_MOST_LEVELS: Final = MAX_DEPTH + 50
_PURE: Final = (Literal, Read, Unary, Binary, Logical, Conditional, Convert, Sequence, RegisterPlace, ElementPlace)


class Chain:
    """A chain that grows to the right, operand by operand.

    `_left` is grouped; the operands of `_waiting`, of one type and joined by operators of one kind, come
    behind it. Others make the tree one level deeper each: whether it is too deep is checked in the end.
    """

    def __init__(self, first: Expression, complaints: Complaints) -> None:
        self._left = first
        self._complaints: Final = complaints
        self._kind = ""
        self._type: Type = first.type
        self._waiting: list[tuple[str, Expression]] = []

    def add(self, operator: str, right: Expression, span: Span) -> None:
        """Go on with `operator right`; `span` is that of the chain so far."""
        kind, type_ = self._regrouped(operator, right, span)
        if kind != self._kind or type_ != self._type:
            self._join()
        if kind:
            self._kind, self._type = kind, type_
            self._waiting.append((operator, right))
            return
        if operator == ",":
            self._left = Sequence(self._left, right, right.type, span=span)
        else:
            self._left = binary(operator, self._left, right, span, self._complaints)
        self._type = self._left.type

    def finish(self) -> Expression:
        """The whole chain."""
        self._join()
        return self._left

    def _regrouped(self, operator: str, right: Expression, span: Span) -> tuple[str, Type]:
        """The kind of the operator, empty if the operand cannot be regrouped, and the type of the result."""
        if operator == ",":
            return (operator if _is_pure(right) else ""), right.type
        if operator in _LOGICAL:
            return (operator if _is_pure(right) else ""), Scalar.INT
        # The type depends on that of the chain so far alone.
        so_far = Literal(1, self._type, span=span) if self._waiting else self._left
        type_ = operand_type(operator, so_far, right, span, self._complaints)
        is_modular = operator in _MODULAR and isinstance(type_, Scalar) and not type_.is_floating
        return (_MODULAR[operator] if is_modular and _is_pure(right) else ""), type_

    def _join(self) -> None:
        """Group what is waiting, and add it to what is grouped."""
        waiting, self._waiting = self._waiting, []
        kind, self._kind = self._kind, ""
        if not waiting:
            return
        negative = [right for operator, right in waiting if operator == "-"]
        others = [right for operator, right in waiting if operator != "-"]
        for operator, rights in ((kind, others), ("-", negative)):
            if rights:
                self._left = self._together(operator, self._left, self._balanced(kind, rights))

    def _balanced(self, kind: str, operands: list[Expression]) -> Expression:
        """Some operands joined in order by operators of one kind, in a tree of least depth."""
        while len(operands) > 1:
            pairs = [self._together(kind, *operands[i : i + 2]) for i in range(0, len(operands) - 1, 2)]
            operands = [*pairs, *operands[2 * len(pairs) :]]
        return operands[0]

    def _together(self, operator: str, left: Expression, right: Expression) -> Expression:
        span = Span(left.span.source, min(left.span.start, right.span.start), max(left.span.end, right.span.end))
        if operator == ",":
            return Sequence(left, right, right.type, span=span)
        if operator in _LOGICAL:
            return Logical(operator, left, right, Scalar.INT, span=span)
        type_ = self._type
        return Binary(operator, converted(left, type_), converted(right, type_), type_, type_, span=span)


def check_levels(full: Iterable[Written], complaints: Complaints) -> None:
    """Refuse full expressions that a long chain has made too deep to be walked over."""
    for node in full:
        level: list[Written] = [node]
        for _ in range(_MOST_LEVELS):
            level = [part for each in level for part in parts_of(each)]
        if level:
            text = node.span.text if len(node.span.text) < 40 else node.span.text[:40] + "…"
            message = (
                f"'{text}' is nested deeper than the limit of {_MOST_LEVELS} levels; of long chains only integer sums,"
                " products, bitwise and logical operators over constants and private variables are flat"
            )
            complaints.fail("E032", node.span, message)


def _is_pure(operand: Expression) -> bool:
    """Whether an operand computes with constants and private variables, and does nothing else."""
    return all(isinstance(node, _PURE) for node in walk(operand))
