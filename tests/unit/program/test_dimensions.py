"""ND-ranges of two and three dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.source import Source
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Constant
from mcm.front_end.read import read_test
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from mcm.program.program import Program

IDS = "int g{d} = get_global_id({d}); int l{d} = get_local_id({d}); int w{d} = get_group_id({d});"
SIZES = "int s{d} = get_global_size({d}); int t{d} = get_local_size({d}); int n{d} = get_num_groups({d});"


def launched(sizes: str, body: str) -> Program:
    text = f"OPENCL t\n{{ [x]=0; }}\nkernel K (global int* x) {{ {body} }}\nlaunch K {sizes};\nexists (x=0)"
    return read_test(Source("t.litmus", text)).program


def values(program: Program, index: int) -> dict[str, int]:
    (skeleton,) = elaborate(program)
    return {
        name.register: value.value
        for name, value in skeleton.registers.items()
        if name.thread == index and isinstance(value, Constant) and isinstance(value.value, int)
    }


def test_ids_and_sizes_in_three_dimensions() -> None:
    body = " ".join((IDS + SIZES).format(d=d) for d in range(4)) + " int dims = get_work_dim();"
    program = launched("global 4 2 2, local 2 1 2", body)

    found = values(program, 11)

    # 11 = 3 + 4 * (0 + 2 * 1): the last work-item of a row of four, in the second plane.
    assert [found[f"g{d}"] for d in range(4)] == [3, 0, 1, 0]
    assert [found[f"l{d}"] for d in range(4)] == [1, 0, 1, 0]
    assert [found[f"w{d}"] for d in range(4)] == [1, 0, 0, 0]
    assert [found[f"s{d}"] for d in range(4)] == [4, 2, 2, 1]
    assert [found[f"t{d}"] for d in range(4)] == [2, 1, 2, 1]
    assert [found[f"n{d}"] for d in range(4)] == [2, 2, 1, 1]
    assert found["dims"] == 3


def test_linear_ids_and_groups() -> None:
    program = launched("global 4 2, local 2 2, sub 2", "int g = get_global_linear_id(); int l = get_local_linear_id();")
    places = [thread.placement for thread in program.threads]
    items = [place for place in places if isinstance(place, WorkItem)]

    assert [item.work_group.number for item in items] == [0, 0, 1, 1, 0, 0, 1, 1]
    assert [item.local_id for item in items] == [0, 1, 0, 1, 2, 3, 2, 3]
    assert [item.sub_group.number for item in items] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert values(program, 5) == {"g": 5, "l": 3}


def test_dimension_known_when_the_program_runs() -> None:
    body = "int r = 0; for (int d = 0; d < 3; d++) r = r * 10 + get_global_id(d);"

    assert values(launched("global 2 3, local 1 1", body), 5)["r"] == 120
