"""`switch` statements: the labels of the body, and the statements behind each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Note
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.conversions import promoted
from mcm.program.resolve.initial_values import as_type
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.instruction import Expression
    from mcm.program.resolve.complaints import Complaints


# Of one range of labels.
_MOST_VALUES: Final = 1024


class Labelled(Struct, frozen=True):
    """An arm as it is written: the values of its labels, and the statements behind them."""

    values: tuple[int, ...]
    is_default: bool
    statements: tuple[ast.Statement, ...]
    span: Span


def switch_type(condition: Expression, complaints: Complaints) -> Scalar:
    """The type that the values of the labels are converted to."""
    if not isinstance(condition.type, Scalar) or condition.type.is_floating:
        message = f"'{condition.span.text}' has type '{show_type(condition.type)}', expected an integer"
        complaints.fail("E119", condition.span, message)
    return promoted(condition.type)


def arms(body: ast.Block, type_: Scalar, complaints: Complaints) -> Iterator[Labelled]:
    """The arms of the body of a `switch`; labels stand at its outermost level."""
    known: dict[int | None, Span] = {}
    values: list[int] = []
    is_default = False
    statements: list[ast.Statement] = []
    start: Span | None = None
    for written in body.statements:
        node: ast.Statement = written
        if start is None and not isinstance(node, ast.Case):
            message = "expected 'case' or 'default' before the first statement of a 'switch'"
            complaints.fail("E157", node.span, message)
        if isinstance(node, ast.Case) and start is not None and statements:
            yield Labelled(tuple(values), is_default, tuple(statements), start)
            values, is_default, statements, start = [], False, [], None
        while isinstance(node, ast.Case):
            start = start or node.span
            found = _values(node, type_, known, complaints)
            is_default = is_default or not found
            values += found
            node = node.statement
        statements.append(node)
    if start is not None:
        yield Labelled(tuple(values), is_default, tuple(statements), start)


def _values(node: ast.Case, type_: Scalar, known: dict[int | None, Span], complaints: Complaints) -> list[int]:
    """The values of a label, of which a range has several; none for `default`."""
    if node.value is None:
        _give(None, node.span, known, complaints)
        return []
    first = _value(node.value, type_, complaints)
    last = first if node.last is None else _value(node.last, type_, complaints)
    if not 0 <= last - first < _MOST_VALUES:
        message = f"a range of 'case' labels has 1 to {_MOST_VALUES} values, from the least on"
        complaints.fail("E157", node.value.span, message)
    values = list(range(first, last + 1))
    for value in values:
        _give(value, node.value.span, known, complaints)
    return values


def _value(node: ast.Expression, type_: Scalar, complaints: Complaints) -> int:
    number = constant_integer(node, complaints, "the value of a 'case' label")
    return int(as_type(number, type_, node.span, complaints))


def _give(value: int | None, label: Span, known: dict[int | None, Span], complaints: Complaints) -> None:
    """Note a value of a label, which no other one has; None stands for `default`."""
    if value in known:
        shown = "'default'" if value is None else f"the value {value}"
        complaints.fail("E157", label, f"{shown} is given twice", Note("first given here", known[value]))
    known[value] = label
