"""From text to the syntax tree of cat; with `mcm.syntax.make_tables` the only importer of lark."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken, VisitError
from lark.visitors import Transformer_NonRecursive

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.grammar_file import grammar_text, table_path
from mcm.base.source import Span
from mcm.cat.comments import Blanked, blank_comments
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

if TYPE_CHECKING:
    from lark.tree import Meta

    from mcm.base.source import Source
    from mcm.cat.tree import Expression, RuleComment, Statement


def parse(source: Source) -> CatFile:
    """The syntax tree of a cat file; raises InputError with every syntax error of the file."""
    blanked = blank_comments(source)
    try:
        return _parse_text(blanked.text, source, blanked)
    except InputError as error:
        raise InputError(*_all_errors(source, blanked) or error.diagnostics) from None


def parse_expression(written: Name) -> Expression:
    """The syntax tree of an expression that stands in a comment, as `written` there."""
    prefix, text = "let _x = ", written.span.text
    offset = written.span.start - len(prefix)
    statements = _parse_text(prefix + text, written.span.source, Blanked("", ()), offset).statements
    (statement, *further) = statements
    if further:
        message = "one expression was expected here, and another statement follows it"
        raise InputError(Diagnostic("E301", message, further[0].span))
    assert isinstance(statement, Let)
    if len(statement.bindings) > 1:
        message = "one expression was expected here, and another definition follows it"
        raise InputError(Diagnostic("E301", message, statement.bindings[1].name.span))
    return statement.bindings[0].body


@cache
def _parser() -> Lark:
    grammar = grammar_text("cat")
    path = table_path("cat")
    try:
        return Lark(grammar, parser="lalr", lexer="basic", propagate_positions=True, cache=path or False)
    except OSError:
        return Lark(grammar, parser="lalr", lexer="basic", propagate_positions=True)


def _parse_text(text: str, source: Source, blanked: Blanked, offset: int = 0) -> CatFile:
    """The syntax tree of a text that stands at an offset of the source."""
    try:
        tree = _parser().parse(text)
        result: CatFile = _TreeBuilder(source, blanked, offset).transform(tree)
    except UnexpectedCharacters as error:
        raise InputError(_unexpected_character(source, offset + (error.pos_in_stream or 0))) from None
    except UnexpectedToken as error:
        raise InputError(_unexpected_token(source, error, text, offset)) from None
    except UnexpectedEOF:
        end = _end(source, offset + len(text.rstrip()))
        raise InputError(Diagnostic("E301", "the file ends too early", end)) from None
    except VisitError as error:
        raise error.orig_exc from None
    return result


# A statement that does not parse must not hide errors in the others: each is then parsed by itself.
_STATEMENT_START = re.compile(
    r"""(?<![\w.'"-])(?:let|include|show|unshow|with
        |(?:(?:flag|undefined_unless)\s+)?(?:[~!]\s*)?(?:acyclic|irreflexive|empty)|flag|undefined_unless)(?![\w.'-])""",
    re.VERBOSE,
)


def _all_errors(source: Source, blanked: Blanked) -> list[Diagnostic]:
    text = blanked.text
    starts = [m.start() for m in _STATEMENT_START.finditer(text)]
    found: list[Diagnostic] = []
    inside_unsupported = False
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        try:
            _parse_text(text[start:end].rstrip(), source, blanked, start)
            inside_unsupported = False
        except InputError as error:
            # A construct that is not supported may contain what looks like statements.
            if not inside_unsupported:
                found += error.diagnostics
            inside_unsupported |= any(d.code == "E303" for d in error.diagnostics)
    return found


def _end(source: Source, offset: int) -> Span:
    start = max(0, min(offset, len(source.text)) - 1)
    return Span(source, start, start + 1)


def _unexpected_character(source: Source, offset: int) -> Diagnostic:
    character = source.text[offset]
    if character == '"':
        return Diagnostic("E300", "this string is never closed", Span(source, offset, offset + 1))
    return Diagnostic("E300", f"cat has no use for the character {character!r}", Span(source, offset, offset + 1))


_DESCRIPTIONS: Final[dict[str, str]] = {
    "NAME": "a name",
    "STRING": "a quoted file name",
    "SHAPE": "'acyclic', 'irreflexive' or 'empty'",
    "EQUAL": "'='",
    "FROM": "'from'",
    "CLOSE": "')'",
    "RPAR": "')'",
    "CLOSE_LIFT": "']'",
    "CLOSE_BRACE": "'}'",
    "COMMA": "','",
}
_OPERAND = frozenset({"NAME", "EVERYTHING", "ZERO", "LIFT", "LPAR"})
_OPERATOR = frozenset({"VBAR", "SEMICOLON", "BACKSLASH", "AMPERSAND", "TIMES"})
_STATEMENT = frozenset({"LET", "INCLUDE"})


def _unexpected_token(source: Source, error: UnexpectedToken, text: str, offset: int) -> Diagnostic:
    token = error.token
    at_end = token.type == "$END"
    for earlier in _parser().lex(text if at_end else text[: token.end_pos]):
        # The word that is not supported is to blame, even if the statement went on for a while.
        if earlier.type == "UNSUPPORTED":
            return _not_supported(Span(source, offset + (earlier.start_pos or 0), offset + (earlier.end_pos or 0)))
    expected = _expectation(frozenset(error.accepts or error.expected))
    if at_end:
        message = f"the statement ends here, but {expected} was expected"
        return Diagnostic("E301", message, _end(source, offset + len(text.rstrip())))
    span = Span(source, offset + (token.start_pos or 0), offset + (token.end_pos or 0))
    return Diagnostic("E301", f"found {str(token)!r} where {expected} was expected", span)


def _expectation(accepted: frozenset[str]) -> str:
    wants_operand = _OPERAND.issubset(accepted)
    parts = ["a set or relation"] if wants_operand else []
    if _OPERATOR.issubset(accepted):
        parts.append("an operator")
    parts += [
        text for kind, text in _DESCRIPTIONS.items() if kind in accepted and not (wants_operand and kind == "NAME")
    ]
    if _STATEMENT.issubset(accepted):
        parts.append("a new statement")
    return " or ".join(dict.fromkeys(parts)) or "something else"


def _not_supported(span: Span) -> Diagnostic:
    return Diagnostic("E303", f"'{span.text}' is cat, but a part of cat that mcm does not support", span)


@v_args(inline=True)
class _TreeBuilder(Transformer_NonRecursive[Token, Any]):
    """Builds `mcm.cat.tree` from the parser's tree. Methods bear the names of the grammar's rules.

    The parser counts positions from `offset` in the source on.
    """

    def __init__(self, source: Source, blanked: Blanked, offset: int) -> None:
        super().__init__()
        self._source = source
        self._text = blanked.text
        self._comments = blanked.comments
        self._ends = [comment.span.end for comment in blanked.comments]
        self._offset = offset

    def _span(self, first: Token | Expression, last: Token | Expression) -> Span:
        start = self._offset + (first.start_pos or 0) if isinstance(first, Token) else first.span.start
        end = self._offset + (last.end_pos or 0) if isinstance(last, Token) else last.span.end
        return Span(self._source, start, end)

    def _whole(self, meta: Meta) -> Span:
        return Span(self._source, self._offset + meta.start_pos, self._offset + meta.end_pos)

    def _name(self, token: Token) -> Name:
        return Name(str(token), self._span(token, token))

    def _comment_above(self, start: int) -> RuleComment | None:
        number = bisect_right(self._ends, start) - 1
        if number < 0 or self._text[self._ends[number] : start].strip():
            return None
        return self._comments[number]

    def start(self, *parts: Token | Statement | None) -> CatFile:
        words = [part for part in parts if isinstance(part, Token)]
        strings = [word[1:-1] for word in words if word.type == "STRING"]
        title = strings[0] if strings else " ".join(words)
        return CatFile(title, tuple(part for part in parts if part is not None and not isinstance(part, Token)))

    @v_args(inline=True, meta=True)
    def let(self, meta: Meta, _let: Token, recursive: Token | None, *parts: Token | Binding) -> Let:
        bindings = tuple(part for part in parts if isinstance(part, Binding))
        span = self._whole(meta)
        return Let(recursive is not None, bindings, self._comment_above(span.start), span)

    def binding(self, name: Token, parameters: tuple[Name, ...] | None, body: Expression) -> Binding:
        return Binding(self._name(name), parameters, body)

    def parameters(self, *names: Token) -> tuple[Name, ...]:
        return tuple(self._name(name) for name in names)

    @v_args(inline=True, meta=True)
    def check(self, meta: Meta, *parts: Any) -> Test:
        role, negation, shape, body, name = parts
        return Test(
            Role.CHECK if role is None else Role(str(role)),
            negation is not None,
            Shape(str(shape)),
            body,
            None if name is None else self._name(name),
            self._comment_above(self._offset + meta.start_pos),
            self._whole(meta),
        )

    def include(self, keyword: Token, path: Token) -> Include:
        return Include(Name(path[1:-1], self._span(path, path)), self._span(keyword, path))

    def show(self, *_parts: Token | None) -> None:
        """What to draw is no matter of the model."""

    def shown(self, *_parts: Token | Expression | None) -> None:
        """See `show`."""

    @v_args(inline=True, meta=True)
    def with_(self, meta: Meta, _with: Token, name: Token, generator: Token, arguments: tuple[Expression, ...]) -> With:
        span = self._whole(meta)
        return With(self._name(name), self._name(generator), arguments, span)

    def unsupported(self, token: Token) -> None:
        raise InputError(_not_supported(self._span(token, token)))

    def _binary(self, operator: BinaryOperator, left: Expression, right: Expression) -> Binary:
        return Binary(operator, left, right, self._span(left, right))

    def union(self, left: Expression, right: Expression) -> Binary:
        return self._binary(BinaryOperator.UNION, left, right)

    def compose(self, left: Expression, right: Expression) -> Binary:
        return self._binary(BinaryOperator.COMPOSE, left, right)

    def minus(self, left: Expression, right: Expression) -> Binary:
        return self._binary(BinaryOperator.DIFFERENCE, left, right)

    def intersect(self, left: Expression, right: Expression) -> Binary:
        return self._binary(BinaryOperator.INTERSECTION, left, right)

    def product(self, left: Expression, _times: Token, right: Expression) -> Binary:
        return self._binary(BinaryOperator.PRODUCT, left, right)

    def complement(self, sign: Token, operand: Expression) -> Unary:
        return Unary(UnaryOperator.COMPLEMENT, operand, self._span(sign, operand))

    def postfix(self, operand: Expression, sign: Token) -> Unary:
        operator = UnaryOperator("^-1" if sign.type == "INVERSE" else str(sign).lstrip("^"))
        return Unary(operator, operand, self._span(operand, sign))

    def lift(self, opening: Token, operand: Expression, closing: Token) -> Unary:
        return Unary(UnaryOperator.LIFT, operand, self._span(opening, closing))

    def name(self, token: Token) -> Name:
        return self._name(token)

    def everything(self, token: Token) -> Everything:
        return Everything(self._span(token, token))

    def zero(self, token: Token) -> Zero:
        return Zero(self._span(token, token))

    @v_args(inline=True, meta=True)
    def apply(self, meta: Meta, function: Token, arguments: tuple[Expression, ...]) -> Apply:
        return Apply(self._name(function), arguments, self._whole(meta))

    def arguments(self, *parts: Expression | Token) -> tuple[Expression, ...]:
        return tuple(part for part in parts if not isinstance(part, Token))


# `with` is a keyword of Python, so the grammar's rule of that name gets its method from here.
setattr(_TreeBuilder, "with", _TreeBuilder.with_)
