"""The attributes of kernels in OpenCL C files: the size of work-groups that they require."""

from __future__ import annotations

import pytest

from mcm import KernelRequest, KernelSource, format_test
from mcm.front_end.kernel_file import read
from mcm.front_end.test import InvalidTestError
from mcm.program.topology import WorkItem

BODY = "(global int* x) { x[get_global_id(0)] = 1; }\n"
REQUIRED = "__attribute__((reqd_work_group_size(2, 1, 1)))"


def source(text: str, launch: str) -> KernelSource:
    return KernelSource("k.cl", text, KernelRequest((launch,)))


def sizes(text: str, launch: str) -> set[int]:
    placements = [thread.placement for thread in read(source(text, launch)).program.threads]
    return {place.local_size for place in placements if isinstance(place, WorkItem)}


@pytest.mark.parametrize(
    "head",
    [
        f"{REQUIRED} kernel void K",
        f"{REQUIRED} void kernel K",
        f"__kernel {REQUIRED} void K",
        f"kernel void {REQUIRED} K",
        "__attribute((__reqd_work_group_size__(2, 1, 1))) __kernel void K",
        "__attribute__((vec_type_hint(float4), reqd_work_group_size (4 / 2, 1, 1))) __kernel void K",
        f"kernel __attribute__((work_group_size_hint(8, 1, 1))) {REQUIRED} void K",
        "#define SIZE reqd_work_group_size(2, 1, 1)\n__attribute__((SIZE)) kernel void K",
        "enum { SIZE = 2 };\nkernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void K",
    ],
)
def test_the_required_size_is_that_of_a_launch_without_one(head: str) -> None:
    assert sizes(head + BODY, "K global 4") == {2}
    assert sizes(head + BODY, "K global 4, local 2") == {2}
    with pytest.raises(InvalidTestError) as raised:
        read(source(head + BODY, "K global 4, local 4"))
    assert [(one.code, one.span.source.name, one.span.text) for one in raised.value.diagnostics] == [
        ("E152", "--launch", "local 4")
    ]


def test_an_attribute_is_that_of_the_kernel_that_it_stands_at() -> None:
    text = f"{REQUIRED} void f(global int* x) {{ *x = 1; }}\nkernel void K{BODY}"

    assert sizes(text, "K global 4") == {4}


def test_a_hint_is_no_requirement() -> None:
    text = f"__attribute__((work_group_size_hint(2, 1, 1))) kernel void K{BODY}"

    assert sizes(text, "K global 4") == {4}


def test_local_memory_is_that_of_groups_of_the_required_size() -> None:
    text = (
        f"{REQUIRED} kernel void K(global int* x, local int* t)"
        " { t[get_local_id(0)] = 1; x[get_global_id(0)] = t[get_local_id(0)]; }"
    )

    assert "{ x[6]=0; t[2]; }" in format_test(source(text, "K global 6"))


def test_fmt_prints_what_is_required() -> None:
    shown = format_test(source(f"{REQUIRED} kernel void K{BODY}", "K global 4"))

    assert f"kernel {REQUIRED} K (global int* x) {{" in shown
