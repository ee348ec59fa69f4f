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
    Attempt,
    Binary,
    BinaryOperator,
    Binding,
    Call,
    CatFile,
    Conditional,
    Everything,
    Include,
    Lambda,
    Let,
    Listed,
    Local,
    Match,
    Name,
    Procedure,
    Role,
    Test,
    Tuple,
    Unary,
    UnaryOperator,
    Variant,
    With,
    Zero,
)
from mcm.lalr.token import Token

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.cat.comments import Blanked
    from mcm.cat.tree import Expression, RuleComment, Statement

Children = list[Any]

# The parentheses around an expression are no part of its span, but of that of the statement that ends with it.
_CLOSED: Final = re.compile(r"(?:\s*\))*")


class TreeBuilder:
    """Builds the tree of one text; methods bear the names of the grammar's rules and take the values of its symbols.

    `problems` are uses of constructs that are not supported.
    """

    def __init__(self, source: Source, blanked: Blanked) -> None:
        self.problems: list[Diagnostic] = []
        self._shows = False
        self._source = source
        self._text = blanked.text
        self._comments = blanked.comments
        self._comment_ends = [comment.span.end for comment in blanked.comments]

    # --- statements ---------------------------------------------------------------------------------------------------

    def start(self, children: Children) -> CatFile:
        """The whole file; its title is a string, or words without quotes."""
        words = [child for child in children if isinstance(child, Token) and child.type != "OPTION"]
        strings = [word.text[1:-1] for word in words if word.type == "STRING"]
        title = strings[0] if strings else " ".join(word.text for word in words)
        options = tuple(self._name(child) for child in children if isinstance(child, Token) and child.type == "OPTION")
        return CatFile(title, _statements(children), options, self._shows)

    def repetition(self, children: Children) -> Children:
        """The items of `…*` and `…+`."""
        return children

    def let(self, children: Children) -> Let:
        """`let rec a = b and c = d`."""
        keyword, recursive, *bindings = children[: -1 if children[-1] is None or _is_word(children[-1]) else None]
        span = Span(self._source, keyword.start, self._end(bindings[-1].body))
        return Let(recursive is not None, tuple(bindings[::2]), self._comment_above(span.start), span)

    def binding(self, children: Children) -> Binding:
        """`name(parameters) = body`."""
        name, parameters, _, body = children
        return Binding(self._name(name), parameters, body)

    def unpacking(self, children: Children) -> Binding:
        """`(a, b) = body`."""
        names, sign, body = children
        start = names[0].span.start - 1 if names else sign.start
        written = Span(self._source, start, sign.start)
        return Binding(Name(written.text.rstrip(), written), None, body, names)

    def names(self, children: Children) -> tuple[Name, ...]:
        """The names between the parentheses."""
        return tuple(self._name(name) for name in children[1:-1:2] if name is not None)

    def parameter(self, children: Children) -> tuple[Name, ...]:
        """One name without parentheses."""
        return (self._name(children[0]),)

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
        self._shows = True

    def shown(self, _: Children) -> None:
        """See `show`."""

    def choice(self, children: Children) -> With:
        """`with name from orders`."""
        keyword, name, _, orders = children
        return With(self._name(name), orders, self._span(keyword, orders))

    def procedure(self, children: Children) -> Procedure:
        """`procedure name(parameters) = body end`."""
        keyword, name, parameters, _, body, closing = children
        return Procedure(self._name(name), parameters, body, self._span(keyword, closing))

    def call(self, children: Children) -> Call:
        """`call procedure argument as name`."""
        keyword, procedure, argument, _, name = children
        span = self._span(keyword, argument if name is None else name)
        return Call(self._name(procedure), _arguments(argument), None if name is None else self._name(name), span)

    def variant(self, children: Children) -> Variant:
        """`if "variant" body else otherwise end`."""
        keyword, name, body, _, otherwise, closing = children
        return Variant(self._quoted(name), body, otherwise or (), self._span(keyword, closing))

    def body(self, children: Children) -> tuple[Statement, ...]:
        """The statements between two words."""
        return _statements(children)

    def unsupported(self, children: Children) -> None:
        """A word of a construct that mcm does not support."""
        self.problems.append(not_supported(self._span(children[0], children[0])))

    # --- expressions --------------------------------------------------------------------------------------------------

    def local(self, children: Children) -> Local:
        """`let rec f x = a and g x = b in body`."""
        keyword, recursive, *bindings, _, body = children
        return Local(recursive is not None, tuple(bindings[::2]), body, self._span(keyword, body))

    def attempt(self, children: Children) -> Attempt:
        """`try body with otherwise`."""
        keyword, body, _, otherwise = children
        return Attempt(body, otherwise, self._span(keyword, otherwise))

    def function(self, children: Children) -> Lambda:
        """`fun parameters -> body`."""
        keyword, parameters, _, body = children
        return Lambda(parameters, body, self._span(keyword, body))

    def conditional(self, children: Children) -> Conditional:
        """`if "variant" then body else otherwise`."""
        keyword, name, _, body, _, otherwise = children
        return Conditional(self._quoted(name), body, otherwise, self._span(keyword, otherwise))

    def match(self, children: Children) -> Match:
        """`match subject with clauses end`."""
        keyword, subject, _, _, *clauses, closing = children
        empty = member = rest = found = None
        for names, body in clauses[::2]:
            if names is None:
                empty = body
            else:
                (member, rest), found = names, body
        return Match(subject, empty, member, rest, found, self._span(keyword, closing))

    def clause(self, children: Children) -> tuple[tuple[Name, Name] | None, Expression]:
        """`{} -> body`, or `member ++ rest -> body`."""
        first, _, last, _, body = children if len(children) == 5 else (children[0], None, None, None, children[-1])
        return None if last is None else (self._name(first), self._name(last)), body

    def adding(self, children: Children) -> Binary:
        """`member ++ set`."""
        return self._binary(BinaryOperator.ADDITION, children)

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
        """`operand+`, `operand*`, `operand?`, `operand^-1`, `operand^2`."""
        operand, sign = children
        operator = UnaryOperator(sign.text if sign.type in {"INVERSE", "SQUARE"} else sign.text.lstrip("^"))
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

    def listed(self, children: Children) -> Listed:
        """`{a, b}`."""
        return Listed(tuple(children[1:-1:2]), self._span(children[0], children[-1]))

    def parenthesised(self, children: Children) -> Expression:
        """`(expression)`, whose span is that of the expression; `(a, b)`, which is a tuple."""
        items = tuple(child for child in children[1:-1:2] if child is not None)
        return items[0] if len(items) == 1 else Tuple(items, self._span(children[0], children[-1]))

    def apply(self, children: Children) -> Apply:
        """`function(arguments)`, `function argument`."""
        function, argument = children
        return self._application(self._name(function), argument)

    def apply_again(self, children: Children) -> Apply:
        """`function argument argument`."""
        return self._application(*children)

    def _application(self, function: Expression, argument: Expression) -> Apply:
        end = argument.span.end if isinstance(argument, Tuple) else self._end_of_argument(function, argument)
        return Apply(function, _arguments(argument), Span(self._source, function.span.start, end))

    def _end_of_argument(self, function: Expression, argument: Expression) -> int:
        """Where an argument ends, the parentheses around it included."""
        opened = self._text.count("(", function.span.end, argument.span.start)
        end = argument.span.end
        for _ in range(opened):
            end = self._text.index(")", end) + 1
        return end

    # --- their parts --------------------------------------------------------------------------------------------------

    def _binary(self, operator: BinaryOperator, children: Children) -> Binary:
        left, _, right = children
        return Binary(operator, left, right, self._span(left, right))

    def _name(self, token: Token) -> Name:
        return Name(token.text, self._span(token, token))

    def _quoted(self, token: Token) -> Name:
        return Name(token.text[1:-1], self._span(token, token))

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


