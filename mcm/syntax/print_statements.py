"""Statements as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mcm.syntax.ast import (
    Block,
    BlockLiteral,
    BlockVariable,
    Break,
    Case,
    Continue,
    Declaration,
    DoWhile,
    Empty,
    ExpressionStatement,
    For,
    Function,
    Goto,
    If,
    Labelled,
    Return,
    Switch,
    While,
)
from mcm.syntax.lines import Line
from mcm.syntax.print_expressions import CONDITIONAL, show_declaration, show_expression, show_parameters, show_type

if TYPE_CHECKING:
    from mcm.syntax.ast import Expression, Statement


class Begun(Struct, frozen=True):
    """The first part of a line: `if (x)`, `} else`, `B1:`; `start` and `end` are its characters."""

    text: str
    start: int
    end: int


def block_lines(head: str, start: int, body: Block, writer: Writer | None = None) -> list[Line]:
    """The lines of `head { … }`, a paragraph of its own."""
    writer = writer or Writer()
    writer.finish(writer.body(body, 0, Begun(head, start, body.span.start)), 0)
    first, *rest = writer.lines
    return [replace(first, begins_paragraph=True), *rest]


def in_one_line(body: Block) -> str:
    """A block that stands in an expression."""
    writer = Writer()
    writer.finish(writer.body(body, 0, Begun("", body.span.start, body.span.start)), 0)
    return " ".join(line.text for line in writer.lines)


class Writer:
    """Collects the lines of nested statements."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def body(self, statement: Statement, indent: int, begun: Begun) -> Begun | None:
        """Write a body; its closing brace is returned, because `else` or `while` may follow on the line."""
        match statement:
            case Block(()):
                return Begun(f"{begun.text} {{}}".lstrip(), begun.start, statement.span.end)
            case Block(statements):
                end = min(statement.span.start + 1, statement.span.end)
                self.lines.append(Line(f"{begun.text} {{".lstrip(), begun.start, end, indent))
                for inner in statements:
                    self.statement(inner, indent + 1)
                return Begun("}", max(statement.span.start, statement.span.end - 1), statement.span.end)
            case Empty():
                self.lines.append(Line(f"{begun.text};", begun.start, statement.span.end, indent))
            case _:
                self.lines.append(Line(begun.text, begun.start, begun.end, indent))
                self.statement(statement, indent + 1)
        return None

    def finish(self, begun: Begun | None, indent: int) -> None:
        """Write a closing brace that nothing follows."""
        if begun is not None:
            self.lines.append(Line(begun.text, begun.start, begun.end, indent))

    def statement(self, statement: Statement, indent: int, begun: Begun | None = None) -> None:
        """Write a statement, behind `begun` if something stands before it on its line."""
        start = statement.span.start if begun is None else begun.start
        lead = "" if begun is None else f"{begun.text} "
        match statement:
            case Block():
                self.finish(self.body(statement, indent, Begun(lead.rstrip(), start, start)), indent)
            case If():
                self._if(statement, indent, lead, start)
            case While(condition, body):
                head = Begun(f"{lead}while ({show_expression(condition)})", start, condition.span.end)
                self.finish(self.body(body, indent, head), indent)
            case DoWhile(body, condition):
                closing = self.body(body, indent, Begun(f"{lead}do", start, start + 2))
                text = f"while ({show_expression(condition)});"
                self._continue(closing, text, condition.span.start, statement.span.end, indent)
            case For():
                head = Begun(f"{lead}{_for_head(statement)}", start, _end_of_for_head(statement))
                self.finish(self.body(statement.body, indent, head), indent)
            case Switch(condition, body):
                head = Begun(f"{lead}switch ({show_expression(condition)})", start, condition.span.end)
                self._switch(body, indent, head)
            case Case(value, labelled, last):
                behind = "" if last is None else f" ... {show_expression(last, CONDITIONAL)}"
                label = "default:" if value is None else f"case {show_expression(value, CONDITIONAL)}{behind}:"
                end = statement.span.start if value is None else (last or value).span.end
                self.statement(labelled, indent, Begun(f"{lead}{label}", start, end))
            case Function(name, _, type_, parameters, inner) if inner is not None:
                text = f"{lead}{show_type(type_)} {name.text}{show_parameters(parameters)}"
                self.finish(self.body(inner, indent, Begun(text, start, inner.span.start)), indent)
            case Function():
                pass
            case Labelled(label, labelled):
                self.statement(labelled, indent, Begun(f"{lead}{label.text}:", start, label.span.end))
            case _:
                self.lines.append(Line(f"{lead}{_simple(statement)}", start, statement.span.end, indent))

    def _switch(self, body: Block, indent: int, head: Begun) -> None:
        """The body of a `switch`: what has no label stands further in than the labels."""
        if not body.statements:
            self.finish(self.body(body, indent, head), indent)
            return
        self.lines.append(Line(f"{head.text} {{", head.start, body.span.start + 1, indent))
        for inner in body.statements:
            self.statement(inner, indent + (1 if isinstance(inner, Case) else 2))
        self.lines.append(Line("}", body.span.end - 1, body.span.end, indent))

    def word_of(self, statement: If) -> str:  # noqa: ARG002 - another syntax has two
        """The word that a statement with a condition begins with."""
        return "if"

    def _if(self, statement: If, indent: int, lead: str, start: int) -> None:
        head = Begun(
            f"{lead}{self.word_of(statement)} ({show_expression(statement.condition)})",
            start,
            statement.condition.span.end,
        )
        closing = self.body(statement.then, indent, head)
        otherwise = statement.otherwise
        if otherwise is None:
            self.finish(closing, indent)
            return
        text = "else" if closing is None else f"{closing.text} else"
        keyword = _find_else(statement.then, otherwise)
        begun = Begun(text, keyword if closing is None else closing.start, keyword + len("else"))
        if isinstance(otherwise, If):
            self.statement(otherwise, indent, begun)
        else:
            self.finish(self.body(otherwise, indent, begun), indent)

    def _continue(self, closing: Begun | None, text: str, start: int, end: int, indent: int) -> None:
        """Write `text` behind a closing brace, or on a line of its own."""
        if closing is not None:
            text, start = f"{closing.text} {text}", closing.start
        self.lines.append(Line(text, start, end, indent))


