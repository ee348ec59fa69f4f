"""What the tables of the benchmarks say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench import targets
from bench.command import Failure, PastLimit
from bench.contender import ENGINES, Sample, peer
from bench.measure import Plan, Point, Row
from bench.registry import FAMILIES
from bench.table import duration, heading, line, summary
from bench.targets import Target

if TYPE_CHECKING:
    from pathlib import Path

    from bench.measure import Outcome

_FAMILY = FAMILIES["writers"]
_PLAN = Plan((ENGINES["explicit"], peer("/opt/bin/herd7 {file}")), (2, 3, 4), 30.0, 3)


def _point(seconds: float, *, peer: bool = False, growth: float | None = None) -> Point:
    return Point(None if peer else seconds, 2 * seconds, None if peer else 2, None if peer else "a", 3, growth)


def _row(size: int, **outcomes: Outcome) -> Row:
    return Row(_FAMILY, size, outcomes, ())


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0012345, "1.23 ms"), (0.0456, "45.6 ms"), (0.789, "789 ms"), (1.5, "1.50 s"), (12.34, "12.3 s")],
)
def test_durations_have_three_digits_and_a_unit(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_columns_stand_under_their_headings() -> None:
    columns = heading(_FAMILY, _PLAN).splitlines()[-1]
    assert columns.split() == ["n", "states", "engine", "growth", "command", "peer/mcm", "command", "growth"]
    shown = line(_row(2, explicit=_point(1.0, growth=2.5), herd7=_point(3.0, peer=True, growth=4.0)), _PLAN)
    assert shown.split() == ["2", "2", "1.00", "s", "x2.50", "2.00", "s", "x3.00", "6.00", "s", "x4.00"]
    assert len(shown) == len(columns)


def test_a_peer_past_the_limit_is_a_lower_bound() -> None:
    assert ">x15.0" in line(_row(2, explicit=_point(1.0), herd7=PastLimit()), _PLAN)


def test_who_has_left_has_empty_columns() -> None:
    assert line(_row(4, herd7=_point(3.0, peer=True)), _PLAN).split() == ["4", "6.00", "s"]
    assert line(_row(4, explicit=Failure("no")), _PLAN).split() == ["4", "failed"]


def test_the_summary_says_how_far_each_got() -> None:
    measured = [
        _row(2, explicit=_point(0.1), herd7=PastLimit()),
        _row(3, explicit=_point(0.2)),
        _row(4, explicit=_point(0.4)),
    ]
    _, ours, theirs = summary(measured, _PLAN).splitlines()
    assert ours.split() == ["writers", "explicit", "4", "400", "ms", "x2.00"]
    assert theirs.split() == ["writers", "herd7", "-", "at", "2"]


def test_a_target_is_met_by_the_median() -> None:
    assert Target("it", 1.0, (0.1, 0.9, 5.0)).is_met
    assert Target("it", 1.0, (0.1, 0.9, 5.0)).row() == "| it | 1.00 s | 900 ms | 100 ms - 5.00 s | yes |"
    assert "**no**" in Target("it", 1.0, (0.1, 1.1, 5.0)).row()
    assert not Target("it", 1.0, None).is_met
    assert "not measured" in Target("it", 1.0, None).row()


def test_a_wrong_answer_meets_no_target(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A time counts only when the number of states is the right one."""
    found = {"states": 1}
    monkeypatch.setattr(targets, "measure", lambda *_: Sample(0.001, 0.1, found["states"], "a"))
    monkeypatch.setattr(targets, "_runs", lambda *_: None)
    promised = [target for target in targets.targets(tmp_path) if "counter" in target.what or "writers" in target.what]
    assert [target.is_met for target in promised] == [False, False, True, True]
