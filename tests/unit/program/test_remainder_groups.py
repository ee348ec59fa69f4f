"""Work-groups that are smaller than the others of a launch: those at its ends, where the sizes do not divide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import InputError, Judged, Source, check, run
from mcm.program.capability import MINIMUM
from mcm.program.capability import check as check_capability
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from conftest import Read, Resolve
    from mcm.program.program import Program

# What each work-item sees of its groups, and does with its neighbours there.
BODY = """
  int l = get_local_id(0);
  t[l] = get_group_id(0) * 100 + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int r = t[get_local_size(0) - 1 - l];
  int sum = work_group_reduce_add(l);
  int before = sub_group_scan_inclusive_add(10);
  int sizes = get_local_size(0) * 1000 + get_sub_group_size() * 100 + get_num_sub_groups() * 10 + get_num_groups(0);
"""
SHOWN = ("r", "sum", "before", "sizes")


def launched(global_size: int, local_size: int, sub_size: int) -> str:
    return (
        f"OPENCL t\n{{ }}\nkernel K () {{ local int t[{local_size}]; {BODY} }}\n"
        f"launch K global {global_size}, local {local_size}, sub {sub_size};\n"
    )


def placed(global_size: int, local_size: int, sub_size: int) -> str:
    """The same work-items, each written on its own."""
    threads, initial = [], []
    for number in range(global_size):
        group, local = divmod(number, local_size)
        place = f"@sg {local // sub_size}, wg {group}"
        body = BODY.replace("t[", f"t{group}[")
        threads.append(f"P{number}{place} (local int* t{group}) {{ {body} }}\n")
        initial.append(f"local int t{group}[{local_size}];")
    return f"OPENCL t\n{{ {' '.join(dict.fromkeys(initial))} }}\n{''.join(threads)}"


def values(text: str, name: str, count: int, engine: str) -> list[tuple[int, ...]]:
    """What is left in the variables of each work-item."""
    asked = " ".join(f"{name.format(i)}:{one};" for i in range(count) for one in SHOWN)
    source = Source("t.litmus", f"{text}locations [{asked}]\n")
    if engine == "machine":
        (only,) = run(source, runs=20).states
        state = only.state
    else:
        found = check(source, engine=engine)
        assert isinstance(found, Judged)
        assert not found.undefined
        (state,) = found.states
    return [tuple(state.values[f"{i}:{one}"] for one in SHOWN) for i in range(count)]


@pytest.mark.parametrize("engine", ["explicit", "smt", "machine"])
@pytest.mark.parametrize("sizes", [(3, 2, 2), (5, 3, 2), (2, 4, 4), (5, 4, 3)])
def test_groups_are_as_if_work_items_were_written_one_by_one(sizes: tuple[int, int, int], engine: str) -> None:
    shown = values(launched(*sizes), "K[{}]", sizes[0], engine)

    assert shown == values(placed(*sizes), "{}", sizes[0], engine)


def items(program: Program) -> list[WorkItem]:
    places = [thread.placement for thread in program.threads]
    return [place for place in places if isinstance(place, WorkItem)]


def test_four_kinds_of_groups_in_two_dimensions(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ }\nkernel K () { }\nlaunch K global 5 3, local 2 2;\n")

    sizes: dict[int, set[tuple[int, ...]]] = {}
    for item in items(program):
        sizes.setdefault(item.work_group.number, set()).add(tuple(one.local_size for one in item.dimensions))
    assert sizes == {0: {(2, 2)}, 1: {(2, 2)}, 2: {(1, 2)}, 3: {(2, 1)}, 4: {(2, 1)}, 5: {(1, 1)}}
    assert [item.local_id for item in items(program) if item.work_group.number == 2] == [0, 1]
    assert [item.local_size for item in items(program)] == [4, 4, 4, 4, 2, 4, 4, 4, 4, 2, 2, 2, 2, 2, 1]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("get_local_size(0)", [3, 3, 3, 2, 2]),
        ("get_local_size(1)", [1, 1, 1, 1, 1]),
        ("get_enqueued_local_size(0)", [3, 3, 3, 3, 3]),
        ("get_num_groups(0)", [2, 2, 2, 2, 2]),
        ("get_global_size(0)", [5, 5, 5, 5, 5]),
        ("get_sub_group_size()", [2, 2, 1, 2, 2]),
        ("get_max_sub_group_size()", [2, 2, 2, 2, 2]),
        ("get_num_sub_groups()", [2, 2, 2, 1, 1]),
        ("get_enqueued_num_sub_groups()", [2, 2, 2, 2, 2]),
    ],
)
def test_functions(function: str, expected: list[int]) -> None:
    text = (
        "OPENCL t\n{ int x[5]; }\n"
        f"kernel K (global int* x) {{ x[get_global_id(0)] = {function}; }}\n"
        "launch K global 5, local 3, sub 2;\nlocations [x;]\n"
    )

    found = check(Source("t.litmus", text))

    assert isinstance(found, Judged)
    assert [list(state.values.values()) for state in found.states] == [expected]


def test_a_group_that_is_smaller_than_all_that_were_asked_for() -> None:
    text = (
        "OPENCL t\n{ int x[2]; }\nkernel K (global int* x) {\n"
        "  int own = get_local_size(0);\n"
        "  x[get_global_id(0)] = own * 100 + get_enqueued_local_size(0) * 10 + get_max_sub_group_size();\n"
        "}\nlaunch K global 2, local 8, sub 4;\nforall (x[0]=284 /\\ x[1]=284)\n"
    )

    found = check(Source("t.litmus", text))

    assert isinstance(found, Judged)
    assert found.verdict.value == "required"


BEGIN = "OPENCL t\n{ queue q = in_order dev 0; }\nkernel K () { }\n"


def test_commands(resolved: Resolve) -> None:
    program = resolved(f"{BEGIN}P0@host () {{ clEnqueueNDRangeKernel(q, K, ndrange_2D(3, 2, 2, 2)); }}\n")

    assert [item.work_group.number for item in items(program)] == [0, 0, 1, 0, 0, 1]


def test_devices_need_not_have_them(read: Read) -> None:
    launch = read("OPENCL t\n{ }\nkernel K () { }\nlaunch K global 3, local 2;\n").program
    command = read(f"{BEGIN}P0@host () {{ clEnqueueNDRangeKernel(q, K, 3, 2); }}\n").program
    whole = read("OPENCL t\n{ }\nkernel K () { }\nlaunch K global 4, local 2;\n").program

    assert [one.code for one in check_capability(launch, MINIMUM)] == ["E150"]
    assert [one.span.text for one in check_capability(command, MINIMUM)] == ["clEnqueueNDRangeKernel(q, K, 3, 2)"]
    assert check_capability(whole, MINIMUM) == ()


def test_a_kernel_that_requires_a_size_has_remainders_too(resolved: Resolve) -> None:
    program = resolved(
        "OPENCL t\n{ }\nkernel __attribute__((reqd_work_group_size(2, 1, 1))) K () { }\nlaunch K global 3;\n"
    )

    assert [item.local_size for item in items(program)] == [2, 2, 1]


def test_ranges_of_sycl_have_whole_groups(read: Read) -> None:
    with pytest.raises(InputError) as raised:
        read("SYCL t\n{ }\nq.parallel_for(nd_range<1>(3, 2), [=](nd_item<1> it) { });\n")

    assert [one.code for one in raised.value.diagnostics] == ["E212"]
