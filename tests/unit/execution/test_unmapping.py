"""An unmap ends one map, the latest that is left."""

from __future__ import annotations

import pytest

import mcm

MAP, UNMAP = "clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_READ);", "clEnqueueUnmapMemObject(q, x);"
READ = "int r0 = *x;"
KERNEL = "clEnqueueNDRangeKernel(q, K, 1, 1);"


@pytest.mark.parametrize(
    ("calls", "kinds"),
    [
        (f"{MAP} {READ} {UNMAP}", set()),
        (f"{MAP} {UNMAP} {READ}", {"unmapped-access"}),
        (f"{MAP} {MAP} {UNMAP} {READ}", set()),
        (f"{MAP} {MAP} {UNMAP} {UNMAP} {READ}", {"unmapped-access"}),
        (f"{MAP} {UNMAP} {MAP} {READ} {UNMAP}", set()),
        (f"{MAP} {UNMAP} {KERNEL}", set()),
        (f"{MAP} {MAP} {UNMAP} {KERNEL}", {"map-misuse"}),
        (f"{MAP} {MAP} {UNMAP} {UNMAP} {KERNEL}", set()),
        (f"if (*c) {{ {MAP} }} else {{ {MAP} }} {UNMAP} {KERNEL}", set()),
        (f"{MAP} if (*c) {{ {UNMAP} }} else {{ {UNMAP} }} {KERNEL}", set()),
    ],
)
def test_an_unmap_ends_one_map(calls: str, kinds: set[str]) -> None:
    text = f"""OPENCL unmapping
{{ buffer int x = 0; fine_svm int c = 0; queue q = in_order dev 0; }}
kernel K (global int* x) {{ *x = 1; }}
P0@host (global int* x, global int* c) {{ {calls} }}
exists (true)"""
    (result,) = mcm.check_all(text)
    assert {problem.kind for problem in result.undefined} == kinds
