from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.program.types import AllocationKind, Location, PointerType, Region, Scalar

if TYPE_CHECKING:
    from conftest import Complain, Resolve
    from mcm.program.program import MemoryObject, Program


def named(program: Program, name: str) -> MemoryObject:
    return next(o for o in program.objects if o.name == name)


def test_a_global_that_is_not_declared_is_zero_and_a_local_one_indeterminate(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ [z]=0; }\nP0 (global int* x, local int* y, local int* z) { }\n")
    assert named(program, "x").initial == (0,)
    assert named(program, "y").initial == (None,)
    assert named(program, "z").initial == (0,)
    assert [o.declared for o in program.objects] == [True, False, False]
    assert [o.region for o in program.objects] == [Region.LOCAL, Region.GLOBAL, Region.LOCAL]


def test_parameters_are_registers_that_hold_addresses(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ [y]=0; [x]=0; }\nP0 (global int* x) { int r; }\nP1 (global atomic_int* y) { }\n")
    first, second = program.threads
    assert [(r.name, r.initial, r.is_parameter) for r in first.registers] == [
        ("x", Location(1), True),
        ("r", None, False),
    ]
    assert second.registers[0].type == PointerType(Scalar.INT, Region.GLOBAL, atomic=True)


def test_initial_values(resolved: Resolve) -> None:
    initial = "int a[3]={1,-2}; [p]=&x; int* q = &a[1]; float f = 2; uchar c = 300; [g]=1.5; x=0x10"
    program = resolved(f"OPENCL t\n{{ {initial}; }}\nP0 (global int* x) {{ }}\n")
    assert named(program, "a").initial == (1, -2, 0)
    assert named(program, "a").is_array
    assert named(program, "x").initial == (16,)
    assert named(program, "p").initial == (Location(6),)
    assert named(program, "p").type == PointerType(Scalar.INT, Region.GLOBAL)
    assert named(program, "q").initial == (Location(0, 1),)
    assert named(program, "f").initial == (2.0,)
    assert named(program, "c").initial == (44,)
    assert (named(program, "g").type, named(program, "g").initial) == (Scalar.FLOAT, (1.5,))


def test_elements_of_floats_that_are_given_no_value_are_zeros_of_their_type(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ float a[2] = {2}; float b[1]; }\nP0 (global float* a, global float* b) { }\n")
    assert repr(named(program, "a").initial) == "(2.0, 0.0)"
    assert repr(named(program, "b").initial) == "(0.0,)"


def test_the_length_of_a_local_array_comes_from_the_parameter(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ }\nP0 (local int t[4]) { t[3] = 1; }\n")
    assert named(program, "t").initial == (None,) * 4
    assert program.show_location(Location(0, 2)) == "t[2]"


def test_initial_registers(resolved: Resolve) -> None:
    text = "OPENCL t\n{ 0:r1=x; 0:r2=&a[1]; 0:r3=5; 0:r4=7; int a[2]={0,0}; }\n"
    program = resolved(text + "P0 (global int* x) { int r3; r3 = r3 + r4; }\n")
    registers = {r.name: r for r in program.threads[0].registers}
    assert registers["r1"].initial == Location(1)
    assert registers["r1"].type == PointerType(Scalar.INT, Region.GLOBAL)
    assert registers["r2"].initial == Location(0, 1)
    assert (registers["r3"].initial, registers["r4"].initial) == (5, 7)


@pytest.mark.parametrize("kind", [kind for kind in AllocationKind if kind is not AllocationKind.PIPE])
def test_allocation_kinds(resolved: Resolve, kind: AllocationKind) -> None:
    program = resolved(f"OPENCL t\n{{ {kind.value} [x]=0; }}\nP0 (global int* x) {{ }}\n")
    assert program.objects[0].allocation is kind


def test_an_object_is_atomic_when_declared_or_accessed_so(resolved: Resolve) -> None:
    parameters = "global int* a, global atomic_int* b, global int* c, global int* d, global int* e"
    body = "atomic_store(a, 1); global int* p = c; p = p + 0; atomic_store(p, 1); *d = 1;"
    program = resolved(f"OPENCL t\n{{ }}\nP0 ({parameters}) {{ {body} }}\n")
    assert {o.name: o.atomic for o in program.objects} == {"a": True, "b": True, "c": True, "d": False, "e": False}


def test_an_atomic_access_through_a_pointer_in_memory_may_reach_all_objects_of_its_type(resolved: Resolve) -> None:
    text = "OPENCL t\n{ [p]=&x; }\nP0 (global int* global* p, global int* x, global long* y) { atomic_store(*p, 1); }\n"
    assert {o.name: o.atomic for o in resolved(text).objects} == {"p": False, "x": True, "y": False}


def test_the_c_dialect_has_no_regions_and_says_nothing_about_it(resolved: Resolve) -> None:
    program = resolved("C t\n{ }\nP0 (atomic_int* x, int* y) { }\n")
    assert [o.region for o in program.objects] == [Region.NONE, Region.NONE]
    assert program.diagnostics == ()


