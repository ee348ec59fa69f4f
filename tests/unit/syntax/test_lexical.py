"""The lexical pass: what becomes of comments, strings and unknown characters, and where the header ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcm.base.diagnostic import InputError
from mcm.base.dialect import C
from mcm.base.source import Source
from mcm.syntax.lexical import Lexed, dialect_of, lex

LITMUS = Path(__file__).resolve().parents[3] / "litmus"


def lexed(text: str) -> Lexed:
    return lex(Source("t.litmus", text))


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        lexed(text)
    (diagnostic,) = caught.value.diagnostics
    return f"{diagnostic.code} {diagnostic.span.line}:{diagnostic.span.column}"


def test_offsets_stay_what_they_were() -> None:
    text = "(* a *) C t /* b */\nKey=1 // c\n{ x /* \n */ = 0; }\nP0 () { y(*x); } // d"
    found = lexed(text)

    assert len(found.text) == len(text)
    assert found.text[found.body :] == "{ x    \n    = 0; }\nP0 () { y(*x); }     "
    assert found.text[: found.body].split() == ["C", "t", "Key=1"]
    assert [comment.text for comment in found.comments] == ["(* a *)", "/* b */", "// c", "/* \n */", "// d"]
    assert all(text[c.span.start : c.span.end] == c.text for c in found.comments)


def test_a_comment_in_the_header_ends_its_line() -> None:
    found = lexed("C t (* a *) b\nKey=https://example.org/c//d // e\n{}")

    assert [line.strip() for line in found.text[: found.body].split("\n") if line.strip()] == [
        "C t",
        "b",
        "Key=https://example.org/c//d",
    ]


def test_strings_are_kept_in_the_header_and_emptied_behind_it() -> None:
    found = lexed('C t\n"a // b }"\n{}\nP0 () { f("} // (*"); }')

    assert '"a // b }"' in found.text[: found.body]
    assert found.text[found.body :] == '{}\nP0 () { f("_______"); }'
    assert found.comments == ()


def test_what_no_part_can_hold_is_reported_and_blank() -> None:
    found = lexed("C t $\n{}\n#if 1\nP0 () { x = § 1; }")

    assert [(problem.code, problem.span.text) for problem in found.problems] == [("E050", "#if 1"), ("E022", "§")]
    assert found.text == "C t $\n{}\n     \nP0 () { x =   1; }"


@pytest.mark.parametrize(
    "body", ["{}", "P0 () {}", "P0@wg 0 () {}", "kernel K () {}", "exists (x=1)", "~ exists (x=1)"]
)
def test_the_header_ends_where_another_part_begins(body: str) -> None:
    found = lexed(f'C t\n"doc" Key=1\n{body}')

    assert found.text[found.body :] == body


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", "E006 1:1"),
        (" // only this", "E006 1:1"),
        ("Java t", "E010 1:1"),
        ("C \n{}", "E012 1:1"),
        ("C (* t *)\n{}", "E012 1:1"),
        ("C t\0", "E003 1:4"),
        ("(* C t", "E020 1:1"),
        ("C t\n{ /* }", "E020 2:3"),
        ('C t\n"doc\n{}', "E021 2:1"),
        ('C t\n{}\nP0 () { f("x); }', "E021 3:11"),
    ],
)
def test_where_nothing_more_can_be_understood(text: str, refusal: str) -> None:
    assert refused(text) == refusal


def test_the_dialect_is_told_by_the_first_word_alone() -> None:
    assert dialect_of(Source("t", "/* C? */ // yes\nC")) is C


@pytest.mark.parametrize(
    ("expression", "comments"),
    [
        ("if (*x == 1) { }", []),
        ("f((*x), (*y));", []),
        ("f(*x * *y);", []),
        ("if (*x) y = 1;", []),
        ("r = 1; (* a note *)", ["(* a note *)"]),
        ("r = 1; (* see the (* inner *) note *)", ["(* see the (* inner *) note *)"]),
        ("r = (*unsigned int*) x;", ["(*unsigned int*)"]),
        ("r = 1; (* words in a row) s = 2; *)", ["(* words in a row) s = 2; *)"]),
    ],
)
def test_a_parenthesis_and_a_star_begin_a_comment_or_an_expression(expression: str, comments: list[str]) -> None:
    found = lexed(f"C t\n{{}}\nP0 (int* x) {{ {expression} }}")

    assert [comment.text for comment in found.comments] == comments


def test_every_shipped_file_keeps_its_lines() -> None:
    for path in sorted(LITMUS.rglob("[a-zA-D]*.litmus")):
        text = path.read_text(encoding="utf-8")
        try:
            found = lexed(text)
        except InputError:
            continue
        body = found.text[found.body :]
        assert len(found.text) == len(text), path.name
        assert [len(line) for line in body.split("\n")] == [len(line) for line in text[found.body :].split("\n")]


@pytest.mark.parametrize("path", sorted((LITMUS / "opencl/spec").glob("*.litmus")), ids=lambda path: path.stem)
def test_a_comment_at_the_end_changes_nothing_before_it(path: Path) -> None:
    """Texts without a comment are not gone through."""
    text = path.read_text(encoding="utf-8")
    bare, commented = lexed(text), lexed(f"{text}// c")

    assert (bare.text, bare.body, bare.problems) == (commented.text[: len(text)], commented.body, commented.problems)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C t", "E"),
        ("C\n{}", "E012 1:1"),
        ("C  \n x\n{}", "E012 1:1"),
        ("\n  C t\n{}", ""),
        ('C t\n"a', "E021 2:1"),
        ('C t\n"a\n"b"\n{}', "E021 2:1"),
        ('C t\n"a" Key=1\n{}', ""),
        ('C t\n"a\\"b"\n{}', ""),
        ('C t\n{}\nP0 () { f("a\n"); }', "E021 3:11"),
        ("D t\n{}", "E010 1:1"),
    ],
)  # fmt: skip
def test_texts_without_comments_are_refused_as_others_are(text: str, expected: str) -> None:
    for written in (text, f"/* */{text}"):
        column = len(written) - len(text)
        if not expected or expected == "E":
            assert lexed(written).text.split() == text.split()
        else:
            code, place = expected.split()
            line, at = place.split(":")
            assert refused(written) == f"{code} {line}:{int(at) + column * (line == '1')}"
