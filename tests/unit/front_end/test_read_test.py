"""The seam between texts and tests: which front end reads a text, and what each way of being wrong gives."""

from __future__ import annotations

import pytest

from mcm.base.diagnostic import InputError
from mcm.base.dialect import DIALECTS, OPENCL, C
from mcm.base.source import Source
from mcm.front_end.read import format_test, front_end, read_test
from mcm.front_end.test import InvalidTestError

BODY = "{ }\nP0 (int* x) {\n  *x = 1;\n}\n\nexists (x=1)\n"


def source(text: str) -> Source:
    return Source("t.litmus", text)


def test_every_dialect_has_a_front_end() -> None:
    for dialect in DIALECTS:
        for word in dialect.words:
            assert (
                front_end(source(f"// first\n{word} t\n")).read(source(f"{word} t\n{BODY}")).header.dialect is dialect
            )


def test_what_a_test_holds() -> None:
    text = source(f'C SB\n"about"\nExpect.c11=Always\nCovers=DR-1\nMood=good\n{BODY}')

    test = read_test(text)

    assert test.source is text
    assert (test.header.name, test.header.documentation, test.header.covers) == ("SB", ("about",), ("DR-1",))
    assert test.header.keys == (("Mood", "good"),)
    assert [expectation.model for expectation in test.header.expectations] == ["c11"]
    assert [thread.name for thread in test.program.threads] == ["P0"]
    assert test.program.dialect is test.header.dialect is C
    assert test.tree.units[0].span.text.startswith("P0")
    assert test.diagnostics == ()


def test_warnings_about_header_and_program_are_in_order() -> None:
    test = read_test(source(f"OPENCL t\nExpct.sc=Never\n{BODY}"))

    assert [diagnostic.code for diagnostic in test.diagnostics] == ["W121", "W100"]


def test_the_fingerprint_does_not_depend_on_layout() -> None:
    one, other = read_test(source(f"C t\n{BODY}")), read_test(source(f"C t (* note *)\n{BODY.replace('  ', ' ')}"))

    assert one.header.fingerprint == other.header.fingerprint
    assert one.header.fingerprint != read_test(source(f"C u\n{BODY}")).header.fingerprint


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (f"OPENCL t\nExpect.sc=invalid\n{BODY.replace('*x', '*y')}", ["W100", "E101"]),
        (f"OPENCL t\nExpect.sc=invalid\nExpect.c11=Nevr\n{BODY}", ["E142", "W100"]),
    ],
)
def test_a_test_without_meaning_says_what_it_is(text: str, codes: list[str]) -> None:
    with pytest.raises(InvalidTestError) as caught:
        read_test(source(text))

    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == codes
    assert (caught.value.header.name, caught.value.header.dialect) == ("t", OPENCL)
    assert caught.value.header.expectations[0].invalid


def test_a_text_that_cannot_be_parsed_is_no_test() -> None:
    with pytest.raises(InputError) as caught:
        read_test(source(f"OPENCL t\nExpect.sc=Nevr\n{BODY.replace('1;', '1')}"))

    assert not isinstance(caught.value, InvalidTestError)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E142", "E041"]


@pytest.mark.parametrize(("text", "code"), [("", "E006"), ("JAVA t", "E011"), ("OPNCL t", "E010"), ("(* x", "E020")])
def test_a_text_of_no_dialect_has_no_front_end(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        front_end(source(text))

    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == [code]


def test_the_layout_needs_no_meaning() -> None:
    wrong = BODY.replace("*x", "*y")

    assert format_test(source(f"OPENCL  t\n{wrong}")) == f"OPENCL t\n\n{{}}\n\n{wrong.partition(chr(10))[2]}"
