"""What is read where a loop is cut says who can tell how often it goes round."""

from __future__ import annotations

import pytest

from mcm import parse
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.queries import kinds_that_cut

LOOPS = {
    "while (!atomic_compare_exchange_strong(x, y, *y)) { }": set(),
    "while (atomic_exchange(x, 1)) { *y = 1; }": {EventKind.UPDATE},
    "for (int i = 0; i < *y; i++) { atomic_fetch_add(x, 1); }": {EventKind.READ},
    "for (int i = 0; i < 2; i++) { atomic_fetch_add(x, *y); }": set(),
    "while (!atomic_compare_exchange_weak(x, y, 1) && *y) { }": {EventKind.READ},
}


@pytest.mark.parametrize(("loop", "kinds"), LOOPS.items())
def test_what_is_read_where_a_loop_is_cut(loop: str, kinds: set[EventKind]) -> None:
    test = parse(
        f"OPENCL loop\n{{ [x] = 0; [y] = 0; }}\n"
        f"P0@wg 0 (global atomic_int* x, global int* y) {{ {loop} }}\n"
        f"P1@wg 0 (global atomic_int* x, global int* y) {{ atomic_store(x, 1); *y = 5; }}\nexists (x = 1)\n"
    )
    assert kinds_that_cut(elaborate(test.program, 2, waiting=True)) == kinds
