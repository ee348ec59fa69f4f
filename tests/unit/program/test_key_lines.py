from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Complain, Read
    from mcm.program.header import Expectation, Header

# What an expectation says of a condition needs one.
BODY = "{ }\nP0 (global int* x) { int r = 0; }\nexists (0:r=0)\n"


def facts(expectation: Expectation) -> tuple[str | bool | None, ...]:
    e = expectation
    return (e.model, e.observation, e.race, e.divergence, e.impl_defined, e.invalid, e.defined)


def expectations(header: Header) -> list[tuple[str | bool | None, ...]]:
    return [facts(e) for e in header.expectations]


def test_expectations_covers_and_other_keys(read: Read) -> None:
    keys = "Expect.opencl-3.0=Never no-race\nCovers=SW-G-1, SCOPE-2\nOrigin=here\nExpect.sc=Always race divergence\n"
    keys += "Expect.c11=impl-defined invalid defined\nCovers=HB-G\nMood=good\n"
    header = read("OPENCL t\n" + keys + BODY).header
    assert expectations(header) == [
        ("opencl-3.0", "Never", False, None, None, None, None),
        ("sc", "Always", True, True, None, None, None),
        ("c11", None, None, None, True, True, True),
    ]
    assert header.covers == ("SW-G-1", "SCOPE-2", "HB-G")
    assert header.keys == (("Origin", "here"), ("Mood", "good"))


@pytest.mark.parametrize(
    "comment", ["(* Result: Never *)", "(*\n * Result: Never\n *\n * Why: because\n *)", "// Result: Never"]
)
def test_the_result_comment_of_linux_tests(read: Read, comment: str) -> None:
    header = read("OPENCL t\n" + comment + "\n" + BODY).header
    assert expectations(header) == [("default", "Never", None, None, None, None, None)]
    assert header.expectations[0].span.text == "Result: Never"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Expect.sc=Nevver", ["E142 2:11"]),
        ("Expect.sc=", ["E142 2:1"]),
        ("Expect.sc=Never Always", ["E142 2:17"]),
        ("Expect.sc=Never race no-race", ["E142 2:22"]),
        ("Expect.sc=defined defined", ["E142 2:19"]),
        ("Expect=Never", ["E142 2:1"]),
        ("Expect.sc=Never\nExpect.sc=Always", ["E143 3:1"]),
        ("Without.COH-RR=Nevver", ["E142 2:16"]),
        ("Without.A+B@sc=Never\nWithout.B+A@sc=Always", ["E143 3:1"]),
    ],
)
def test_malformed_expectations(complaints: Complain, line: str, expected: list[str]) -> None:
    assert complaints(f"OPENCL t\n{line}\n{BODY}") == expected


def test_an_expectation_may_be_for_a_model_without_rules(read: Read) -> None:
    header = read("OPENCL t\nWithout.COH-RR=Never\nWithout.COH-RR+DR-1@sc=race\n" + BODY).header
    assert [(e.model, e.without, e.observation, e.race) for e in header.expectations] == [
        ("default", {"COH-RR"}, "Never", None),
        ("sc", {"COH-RR", "DR-1"}, None, True),
    ]


@pytest.mark.parametrize("line", ["Expct.opencl-3.0=Never", "expect.sc=Never", "Cover=DR-1", "Witout.DR-1=Never"])
def test_a_key_that_is_nearly_known_is_pointed_out(read: Read, line: str) -> None:
    (warning,) = read(f"OPENCL t\n{line}\n{BODY}").diagnostics
    assert (warning.code, warning.is_error, warning.span.text) == ("W121", False, line.partition("=")[0].split(".")[0])
    assert "did you mean '" in warning.message


@pytest.mark.parametrize("line", ["Orig=PodWW Rfe", "Com=Rf Fr", "Generator=diyone7", "Mood=good", "Undefined.sc=none"])
def test_other_keys_are_kept_without_a_word(read: Read, line: str) -> None:
    test = read(f"OPENCL t\n{line}\n{BODY}")
    assert test.diagnostics == ()
    assert test.header.keys == (tuple(line.split("=")),)


def test_a_callback_that_nothing_registers_is_pointed_out(complaints: Complain) -> None:
    assert complaints("OPENCL t\n{ }\nP0 () { }\ncallback CB (global int* x) { }\n") == ["W130 4:10"]


def test_c_has_no_host_objects(complaints: Complain) -> None:
    text = "C t\n{ queue q = in_order dev 0; user_event u; }\nP0 () { }\n"
    assert complaints(text) == ["E100 2:3", "E100 2:29"]
