from __future__ import annotations

from typing import TYPE_CHECKING

from mcm import check_all
from mcm.report.colour import Palette
from mcm.report.summary import Summary, render_summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.result import Judged


def test_lines_that_are_shown_at_once_are_aligned_with_all_names_of_files(make: Callable[..., Judged]) -> None:
    files = ["b.litmus", "a-long-name.litmus", "b.litmus"]
    summary = Summary(files)
    lines = [summary.line(make(file=name)) for name in files]
    assert {line.index("SB", len("a-long-name.litmus")) for line in lines} == {len("a-long-name.litmus") + 2}
    gap, totals = summary.end(Palette())
    assert gap == ""
    assert totals.startswith("2 tests, 3 results: 3 ")


def test_a_line_does_not_depend_on_those_behind_it(make: Callable[..., Judged]) -> None:
    short, long = make(file="b.litmus"), make(file="b.litmus", test="a-long-name")
    alone, before = Summary(["b.litmus"]), Summary(["b.litmus"])
    assert alone.line(short) == before.line(short)
    assert before.line(long).index("opencl-3.0") < before.line(short).index("opencl-3.0") + 1


def test_columns_become_no_narrower(make: Callable[..., Judged]) -> None:
    names = ["a-long-name.litmus", *("b.litmus" for _ in range(120))]
    lines = render_summary([make(file=name) for name in names]).splitlines()
    starts = {line.index("SB", len("a-long-name.litmus")) for line in lines[:121]}
    assert len(starts) == 1


def test_a_line_says_why_there_is_no_verdict() -> None:
    (result,) = check_all("C SB\n{ }\nP0 (int* x) { *x = 1 }\nexists (x=1)\n")
    line, *_ = render_summary([result]).splitlines()
    assert line.endswith("3:22: expected ';' after '1', found '}'")


def test_a_line_says_why_an_expectation_is_not_met_for_lack_of_a_verdict() -> None:
    text = "C SB\nExpect.c11=Always\n{ }\nP0 (int* x) { *y = 1; }\nexists (x=1)\n"
    line, *_ = render_summary(check_all(text)).splitlines()
    assert line.endswith("NOT as expected: 4:16: unknown name 'y'")
    line, *_ = render_summary(check_all(text.replace("Always", "invalid"))).splitlines()
    assert line.endswith("invalid  as expected")
