"""Many tasks in worker processes that are started once; a worker that is killed loses the task that it had."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections import deque
from multiprocessing.connection import wait
from time import monotonic
from typing import TYPE_CHECKING, Generic

from mcm.cli.work import Answer, Lost, Task, do

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from mcm.cli.work import Outcome, Work


class _Worker(Generic[Task, Answer]):
    """A process that does one task at a time, and the number of the task that it has now."""

    def __init__(self, work: Work[Task, Answer], siblings: Sequence[_Worker[Task, Answer]]) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.process = _start(theirs, work, [*(sibling.connection for sibling in siblings), self.connection])
        theirs.close()
        self.seconds = work.seconds
        self.task: int | None = None
        self.deadline: float | None = None

    def give(self, number: int, task: Task) -> None:
        """Hand over a task."""
        self.task = number
        self.deadline = None if self.seconds is None else monotonic() + self.seconds
        self.connection.send(task)

    def receive(self) -> Outcome[Answer]:
        """The outcome of the task."""
        self.task = self.deadline = None
        try:
            outcome: Outcome[Answer] = self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            return Lost(_how_it_ended(self.process.exitcode))
        return outcome

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _start(theirs: Connection, work: Work[Task, Answer], ours: Sequence[Connection]) -> BaseProcess:
    """Fork where that is safe: what is loaded already is shared. Elsewhere a worker loads it again.

    A fork holds copies of the parent's ends of all pipes. It must close them, or no worker would see the parent go.
    """
    process: BaseProcess
    if sys.platform == "linux":
        process = multiprocessing.get_context("fork").Process(target=_serve, args=(theirs, work, ours), daemon=True)
    else:
        process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, work, ()), daemon=True)
    if sys.platform == "win32":
        process.start()
        return process
    # An interrupt that comes between the fork and `_serve` would end the worker with a stack trace.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def _serve(connection: Connection, work: Work[Task, Answer], inherited: Sequence[Connection]) -> None:
    # Ctrl-C reaches the whole process group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:
        other.close()
    work.prepare()
    try:
        while True:
            connection.send(do(work, connection.recv()))
    except (EOFError, ConnectionError):
        return  # the parent has gone


def _how_it_ended(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"crash: {signal.Signals(-exit_code).name}"
    return f"crash: exit code {exit_code}"


def run_in_workers(work: Work[Task, Answer], tasks: Sequence[Task], jobs: int) -> Iterator[Outcome[Answer]]:
    """Do the tasks in `jobs` processes; outcomes come in the order of the tasks."""
    pending = deque(enumerate(tasks))
    finished: dict[int, Outcome[Answer]] = {}
    workers: list[_Worker[Task, Answer]] = []
    try:
        for number in range(len(tasks)):
            while number not in finished:
                while pending and len(workers) < jobs:
                    workers.append(_Worker(work, workers))
                    workers[-1].give(*pending.popleft())
                finished.update(_collect(workers, pending))
            yield finished.pop(number)
    finally:
        for worker in workers:
            worker.stop()


def _collect(
    workers: list[_Worker[Task, Answer]], pending: deque[tuple[int, Task]]
) -> Iterator[tuple[int, Outcome[Answer]]]:
    """Wait until a worker sends an outcome or has used up its time; give the outcomes, and hand out the next tasks."""
    busy = [worker for worker in workers if worker.task is not None]
    deadlines = [worker.deadline for worker in busy if worker.deadline is not None]
    patience = max(0.0, min(deadlines) - monotonic()) if deadlines else None
    ready = wait([worker.connection for worker in busy], patience)
    for worker in busy:
        number = worker.task
        assert number is not None
        if worker.connection in ready:
            outcome = worker.receive()
        elif worker.deadline is not None and worker.deadline <= monotonic():
            outcome = Lost("timeout")
        else:
            continue
        yield number, outcome
        if isinstance(outcome, Lost):
            workers.remove(worker)
            worker.stop()
        elif pending:
            worker.give(*pending.popleft())
