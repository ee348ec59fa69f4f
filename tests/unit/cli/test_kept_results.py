"""`mcm test` with results that are kept: reruns are incremental, and nothing is lost whatever ends a run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mcm.cli.executors import LocalProcesses

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

pytestmark = pytest.mark.slow

HEADER = "Expect.opencl-3.0=Sometimes no-race"
MODEL = """"mine"
let com = rf | co | fr
(* @rule COH-1
   @section here
   @statement Coherence. *)
irreflexive (po-loc ; com+) as coherence
"""


@pytest.fixture
def suite(tmp_path: Path, sb: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.litmus").write_text(sb.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


@pytest.fixture
def again(mcm: Callable[..., Ended], suite: Path, tmp_path: Path) -> Callable[..., Ended]:
    """Runs the suite once more, on top of the results that were kept."""
    results = tmp_path / "results.jsonl"

    def run(*options: object) -> Ended:
        return mcm("test", "-j", "1", suite, "--results", results, "--changed-since", results, *options)

    return run


def taken_over(ended: Ended) -> int:
    line = next((line for line in ended.out.splitlines() if line.endswith("judged by an earlier run")), "0")
    return int(line.split()[0])


def test_what_has_not_changed_is_not_judged_again(again: Callable[..., Ended], suite: Path) -> None:
    assert "no earlier results: all tests are judged" in again().out
    assert taken_over(again()) == 3
    path = suite / "b.litmus"
    path.write_text(path.read_text(encoding="utf-8").replace(HEADER, "Expect.opencl-3.0=Never"), encoding="utf-8")

    first, second = again(), again()

    assert (first.code, taken_over(first)) == (1, 2)
    assert (second.code, taken_over(second)) == (1, 3)  # what is not met stays so, and is shown again
    assert "expected Never, found Sometimes" in second.out


def test_other_options_are_other_questions(again: Callable[..., Ended]) -> None:
    again()

    assert taken_over(again("--engine", "smt")) == 0
    assert taken_over(again("--model", "opencl-3.0")) == 0
    assert taken_over(again("--model", "opencl-3.0", "--timeout", "30")) == 3  # a limit changes no answer


def test_a_limit_is_no_answer_to_take_over(again: Callable[..., Ended]) -> None:
    assert again("--timeout", "0.000001").code == 3

    ended = again()

    assert (ended.code, taken_over(ended)) == (0, 0)


def test_a_rule_that_changed_is_named(again: Callable[..., Ended], suite: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine.cat"
    text = (suite / "a.litmus").read_text(encoding="utf-8")
    for name in "abc":
        (suite / f"{name}.litmus").write_text(text.replace(HEADER, "Expect.mine=Sometimes"), encoding="utf-8")
    model.write_text(MODEL, encoding="utf-8")
    assert again("--model", model).code == 0
    assert taken_over(again("--model", model)) == 3
    model.write_text(MODEL.replace("irreflexive (po-loc ; com+)", "acyclic po | com"), encoding="utf-8")

    ended = again("--model", model)

    assert (ended.code, taken_over(ended)) == (1, 0)
    assert ended.out.count("met before the model changed: COH-1") == 3


def test_a_line_that_was_being_written_is_judged_anew(again: Callable[..., Ended], tmp_path: Path) -> None:
    again()
    results = tmp_path / "results.jsonl"
    results.write_bytes(results.read_bytes()[:-20])

    ended = again()

    assert (ended.code, taken_over(ended)) == (0, 2)
    assert "1 unreadable in the earlier results" in ended.out
    assert all(json.loads(line) for line in results.read_text(encoding="utf-8").splitlines())


def test_a_killed_worker_leaves_its_test_open_and_the_next_run_goes_on_there(
    again: Callable[..., Ended], suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = LocalProcesses.run

    def killing(self: LocalProcesses, work: object, tasks: object, notice: object) -> object:
        return run(self, _Killing(work), tasks, notice)  # type: ignore[arg-type, type-var]

    monkeypatch.setattr(LocalProcesses, "run", killing)
    ended = again()
    monkeypatch.undo()

    assert ended.code == 3
    assert f"{suite}/b.litmus: open (crash: SIGKILL)" in ended.out
    assert "3 tests: 2 met, 1 open" in ended.out
    assert taken_over(again()) == 2


class _Killing:
    """Work at which the worker that has the test `b` dies."""

    def __init__(self, work: object) -> None:
        self.work = work
        self.prepare = work.prepare  # type: ignore[attr-defined]
        self.seconds = work.seconds  # type: ignore[attr-defined]
        self.renews = work.renews  # type: ignore[attr-defined]

    def perform(self, task: object, keep: object) -> object:
        if task.file.endswith("b.litmus"):  # type: ignore[attr-defined]
            os.kill(os.getpid(), signal.SIGKILL)
        return self.work.perform(task, keep)  # type: ignore[attr-defined]


def test_an_interrupt_keeps_what_is_finished_and_names_what_is_open(
    again: Callable[..., Ended], suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = LocalProcesses.run

    def interrupted(self: LocalProcesses, work: object, tasks: object, notice: object) -> object:
        outcomes = run(self, work, tasks, notice)  # type: ignore[arg-type, type-var]
        yield next(outcomes)  # type: ignore[call-overload]
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalProcesses, "run", interrupted)
    ended = again()
    monkeypatch.undo()

    assert ended.code == 130
    for name in "bc":
        assert f"{suite}/{name}.litmus: open (interrupted)" in ended.out
    assert "1 met, 2 open" in ended.out
    following = again()
    assert following.code == 0
    assert taken_over(following) >= 1


@pytest.mark.skipif(sys.platform == "win32", reason="only here can files be kept from growing")
def test_a_full_disk_is_said_and_loses_no_answer(suite: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    command = f"ulimit -f 0; exec {sys.executable} -m mcm test -j 1 {suite} --results {results}"

    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert "3 expectations of 3 tests: 3 met" in ended.stdout
    assert "results cannot be kept: file too large" in ended.stdout
    assert f"cannot write '{results}'" in ended.stderr
    assert all(f"{suite}/{name}.litmus" in ended.stderr for name in "abc")


def test_results_are_kept_in_files_only(mcm: Callable[..., Ended], suite: Path) -> None:
    ended = mcm("test", suite, "--results", suite)

    assert ended.code == 2
    assert "is not a regular file" in ended.err