def _find_else(then: Statement, otherwise: Statement) -> int:
    """Where the `else` between two statements stands; in a tree without a text, where the first one ends."""
    return max(then.span.end, then.span.source.text.rfind("else", then.span.end, otherwise.span.start))


def _for_head(statement: For) -> str:
    match statement.initial:
        case None:
            initial = ";"
        case _:
            initial = _simple(statement.initial)
    condition = "" if statement.condition is None else f" {show_expression(statement.condition)}"
    step = "" if statement.step is None else f" {show_expression(statement.step)}"
    return f"for ({initial}{condition};{step})"


def _end_of_for_head(statement: For) -> int:
    parts: tuple[Expression | Declaration | ExpressionStatement | None, ...]
    parts = (statement.step, statement.condition, statement.initial)
    return next((part.span.end for part in parts if part is not None), statement.span.start)


def _simple(
    statement: Declaration | ExpressionStatement | Empty | Return | Break | Continue | Goto | BlockVariable,
) -> str:
    match statement:
        case Declaration():
            return show_declaration(statement)
        case ExpressionStatement(expression):
            return f"{show_expression(expression)};"
        case BlockVariable(name, value, type_):
            given = value.parameters if isinstance(value, BlockLiteral) else ()
            parameters = show_parameters(given) if given else "(void)"
            return f"{show_type(type_)} (^{name.text}){parameters} = {show_expression(value)};"
        case Empty():
            return ";"
        case Return(None):
            return "return;"
        case Return(value):
            assert value is not None
            return f"return {show_expression(value)};"
        case Break():
            return "break;"
        case Continue():
            return "continue;"
        case Goto(label):
            return f"goto {label.text};"
        case _:
            assert_never(statement)
