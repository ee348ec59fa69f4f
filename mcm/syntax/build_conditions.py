"""From grammar rules to nodes: conditions, filters and listed locations (see `builder`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mcm.syntax.build_numbers import small_number, thread_number, whole_number
from mcm.syntax.number import floating_value, integer_value
from mcm.syntax.parts import Filter, Locations
from mcm.syntax.precedence import CONNECTIVES, fold
from mcm.syntax.question import (
    AddressTerm,
    Comparison,
    Condition,
    Connective,
    LocationReference,
    Negation,
    NumberTerm,
    RegisterReference,
    Truth,
)

if TYPE_CHECKING:
    from mcm.lalr.token import Token
    from mcm.syntax.ast import Node
    from mcm.syntax.builder import Builder, Children
    from mcm.syntax.question import Proposition

_CONNECTIVES: Final = {"&&": "/\\", "||": "\\/"}


def locations(builder: Builder, children: Children) -> Locations:
    """`locations [x; 0:r0;]`."""
    observed = tuple(child for child in children if isinstance(child, RegisterReference | LocationReference))
    return Locations(observed, span=builder.span(children[0], children[-1]))


def execution_filter(builder: Builder, children: Children) -> Filter:
    """`filter proposition`."""
    keyword, proposition = children
    return Filter(proposition, span=builder.span(keyword, proposition))


def condition(builder: Builder, children: Children) -> Condition:
    """Quantifier and proposition."""
    quantifier = "".join([child.text for child in children[:-1]])
    if quantifier in {"notexists", "!exists"}:
        quantifier = "~exists"
    return Condition(quantifier, children[-1], span=builder.span(children[0], children[-1]))


def connective_chain(builder: Builder, children: Children) -> Proposition:
    """A flat chain of connectives, folded by their precedence."""
    operators = [_CONNECTIVES.get(operator.text, operator.text) for operator in children[1::2]]
    operands: list[Proposition] = children[::2]
    return fold(operands, operators, CONNECTIVES, partial(_connective, builder))


def _connective(builder: Builder, operator: str, left: Proposition, right: Proposition) -> Proposition:
    return Connective(operator, left, right, span=builder.span(left, right))


def comparison(builder: Builder, children: Children) -> Comparison:
    """`left = right`."""
    left, operator, right = children
    return Comparison(operator.text, left, right, span=builder.span(left, right))


def truth(builder: Builder, children: Children) -> Truth:
    """`true` or `false`."""
    return Truth(children[0].text == "true", span=builder.span(children[0], children[0]))


def negation(builder: Builder, children: Children) -> Negation:
    """`~ body`."""
    return Negation(children[1], span=builder.span(children[0], children[1]))


def number_term(builder: Builder, children: Children) -> NumberTerm:
    """A number with its sign."""
    literal = children[-1]
    value: float | None = integer_value(literal.text) if len(literal.text) < 100 else 0
    if value is None:
        value = floating_value(literal.text)
    if value is None:
        message = f"expected a number in a condition, found '{literal.text}'"
        builder.refuse("E040", message, literal.span)
        value = 0
    return NumberTerm(-value if len(children) > 1 else value, span=builder.span(children[0], literal))


def address_term(builder: Builder, children: Children) -> AddressTerm:
    """`&x` or `&x[1]`."""
    index, inner, last = _element(builder, children[2:], children[1])
    return AddressTerm(children[1], index, inner, span=builder.span(children[0], last))


def element(_: Builder, children: Children) -> Children:
    """`[1]`, brackets included."""
    return children


def register(builder: Builder, children: Children) -> RegisterReference:
    """`1:r0`, `P1:a[2]`."""
    thread, _, name, *rest = children
    index, inner, last = _element(builder, rest, name)
    return RegisterReference(thread_number(builder, thread), name, index, inner, span=builder.span(thread, last))


def kernel_register(builder: Builder, children: Children) -> RegisterReference:
    """`K[1]:r0`, `K@ki1[1]:r0`."""
    kernel, *others = children
    has_instance = not isinstance(others[0], list)
    run = f"{kernel.text}@{others[1].text}" if has_instance else kernel.text
    item, _, name, *rest = others[2:] if has_instance else others
    index, inner, last = _element(builder, rest, name)
    unit = run, whole_number(builder, item[1])
    return RegisterReference(unit, name, index, inner, span=builder.span(kernel, last))


def location(builder: Builder, children: Children) -> LocationReference:
    """`x`, `a[1]`."""
    index, inner, last = _element(builder, children[1:], children[0])
    return LocationReference(children[0], index, inner=inner, span=builder.span(children[0], last))


def group_location(builder: Builder, children: Children) -> LocationReference:
    """`t@wg0[2]`."""
    name, _, group, *rest = children
    index, inner, last = _element(builder, rest, group)
    number = small_number(builder, group.text[2:], group)
    return LocationReference(name, index, number, inner=inner, span=builder.span(name, last))


def bracketed_location(builder: Builder, children: Children) -> LocationReference:
    """`[x]`, `[a[1]]`."""
    index, inner, _ = _element(builder, children[2:-1], children[1])
    span = builder.span(children[0], children[-1])
    return LocationReference(children[1], index, bracketed=True, inner=inner, span=span)


def _element(
    builder: Builder, brackets: list[Children], otherwise: Node | Token
) -> tuple[int | None, tuple[int, ...], Node | Token]:
    """The index in optional brackets, those in the brackets behind it, and the last thing written."""
    if not brackets:
        return None, (), otherwise
    first, *inner = [whole_number(builder, number) for _, number, _ in brackets]
    return first, tuple(inner), brackets[-1][2]
