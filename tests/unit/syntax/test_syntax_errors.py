"""What is said about a text that is no litmus test, and how much of it is said."""

from __future__ import annotations

import re
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcm.base.diagnostic import Diagnostic, InputError, render
from mcm.base.source import Source
from mcm.syntax.ast import Litmus
from mcm.syntax.expected import _GROUPS, _PHRASES, phrases
from mcm.syntax.limits import MAX_NESTING, MAX_PROBLEMS
from mcm.syntax.parse import parse
from mcm.syntax.tables import part_tables
from mcm.syntax.unsupported import WORDS

MP: Final = """OPENCL MP
{ [x]=0; [y]=0; }
P0@wg 0, dev 0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_release);
}
P1@wg 1, dev 0 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  if (r0 == 1) { r0 = *x; }
}
exists (1:r0=0)
"""


def complaints(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        parse(Source("t.litmus", text))
    return caught.value.diagnostics


def found_in(text: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a text, which may be nothing; any other error is a defect."""
    try:
        parse(Source("t.litmus", text))
    except InputError as error:
        return error.diagnostics
    return ()


def complaints_in_body(statements: str) -> list[tuple[str, str]]:
    found = complaints(f"OPENCL t\n{{}}\nP0 () {{\n{statements}\n}}\n")
    return [(diagnostic.code, diagnostic.message) for diagnostic in found]


def test_a_diagnostic_is_drawn_with_carets() -> None:
    (diagnostic,) = complaints(MP.replace("*x = 1;", "*x = (1;"))

    assert render(diagnostic).splitlines() == [
        "t.litmus:4:10: error[E030]: expected ')' before ';'",
        "    *x = (1;",
        "           ^",
        "t.litmus:4:8: note: this '(' is never closed",
        "    *x = (1;",
        "         ^",
    ]


def test_mistakes_in_every_part_are_all_reported() -> None:
    text = MP.replace("[x]=0", "[x]=").replace("global int* x, global", "globl int* x, global", 1)
    text = text.replace("*x = 1", "*x = = 1").replace("memory_order_acquire)", "memory_order_acquire")
    text = text.replace("1:r0=0", "1:r0=")

    assert [(d.code, d.span.line) for d in complaints(text)] == [
        ("E040", 2),
        ("E047", 3),
        ("E040", 4),
        ("E030", 8),
        ("E040", 11),
    ]


@pytest.mark.parametrize(
    ("statements", "messages"),
    [
        ("x = 1\ny = 2;", ["E041 expected ';' after '1', found 'y'"]),
        ("x = 1\n*y = 2;", ["E041 expected ';' after '1', found '*'"]),
        ("x = r0 + 1\n*y = 2;", ["E041 expected ';' after '1', found '*'"]),
        ("x = 1", ["E041 expected ';' after '1', found '}'"]),
        ("do x = 1; while (x)", ["E041 expected ';' after ')', found '}'"]),
        ("x = ;\ny = ;", ["E040 expected an expression, found ';'"] * 2),
        ("f(1 2);\ny = ;", ["E040 expected ')' or ',', found '2'", "E040 expected an expression, found ';'"]),
        ("if (x { y = ; }", ["E030 expected ')' before '{'", "E040 expected an expression, found ';'"]),
        ("if (x) { y = ; } else { z = ; }", ["E040 expected an expression, found ';'"] * 2),
        ("if x y = 1;", ["E040 expected '(', found 'x'"]),
        ("else x = 1;", ["E040 expected a statement, found 'else'"]),
        ("for (int i = 0 i < 3; i++) { x = ; }", ["E041 expected ';' after '0', found 'i'"]),
        ("int if = 1;", ["E040 expected a name, found 'if'"]),
        ("int a[2] = {1 2};\nx = ;", ["E040 expected '}' or ',', found '2'", "E040 expected an expression, found ';'"]),
        ("x = a ? b;", ["E040 expected ':', found ';'"]),
        ("integr r0 = 1;", ["E047 expected a type before 'r0', found 'integr'"]),
        ("unsignd r0 = 1;", ["E047 expected a type before 'r0', found 'unsignd'; did you mean 'unsigned'?"]),
        ("x = 1;;; x = );", ["E031 unmatched ')': there is no '(' that it could close"]),
        ("x = 09;", ["E023 '09' is not a number"]),
        ("x = 1 ` 2;", ["E022 unexpected character '`'"]),
        ("x = 1 \u2013 2;", ["E022 unexpected character '\u2013' (U+2013, en dash); did you mean '-'?"]),
        ("x = y;\xa0", ["E022 unexpected character (U+00A0, no-break space); did you mean a blank?"]),
        ("1 = x;", ["E048 cannot assign to '1'; expected a variable, '*pointer' or 'array[index]' before '='"]),
        ("(* never closed words", ["E020 a comment that begins with '(*' has no closing '*)'"]),
        ("#warning unroll", ["E050 the preprocessor line '#warning' is not supported"]),
        ("int (*f)(int) = g;", ["E050 a pointer to a function is not supported"]),
        ("x = s->;", ["E040 expected a name, found ';'"]),
        (
            "struct s { int a; } t; y = ;",
            [
                "E050 a structure ('struct') that is defined here is not supported",
                "E040 expected an expression, found ';'",
            ],
        ),
        (
            "switch (x) { case : y = 2; }\nx = ;",
            ["E040 expected an expression, found ':'", "E040 expected an expression, found ';'"],
        ),
    ],
)
def test_statements(statements: str, messages: list[str]) -> None:
    assert [f"{code} {message}" for code, message in complaints_in_body(statements)] == messages


@pytest.mark.parametrize("word", [*WORDS, "image2d_msaa_t", "image2d_depth_t"])
def test_constructs_that_are_not_supported_are_named(word: str) -> None:
    for statement in (f"{word} x;", f"x = {word}(1);", f"int {word} = 1;"):
        ((code, message),) = complaints_in_body(statement)
        assert code == "E050"
        assert f"'{word}'" in message
        assert message.endswith(" is not supported")


def test_a_missing_brace_is_reported_once_with_the_brace_it_belongs_to() -> None:
    (diagnostic,) = complaints(MP.replace("{ r0 = *x; }", "{ r0 = *x; "))

    assert (diagnostic.code, diagnostic.span.text) == ("E030", "exists")
    assert diagnostic.notes[0].span is not None
    assert diagnostic.notes[0].span.line == 9


def test_indentation_tells_which_brace_is_open() -> None:
    (diagnostic,) = complaints("C t\n{}\nP0 () {\n  if (x) {\n    y = 1;\n  while (z) {\n  }\n}\nexists (x=1)\n")

    assert diagnostic.notes[0].span is not None
    assert (diagnostic.notes[0].span.line, diagnostic.notes[0].span.column) == (4, 10)


def test_a_missing_brace_hides_no_other_thread() -> None:
    text = "C t\n{}\nP0 () {\n  x = 1;\n\nP1 () {\n  x = ;\n}\nexists (x=1)\n"

    assert [(d.code, d.span.line) for d in complaints(text)] == [("E030", 6), ("E040", 7)]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("", "E006", (1, 1)),
        ("\n\n", "E006", (1, 1)),
        ("C t\n{\0}", "E003", (2, 2)),
        ("C t\nP0 () {}\n", "E043", (2, 1)),
        ("C t\n{} {}\n", "E042", (2, 4)),
        ("C t\n{}\nP0 ()\nexists (x=1)", "E040", (3, 1)),
        ("C t\n{}\nP0 { }\nexists (x=1)", "E040", (3, 3)),
        ("C t\n{}\nexists (x=1", "E030", (3, 12)),
        ("C t\n{}\nexists", "E040", (3, 7)),
        ("C t\n{}\nlocations [x y]", "E041", (3, 14)),
        ("C t\n{}\nexists (x='a')", "E040", (3, 11)),
        ("C t\n{}\nexists (1:r0:1)", "E040", (3, 13)),
        ("C t\n{ [x]=0", "E030", (2, 8)),
        ("C t\n{}}", "E031", (2, 3)),
        ("C t\n{ 0:r1 x; }", "E040", (2, 8)),
        ("C t\n{ queue q = inorder; }", "E040", (2, 13)),
        ("OpenCL t\n{}\nscopeTree (devise (work_group P0))", "E046", (3, 12)),
        ("OpenCL t\n{}\nscopeTree (device (work_group x))", "E040", (3, 31)),
        ("C t\n{}\nlaunch K global;", "E040", (3, 16)),
    ],
)
def test_places(text: str, code: str, place: tuple[int, int]) -> None:
    found = complaints(text)

    assert [(d.code, (d.span.line, d.span.column)) for d in found] == [(code, place)], [d.message for d in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "x = " + "(" * 100_000 + "1" + ")" * 100_000 + ";",
        "x = " + "(" * 100_000 + "1;",
        "x = " + "- " * 100_000 + "1;",
        "x = " + "f(" * 100_000 + ")" * 100_000 + ";",
        "{" * 100_000 + "}" * 100_000,
        "if (x) " * 20_000 + "y = 1;",
        "if (x) y = 1; else " * 20_000 + "y = 1;",
    ],
    ids=lambda text: text[:12],
)
def test_deep_nesting_is_refused_and_never_exhausts_the_stack(statement: str) -> None:
    found = complaints(f"C t\n{{}}\nP0 () {{ {statement} }}\n")

    assert found[0].code == "E032"
    assert str(MAX_NESTING) in found[0].message
    assert len(found[0].message) < 120


def test_nesting_up_to_the_limit_is_fine() -> None:
    depth = MAX_NESTING - 10

    tree = parse(Source("t", f"C t\n{{}}\nP0 () {{ x = {'-(' * depth}1{')' * depth}; }}\n"))

    assert tree == tree.__class__(**{name: getattr(tree, name) for name in Litmus.__match_args__}, span=tree.span)


def test_no_more_complaints_than_anybody_would_read() -> None:
    for text in ("x = ;\n" * 1000, "x = 1\n" * 1000, "$ " * 1000):
        assert len(complaints(f"C t\n{{}}\nP0 () {{ {text} }}\n")) == MAX_PROBLEMS


def test_messages_speak_no_grammar() -> None:
    """Every word of the grammar that can be expected has a phrase."""
    covered = set(_PHRASES).union(*(group for group, _ in _GROUPS))
    hidden = {"ERROR", "WHITE_SPACE", "ATTRIBUTE", "OPERATOR", "ASSIGN", "QUESTION", "POSTFIX", "MEMBER"}
    begins_a_part = {
        "IF",
        "ELSE",
        "KERNEL",
        "VOID",
        "NOTHING",
        "CALLBACK",
        "LAUNCH",
        "STRUCT",
        "SCOPE_TREE",
        "LOCATIONS",
        "FILTER",
        "FORALL",
    }

    in_header = {"TITLE", "STRING", "KEY"}

    words = part_tables().words - covered - hidden - begins_a_part - in_header

    assert words == set()
    assert not re.search(r"[A-Z]{3}", phrases(part_tables().words - in_header))


TOKENS: Final = re.findall(r"\w+|\s+|.", MP)
PIECES: Final = st.sampled_from(
    [*"{}()[];,=*&:?~\"'@#\\", "(*", "*)", "/*", "//", "if", "else", "P1", "exists", "08", "é", "goto"]
)


@pytest.mark.slow
@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, len(TOKENS) - 1), st.none() | PIECES), min_size=1, max_size=5))
def test_a_damaged_text_is_parsed_or_refused_with_places_inside_it(changes: list[tuple[int, str | None]]) -> None:
    tokens = list(TOKENS)
    for place, piece in changes:
        tokens[place] = "" if piece is None else piece
    text = "".join(tokens)

    for diagnostic in found_in(text):
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert render(diagnostic)
