"""Which unmap ends which map, and what the machine makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.source import Source
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.mappings import mappings_of

if TYPE_CHECKING:
    from mcm.program.program import Program

BUDGET = Budget(configurations=20_000, operations=100)


def program_of(host: str, kernel: str = "*x = 1;") -> Program:
    text = (
        "OPENCL t\n{ buffer int x = 0; queue q = in_order dev 0; }\n"
        f"kernel K (global int* x) {{ {kernel} }}\nP0@host (global int* x) {{ {host} }}\nexists (true)\n"
    )
    return read_test(Source("t", text)).program


def kinds_of(host: str, kernel: str = "*x = 1;") -> set[str]:
    return {one.kind for one in explore(build(program_of(host, kernel), "views"), (), BUDGET).findings}


MAP = "clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_WRITE);"
READ = "clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_READ);"
UNMAP = "clEnqueueUnmapMemObject(q, x);"
LAUNCH = "clEnqueueNDRangeKernel(q, K, 1, 1);"


def test_an_unmap_ends_the_latest_map() -> None:
    found = mappings_of(program_of(f"{READ} {READ} {UNMAP} {UNMAP}"))

    assert found.may_end == found.surely_end == {0: (3,), 1: (2,)}


def test_of_calls_in_branches_it_is_left_open_what_they_end() -> None:
    found = mappings_of(program_of(f"{READ} int r = *x; if (r == 0) {{ {UNMAP} }} {UNMAP}"))

    assert (found.may_end, found.surely_end) == ({0: (1, 2)}, {0: ()})


@pytest.mark.parametrize(
    ("host", "kernel", "kinds"),
    [
        (f"{MAP} *x = 2; {UNMAP} {LAUNCH}", "int r = *x;", set()),
        (f"{MAP} {LAUNCH} {UNMAP}", "int r = *x;", {"map-misuse"}),
        (f"{READ} {LAUNCH} {UNMAP}", "int r = *x;", set()),
        (f"{READ} {LAUNCH} {UNMAP}", "*x = 1;", {"map-misuse"}),
        (f"{MAP} {UNMAP} {MAP} {UNMAP} {LAUNCH}", "*x = 1;", set()),
        (f"{LAUNCH} {MAP} *x = 2; {UNMAP}", "*x = 1;", set()),
        (f"{READ} *x = 2; {UNMAP}", "", {"unmapped-access"}),
        (f"{MAP} {UNMAP} *x = 2;", "", {"unmapped-access"}),
        (f"{MAP} {MAP} {UNMAP} *x = 2; {UNMAP}", "", {"map-misuse"}),
    ],
)
def test_what_is_used_while_it_is_mapped_is_found(host: str, kernel: str, kinds: set[str]) -> None:
    assert kinds_of(host, kernel) == kinds