def _is_word(child: object) -> bool:
    return isinstance(child, Token)


def _statements(children: Children) -> tuple[Statement, ...]:
    return tuple(child for child in children if child is not None and not _is_word(child))


def _arguments(argument: Expression) -> tuple[Expression, ...]:
    return argument.items if isinstance(argument, Tuple) else (argument,)


_OF_EXECUTIONS: Final = "only an execution knows the members of a set"
_OF_ANNOTATIONS: Final = "programs of OpenCL, SYCL and C have no annotations"
_WHY: Final = {
    "forall": _OF_EXECUTIONS,
    "do": _OF_EXECUTIONS,
    "enum": _OF_ANNOTATIONS,
    "instructions": _OF_ANNOTATIONS,
    "default": _OF_ANNOTATIONS,
    "'": _OF_ANNOTATIONS,
    "when": "recursion has one least solution, without conditions",
    "yield": "models state checks and flags alone",
    "debug": "what is drawn or printed is no matter of a model",
}


def not_supported(span: Span) -> Diagnostic:
    """What is said of a word of a construct that mcm does not support, and why it does not."""
    why = _WHY.get("'" if span.text.startswith("'") else span.text)
    reason = "" if why is None else f": {why}"
    return Diagnostic("E303", f"'{span.text}' is cat, but a part of cat that mcm does not support{reason}", span)
