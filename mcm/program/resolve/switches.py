"""`switch` statements: the labels of the body, and the statements behind each."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
            value = _value(node, type_, known, complaints)
            is_default = is_default or value is None
            values += [] if value is None else [value]
            node = node.statement
        statements.append(node)
    if start is not None:
        yield Labelled(tuple(values), is_default, tuple(statements), start)


def _value(node: ast.Case, type_: Scalar, known: dict[int | None, Span], complaints: Complaints) -> int | None:
    """The value of a label; None for `default`."""
    value = None
    if node.value is not None:
        number = constant_integer(node.value, complaints, "the value of a 'case' label")
        value = int(as_type(number, type_, node.value.span, complaints))
    label = node.span if node.value is None else node.value.span
    if value in known:
        shown = "'default'" if value is None else f"the value {value}"
        complaints.fail("E157", label, f"{shown} is given twice", Note("first given here", known[value]))
    known[value] = label
    return value
