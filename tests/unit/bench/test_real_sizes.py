"""The table of kernels at their real size."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from bench import real_sizes
from bench.real_sizes import WORK, Cost, Work, cost, rows
from bench.registry import FAMILIES

if TYPE_CHECKING:
    from pathlib import Path


def test_every_row_is_a_member_of_a_family() -> None:
    assert {work.family for work in WORK} <= set(FAMILIES)
    assert len({work.what for work in WORK}) == len(WORK)


def test_only_an_answer_within_the_goal_meets_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(real_sizes, "WORK", (Work("it", "reduction", 4, 1.0),))
    found = []
    for taken in (Cost(0.5, 20, answered=True), Cost(0.5, 20, answered=False), Cost(2.0, 600, answered=True)):
        monkeypatch.setattr(real_sizes, "cost", lambda _, taken=taken: taken)
        found += rows(tmp_path)

    assert found == [
        "| it | 500 ms | 1.00 s | 20 MB | yes |",
        "| it | > 500 ms | 1.00 s | 20 MB | **no** |",
        "| it | 2.00 s | 1.00 s | **600 MB** | **no** |",
    ]


@pytest.mark.slow
def test_a_command_is_charged_what_it_takes() -> None:
    taken = cost((sys.executable, "-c", "bytearray(50_000_000)"))

    assert taken.answered
    assert taken.seconds > 0
    assert taken.megabytes > 40
    assert not cost((sys.executable, "-c", "raise SystemExit(3)")).answered
