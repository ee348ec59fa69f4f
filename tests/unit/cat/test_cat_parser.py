"""The parser of cat against lark's own, which follows the same tables: every shipped model, whole and damaged."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, UnexpectedCharacters, UnexpectedToken

from mcm.base.diagnostic import InputError
from mcm.base.source import Source, Span
from mcm.cat.build import TreeBuilder
from mcm.cat.comments import blank_comments
from mcm.cat.parse import parse, parse_expression
from mcm.cat.tree import Binary, Let, Name
from mcm.lalr.driver import Driver
from mcm.lalr.make_tables import lark_parser
from mcm.lalr.tables import Tables, read_tables

MODELS = Path(__file__).resolve().parents[3] / "mcm" / "catalogue"
MUTANTS = 10


@cache
def reference() -> Lark:
    return lark_parser("cat")


@cache
def tables() -> Tables:
    return read_tables("cat", TreeBuilder)


def by_lark(text: str) -> tuple[Any, ...]:
    try:
        reference().parse(text, "start")
    except UnexpectedCharacters as error:
        return "no word", error.pos_in_stream
    except UnexpectedToken as error:
        at_end = error.token.type == "$END"
        return "refused", len(text) if at_end else error.pos_in_stream, error.interactive_parser.accepts()
    return ("accepted",)


def by_driver(source: Source, text: str) -> tuple[Any, ...]:
    driver = Driver(tables(), TreeBuilder(source, blank_comments(source)), text, "start", 0, len(text))
    if driver.advance():
        return ("accepted",)
    if driver.position < len(text) and not driver.is_at_word():
        return "no word", driver.position
    return "refused", driver.position, driver.expected()


def mutants(name: str, text: str) -> list[str]:
    """The text, and others with a few of its words deleted, doubled or followed by others."""
    choose = random.Random(name)  # noqa: S311 - the same at each run
    made = [text]
    for _ in range(MUTANTS):
        words = re.findall(r"[\w.'-]+|\s+|.", text)
        for _ in range(choose.choice((1, 1, 2, 4))):
            at = choose.randrange(len(words))
            other = choose.choice(["(", ")", "^-1", "'", "$", "let", "from", "match", "lets", choose.choice(words)])
            words[at : at + choose.choice((0, 1, 2))] = choose.choice(((), (other,), (other, " ")))
        made.append("".join(words))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(MODELS.glob("*.cat")), ids=lambda path: path.stem)
def test_driver_and_lark_agree(path: Path) -> None:
    for text in mutants(path.name, path.read_text(encoding="utf-8")):
        source = Source(path.name, text)
        try:
            blanked = blank_comments(source).text
        except InputError:
            continue  # a comment is never closed
        assert by_driver(source, blanked) == by_lark(blanked), text


def test_reserved_words_are_words() -> None:
    """`let-it`, `lets` and `rec'` are names, though they begin with reserved words."""
    (statement,) = parse(Source("t", "let let-it = lets | rec'")).statements
    assert isinstance(statement, Let)
    (binding,) = statement.bindings
    body = binding.body
    assert isinstance(body, Binary)
    assert (binding.name.text, body.left, body.right) == (
        "let-it",
        Name("lets", body.left.span),
        Name("rec'", body.right.span),
    )


@pytest.mark.parametrize(
    ("text", "statement"), [("let a = (b | (c))  empty a", "let a = (b | (c))"), ("let a=b+\n", "let a=b+")]
)
def test_a_statement_ends_with_the_parentheses_of_its_expression(text: str, statement: str) -> None:
    first = parse(Source("t", text)).statements[0]
    assert first.span.text == statement


@pytest.mark.parametrize("rest", ["let y = z", "and y = z", "empty y", ")"])
def test_an_expression_in_a_comment_is_one_expression(rest: str) -> None:
    source = Source("t", f"(* @without x {rest} *)")
    start = source.text.index("x")
    with pytest.raises(InputError) as caught:
        parse_expression(Name(f"x {rest}", Span(source, start, start + 2 + len(rest))))
    (diagnostic,) = caught.value.diagnostics
    found = rest.split(maxsplit=1)[0]
    assert (diagnostic.span.text, diagnostic.message) == (
        found,
        f"one expression was expected here, and '{found}' follows it",
    )
