"""Compiled expressions, written down and read back."""

from __future__ import annotations

import pickle
import re
import sys
from typing import Final

import pytest

from mcm.base import patterns
from mcm.base.patterns import read_back, write_down
from mcm.syntax.tables import tables

EXPRESSIONS: Final = (
    "",
    "a+",
    r"(?:[ \t]+)*+(?:(?P<WORD>(?!if\b)[a-z]\w*)|(?P<NUMBER>\d+(?![\w.]))|(?P<MARK>/\\|\\/))",
    r"(?i:x)(y)(?P<z>\1)",
)


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="other interpreters keep the text")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nothing_is_compiled_when_it_is_read_back(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = re.compile(expression)
    kept = pickle.dumps(write_down(expression))
    monkeypatch.setattr(re, "compile", None)

    read = read_back(pickle.loads(kept))  # noqa: S301 - written two lines above

    assert read == compiled
    assert (read.groups, read.groupindex) == (compiled.groups, compiled.groupindex)


def test_groups_keep_their_names() -> None:
    found = read_back(write_down(EXPRESSIONS[2])).match("  x1")

    assert found is not None
    assert (found.lastgroup, found["WORD"], found.groupdict()["NUMBER"]) == ("WORD", "x1", None)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_without_the_private_functions_the_text_is_kept(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "import_module", lambda _: object())

    assert write_down(expression) == (expression,)
    assert read_back((expression,)) == re.compile(expression)


def test_code_that_is_not_that_of_the_expression_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "read_back", lambda _: re.compile("other"))

    assert write_down("a+") == ("a+",)


def test_the_lexer_is_what_its_expressions_say() -> None:
    match = (*tables().match, tables().match_any, tables().match_blanks)

    assert all(bound.__self__ == re.compile(bound.__self__.pattern) for bound in match)  # type: ignore[attr-defined]
