"""Work-items with the same code share it; what their ids and parameters make different is in slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.source import Source
from mcm.front_end.read import read_test
from mcm.machine import compile as compiling
from mcm.machine.alike import Alike, threads_alike
from mcm.machine.build import build
from mcm.machine.compile import compile_threads
from mcm.machine.recording import Recording, recorded
from mcm.machine.schedule import RandomScheduler

if TYPE_CHECKING:
    from mcm.program.program import Program, Thread

KERNELS = {
    "ids": """int r = get_local_id(0) + 10 * get_group_id(0); t[get_local_id(0)] = r;
        out[get_global_id(0)] = t[get_local_id(0)];""",
    "pointers": """int v = get_global_id(0); int* p = &v; *p = *p + 1; int a[2] = {3, 4}; a[get_local_id(0)] = v;
        out[get_global_id(0)] = a[1];""",
    "unsequenced": "int i = get_local_id(0); int a[2] = {0, 1}; out[get_global_id(0)] = a[i] + (a[0] = 7);",
    "branches": "if (get_global_id(0) > 1) { out[0] = get_global_id(0); } else { out[1] = 5; }",
}


def program_of(body: str) -> Program:
    text = f"""OPENCL alike
{{ int out[4]; }}
kernel K (global int* out, local int t[2]) {{ {body} }}
launch K global 4, local 2;
locations [out[0]; out[3];]
"""
    return read_test(Source("alike", text)).program


def apart(threads: tuple[Thread, ...], performing: tuple[int, ...]) -> list[Alike]:
    """Every thread compiled for itself."""
    return [Alike(thread, n in performing, [n], [{}]) for n, thread in enumerate(threads)]


def runs(program: Program) -> list[Recording]:
    machine = build(program, "views")
    return [recorded(machine, RandomScheduler(seed), 500, is_weak=True) for seed in range(6)]


@pytest.mark.parametrize("name", KERNELS)
def test_runs_are_those_of_threads_that_are_compiled_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(KERNELS[name])
    shared = runs(program)
    monkeypatch.setattr(compiling, "threads_alike", apart)

    assert [(run.operations, run.orders, run.findings) for run in runs(program)] == [
        (run.operations, run.orders, run.findings) for run in shared
    ]


def test_all_work_items_of_a_kernel_are_alike() -> None:
    program = program_of(KERNELS["ids"])
    (alike,) = threads_alike(program.threads, ())
    codes = compile_threads(program.threads, (), (), program.dialect)

    assert alike.positions == [0, 1, 2, 3]
    assert len({id(code.instructions) for code in codes}) == 1
    assert len({code.initial for code in codes}) == 4


def test_other_code_is_not_shared() -> None:
    two = read_test(
        Source(
            "two",
            "OPENCL two\n{ }\nP0 (global int* x) { *x = 1; }\nP1 (global int* x) { *x = 2; }\nexists (x=1)\n",
        )
    ).program

    assert [alike.positions for alike in threads_alike(two.threads, ())] == [[0], [1]]
    # Who performs the copies of its group does more.
    items = program_of(KERNELS["ids"])
    assert [alike.positions for alike in threads_alike(items.threads, (2,))] == [[0, 1, 3], [2]]
