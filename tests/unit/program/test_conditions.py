from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.diagnostic import InputError
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, Quantifier, RegisterName
from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from conftest import Complain, Resolve

HEAD = (
    "OPENCL t\n{ int a[2]={0,0}; }\nP0 (global int* x, global int* a) { int r0 = *x; int b[2]; }\nP1 () { int r1; }\n"
)


def test_atoms_and_connectives(resolved: Resolve) -> None:
    condition = resolved(HEAD + "exists (0:r0=1 => ~(x != 0:r0) \\/ 1:r1 == &x)\n").condition
    assert condition is not None
    assert condition.quantifier is Quantifier.EXISTS
    register, location = Observed(RegisterName(0, "r0")), Observed(Location(1))
    assert condition.proposition == Or(
        Not(Comparison("=", register, Fixed(1))),
        Or(
            Not(Comparison("!=", location, register)),
            Comparison("=", Observed(RegisterName(1, "r1")), Fixed(Location(1))),
        ),
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("(0:r0=1 /\\ P1:r1==2)", "0:r0=1 /\\ 1:r1=2"),
        ("(x=1 && (0:r0=1 || a[1]>=2))", "[x]=1 /\\ (0:r0=1 \\/ a[1]>=2)"),
        ("((x=1 /\\ 0:r0=1) \\/ [x]!=2)", "[x]=1 /\\ 0:r0=1 \\/ [x]!=2"),
        ("(not (x=1 \\/ true))", "not ([x]=1 \\/ true)"),
        ("((x=1 => x=2) => 0:b[1]=-3)", "([x]=1 => [x]=2) => 0:b[1]=-3"),
        ("(x=1 => x=2 => x=&a[1])", "[x]=1 => [x]=2 => [x]=&a[1]"),
        ("(~(x=1) /\\ false)", "not ([x]=1) /\\ false"),
    ],
)
def test_text_is_as_herd_prints_it(resolved: Resolve, written: str, shown: str) -> None:
    condition = resolved(HEAD + f"exists {written}\n").condition
    assert condition is not None
    assert condition.text == shown


def test_locations_and_filter(resolved: Resolve) -> None:
    program = resolved(HEAD + "locations [x; 0:r0; a[1];]\nfilter (0:r0=1 /\\ true)\n~exists (x=0)\n")
    assert program.locations == (Location(1), RegisterName(0, "r0"), Location(0, 1))
    assert isinstance(program.filter, And)
    assert program.condition is not None
    assert program.condition.quantifier is Quantifier.NOT_EXISTS


def test_an_array_in_locations_is_all_its_elements(resolved: Resolve) -> None:
    program = resolved(HEAD + "locations [x; a;]\n")
    assert program.locations == (Location(1), Location(0, 0), Location(0, 1))


def test_a_sub_buffer_in_locations_is_its_part(resolved: Resolve) -> None:
    text = "OPENCL T\n{ int b[4]; p = clCreateSubBuffer(b, 2, 2); }\nkernel K (global int* p) { *p = 1; }\n"
    assert resolved(text + "launch K global 1;\nlocations [p;]\n").locations == (Location(0, 2), Location(0, 3))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("0:x=0", ["W106 5:9"]),
        ("0:x=&x", []),
        ("2:r0=0", ["E135 5:9"]),
        ("1:r0=0", ["E136 5:9"]),
        ("0:r9=0 /\\ 0:r8=0", ["E136 5:9", "E136 5:19"]),
        ("0:b=0", ["E136 5:9"]),
        ("0:b[2]=0", ["E137 5:9"]),
        ("a=0", ["E137 5:9"]),
        ("a[2]=0", ["E137 5:9"]),
        ("x[1]=0", ["E137 5:9"]),
        ("z=0 \\/ z=1", ["W105 5:9"]),
    ],
)
def test_complaints_about_conditions(complaints: Complain, condition: str, expected: list[str]) -> None:
    assert complaints(HEAD + f"exists ({condition})\n") == expected


@pytest.mark.parametrize(
    ("condition", "hint"),
    [("1:r0=0", "did you mean '0:r0'"), ("0:a=0 /\\ 1:x=0", "did you mean the location 'x'"), ("1:rr1=0", "'r1'")],
)
def test_suggestions(resolved: Resolve, condition: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        resolved(HEAD + f"exists ({condition})\n")


def test_a_register_without_its_thread_is_found_in_the_warning(resolved: Resolve) -> None:
    (warning,) = resolved(HEAD + "exists (r1=0)\n").diagnostics
    assert "did you mean '1:r1'" in warning.message


def test_values_are_shown_as_a_reader_expects(resolved: Resolve) -> None:
    program = resolved(HEAD)
    assert program.show_value(-3) == "-3"
    assert program.show_value(2.0) == "2"
    assert program.show_value(1.5) == "1.5"
    assert program.show_value(Location(0, 1)) == "&a[1]"
    assert program.show_value(Location(1)) == "&x"
    assert program.show_value(RegisterPointer(0, "r0")) == "&r0"
