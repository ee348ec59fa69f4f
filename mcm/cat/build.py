"""From grammar rules to the nodes of `mcm.cat.tree`."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span
from mcm.cat.model import Shape
from mcm.cat.tree import (
    Apply,
    Binary,
    BinaryOperator,
    Binding,
    CatFile,
    Everything,
    Include,
    Let,
    Name,
    Role,
    Test,
    Unary,
    UnaryOperator,
    With,
    Zero,
)
from mcm.lalr.token import Token

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.cat.comments import Blanked
    from mcm.cat.tree import Expression, RuleComment

Children = list[Any]

# The parentheses around an expression are no part of its span, but of that of the statement that ends with it.
_CLOSED: Final = re.compile(r"(?:\s*\))*")


class TreeBuilder:
    """Builds the tree of one text; methods bear the names of the grammar's rules and take the values of its symbols.

    `problems` are uses of constructs that are not supported.
    """

    def __init__(self, source: Source, blanked: Blanked) -> None:
        self.problems: list[Diagnostic] = []
        self._source = source
        self._text = blanked.text
        self._comments = blanked.comments
        self._comment_ends = [comment.span.end for comment in blanked.comments]

    # --- statements ---------------------------------------------------------------------------------------------------

    def start(self, children: Children) -> CatFile:
        """The whole file; its title is a string, or words without quotes."""
        words = [child for child in children if isinstance(child, Token)]
        strings = [word.text[1:-1] for word in words if word.type == "STRING"]
        title = strings[0] if strings else " ".join(word.text for word in words)
        return CatFile(title, tuple(child for child in children if child is not None and not isinstance(child, Token)))

    def repetition(self, children: Children) -> Children:
        """The items of `…*` and `…+`."""
        return children

    def let(self, children: Children) -> Let:
        """`let rec a = b and c = d`."""
        keyword, recursive, *bindings = children
        span = Span(self._source, keyword.start, self._end(bindings[-1].body))
        return Let(recursive is not None, tuple(bindings[::2]), self._comment_above(span.start), span)

    def binding(self, children: Children) -> Binding:
        """`name(parameters) = body`."""
        name, parameters, _, body = children
        return Binding(self._name(name), parameters, body)

    def parameters(self, children: Children) -> tuple[Name, ...]:
        """The names between the parentheses."""
        return tuple(self._name(name) for name in children[1:-1:2])

    def check(self, children: Children) -> Test:
        """`flag ~empty body as name`."""
        role, negation, shape, body, _, name = children
        first = role or negation or shape
        return Test(
            Role.CHECK if role is None else Role(role.text),
            negation is not None,
            Shape(shape.text),
            body,
            None if name is None else self._name(name),
            self._comment_above(first.start),
            Span(self._source, first.start, self._end(body) if name is None else name.end),
        )

    def include(self, children: Children) -> Include:
        """`include "path"`."""
        keyword, path = children
        return Include(Name(path.text[1:-1], self._span(path, path)), self._span(keyword, path))

    def show(self, _: Children) -> None:
        """What to draw is no matter of the model."""

    def shown(self, _: Children) -> None:
        """See `show`."""

    def linearisation(self, children: Children) -> With:
        """`with name from generator(arguments)`."""
        keyword, name, _, generator, (arguments, closing) = children
        return With(self._name(name), self._name(generator), arguments, self._span(keyword, closing))

    def unsupported(self, children: Children) -> None:
        """A word of a construct that mcm does not support."""
        self.problems.append(not_supported(self._span(children[0], children[0])))

    # --- expressions --------------------------------------------------------------------------------------------------

    def union(self, children: Children) -> Binary:
        """`left | right`."""
        return self._binary(BinaryOperator.UNION, children)

    def compose(self, children: Children) -> Binary:
        """`left ; right`."""
        return self._binary(BinaryOperator.COMPOSE, children)

    def minus(self, children: Children) -> Binary:
        r"""`left \ right`."""
        return self._binary(BinaryOperator.DIFFERENCE, children)

    def intersect(self, children: Children) -> Binary:
        """`left & right`."""
        return self._binary(BinaryOperator.INTERSECTION, children)

    def product(self, children: Children) -> Binary:
        """`left * right`."""
        return self._binary(BinaryOperator.PRODUCT, children)

    def complement(self, children: Children) -> Unary:
        """`~operand`."""
        sign, operand = children
        return Unary(UnaryOperator.COMPLEMENT, operand, self._span(sign, operand))

    def postfix(self, children: Children) -> Unary:
        """`operand+`, `operand*`, `operand?`, `operand^-1`."""
        operand, sign = children
        operator = UnaryOperator(sign.text if sign.type == "INVERSE" else sign.text.lstrip("^"))
        return Unary(operator, operand, self._span(operand, sign))

    def lift(self, children: Children) -> Unary:
        """`[operand]`."""
        opening, operand, closing = children
        return Unary(UnaryOperator.LIFT, operand, self._span(opening, closing))

    def name(self, children: Children) -> Name:
        """A name in an expression."""
        return self._name(children[0])

    def everything(self, children: Children) -> Everything:
        """`_`."""
        return Everything(self._span(children[0], children[0]))

    def zero(self, children: Children) -> Zero:
        """`0`, or `{}`."""
        return Zero(self._span(children[-1], children[-1]))

    def parenthesised(self, children: Children) -> Expression:
        """`(expression)`, whose span is that of the expression."""
        expression: Expression = children[1]
        return expression

    def apply(self, children: Children) -> Apply:
        """`function(arguments)`."""
        function, (arguments, closing) = children
        return Apply(self._name(function), arguments, self._span(function, closing))

    def arguments(self, children: Children) -> tuple[tuple[Expression, ...], Token]:
        """The arguments, and the closing parenthesis."""
        return tuple(children[1:-1:2]), children[-1]

    # --- their parts --------------------------------------------------------------------------------------------------

    def _binary(self, operator: BinaryOperator, children: Children) -> Binary:
        left, _, right = children
        return Binary(operator, left, right, self._span(left, right))

    def _name(self, token: Token) -> Name:
        return Name(token.text, self._span(token, token))

    def _span(self, first: Token | Expression, last: Token | Expression) -> Span:
        start = first.start if isinstance(first, Token) else first.span.start
        end = last.end if isinstance(last, Token) else last.span.end
        return Span(self._source, start, end)

    def _end(self, expression: Expression) -> int:
        closed = _CLOSED.match(self._text, expression.span.end)
        assert closed is not None
        return closed.end()

    def _comment_above(self, start: int) -> RuleComment | None:
        number = bisect_right(self._comment_ends, start) - 1
        if number < 0 or self._text[self._comment_ends[number] : start].strip():
            return None
        return self._comments[number]


def not_supported(span: Span) -> Diagnostic:
    """What is said of a word of a construct that mcm does not support."""
    return Diagnostic("E303", f"'{span.text}' is cat, but a part of cat that mcm does not support", span)
