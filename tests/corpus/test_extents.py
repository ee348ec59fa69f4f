"""The smaller models that programs are judged by leave out nothing that these programs have."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm import InputError, Session
from mcm.catalogue.empty_parts import empty_in
from mcm.execution.elaborate import elaborate
from mcm.execution.vocabulary import BEYOND_ACCESSES, BEYOND_MEMORY
from mcm.program.program import Program

if TYPE_CHECKING:
    from mcm import Found
    from mcm.program.program import Extent

LITMUS = Path(__file__).resolve().parents[2] / "litmus"
FILES = sorted(path for folder in ("opencl", "c11", "sycl") for path in (LITMUS / folder).rglob("*.litmus"))
EMPTY: dict[Extent, frozenset[str]] = {
    "whole": frozenset(),
    "memory": BEYOND_MEMORY,
    "accesses": BEYOND_ACCESSES,
}


def folder_of(path: Path) -> str:
    return path.relative_to(LITMUS).parts[-2]


@cache
def programs() -> dict[Path, Program]:
    found = {}
    for path in FILES:
        try:
            found[path] = Session().parse(path).program
        except InputError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted({folder_of(path) for path in FILES}))
def test_what_is_left_out_is_empty_in_each_execution(folder: str) -> None:
    for path, program in programs().items():
        if folder_of(path) == folder:
            empty = empty_in(elaborate(program, bound=1))
            assert empty >= EMPTY[program.extent], path
            # Nor is a larger model taken than needed.
            assert program.extent == "accesses" or not empty >= BEYOND_ACCESSES, path


SMALL = [
    path
    for path in FILES
    if path.parent in {LITMUS / "opencl" / "patterns", LITMUS / "c11", LITMUS / "sycl" / "patterns"}
]


@pytest.mark.slow
@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_a_program_has_the_same_result_under_the_whole_model(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def result() -> Found:
        return Session().check(path, timeout=30)

    small = result()
    monkeypatch.setattr(Program, "extent", property(lambda _: "whole"))
    whole = result()
    for name in ("states", "undefined", "impl_defined", "flags", "waits", "blocked", "observation", "as_expected"):
        assert getattr(small, name) == getattr(whole, name), name


def test_extents_of_programs() -> None:
    patterns = LITMUS / "opencl" / "patterns"
    assert Session().parse(patterns / "MP.dv.litmus").program.extent == "accesses"
    fence = "C fence\n{ x = 0; }\nP0(atomic_int* x) { atomic_thread_fence(memory_order_seq_cst); }\nexists (x=0)\n"
    assert Session().parse(fence).program.extent == "memory"