def test_a_location_that_only_the_condition_names_is_zero(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ }\nP0 (global int* x) { }\nexists (x=0 /\\ z=0)\n")
    assert named(program, "z").initial == (0,)
    assert [d.code for d in program.diagnostics] == ["W105"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("global int* x", "global volatile int* restrict x", []),
        ("global int* x", "global atomic_int* x", ["W102 4:5"]),
        ("global int* x", "global uint* x", ["W102 4:5"]),
        ("global int* x", "global long* x", ["E129 4:5"]),
        ("global int* x", "global float* x", ["E129 4:5"]),
        ("global int* x", "global int* global* x", ["E129 4:5"]),
        ("global int* x", "local int* x", ["W101 4:5"]),
        ("global int* x", "generic int* x", []),
        ("generic int* x", "generic int* x", ["W111 3:5"]),
        ("int* x", "int* x", ["W100 3:5"]),
        ("int* x", "global int* x", ["W100 3:5", "W101 4:5"]),
        ("global int* x", "int x", ["E128 4:5"]),
        ("private int* x", "global int* x", ["E127 3:5"]),
        ("constant int* x", "constant int* x", ["W112 3:19"]),
        ("global int x[2]", "global int x[3]", ["E132 4:18"]),
        ("global int* x", "global double* x", ["E129 4:5"]),
        ("global int* x", "global atomic_half* x", ["E100 4:5"]),
        ("global int* x, global int* x", "global int* x", ["E118 3:20"]),
    ],
)
def test_agreement_between_threads(complaints: Complain, first: str, second: str, expected: list[str]) -> None:
    assert complaints(f"OPENCL t\n{{ }}\nP0 ({first}) {{ }}\nP1 ({second}) {{ }}\n") == expected


def test_what_follows_from_types_that_differ_is_not_told_too(complaints: Complain) -> None:
    first = "P0 (global atomic_double* x) { atomic_store(x, 1); }"
    second = "P1 (global atomic_int* x) { int r0 = atomic_load(x); }"
    assert complaints(f"OPENCL t\n{{ }}\n{first}\n{second}\n") == ["E129 4:5"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C t\n{ }\nP0 (global atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n", ["E127 3:5"]),
        ("OPENCL t\n{ }\nP0 (global atomic_int x) { }\nexists (x=1)\n", ["E128 3:5"]),
        ("C t\n{ }\nvoid P0 (int* x) { *x = 1; }\nexists (x=1)\n", ["E148 1:3", "W124 3:6"]),
        ("C t\n{ }\nP0 (int* y) { *y = 1; }\nexists (x=1)\n", ["W105 4:9"]),
    ],
)
def test_a_location_that_is_named_in_a_wrong_way_is_not_told_to_be_unused(
    complaints: Complain, text: str, expected: list[str]
) -> None:
    assert complaints(text) == expected


def test_when_regions_differ_the_first_thread_decides(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ }\nP0 (global int* x) { }\nP1 (local int* x) { }\n")
    assert program.objects[0].region is Region.GLOBAL
    assert program.diagnostics[0].notes[0].span is not None
    assert program.diagnostics[0].notes[0].span.line == 3


@pytest.mark.parametrize(
    ("first", "second", "parameter", "allocation", "expected"),
    [
        ("wg 0", "wg 1", "local int* x", "", ["W103 4:10"]),
        ("wg 0", "wg 0", "local int* x", "", []),
        ("dev 0", "dev 1", "global int* x", "program_scope ", ["W104 4:11"]),
        ("dev 0", "dev 1", "global int* x", "", []),
        ("wg 0", "host", "local int* x", "", ["E134 4:10"]),
        ("wg 0", "wg 0", "local int* x", "fine_svm ", ["E133 2:13"]),
    ],
)
def test_who_may_share_an_object(
    complaints: Complain, first: str, second: str, parameter: str, allocation: str, expected: list[str]
) -> None:
    text = f"OPENCL t\n{{ {allocation}[x]=0; }}\nP0@{first} ({parameter}) {{ }}\nP1@{second} ({parameter}) {{ }}\n"
    assert complaints(text) == expected


@pytest.mark.parametrize(
    ("initial", "expected"),
    [
        ("[x]=0; [x]=1;", ["E130 2:11"]),
        ("int x[2]={1,2,3};", ["E131 2:17"]),
        ("int x=1.5;", ["E131 2:9"]),
        ("[x]=y+1;", ["E131 2:7"]),
        ("int x[0];", ["E132 2:9"]),
        ("int x[16385];", ["E132 2:9"]),
        ("int* x=5;", ["E129 3:5"]),
        ("int x=&x;", ["W115 2:9"]),
        ("1:r=5;", ["E135 2:3"]),
        ("0:r=5; 0:r=6;", ["E130 2:10"]),
        ("0:r=&x[3];", ["E137 2:7"]),
    ],
)
def test_complaints_about_the_initial_state(complaints: Complain, initial: str, expected: list[str]) -> None:
    assert sorted(complaints(f"OPENCL t\n{{ {initial} }}\nP0 (global int* x) {{ }}\n")) == expected


def test_a_value_too_many_is_told_once(complaints: Complain) -> None:
    text = "OPENCL t\n{ int x[2]={1,2,3}; }\nP0 (global int* x) { }\nexists (x[2]=3)\n"
    assert complaints(text) == ["E131 2:17"]


def test_the_old_form_gives_regions_after_the_threads(resolved: Resolve) -> None:
    text = "OpenCL t\n{ [x]=0; [y]=0; }\nP0 (atomic_int* x, int* y) { }\nP1 (atomic_int* x, int* y) { }\n"
    text += "x:global, y:local\nscopeTree (device (work_group P0) (work_group P1))\nexists (x=0)\n"
    program = resolved(text)
    assert [o.region for o in program.objects] == [Region.GLOBAL, Region.LOCAL]
    assert program.threads[0].registers[0].type == PointerType(Scalar.INT, Region.GLOBAL, atomic=True)
    assert [d.code for d in program.diagnostics] == ["W103"]


def test_pointers_have_a_limit(complaints: Complain) -> None:
    assert complaints(f"C t\n{{}}\nP0 (int {'*' * 1000} x) {{ }}\n") == ["E032 3:5"]
    assert complaints(f"C t\n{{}}\nP0 (int {'*' * 100} x) {{ }}\n") == []
    assert complaints(f"C t\n{{}}\nP0 () {{ int {'*' * 1000} x; }}\n") == ["E032 3:9"]
