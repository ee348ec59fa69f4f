"""What is told of updates that read what they replace."""

from __future__ import annotations

from typing import Final

import mcm

COUNTED: Final = """OPENCL counted
{ atomic_int x = 0; }
P0 (global atomic_int* x) { int r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
P1 (global atomic_int* x) { int r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
exists (0:r=0 /\\ 1:r=1)
"""


def test_what_an_update_replaces_itself_nothing_else_is_said_to_replace() -> None:
    result = mcm.check(COUNTED)
    texts = [reading.text for story in result.explain().stories for reading in story.readings]

    assert texts == [
        "P0 line 3 reads x from its initial value",
        "P1 line 4 reads x from P0 line 3, the only write of 1",
    ]
