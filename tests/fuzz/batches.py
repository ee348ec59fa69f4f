"""Commands on many tests that are disturbed while they work: `python -m tests.fuzz --batches 200`.

Workers are killed, the command gets signals, its streams are closed and its files vanish, at moments taken at random.
Whatever the moment: every test is in the output with the answer that it has otherwise, or with the reason why it has
none; the exit code says so; and no process is left.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from fuzz.complaint import CounterexampleError
from fuzz.corpus import ROOT
from fuzz.ended import Ended, Results, is_ended, is_interrupted, is_left, is_whole, require, results_of

# Seconds after which a command, or a process that it leaves, counts as stuck. A busy machine needs far less.
PATIENCE: Final = 900.0
_MOST_TESTS: Final = 14
_FOLDERS: Final = ("opencl/patterns", "opencl/spec", "c11")


@dataclass
class Batch:
    """A running command, and the folder of its tests."""

    process: subprocess.Popen[bytes]
    folder: Path
    random: Random

    def workers(self) -> list[int]:
        """The processes that the command has started."""
        number = self.process.pid
        with suppress(OSError):
            return [int(n) for n in Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split()]
        return []

    def wait_for_workers(self) -> None:
        """Wait until there are some, or the command has ended."""
        while self.process.poll() is None and not self.workers():
            time.sleep(0.002)

    def pause(self) -> None:
        """Some moment of the batch."""
        self.wait_for_workers()
        time.sleep(self.random.choice((0.0, 0.01, 0.1, 0.5)) * self.random.random())


# --- disturbances -----------------------------------------------------------------------------------------------------


def kill_workers(batch: Batch) -> Ended:
    """Kill some worker, up to three times."""
    killed = 0
    for _ in range(batch.random.randrange(1, 4)):
        batch.pause()
        workers = batch.workers()
        if workers:
            with suppress(ProcessLookupError):
                os.kill(batch.random.choice(workers), signal.SIGKILL)
                killed += 1
    return _finished(batch, killed)


def end_the_command(batch: Batch) -> Ended:
    """Send the command a signal that ends it."""
    batch.pause()
    number = batch.random.choice((signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL))
    with suppress(ProcessLookupError):
        batch.process.send_signal(number)
    return _finished(batch)


def interrupt(batch: Batch) -> Ended:
    """Ctrl-C, or the signal of `timeout`, which the whole process group gets."""
    batch.pause()
    number = batch.random.choice((signal.SIGINT, signal.SIGTERM))
    with suppress(ProcessLookupError):
        os.killpg(batch.process.pid, number)
    return _finished(batch)


def leave(batch: Batch) -> Ended:
    """Read a little of the output, and close it."""
    assert batch.process.stdout is not None
    read = batch.process.stdout.read(batch.random.choice((1, 100, 1000)))
    batch.process.stdout.close()
    assert batch.process.stderr is not None
    err = batch.process.stderr.read()
    return Ended(batch.process.wait(PATIENCE), read, err)


def close_the_error_stream(batch: Batch) -> Ended:
    """Close the other end of the error stream."""
    assert batch.process.stderr is not None
    batch.process.stderr.close()
    assert batch.process.stdout is not None
    out = batch.process.stdout.read()
    return Ended(batch.process.wait(PATIENCE), out, b"")


def remove_files(batch: Batch) -> Ended:
    """Remove some tests while others are checked."""
    batch.pause()
    for path in sorted(batch.folder.iterdir()):
        if batch.random.random() < 0.5:
            path.unlink()
    return _finished(batch)


def _finished(batch: Batch, killed: int = 0) -> Ended:
    out, err = batch.process.communicate(timeout=PATIENCE)
    return Ended(batch.process.returncode, out, err, killed)


_ATTACKS: Final = {
    "workers are killed": (kill_workers, is_whole),
    "the command is ended": (end_the_command, is_ended),
    "interrupts": (interrupt, is_interrupted),
    "the output is closed": (leave, is_left),
    "the error stream is closed": (close_the_error_stream, is_whole),
    "files vanish": (remove_files, is_whole),
}
ATTACKS: Final = tuple(_ATTACKS)


@cache
def _tests() -> tuple[Path, ...]:
    paths = (path for folder in _FOLDERS for path in (ROOT / "litmus" / folder).glob("*.litmus"))
    return tuple(sorted(path for path in paths if path.stat().st_size < 2000))


def disturb(name: str, random: Random) -> Ended:
    """Disturb a command in one of the `ATTACKS`; CounterexampleError if something is lost, wrong, or left behind."""
    attack, judge = _ATTACKS[name]
    chosen = {path.name: path for path in random.sample(_tests(), random.randrange(4, _MOST_TESTS))}
    with tempfile.TemporaryDirectory() as folder:
        for path in chosen.values():
            (Path(folder) / path.name).write_bytes(path.read_bytes())
        options = random.choice(([], ["--run"], ["--model", "all"], ["--timeout", "60"]))
        # JSON comes at the end. The other format comes test by test, so that its reader can leave before.
        format_ = "herd" if judge is is_left else "json"
        command = [sys.executable, "-m", "mcm", "check", "--format", format_, "--jobs", str(random.randrange(2, 4))]
        command += [*options, *(str(Path(folder) / name) for name in sorted(chosen))]
        undisturbed = [] if judge in {is_left, is_ended} else _undisturbed(command)
        batch = Batch(_begin(command), Path(folder), random)
        try:
            ended = attack(batch)
            _require_nobody_left(batch.process.pid, ended)
        finally:
            # The whole group, should anybody be left.
            with suppress(ProcessLookupError):
                os.killpg(batch.process.pid, signal.SIGKILL)
            batch.process.communicate()
        judge(ended, undisturbed)
    return ended


def _undisturbed(command: list[str]) -> Results:
    process = _begin(command)
    out, err = process.communicate(timeout=PATIENCE)
    return results_of(Ended(process.returncode, out, err))


def _begin(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_hear_signals,  # noqa: PLW1509 - there are no threads here
    )


def _hear_signals() -> None:
    """A shell or `nohup` may have made this process ignore what its children are to hear."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def _require_nobody_left(session: int, ended: Ended) -> None:
    """All processes of the session of a command end with it."""
    deadline = time.monotonic() + PATIENCE
    while left := _processes_of(session):
        require(time.monotonic() < deadline, f"processes {left} are left", ended)
        time.sleep(0.01)


def _processes_of(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # Behind the name, which may hold anything: state, parent, group, session.
            state, _, _, number, *_ = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(number) == session and state != "Z":
                found.append(int(status.parent.name))
    return found


def disturb_all(count: int, seed: str, seconds: float) -> tuple[Counter[tuple[str, int]], list[str]]:
    """Disturb so many commands, or as many as the time allows: how they ended, and what was wrong."""
    ends: Counter[tuple[str, int]] = Counter()
    found: list[str] = []
    end = time.monotonic() + seconds
    for number in range(count):
        if time.monotonic() > end:
            break
        name = ATTACKS[number % len(ATTACKS)]
        try:
            ends[name, disturb(name, Random(f"{seed}/{number}")).code] += 1  # noqa: S311 - nothing secret
        except CounterexampleError as error:
            found.append(f"{number}: {name}: {error.complaint.kind}\n{error.complaint.detail}")
    return ends, found
