"""The words that expressions of a grammar begin with are those that they match."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from mcm.lalr.tables import PlainTables, path_of
from mcm.lalr.word_lists import listed


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (r"if\b", ({"if"}, set())),
        (r"(?:__)?kernel\b", ({"__kernel", "kernel"}, set())),
        (r"(?:[bB]ool|u?int(?:2)?)\b", ({"Bool", "bool", "int", "int2", "uint", "uint2"}, set())),
        (r"(?:void|struct\s+\w+(?!\s*\{))\b", ({"void"}, {"struct"})),
        (r"queue\b(?=\s+\w)", (set(), {"queue"})),
        # The same letters may be the whole word or its beginning: the expression is asked.
        (r"(?:long|long\s+long)\b", None),
        (r"ki\d+\b", None),
        (r"(?:std::)?int\b", None),
        (r"(?:do|while)", None),
        (r"[a-z]+\b", None),
        (r"\+\+|--", None),
        (r"(?!(?:if|do)\b)\w+", None),
    ],
)  # fmt: skip
def test_words_that_an_expression_begins_with(expression: str, expected: tuple[set[str], set[str]] | None) -> None:
    found = listed(expression)

    assert (found and (found.whole, found.begun)) == expected


@pytest.mark.parametrize("name", ["litmus", "litmus_parts", "sycl", "sycl_parts"])
def test_listed_words_are_those_that_the_expressions_of_the_grammars_match(name: str) -> None:
    plain = msgspec.json.decode(Path(path_of(name)).read_bytes(), type=PlainTables)
    words = {word for words in plain.lists.values() for word in (*words.whole, *words.begun)}

    assert len(plain.lists) > 5
    for kind, words_of in plain.lists.items():
        expression = re.compile(plain.expressions[kind])
        assert {word for word in words if expression.fullmatch(word)} == words_of.whole, kind
        for word in words_of.whole:
            assert expression.match(f"{word} x = 1")
            assert not expression.match(f"{word}_x = 1")
