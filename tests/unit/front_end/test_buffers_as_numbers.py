"""A buffer that is of structures for one kernel, and of numbers for another."""

from __future__ import annotations

import pytest

from mcm import Judged, KernelRequest, KernelSource, check

TEXT = """typedef struct {{ int n; int m; }} P;
kernel void K(global P* p) {{ p[get_global_id(0)].m = 3; }}
kernel void L(global int* p, global int* o) {{ int g = get_global_id(0); o[g] = p[2 * g + {}]; }}
"""


@pytest.mark.parametrize(("member", "kinds"), [(0, set()), (1, {"data-race"})])
def test_members_are_the_numbers_of_another_kernel(member: int, kinds: set[str]) -> None:
    request = KernelRequest(
        ("K global 2", "L global 2"),
        initial=("P p[2] = {{1, 2}, {4, 5}}",),
        questions=(r"forall (p.n[1]=4 /\ p.m[1]=3)",),
    )
    found = check(KernelSource("t.cl", TEXT.format(member), request))

    assert isinstance(found, Judged)
    assert found.holds
    assert {problem.kind for problem in found.undefined} == kinds
