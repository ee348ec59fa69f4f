"""The size of work-groups that a kernel requires, in litmus tests and host programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import InputError
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from conftest import Read, Resolve
    from mcm import Diagnostic
    from mcm.program.program import Program

KERNEL = "kernel __attribute__((reqd_work_group_size({}))) K (global int* x) {{ *x = 1; }}\n"
HOST = "P0@host (global int* x) {{ clEnqueueNDRangeKernel(q, K, {}); clFinish(q); }}\n"


def sizes(program: Program) -> set[tuple[int, ...]]:
    """The sizes of work-groups, by dimension."""
    places = [thread.placement for thread in program.threads]
    items = [place for place in places if isinstance(place, WorkItem)]
    return {tuple(one.local_size for one in item.dimensions) or (item.local_size,) for item in items}


def errors(read: Read, text: str) -> list[Diagnostic]:
    with pytest.raises(InputError) as raised:
        read(text)
    return [one for one in raised.value.diagnostics if one.is_error]


@pytest.mark.parametrize(
    ("required", "sizes_written", "found"),
    [
        ("2, 1, 1", "global 4", (2,)),
        ("2, 1, 1", "global 4, local 2", (2,)),
        ("2, 1, 1", "global 4 3", (2, 1)),
        ("2, 3, 1", "global 4 3, local 2 3", (2, 3)),
    ],
)
def test_launches(resolved: Resolve, required: str, sizes_written: str, found: tuple[int, ...]) -> None:
    text = f"OPENCL t\n{{ }}\n{KERNEL.format(required)}launch K {sizes_written};\nexists (x=1)\n"

    assert sizes(resolved(text)) == {found}


@pytest.mark.parametrize(
    ("required", "sizes_written", "text", "found"),
    [
        ("2, 1, 1", "global 4, local 4", "local 4", "found 4"),
        ("2, 1, 1", "global 4 2, local 2 2", "local 2 2", "found 2 * 2"),
        ("2, 2, 1", "global 4", "K global 4", "found one dimension"),
        ("1, 1, 2", "global 4 4", "K global 4 4", "found 2 dimensions"),
    ],
)
def test_launches_that_fail(read: Read, required: str, sizes_written: str, text: str, found: str) -> None:
    (found_one,) = errors(read, f"OPENCL t\n{{ }}\n{KERNEL.format(required)}launch K {sizes_written};\nexists (x=1)\n")

    assert (found_one.code, found_one.span.text) == ("E152", text)
    assert found in found_one.message
    assert found_one.message.endswith("it is not run (CL_INVALID_WORK_GROUP_SIZE)")
    assert [note.span.text for note in found_one.notes if note.span] == [
        f"__attribute__((reqd_work_group_size({required})))"
    ]


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ("reqd_work_group_size(2, 1)", ["E104"]),
        ("reqd_work_group_size(2, n, 1)", ["E131"]),
        ("reqd_work_group_size(2, 0, 1)", ["E152"]),
        ("packed(1)", ["E050"]),
    ],
)
def test_attributes_that_are_wrong(read: Read, attribute: str, expected: list[str]) -> None:
    text = (
        f"OPENCL t\n{{ }}\nkernel __attribute__(({attribute})) K (global int* x) {{ *x = 1; }}\n"
        "launch K global 4;\nlaunch K global 4;\nexists (x=1)\n"
    )

    assert [one.code for one in errors(read, text)] == expected


def test_commands(resolved: Resolve, read: Read) -> None:
    begin = f"OPENCL t\n{{ queue q = in_order dev 0; }}\n{KERNEL.format('2, 1, 1')}"

    assert sizes(resolved(f"{begin}{HOST.format('4')}exists (x=1)\n")) == {(2,)}
    assert sizes(resolved(f"{begin}{HOST.format('ndrange_2D(4, 2)')}exists (x=1)\n")) == {(2, 1)}
    (found,) = errors(read, f"{begin}{HOST.format('4, 4')}exists (x=1)\n")
    assert (found.code, found.span.text) == ("E152", "clEnqueueNDRangeKernel(q, K, 4, 4)")
