"""From grammar rules to nodes: statements (see `builder`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.syntax.ast import (
    Block,
    BlockVariable,
    Break,
    Case,
    Continue,
    Declaration,
    DoWhile,
    Empty,
    ExpressionStatement,
    For,
    Goto,
    If,
    Labelled,
    Name,
    Return,
    Switch,
    While,
)

if TYPE_CHECKING:
    from mcm.syntax.builder import Builder, Children


def block(builder: Builder, children: Children) -> Block:
    """`{ … }`."""
    return Block(tuple(children[1:-1]), span=builder.span(children[0], children[-1]))


def declaration(builder: Builder, children: Children) -> Declaration:
    """`type declarator, declarator;`."""
    return Declaration(children[0], tuple(children[1:-1:2]), span=builder.span(children[0], children[-1]))


def expression_statement(builder: Builder, children: Children) -> ExpressionStatement:
    """`expression;`."""
    expression, semicolon = children
    return ExpressionStatement(expression, span=builder.span(expression, semicolon))


def empty(builder: Builder, children: Children) -> Empty:
    """`;`."""
    return Empty(span=builder.span(children[0], children[0]))


def if_statement(builder: Builder, children: Children) -> If:
    """`if (condition) then else otherwise`."""
    _, _, condition, _, then, _, otherwise = children
    return If(condition, then, otherwise, span=builder.span(children[0], otherwise or then))


def while_statement(builder: Builder, children: Children) -> While:
    """`while (condition) body`."""
    _, _, condition, _, body = children
    return While(condition, body, span=builder.span(children[0], body))


def do_while_statement(builder: Builder, children: Children) -> DoWhile:
    """`do body while (condition);`."""
    _, body, _, _, condition, _, semicolon = children
    return DoWhile(body, condition, span=builder.span(children[0], semicolon))


def for_statement(builder: Builder, children: Children) -> For:
    """`for (initial; condition; step) body`."""
    _, _, initial, condition, _, step, _, body = children
    return For(initial, condition, step, body, span=builder.span(children[0], body))


def no_statement(_builder: Builder, _: Children) -> None:
    """The empty first part of `for (;…)`."""


def switch_statement(builder: Builder, children: Children) -> Switch:
    """`switch (condition) { … }`."""
    _, _, condition, _, body = children
    return Switch(condition, body, span=builder.span(children[0], body))


def case_label(builder: Builder, children: Children) -> Case:
    """`case value: statement`."""
    word, value, _, statement = children
    return Case(value, statement, span=builder.span(word, statement))


def case_range(builder: Builder, children: Children) -> Case:
    """`case value ... last: statement`."""
    word, value, _, last, _, statement = children
    return Case(value, statement, last, span=builder.span(word, statement))


def default_label(builder: Builder, children: Children) -> Case:
    """`default: statement`."""
    word, _, statement = children
    return Case(None, statement, span=builder.span(word, statement))


def return_statement(builder: Builder, children: Children) -> Return:
    """`return value;`."""
    return Return(children[1], span=builder.span(children[0], children[-1]))


def break_statement(builder: Builder, children: Children) -> Break:
    """`break;`."""
    return Break(span=builder.span(children[0], children[-1]))


def continue_statement(builder: Builder, children: Children) -> Continue:
    """`continue;`."""
    return Continue(span=builder.span(children[0], children[-1]))


def goto_statement(builder: Builder, children: Children) -> Goto:
    """`goto label;`."""
    return Goto(children[1], span=builder.span(children[0], children[-1]))


def block_variable(builder: Builder, children: Children) -> BlockVariable:
    """`void (^name)(void) = value;`."""
    name = next(child for child in children if isinstance(child, Name))
    return BlockVariable(name, children[-2], children[0], span=builder.span(children[0], children[-1]))


def labelled(builder: Builder, children: Children) -> Labelled:
    """`label: statement`."""
    label, _, statement = children
    return Labelled(label, statement, span=builder.span(label, statement))
