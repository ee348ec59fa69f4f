"""Each edge of a picture is told in a sentence; so are states whose values may depend on themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcm
from mcm.cli.group import run

if TYPE_CHECKING:
    from pathlib import Path

HANDED_ON = """OPENCL handed-on
{ [f]=0; }
P0@wg 0 (global atomic_int* f) { atomic_store_explicit(f, 1, memory_order_release, memory_scope_device); }
P1@wg 1 (global atomic_int* f) { int r0 = atomic_load_explicit(f, memory_order_acquire, memory_scope_device); }
exists (1:r0=1)
"""
ITSELF = """OPENCL itself
{ [x]=0; [y]=0; }
P0@wg 0 (global atomic_int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed); atomic_store_explicit(y, r0, memory_order_relaxed);
}
P1@wg 1 (global atomic_int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed); atomic_store_explicit(x, r0, memory_order_relaxed);
}
exists (0:r0=1)
"""


def test_synchronisation_is_told_in_words() -> None:
    result = mcm.check(HANDED_ON, executions=True)
    (state,) = (state for state in result.states if state.satisfies)
    assert state.execution is not None
    svg = state.execution.svg()

    assert "gsw: P0 line 3 synchronises with P1 line 4 in global memory" in svg


def test_a_page_tells_states_that_have_other_values_too(tmp_path: Path) -> None:
    test = tmp_path / "itself.litmus"
    test.write_text(ITSELF, encoding="utf-8")
    assert run(["show", str(test), "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")

    assert "also thin air, an example of 0:r0 = any int" in page
    assert "satisfies the condition, thin air, an example of 0:r0 = any int" in page
