"""What the value of a call points to is read where the statement has no other value."""

from __future__ import annotations

import pytest

from mcm import Judged, check

_TEST = """OPENCL discarded
{ global int x[2]; }
global int* at(global int* p, int i) { return p + i; }
P0@wg 0, dev 0 (global int* x) { x[1] = 1; }
P1@wg 1, dev 0 (global int* x) { STATEMENT }
exists (true)
"""


@pytest.mark.parametrize(
    ("statement", "is_read"),
    [("+*at(x, 1);", True), ("*at(x, 1);", True), ("(int)*at(x, 1);", True), ("at(x, 1);", False)],
)
def test_what_a_call_points_to(statement: str, is_read: bool) -> None:
    for engine in ("explicit", "smt"):
        found = check(_TEST.replace("STATEMENT", statement), engine=engine)
        assert isinstance(found, Judged)
        assert bool(found.races) == is_read
