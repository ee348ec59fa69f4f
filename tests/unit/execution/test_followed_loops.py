"""Loops that may come to an end by themselves: they are followed there, and no others are tried."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import pytest
from small_threads import skeletons

from mcm.execution.iteration import Iterations
from mcm.execution.loops import Loops
from mcm.execution.shared import EventLimitError

if TYPE_CHECKING:
    from mcm.execution.flow import Flow
    from mcm.execution.path import Path
    from mcm.execution.skeleton import Skeleton
    from mcm.program import instruction as hir

pytestmark = pytest.mark.slow

INITIAL: Final = "[y]=0; [d]=0; int a[1]; int x[4];"
CONDITIONS: Final = ("1", "i >= 0", "i < 4", "atomic_load(y) == 0")
TESTS: Final = (
    "if (atomic_load(x + i) != 7) break;",
    "if (atomic_exchange(x + i, 7) == 0) break;",
    "if (atomic_load(y) == 3) i = -2;",
    "atomic_store(d, i);",
)
STEPS: Final = ("i++;", "i = (i + 1) % 4;", "i--;", "i = 3 - i;", "if (atomic_load(y) == 1) i++;", "")


def elaborated() -> list[tuple[Skeleton, ...] | None]:
    """Give the skeletons of threads with each condition, test and step; None for those that count for ever."""
    return [
        elaborated_if_finite(f"int i = 1; while ({condition}) {{ {test} {step} }}")
        for condition, test, step in product(CONDITIONS, TESTS, STEPS)
    ]


def elaborated_if_finite(body: str) -> tuple[Skeleton, ...] | None:
    try:
        return skeletons(
            body, "atomic_store(y, 1);", bound=1, waiting=True, asks="exists (y=0)", initial=INITIAL, limit=200
        )
    except EventLimitError:
        return None


def test_to_follow_all_loops_changes_nothing_where_it_is_plain_that_none_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    unrolled = {"usual": 0, "all": 0, "none": 0}
    unroll = Loops.unroll
    way = "usual"

    def counting(loops: Loops, node: hir.Loop, path: Path) -> Flow:
        unrolled[way] += 1
        return unroll(loops, node, path)

    monkeypatch.setattr(Loops, "unroll", counting)
    usual = elaborated()
    way = "all"
    monkeypatch.setattr(Iterations, "may_end", property(lambda _: True, lambda _, __: None), raising=False)
    assert elaborated() == usual
    way = "none"
    monkeypatch.setattr(Iterations, "may_end", property(lambda _: False, lambda _, __: None), raising=False)
    assert elaborated() != usual
    assert unrolled["none"] < unrolled["usual"] < unrolled["all"]
