"""How many runs `mcm run` makes, and when it stops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcm.cli.group import run

SB = str(Path(__file__).resolve().parents[3] / "litmus" / "opencl" / "patterns" / "SB.litmus")


@pytest.mark.parametrize("arguments", [(), ("--schedule", "exhaustive")], ids=["random", "exhaustive"])
def test_a_search_for_a_state_ends_with_it(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    assert run(["run", SB, "--until-found", "--format", "json", *arguments]) == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"]

    assert (found["found"], found["complete"], found["limit"]) == (True, False, None)
    assert [state["satisfies"] for state in found["states"]].count(True) == 1
    assert sum(state["runs"] for state in found["states"]) < 100


def test_a_state_that_is_not_there_is_looked_for_to_the_end(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    test = tmp_path / "never.litmus"
    test.write_text(Path(SB).read_text(encoding="utf-8").replace("exists (0:r0=0", "exists (0:r0=7"), encoding="utf-8")
    assert run(["run", str(test), "--until-found", "--schedule", "exhaustive", "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"]

    assert (found["found"], found["complete"], len(found["states"])) == (False, True, 4)


def test_of_long_programs_there_are_fewer_runs_and_it_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcm.execute._AFFORDED_STEPS", 100)
    assert run(["run", SB]) == 0
    written = capsys.readouterr()

    assert "SB: 24 runs with seed 0" in written.err
    assert "the number of runs was chosen by the 4 steps of the first one; see --runs" in written.err
    assert run(["run", SB, "--runs", "30"]) == 0
    assert "chosen" not in capsys.readouterr().err


def test_turns_are_always_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", SB, "--schedule", "round-robin", "--trace"]) == 0
    written = capsys.readouterr()

    assert "SB: 1 run, round-robin on views" in written.err
    assert "schedule: 0 1 0/1 1/1" in written.out
