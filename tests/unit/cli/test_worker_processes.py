from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcm.cli.exit_code import ExitCode
from mcm.cli.work import Answered, Failed, Lost, Outcome, Work, run_here
from mcm.cli.workers import run_in_workers

ROOT = Path(__file__).parents[3]


def perform(task: str) -> str:
    match task:
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "leave":
            os._exit(7)
        case "raise":
            message = "a defect"
            raise ValueError(message)
        case "fill":
            raise MemoryError
        case "hang":
            time.sleep(60)
        case "late":
            time.sleep(0.2)
    return task.upper()


def nothing() -> None:
    """Workers need no preparation here."""


def outcomes(*tasks: str, jobs: int = 2, seconds: float | None = None) -> list[Outcome[str]]:
    return list(run_in_workers(Work(perform, nothing, seconds), tasks, jobs))


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_outcomes_come_in_the_order_of_the_tasks(jobs: int) -> None:
    assert outcomes("late", "b", "c", "late", "e", jobs=jobs) == [
        Answered(word) for word in ("LATE", "B", "C", "LATE", "E")
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_kills_a_worker_costs_one_task(jobs: int) -> None:
    assert outcomes("a", "die", "leave", "fill", "b", jobs=jobs) == [
        Answered("A"),
        Lost("crash: SIGKILL"),
        Lost("crash: exit code 7"),
        Lost("memory"),
        Answered("B"),
    ]


def test_an_exception_is_a_defect_with_its_trace() -> None:
    for found in (outcomes("a", "raise", "b"), list(run_here(Work(perform, nothing), ("a", "raise", "b")))):
        assert (found[0], found[2]) == (Answered("A"), Answered("B"))
        assert isinstance(found[1], Failed)
        assert "ValueError: a defect" in found[1].trace


def test_a_task_that_hangs_is_given_up() -> None:
    start = time.monotonic()

    assert outcomes("hang", "a", "b", jobs=1, seconds=0.5) == [Lost("timeout"), Answered("A"), Answered("B")]
    assert time.monotonic() - start < 20


def test_a_preparation_happens_in_each_worker(tmp_path: Path) -> None:
    def note() -> None:
        (tmp_path / str(os.getpid())).touch()

    list(run_in_workers(Work(perform, note), ["late"] * 4, 2))

    assert len(list(tmp_path.iterdir())) == 2
    assert not (tmp_path / str(os.getpid())).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and SIGINT")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_cleanly(tmp_path: Path, sb: Path, jobs: str) -> None:
    """The second file is a pipe into which nobody writes: nobody can be done with it before the interrupt comes."""
    pipe = tmp_path / "endless.litmus"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-m", "mcm", "check", str(sb), str(pipe), "--jobs", jobs, "--format", "herd"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as command:
        assert command.stdout is not None
        first = command.stdout.readline()  # the first result is out, so the command has begun
        os.killpg(command.pid, signal.SIGINT)
        _, err = command.communicate(timeout=60)

    assert first == "Test SB Allowed\n"
    assert command.returncode == ExitCode.INTERRUPTED
    assert err.strip() == "interrupted"


def test_a_reader_that_goes_away_ends_it_cleanly() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "mcm", "check", "litmus/c11", "--jobs", "2"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        first = command.stdout.readline()
        command.stdout.close()
        err = command.stderr.read()

    assert " under c11: " in first
    assert err == ""
    assert command.returncode in {ExitCode.BROKEN_PIPE, ExitCode.AS_EXPECTED}
