"""`clEnqueueMigrateMemObjects`: no access may overlap with it, and with a flag it leaves no contents."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import EngineName, Source, check, run

KERNELS: Final = """kernel K (global int* x) { x[get_global_id(0)] += 1; }
kernel L (global const int* x, global int* y) { int r0 = x[0]; *y = r0; }
"""


def text(body: str, condition: str) -> str:
    """A host program with an out-of-order queue and two buffers."""
    objects = "int x[2] = {1, 2}; int y = 5; queue q = out_of_order dev 0;"
    return f"OPENCL t\n{{ {objects} }}\n{KERNELS}P0@host () {{ {body} }}\nforall ({condition})"


@pytest.mark.parametrize("flags", ["", ", 0", ", CL_MIGRATE_MEM_OBJECT_HOST", ", 0 | CL_MIGRATE_MEM_OBJECT_HOST"])
@pytest.mark.parametrize("function", ["clEnqueueMigrateMemObjects", "clEnqueueSVMMigrateMem"])
def test_what_waits_for_a_migration_finds_the_contents(function: str, flags: str) -> None:
    body = f"event e = {function}(q, x, y{flags}); clEnqueueNDRangeKernel(q, K, 2, 1, wait(e)); clFinish(q);"
    source = Source("t", text(body, "x[0]=2 /\\ x[1]=3 /\\ y=5"))
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(source, "opencl-3.0", engine=engine)
        assert found.holds
        assert not found.undefined
    assert all(one.state.satisfies for one in run(source, runs=3, seed=1).states)


@pytest.mark.parametrize("kernel", ["K, 2", "L, 1"])
def test_what_does_not_wait_overlaps_with_it_and_may_not(kernel: str) -> None:
    body = f"clEnqueueMigrateMemObjects(q, x); clEnqueueNDRangeKernel(q, {kernel}, 1); clFinish(q);"
    found = check(Source("t", text(body, "true")), "opencl-3.0")

    assert {one.kind for one in found.undefined} == {"data-race"}
    assert {one.location for one in found.undefined} <= {"x[0]", "x[1]"}


def test_contents_may_be_given_up() -> None:
    flags = "CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"
    body = f"event e = clEnqueueMigrateMemObjects(q, x, {flags}); clEnqueueNDRangeKernel(q, K, 2, 1, wait(e));"
    found = check(Source("t", text(body, "true")), "opencl-3.0")

    assert {one.kind for one in found.undefined} == {"uninitialised-read"}
