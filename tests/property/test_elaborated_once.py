"""Elaboration does not repeat what would say the same: random programs with loops, with and without repetition."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from mcm.base.source import Source
from mcm.execution.elaborate import elaborate
from mcm.execution.iteration import Iterations
from mcm.execution.loops import Loops
from mcm.execution.skeleton import is_cut
from mcm.execution.unwritten import unwritten_objects
from mcm.front_end.read import read_test
from oracle.loops_generate import loops_from_seed
from oracle.loops_text import print_loops

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.execution.flow import Flow
    from mcm.execution.path import Path as Way
    from mcm.execution.skeleton import Skeleton
    from mcm.program import instruction as hir
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

SEED: Final = "2026"
COUNT: Final = 80
FOLDERS: Final = [Path(__file__).parents[2] / "litmus" / "opencl" / name for name in ("locks", "loops", "waiting")]


def elaborated(program: Program, *, folds: bool = False) -> Skeleton:
    (skeleton,) = elaborate(program, 1, waiting=True, folds=folds)
    return skeleton


def cut_programs() -> Iterator[Program]:
    """Give programs in which the bound cuts some loop: random ones, and those that are shipped."""
    texts = [print_loops(loops_from_seed(SEED, number))[0] for number in range(COUNT)]
    texts += [file.read_text(encoding="utf-8") for folder in FOLDERS for file in sorted(folder.glob("*.litmus"))]
    for text in texts:
        program = read_test(Source("loops.litmus", text)).program
        if is_cut(elaborated(program).stops):
            yield program


def test_to_follow_loops_that_cannot_come_to_an_end_by_themselves_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All are followed, or those of which it is not plain that they cannot."""
    unrolled = Counter[bool]()
    unroll = Loops.unroll
    follows_all = False

    def counting(loops: Loops, node: hir.Loop, path: Way) -> Flow:
        unrolled[follows_all] += 1
        return unroll(loops, node, path)

    programs = list(cut_programs())
    monkeypatch.setattr(Loops, "unroll", counting)
    usual = [elaborated(program) for program in programs]
    follows_all = True
    monkeypatch.setattr(Iterations, "may_end", property(lambda _: True, lambda _, __: None), raising=False)
    assert [elaborated(program) for program in programs] == usual
    assert unrolled[False] < unrolled[True]


def test_where_nothing_is_unwritten_folding_changes_nothing() -> None:
    compared = 0
    for program in cut_programs():
        if not unwritten_objects(program):
            assert elaborated(program, folds=True) == elaborated(program)
            compared += 1
    assert compared
