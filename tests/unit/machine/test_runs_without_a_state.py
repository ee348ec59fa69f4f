"""What is said of runs that end in no final state, and of those that a filter leaves out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import mcm
from mcm.cli.group import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BLOCKED = """OPENCL blocked
{ [f]=0; }
P0@wg 0 (global atomic_int* f) { while (atomic_load(f) == 0) {} int r0 = 1; }
forall (0:r0=1)
"""
FILTERED = """OPENCL filtered
{ [x]=0; }
P0@wg 0 (global atomic_int* x) { int r0 = atomic_load(x); }
P1@wg 1 (global atomic_int* x) { atomic_store(x, 1); }
filter (0:r0=1)
forall (0:r0=1)
"""
COUNTER = """OPENCL counter
{ [f]=0; }
P0@wg 0 (global atomic_int* f) { int i = 0; while (atomic_load(f) == 0) { i = i + 1; } int r0 = i; }
P1@wg 1 (global atomic_int* f) { atomic_store(f, 1); }
exists (0:r0=5)
"""


@pytest.fixture
def called(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """What a command prints of a test that is given as text."""

    def call(text: str, *arguments: str) -> tuple[int, str, str]:
        file = tmp_path / "test.litmus"
        file.write_text(text, encoding="utf-8")
        code = run([*arguments, str(file)])
        written = capsys.readouterr()
        return code, written.out, written.err

    return call


@pytest.mark.parametrize("question", ["forall", "exists", "~exists"])
@pytest.mark.parametrize("how", [("--runs", "20"), ("-s", "exhaustive")], ids=["random", "exhaustive"])
def test_nothing_is_said_of_the_condition_where_no_run_ends(
    called: Callable[..., tuple[int, str, str]], question: str, how: tuple[str, ...]
) -> None:
    code, output, remarks = called(BLOCKED.replace("forall", question), "run", *how)

    assert code == 0
    assert output.splitlines()[1:3] == ["Histogram (0 states)", "??"]
    assert f"\nCondition {question} (0:r0=1)\n" in output
    assert "validated" not in output
    assert "no final state, so that nothing is said of the condition" in remarks


def test_runs_that_never_end_are_no_difference_to_a_model_without_execution(
    called: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    _, output, _ = called(BLOCKED, "run", "--runs", "20")
    (tmp_path / "run.log").write_text(output, encoding="utf-8")

    assert called(BLOCKED, "compare", "opencl-3.0", str(tmp_path / "run.log"))[0] == 0


def test_runs_that_a_filter_leaves_out_are_counted(called: Callable[..., tuple[int, str, str]]) -> None:
    _, output, remarks = called(FILTERED, "run", "--runs", "100")
    (line,) = [line for line in output.splitlines() if "*>" in line]
    passing = int(line.split()[0])

    assert "filtered: 100 runs" in remarks
    assert f"  {100 - passing} runs left out by the filter of the test\n" in remarks
    assert "  1 final state left out by the filter of the test\n" in called(FILTERED, "run", "-s", "exhaustive")[2]
    document = json.loads(called(FILTERED, "run", "--runs", "100", "--format", "json")[1])
    assert document["runs"][0]["excluded"] == 100 - passing


def test_where_the_filter_leaves_out_all_the_condition_is_judged_as_by_a_check(
    called: Callable[..., tuple[int, str, str]],
) -> None:
    text = FILTERED.replace("filter (0:r0=1)", "filter (0:r0=7)")
    _, output, _ = called(text, "run", "-s", "exhaustive")

    assert output.splitlines()[2] == "Ok"
    assert "required" in called(text, "check")[1]
    assert "note: no execution passes the filter of the test" in called(text, "check", "--run")[1]


def test_one_state_is_announced_as_litmus7_does(called: Callable[..., tuple[int, str, str]]) -> None:
    assert "\nHistogram (1 states)\n" in called(FILTERED, "run", "--runs", "20")[1]


def test_a_comparison_says_that_the_answer_is_bounded_and_what_it_found(
    called: Callable[..., tuple[int, str, str]],
) -> None:
    code, output, _ = called(COUNTER, "check", "--run", "--bound", "2", "--accept-bounded")
    words = {line.split()[0]: line.split()[1] for line in output.splitlines() if line.split()[1:2] == ["allowed"]}

    assert code == 0
    assert "note: bounded: the loop at" in output
    assert words == {"0": "allowed", "1": "allowed", "2": "allowed"}
    (found,) = mcm.Session().check_and_run(COUNTER, mcm.Options(bound=2), 20, 0)
    assert isinstance(found, mcm.MachineComparison)
    assert {state.values["0:r0"] for state in found.states if state.allowed is None} >= {3, 5}
