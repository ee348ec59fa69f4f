from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Complain, Resolve
    from mcm.program.program import Expectation, Program

BODY = "{ }\nP0 (global int* x) { }\n"


def facts(expectation: Expectation) -> tuple[str | bool | None, ...]:
    e = expectation
    return (e.model, e.observation, e.race, e.divergence, e.impl_defined, e.invalid)


def expectations(program: Program) -> list[tuple[str | bool | None, ...]]:
    return [facts(e) for e in program.expectations]


def test_expectations_covers_and_other_keys(resolved: Resolve) -> None:
    keys = "Expect.opencl-3.0=Never no-race\nCovers=SW-G-1, SCOPE-2\nOrigin=here\nExpect.sc=Always race divergence\n"
    keys += "Expect.c11=impl-defined invalid\nCovers=HB-G\nMood=good\n"
    program = resolved("OPENCL t\n" + keys + BODY)
    assert expectations(program) == [
        ("opencl-3.0", "Never", False, None, None, None),
        ("sc", "Always", True, True, None, None),
        ("c11", None, None, None, True, True),
    ]
    assert program.covers == ("SW-G-1", "SCOPE-2", "HB-G")
    assert program.keys == (("Origin", "here"), ("Mood", "good"))


@pytest.mark.parametrize(
    "comment", ["(* Result: Never *)", "(*\n * Result: Never\n *\n * Why: because\n *)", "// Result: Never"]
)
def test_the_result_comment_of_linux_tests(resolved: Resolve, comment: str) -> None:
    program = resolved("OPENCL t\n" + comment + "\n" + BODY)
    assert expectations(program) == [("default", "Never", None, None, None, None)]
    assert program.expectations[0].span.text == "Result: Never"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Expect.sc=Nevver", ["E142 2:1"]),
        ("Expect.sc=", ["E142 2:1"]),
        ("Expect.sc=Never Always", ["E142 2:1"]),
        ("Expect.sc=Never race no-race", ["E142 2:1"]),
        ("Expect=Never", ["E142 2:1"]),
        ("Expect.sc=Never\nExpect.sc=Always", ["E143 3:1"]),
    ],
)
def test_malformed_expectations(complaints: Complain, line: str, expected: list[str]) -> None:
    assert complaints(f"OPENCL t\n{line}\n{BODY}") == expected


def test_what_is_not_yet_supported_says_so(complaints: Complain) -> None:
    assert complaints("OPENCL t\n{ }\ncallback CB (global int* x) { }\n") == ["E100 3:10"]


def test_host_objects_are_not_yet_supported(complaints: Complain) -> None:
    text = "OPENCL t\n{ queue q = in_order dev 0; user_event u; }\nP0 () { }\n"
    assert complaints(text) == ["E100 2:3", "E100 2:29"]
