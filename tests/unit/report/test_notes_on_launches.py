"""What reports say of kernels that are launched together and race."""

from __future__ import annotations

import pytest

from mcm import KernelRequest, KernelSource, Source, check, render_text

TEXT = """kernel void a(global int* c, global int* d) { atomic_inc(&c[0]); *d = 1; }
kernel void b(global int* c, global int* d) { atomic_add(c, 2); *d = 2; }
"""


def notes(launches: tuple[str, ...], initial: str) -> list[str]:
    found = check(KernelSource("k.cl", TEXT, KernelRequest(launches, initial=(initial,))))
    return [line.strip() for line in render_text(found).splitlines() if line.startswith("  note: ")]


@pytest.mark.parametrize("second", ["a global 1", "b global 1"])
def test_launches_that_race_are_told_how_to_be_ordered(second: str) -> None:
    atomics, order = notes(("a global 1", second), "int c[1]")
    assert "--init 'fine_svm_atomics c = …'" in atomics
    assert "let a host thread enqueue" in order


def test_atomic_operations_on_memory_for_them_need_no_note() -> None:
    (order,) = notes(("a global 1", "b global 1"), "fine_svm_atomics int c[1]")
    assert "let a host thread enqueue" in order


def test_one_launch_needs_none() -> None:
    assert notes(("a global 2",), "int c[1]") == []


def test_a_litmus_test_says_itself_what_runs_when() -> None:
    text = "OPENCL t\n{ }\nkernel a (global int* d) { *d = 1; }\nlaunch a global 1;\nlaunch a global 1;\n"
    assert "note: " not in render_text(check(Source("t.litmus", text)))
