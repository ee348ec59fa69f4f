"""From grammar rules to nodes: statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.syntax.ast import (
    Block,
    Break,
    Continue,
    Declaration,
    DoWhile,
    Empty,
    ExpressionStatement,
    For,
    If,
    Labelled,
    Return,
    While,
)
from mcm.syntax.build_expressions import ExpressionBuilder

if TYPE_CHECKING:
    from mcm.syntax.build_expressions import Children


class StatementBuilder(ExpressionBuilder):
    """Builds statements of one source."""

    def block(self, children: Children) -> Block:
        """`{ … }`."""
        return Block(tuple(children[1:-1]), span=self.span(children[0], children[-1]))

    def declaration(self, children: Children) -> Declaration:
        """`type declarator, declarator;`."""
        return Declaration(children[0], tuple(children[1:-1:2]), span=self.span(children[0], children[-1]))

    def expression_statement(self, children: Children) -> ExpressionStatement:
        """`expression;`."""
        expression, semicolon = children
        return ExpressionStatement(expression, span=self.span(expression, semicolon))

    def empty(self, children: Children) -> Empty:
        """`;`."""
        return Empty(span=self.span(children[0], children[0]))

    def if_statement(self, children: Children) -> If:
        """`if (condition) then else otherwise`."""
        _, _, condition, _, then, _, otherwise = children
        return If(condition, then, otherwise, span=self.span(children[0], otherwise or then))

    def while_statement(self, children: Children) -> While:
        """`while (condition) body`."""
        _, _, condition, _, body = children
        return While(condition, body, span=self.span(children[0], body))

    def do_while_statement(self, children: Children) -> DoWhile:
        """`do body while (condition);`."""
        _, body, _, _, condition, _, semicolon = children
        return DoWhile(body, condition, span=self.span(children[0], semicolon))

    def for_statement(self, children: Children) -> For:
        """`for (initial; condition; step) body`."""
        _, _, initial, condition, _, step, _, body = children
        return For(initial, condition, step, body, span=self.span(children[0], body))

    def no_statement(self, _: Children) -> None:
        """The empty first part of `for (;…)`."""

    def return_statement(self, children: Children) -> Return:
        """`return value;`."""
        return Return(children[1], span=self.span(children[0], children[-1]))

    def break_statement(self, children: Children) -> Break:
        """`break;`."""
        return Break(span=self.span(children[0], children[-1]))

    def continue_statement(self, children: Children) -> Continue:
        """`continue;`."""
        return Continue(span=self.span(children[0], children[-1]))

    def labelled(self, children: Children) -> Labelled:
        """`label: statement`."""
        label, _, statement = children
        return Labelled(label, statement, span=self.span(label, statement))
