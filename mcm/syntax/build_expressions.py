"""From grammar rules to nodes: words, types and expressions.

A method is named after the rule, or the word of the grammar, whose children it receives. All tokens are among the
children, so a node's span runs from its first child to its last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span
from mcm.lalr.token import Token
from mcm.syntax.ast import (
    Assignment,
    Call,
    Cast,
    Conditional,
    Declarator,
    Empty,
    Index,
    Infix,
    InitializerList,
    Name,
    Node,
    NumberLiteral,
    Parameter,
    Postfix,
    Prefix,
    TypeName,
)
from mcm.syntax.expected import last_word
from mcm.syntax.number import LONGEST_NUMBER
from mcm.syntax.precedence import OPERATORS, fold

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.syntax.ast import Expression

Children = list[Any]


class ExpressionBuilder:
    """Builds expressions of one source; `problems` collects what the grammar alone cannot tell."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []

    def span(self, first: Node | Token, last: Node | Token) -> Span:
        """From the first child to the last."""
        start = first.start if type(first) is Token else first.span.start
        return Span(self.source, start, last.end if type(last) is Token else last.span.end)

    # --- words ---

    def NAME(self, word: str, end: int) -> Name:  # noqa: N802 - named as in the grammar
        """An identifier."""
        return Name(word, span=Span(self.source, end - len(word), end))

    def NUMBER(self, word: str, end: int) -> NumberLiteral:  # noqa: N802
        """A literal of a length that a machine could know."""
        span = Span(self.source, end - len(word), end)
        if len(word) > LONGEST_NUMBER:
            message = f"the number '{word[:10]}…' has {len(word)} characters, more than {LONGEST_NUMBER}"
            self.problems.append(Diagnostic("E023", message, span))
        return NumberLiteral(word, span=span)

    def repetition(self, children: Children) -> Children:
        """What is repeated; the items become children of the rule around it."""
        return children

    def failed(self, children: Children) -> Empty:
        """What stands for a text that could not be understood; no tree that holds it is ever handed out."""
        return Empty(span=self.span(children[0], children[0]))

    # --- types ---

    def specifiers(self, children: Children) -> TypeName:
        """Qualifiers and type words in any order; the last type word is the base."""
        words = [child.text for child in children]
        base = ""
        for i in range(len(words) - 1, -1, -1):
            if children[i].type == "TYPE":
                base = words.pop(i)
                break
        return TypeName(tuple(words), base, span=self.span(children[0], children[-1]))

    def pointer(self, children: Children) -> Children:
        """`*` and its qualifiers, still as tokens because their place is needed."""
        return children

    def type_name(self, children: Children) -> TypeName:
        """A type with the stars behind it."""
        return self._pointed(children[0], children[1:])

    def _pointed(self, type_name: TypeName, pointers: list[Children]) -> TypeName:
        if not pointers:
            return type_name
        span = self.span(type_name, pointers[-1][-1])
        return TypeName(type_name.qualifiers, type_name.base, _pointer_qualifiers(pointers), span=span)

    def length(self, children: Children) -> Children:
        """`[expression]` behind a declared name, brackets included."""
        return children

    def parameter(self, children: Children) -> Parameter:
        """`type * name [length]`."""
        brackets = None if isinstance(children[-1], Name) else children.pop()
        type_name, *pointers, name = children
        return Parameter(
            self._pointed(type_name, pointers),
            name,
            brackets[1] if brackets else None,
            span=self.span(type_name, brackets[2] if brackets else name),
        )

    def declarator(self, children: Children) -> Declarator:
        """`* name [length] = initializer`."""
        name = 0
        while isinstance(children[name], list):
            name += 1
        rest = children[name + 1 :]
        brackets = rest[0] if rest and isinstance(rest[0], list) else None
        initializer = rest[-1] if len(rest) > 1 else None
        first = children[0][0] if name else children[name]
        last = initializer or (brackets[2] if brackets else children[name])
        return Declarator(
            children[name],
            _pointer_qualifiers(children[:name]),
            brackets[1] if brackets else None,
            initializer,
            span=self.span(first, last),
        )

    def initializer_list(self, children: Children) -> InitializerList:
        """`{a, b}`."""
        return InitializerList(tuple(children[1:-1:2]), span=self.span(children[0], children[-1]))

    # --- expressions ---

    def comma(self, children: Children) -> Infix:
        """`left, right`."""
        return Infix(",", children[0], children[2], span=self.span(children[0], children[2]))

    def assign(self, children: Children) -> Assignment:
        """`target = value`."""
        target, operator, value = children
        self._check_target(target, operator)
        return Assignment(operator.text, target, value, span=self.span(target, value))

    def _check_target(self, target: Expression, operator: Token) -> None:
        match target:
            case Name() | Index() | Prefix("*"):
                return
            case Infix():
                # `x = 1` without semicolon, then `*y = 2` on the next line, reads as `x = 1 * y = 2`.
                broken = target
                while isinstance(broken.right, Infix):
                    broken = broken.right
                if "\n" in self.source.text[broken.left.span.end : broken.right.span.start]:
                    self._miss_semicolon(broken.left, broken.operator)
                    return
        places = "a variable, '*pointer' or 'array[index]'"
        message = f"cannot assign to '{target.span.text}'; expected {places} before '{operator.text}'"
        self.problems.append(Diagnostic("E048", message, target.span))

    def _miss_semicolon(self, before: Expression, found: str) -> None:
        end = before.span.end
        message = f"expected ';' after '{last_word(self.source.text, end)}', found '{found}'"
        self.problems.append(Diagnostic("E041", message, Span(self.source, end, end)))

    def ternary(self, children: Children) -> Conditional:
        """`condition ? then : otherwise`."""
        condition, _, then, _, otherwise = children
        return Conditional(condition, then, otherwise, span=self.span(condition, otherwise))

    def infix_chain(self, children: Children) -> Expression:
        """A flat chain of binary operators, folded by their precedence."""
        if len(children) == 3:
            return self._infix(children[1].text, children[0], children[2])
        operands: list[Expression] = children[::2]
        return fold(operands, [operator.text for operator in children[1::2]], OPERATORS, self._infix)

    def _infix(self, operator: str, left: Expression, right: Expression) -> Expression:
        return Infix(operator, left, right, span=self.span(left, right))

    def prefix(self, children: Children) -> Prefix:
        """`operator operand`."""
        operator, operand = children
        return Prefix(operator.text, operand, span=self.span(operator, operand))

    def postfix(self, children: Children) -> Postfix:
        """`operand operator`."""
        operand, operator = children
        return Postfix(operator.text, operand, span=self.span(operand, operator))

    def cast(self, children: Children) -> Cast:
        """`(type) operand`."""
        parenthesis, type_name, _, operand = children
        return Cast(type_name, operand, span=self.span(parenthesis, operand))

    def parenthesised(self, children: Children) -> Any:
        """What stands in the parentheses, of which the tree keeps only that they belong to its place in the text."""
        opening, inner, closing = children
        return replace(inner, span=self.span(opening, closing))

    def call(self, children: Children) -> Call:
        """`function(arguments)`."""
        return Call(children[0], tuple(children[2:-1:2]), span=self.span(children[0], children[-1]))

    def index(self, children: Children) -> Index:
        """`base[index]`."""
        base, _, index, bracket = children
        if isinstance(base, NumberLiteral):
            # `[x]=0 [y]=0` without semicolon.
            self._miss_semicolon(base, "[")
        return Index(base, index, span=self.span(base, bracket))


def _pointer_qualifiers(pointers: list[Children]) -> tuple[tuple[str, ...], ...]:
    return tuple([tuple([word.text for word in pointer[1:]]) for pointer in pointers])
