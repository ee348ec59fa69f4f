from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.report.colour import Palette
from mcm.report.summary import Summary, render_summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.result import Judged


def test_the_lines_of_many_results_come_a_hundred_at_a_time(make: Callable[..., Judged]) -> None:
    summary = Summary()
    shown = [len(list(summary.add(make(file=f"{number}.litmus")))) for number in range(250)]
    assert [number for number, lines in enumerate(shown, start=1) if lines] == [100, 200]
    *rest, gap, totals = summary.end(Palette())
    assert (len(rest), gap) == (50, "")
    assert totals.startswith("250 tests: 250 ")


def test_columns_become_no_narrower(make: Callable[..., Judged]) -> None:
    names = ["a-long-name.litmus", *("b.litmus" for _ in range(120))]
    lines = render_summary([make(file=name) for name in names]).splitlines()
    starts = {line.index("SB", len("a-long-name.litmus")) for line in lines[:121]}
    assert len(starts) == 1
