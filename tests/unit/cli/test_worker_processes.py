from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from mcm import LimitReachedError
from mcm.cli.exit_code import ExitCode
from mcm.cli.interrupts import interrupts_taken
from mcm.cli.present import UntilInterrupted
from mcm.cli.work import Answered, Failed, Lost, Outcome, Work, run_here, to_the_end
from mcm.cli.workers import run_in_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[3]


def perform(task: str, keep: Callable[[str], None]) -> str:
    match task:
        case "keep and die":
            keep("kept")
            os.kill(os.getpid(), signal.SIGKILL)
        case "keep and hang":
            keep("kept")
            time.sleep(60)
        case "limit":
            raise LimitReachedError("timeout")
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


def tell_process(_task: str, _keep: Callable[[str], None]) -> str:
    return str(os.getpid())


def meet(task: str, _keep: Callable[[str], None]) -> str:
    """Wait until somebody does the other task."""
    mine, other = task.split()
    Path(mine).touch()
    while not Path(other).exists():
        time.sleep(0.01)
    return mine


def read_file(task: str, _keep: Callable[[str], None]) -> str:
    """The text of a file, for the name of one; else the task."""
    return Path(task).read_text() if "/" in task else task


def outcomes(*tasks: str, jobs: int = 2, seconds: float | None = None) -> list[Outcome[str]]:
    return [outcome for _, outcome in run_in_workers(Work(perform, nothing, seconds), tasks, jobs)]


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_workers_have_said_before_an_interrupt_is_not_lost_and_all_else_is(tmp_path: Path) -> None:
    """When the worker opens the pipe, it has said what became of the task before; nobody has heard that yet."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = run_in_workers(Work(read_file, nothing), ["a", "b", str(pipe), "d"], 1)
    assert next(found) == ("a", Answered("a"))
    with pipe.open("w"):
        assert found.throw(KeyboardInterrupt) == ("b", Answered("b"))
        assert [next(found), next(found)] == [(str(pipe), Lost("interrupted")), ("d", Lost("interrupted"))]
        with pytest.raises(KeyboardInterrupt):
            next(found)


def keep_and_be_interrupted(task: str, keep: Callable[[str], None]) -> str:
    keep(f"{task} so far")
    if task == "b":
        raise KeyboardInterrupt
    return task


def test_each_task_has_an_outcome_before_an_interrupt_is_passed_on() -> None:
    tasks = ["a", "b", "c", "d"]
    found = to_the_end(tasks, run_here(Work(keep_and_be_interrupted, nothing), tasks))
    assert [next(found) for _ in tasks] == [
        ("a", Answered("a")),
        ("b", Lost("interrupted", "b so far")),
        ("c", Lost("interrupted")),
        ("d", Lost("interrupted")),
    ]
    with pytest.raises(KeyboardInterrupt):
        next(found)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system cannot hold signals back")
def test_an_interrupt_is_taken_where_work_is_done_or_waited_for() -> None:
    def items() -> Iterator[str]:
        # To this thread: those of whoever runs the tests do not hold it back.
        signal.raise_signal(signal.SIGINT)
        yield "a"
        with interrupts_taken():
            pass
        yield "b"

    whole = UntilInterrupted(items())

    assert list(whole) == ["a"]
    assert whole.is_interrupted
    with pytest.raises(KeyboardInterrupt):
        whole.pass_interrupt_on()


def test_what_was_kept_is_not_lost() -> None:
    assert outcomes("keep and die", "limit", "a") == [
        Lost("crash: SIGKILL", "kept"),
        Lost("timeout"),
        Answered("A"),
    ]
    assert outcomes("keep and hang", "a", jobs=1, seconds=0.5) == [Lost("timeout", "kept"), Answered("A")]


class KillsItsWorker:
    """A task that kills the worker that did the first one, as it is about to be sent there for the first time."""

    def __init__(self, notes: Path) -> None:
        self.notes = notes
        self.times = 0

    def __reduce__(self) -> tuple[type, tuple[str]]:
        self.times += 1
        if self.times == 1:
            worker = int((self.notes / "first").read_text())
            os.kill(worker, signal.SIGKILL)
            os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
            (self.notes / "killed").touch()
        return str, ("second",)


@pytest.mark.skipif(sys.platform != "linux", reason="needs waitid and workers that are forked")
def test_a_worker_that_dies_between_two_tasks_is_replaced(tmp_path: Path) -> None:
    deadly = KillsItsWorker(tmp_path)

    def note_or_wait(task: object, _keep: Callable[[str], None]) -> str:
        if task == "first":
            (tmp_path / "first").write_text(str(os.getpid()))
        while task == "waits" and not (tmp_path / "killed").exists():
            time.sleep(0.01)
        return str(task).upper()

    found = run_in_workers(Work(note_or_wait, nothing), ["first", "waits", deadly, "third"], 2)

    assert [outcome for _, outcome in found] == [Answered(word) for word in ("FIRST", "WAITS", "SECOND", "THIRD")]
    assert deadly.times == 2


class EndsItsReader:
    """A task that ends the worker that reads it."""

    def __reduce__(self) -> tuple[Callable[[int], NoReturn], tuple[int]]:
        return os._exit, (3,)


def test_a_task_that_cannot_even_be_read_is_lost_alone() -> None:
    work: Work[object, str] = Work(lambda task, _keep: str(task).upper(), nothing)
    found = [outcome for _, outcome in run_in_workers(work, ["first", EndsItsReader(), "third"], 1)]

    assert found == [Answered("FIRST"), Lost("crash: exit code 3"), Answered("THIRD")]


@pytest.mark.parametrize("deadly", ["die", "hang"])
def test_what_a_lost_worker_had_yet_to_do_is_done_by_another(deadly: str) -> None:
    names = [f"{number}" for number in range(5)]
    found = outcomes(*names, deadly, *names, deadly, deadly, *names, jobs=1, seconds=0.5)
    done, lost = [Answered(name) for name in names], Lost("crash: SIGKILL" if deadly == "die" else "timeout")

    assert found == [*done, lost, *done, lost, lost, *done]


def test_the_time_of_a_task_begins_when_the_one_before_it_is_done() -> None:
    assert outcomes(*["late"] * 5, jobs=1, seconds=0.9) == [Answered("LATE")] * 5


def test_long_tasks_and_long_answers_do_not_wait_for_each_other() -> None:
    long = "long" * 1_000_000
    assert outcomes(long, long, "a", long, jobs=1) == [Answered(task.upper()) for task in (long, long, "a", long)]


def test_a_worker_that_never_gets_going_is_not_replaced_for_ever() -> None:
    found = list(run_in_workers(Work(perform, partial(os._exit, 3)), ["a", "b"], 2))

    assert found == [("a", Lost("crash: exit code 3")), ("b", Lost("crash: exit code 3"))]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_workers_that_are_not_forked_know_the_models_of_the_command_and_end_with_it(sb: Path, tmp_path: Path) -> None:
    """As on other systems than Linux: there a worker shares nothing with the command."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "sc-part.cat").write_text("acyclic po | rf | mo | fr as sc\n")
    (tmp_path / "own.cat").write_text('include "sc-part.cat"\n')
    endless = tmp_path / "endless.litmus"
    os.mkfifo(endless)
    script = tmp_path / "spawned.py"
    script.write_text(
        "import sys, mcm.cli.workers\nfrom mcm.cli.main import main\nmcm.cli.workers._METHOD = 'spawn'\n"
        "if __name__ == '__main__':\n    main(sys.argv[1:])\n"
    )
    models = "--model", str(tmp_path / "own.cat"), "--include", str(tmp_path / "parts")
    with subprocess.Popen(
        [sys.executable, str(script), "check", *models, "--format", "herd", "--jobs", "2", str(sb), str(endless)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == "Test SB Allowed\n"
        command.kill()
        # The worker that waits for the file holds the other ends: they are closed when it has gone.
        command.communicate(timeout=60)


@pytest.mark.slow
def test_workers_that_are_not_forked_know_what_to_do_with_kernels(tmp_path: Path) -> None:
    kernel = tmp_path / "set.cl"
    kernel.write_text("kernel void set(global int* x) { *x = VALUE; }\n")
    script = tmp_path / "spawned.py"
    script.write_text(
        "import sys, mcm.cli.workers\nfrom mcm.cli.main import main\nmcm.cli.workers._METHOD = 'spawn'\n"
        "if __name__ == '__main__':\n    main(sys.argv[1:])\n"
    )
    options = "--launch", "set global 1, local 1", "-D", "VALUE=7", "--forall", "x=7", "--jobs", "2"
    copy = tmp_path / "copy.cl"
    copy.write_text(kernel.read_text())
    done = subprocess.run(
        [sys.executable, str(script), "check", *options, str(kernel), str(copy)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Always, in 1 of 1 state") >= 2


def test_fewer_workers_do_where_no_more_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    def pipe() -> object:
        if len(started) == 2:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        started.append(1)
        return real_pipe()

    real_pipe = multiprocessing.Pipe
    monkeypatch.setattr(multiprocessing, "Pipe", pipe)

    assert outcomes(*"abcdef", jobs=100) == [Answered(word) for word in "ABCDEF"]
    assert len(started) == 2


def test_an_exception_is_a_defect_with_its_trace() -> None:
    for found in (
        outcomes("a", "raise", "b"),
        [outcome for _, outcome in run_here(Work(perform, nothing), ("a", "raise", "b"))],
    ):
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
    assert err == f"{pipe}: undecided (interrupted)\ninterrupted\n"


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


def test_others_are_started_at_once(tmp_path: Path) -> None:
    one, other = f"{tmp_path}/one", f"{tmp_path}/other"
    found = run_in_workers(Work(meet, nothing, seconds=60), [f"{one} {other}", f"{other} {one}"], 2)
    assert [outcome for _, outcome in found] == [Answered(one), Answered(other)]
