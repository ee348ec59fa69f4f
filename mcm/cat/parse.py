"""From text to the syntax tree of cat."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.cat.build import TreeBuilder, not_supported
from mcm.cat.comments import Blanked, blank_comments
from mcm.lalr.driver import Driver
from mcm.lalr.tables import ANYWHERE, END, read_tables

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.cat.tree import CatFile, Expression, Name
    from mcm.lalr.tables import Tables


def parse(source: Source) -> CatFile:
    """The syntax tree of a cat file; raises InputError with every syntax error of the file."""
    blanked = blank_comments(source)
    try:
        tree: CatFile = _parse_part("start", source, blanked, 0, len(blanked.text))
    except InputError as error:
        raise InputError(*_all_errors(source, blanked) or error.diagnostics) from None
    return tree


def parse_expression(written: Name) -> Expression:
    """The syntax tree of an expression that stands in a comment, as `written` there; raises InputError."""
    span = written.span
    tree: Expression = _parse_part("expression", span.source, Blanked(span.source.text, ()), span.start, span.end)
    return tree


@cache
def _tables() -> Tables:
    return read_tables("cat", TreeBuilder)


def _parse_part(start: str, source: Source, blanked: Blanked, begin: int, end: int) -> Any:
    """What the part `begin` to `end` of the blanked text says, read as the symbol `start`."""
    builder = TreeBuilder(source, blanked)
    driver = Driver(_tables(), builder, blanked.text, start, begin, end)
    if not driver.advance():
        raise InputError(_syntax_error(source, driver))
    if builder.problems:
        raise InputError(builder.problems[0])
    return driver.values[-1]


# A statement that does not parse must not hide errors in the others: each is then parsed by itself.
_STATEMENT_START = re.compile(
    r"""(?<![\w.'"-])(?:let|include|show|unshow|with
        |(?:(?:flag|undefined_unless)\s+)?(?:[~!]\s*)?(?:acyclic|irreflexive|empty)|flag|undefined_unless)(?![\w.'-])""",
    re.VERBOSE,
)


# Words of constructs in which statements and expressions begin with the same words.
_NESTED = re.compile(r"(?<![\w.'\"-])(?:in|try|match|procedure|if)(?![\w.'-])")


def _all_errors(source: Source, blanked: Blanked) -> list[Diagnostic]:
    text = blanked.text
    if _NESTED.search(text):
        return []
    starts = [m.start() for m in _STATEMENT_START.finditer(text)]
    found: list[Diagnostic] = []
    inside_unsupported = False
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        try:
            _parse_part("start", source, blanked, start, start + len(text[start:end].rstrip()))
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
    hint = f"; did you mean '{_SIGNS[character]}'?" if character in _SIGNS else ""
    message = f"cat has no use for the character {character!r}{hint}"
    return Diagnostic("E300", message, Span(source, offset, offset + 1))


# Operators as books write them.
_SIGNS: Final = {
    "\N{UNION}": "|",
    "\N{INTERSECTION}": "&",
    "\N{SET MINUS}": "\\",
    "\N{RING OPERATOR}": ";",
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{NOT SIGN}": "~",
    "\N{SUPERSCRIPT PLUS SIGN}": "^+",
    "\N{EMPTY SET}": "0",
}
_FIRST_WORD: Final = re.compile(r"[ \t]*([A-Za-z][\w-]*)")
_KEYWORDS: Final = ("acyclic", "irreflexive", "empty", "include", "let", "show", "flag")


def _meant(text: str, start: int, word: str) -> str:
    """What is meant by a word where none such can stand: an operator, or the first word of its line is misspelt."""
    if word in {"||", "&&"}:
        return f"; did you mean '{word[0]}'?"
    if text[:start].rstrip().endswith("+"):
        return "; '+' behind a relation is its closure, the union of two is '|'"
    first = _FIRST_WORD.match(text, text.rfind("\n", 0, start) + 1)
    if first is None or first[1] in _KEYWORDS or first.start(1) >= start:
        return ""
    return did_you_mean(first[1], _KEYWORDS)


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


def _syntax_error(source: Source, driver: Driver) -> Diagnostic:
    """What is wrong where the driver stopped."""
    start, end = driver.position, driver.end
    word = _tables().match[ANYWHERE](driver.text, start, end)
    if word is None and start < end:
        return _unexpected_character(source, start)
    for kind, first, last in driver.words(start if word is None else word.end()):
        # The word that is not supported is to blame, even if the statement went on for a while.
        if kind == "UNSUPPORTED":
            return not_supported(Span(source, first, last))
    possible = driver.expected()
    if driver.start == "expression" and word is not None and END in possible:
        message = f"one expression was expected here, and {word[0]!r} follows it"
        return Diagnostic("E301", message, Span(source, start, word.end()))
    expected = _expectation(possible)
    if word is None:
        message = f"the statement ends here, but {expected} was expected"
        return Diagnostic("E301", message, _end(source, len(driver.text[:end].rstrip())))
    hint = _meant(driver.text, start, word[0])
    return Diagnostic("E301", f"found {word[0]!r} where {expected} was expected{hint}", Span(source, start, word.end()))


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
