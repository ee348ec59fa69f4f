from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.program.topology import HostThread, SubGroup, WorkItem, sub_group

if TYPE_CHECKING:
    from conftest import Complain, Resolve
    from mcm.program.program import Program


def sub_groups(program: Program) -> list[SubGroup]:
    return [t.placement.sub_group for t in program.threads if isinstance(t.placement, WorkItem)]


def test_parts_of_a_placement_stand_in_any_order_and_are_zero_when_left_out(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ }\nP0@dev 1, wg 2 () { }\nP1@sg 3, ki 4, wg 5 () { }\nP2 () { }\nP3@host () { }\n")
    assert sub_groups(program) == [sub_group(1, 0, 2, 0), sub_group(0, 4, 5, 3), sub_group()]
    assert program.threads[3].placement == HostThread()


def test_threads_of_c_stand_alone(resolved: Resolve) -> None:
    program = resolved("C t\n{ }\nP0 () { }\nP1 () { }\n")
    assert sub_groups(program) == [sub_group(), sub_group(work_group=1)]


def test_threads_are_listed_by_number(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ }\nP1@wg 1 () { }\nP0@wg 0 () { }\n")
    assert [t.name for t in program.threads] == ["P0", "P1"]


@pytest.mark.parametrize(
    "tree",
    [
        "scopeTree (device (work_group (sub_group P0) (sub_group P1)) (work_group P2)) ",
        "scopeTree ((device (work_group (sub_group P0) (sub_group P1)) (work_group P2)))",
    ],
)
def test_a_scope_tree_numbers_its_units_in_order(resolved: Resolve, tree: str) -> None:
    program = resolved(f"OpenCL t\n{{ }}\nP0 () {{ }}\nP1 () {{ }}\nP2 () {{ }}\n{tree}\nexists (true)\n")
    assert sub_groups(program) == [sub_group(), sub_group(number=1), sub_group(work_group=1)]


def test_devices_of_a_scope_tree(resolved: Resolve) -> None:
    tree = "scopeTree ((device (work_group P0)) (device (work_group P1)))"
    program = resolved(f"OpenCL t\n{{ }}\nP0 () {{ }}\nP1 () {{ }}\n{tree}\nexists (true)\n")
    assert sub_groups(program) == [sub_group(), sub_group(device=1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OPENCL t\n{ }\nP0@wg 0, wg 1 () { }\n", ["E114 3:10"]),
        ("OPENCL t\n{ }\nP0@host, wg 1 () { }\n", ["E117 3:10"]),
        ("OPENCL t\n{ }\nP0 () { }\nP0 () { }\n", ["E113 4:1"]),
        ("C t\n{ }\nP0@wg 0 () { }\n", ["E116 3:4"]),
        ("C t\n{ }\nP0 (global int* x) { }\n", ["E127 3:5"]),
        ("OpenCL t\n{ }\nP0 () { }\nscopeTree (device (work_group P0 P1))\nexists (true)\n", ["E115 4:19"]),
        ("OpenCL t\n{ }\nP0 () { }\nP1 () { }\nscopeTree (device (work_group P0))\nexists (true)\n", ["E115 5:11"]),
        ("OpenCL t\n{ }\nP0 () { }\nscopeTree (device (work_group P0 P0))\nexists (true)\n", ["E115 4:19"]),
        ("OpenCL t\n{ }\nP0@wg 0 () { }\nscopeTree (device (work_group P0))\nexists (true)\n", ["E115 3:4"]),
        ("OpenCL t\n{ }\nP0 () { }\nscopeTree (device P0)\nexists (true)\n", ["E115 4:11"]),
        ("OpenCL t\n{ }\nP0 () { }\nscopeTree (device (sub_group P0))\nexists (true)\n", ["E115 4:19", "E115 4:11"]),
    ],
)
def test_complaints_about_placement(complaints: Complain, text: str, expected: list[str]) -> None:
    assert sorted(complaints(text)) == sorted(expected)
