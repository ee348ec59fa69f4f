from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.program.condition import RegisterName
from mcm.program.topology import Enqueued, WorkItem, sub_group
from mcm.program.types import Location, Region

if TYPE_CHECKING:
    from conftest import Complain, Resolve
    from mcm.program.program import Program


def test_work_items_are_threads_in_the_order_of_global_ids(resolved: Resolve) -> None:
    program = resolved(
        "OPENCL t\n{ }\nP0 (global int* x) { *x = 1; }\nkernel K (global int* x) { *x = 2; }\n"
        "launch K global 4, local 2, sub 1, dev 1, ki 3;\nexists (x=1)\n"
    )

    assert [(t.index, t.name) for t in program.threads] == [
        (0, "P0"),
        (1, "K[0]"),
        (2, "K[1]"),
        (3, "K[2]"),
        (4, "K[3]"),
    ]
    assert program.threads[4].placement == WorkItem(
        sub_group(device=1, kernel_instance=3, work_group=1, number=1),
        global_id=3,
        local_id=1,
        local_size=2,
        global_size=4,
        sub_group_local_id=0,
        enqueued=Enqueued(local_size=2, sub_group_size=1),
    )


def placements(program: Program) -> list[tuple[str, int, int]]:
    places = [(t.name, t.placement) for t in program.threads]
    return [(n, p.kernel_instance.number, p.work_group.number) for n, p in places if isinstance(p, WorkItem)]


def test_each_launch_is_a_kernel_instance_of_its_own(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ }\nP0 () { }\nkernel K () { }\nlaunch K global 1;\nlaunch K global 2, local 1;\n")

    assert placements(program) == [("P0", 0, 0), ("K[0]", 1, 0), ("K@ki2[0]", 2, 0), ("K@ki2[1]", 2, 1)]


def test_every_work_group_has_its_own_local_memory(resolved: Resolve) -> None:
    program = resolved(
        "OPENCL t\n{ int x = 0; local t[3]; }\nkernel K (global int* x, local int* t) { t[0] = *x; }\n"
        "launch K global 4, local 2;\nexists (t@wg1[2]=0 /\\ K[3]:x=0 /\\ K[3]:t=0)\n"
    )

    assert [(o.element(0), o.region, o.initial) for o in program.objects] == [
        ("x", Region.GLOBAL, (0,)),
        ("t@wg0[0]", Region.LOCAL, (None,) * 3),
        ("t@wg1[0]", Region.LOCAL, (None,) * 3),
    ]
    assert [r.initial for t in program.threads for r in t.registers if r.name == "t"] == [
        Location(1),
        Location(1),
        Location(2),
        Location(2),
    ]
    assert "RegisterName" in repr(program.condition)
    assert repr(Location(2, 2)) in repr(program.condition)
    assert repr(RegisterName(3, "x")) in repr(program.condition)


KERNEL = "OPENCL t\n{ }\nkernel K (global int* x, local int* t) { *x = 1; t[0] = 1; int r = 0; }\n"


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("launch K global 2;\nexists (K[2]:r=0)", ["E135 5:9"]),
        ("launch K global 2;\nexists (K[1]:q=0)", ["E136 5:9"]),
        ("launch K global 2;\nexists (t=0)", ["E137 5:9"]),
        ("launch K global 2;\nexists (t@wg1=0)", ["E137 5:9"]),
        ("launch K global 2;\nexists (x@wg0=0)", ["E137 5:9"]),
        ("launch K global 2, global 3;", ["E114 4:20"]),
        ("launch K local 2;", ["E152 4:1"]),
        ("launch K global 5, local 2 1;", ["E152 4:20"]),
        ("launch L global 5;", ["W120 3:8", "E151 4:8"]),
        ("kernel K () { }\nlaunch K global 1;", ["E118 4:8"]),
        ("", ["W120 3:8"]),
    ],
)
def test_mistakes(complaints: Complain, rest: str, expected: list[str]) -> None:
    assert complaints(f"{KERNEL}{rest}\n") == expected


def test_a_mistake_in_a_kernel_is_reported_once(complaints: Complain) -> None:
    text = "OPENCL t\n{ }\nkernel K (global int* x) { *x = y; }\nlaunch K global 8;\n"

    assert complaints(text) == ["E101 3:33"]
