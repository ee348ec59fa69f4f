"""Many tasks in worker processes that are started once; what kills a worker costs one task its answer.

A worker says that it has begun a task, and sends answers so far. One that dies before it has begun is replaced, and
its task is given to another. If it dies afterwards, or takes too long, the task is lost, and what was sent is kept.
A worker that is the only one, or quick, has its next task before it needs it: it does not wait while its answers are
shown, and one message says that a task is done and the next begun.
"""

from __future__ import annotations

import multiprocessing
import os
import selectors
import signal
import sys
from collections import deque
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Final, Generic, Literal

from msgspec import Struct

from mcm.cli.interrupts import ignore_interrupts, interrupts_held, interrupts_taken
from mcm.cli.work import INTERRUPTED, Answer, Lost, Task, do, notice_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from mcm.cli.work import Outcome, Work

# How often a task is given to a worker that dies before it begins.
_TRIALS: Final = 5

# How many tasks a worker has that need not wait for another: what it does, and what it goes on with.
_MOST_TASKS: Final = 2

# A worker is quick if it took no longer for its last task, in seconds. The next one may take long all the same, and
# what is behind it would wait for it.
_QUICK: Final = 0.05

# A wait that is longer is begun anew: systems count its milliseconds in 32 bits.
_LONGEST_WAIT: Final = 86_400.0

# What a connection takes before it is read: to send more to a worker that is busy would be to wait for it.
_SHORT: Final = 4096

# How many messages of each worker are taken after an interrupt: one that tells of states might go on for ever.
_MOST_THAT_CAME: Final = 1000

# Fork where that is safe: what is loaded already is shared. Elsewhere a worker loads it again.
_METHOD: Literal["fork", "spawn"] = "fork" if sys.platform == "linux" else "spawn"

# Of Linux: the signal that a process gets when its parent dies.
_SET_DEATH_SIGNAL: Final = 1


# What a worker says, before what follows: it has got its task; an answer that is not complete; what became of the task;
# what became of it, and that the next one is begun.
_BEGUN: Final = b"b"
_SO_FAR: Final = b"s"
_READY: Final = b"r"
_READY_AND_BEGUN: Final = b"n"


class _Unbegun(Struct, frozen=True):
    """The worker died before it had begun its task."""


class _Worker(Generic[Task, Answer]):
    """A process that does one task at a time, and the numbers of those that it has; it does the first of them."""

    def __init__(self, work: Work[Task, Answer], siblings: Sequence[_Worker[Task, Answer]]) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        try:
            self.process = _start(theirs, work, [*(sibling.connection for sibling in siblings), self.connection])
        except OSError:
            self.connection.close()
            raise
        finally:
            theirs.close()
        self.seconds = work.seconds
        self._renews = work.renews
        self.tasks: deque[int] = deque()
        self.is_lost = False
        self.is_quick = False
        self.deadline: float | None = None
        self._since = 0.0
        self._has_begun = False
        self._next_has_begun = False
        self._so_far: bytes | None = None

    def give(self, number: int, task: bytes) -> None:
        """Hand over a pickled task. That the worker is dead already is found when its messages are read."""
        self.tasks.append(number)
        if len(self.tasks) == 1:
            self._turn_to_first()
        with suppress(ConnectionError):
            self.connection.send_bytes(task)

    def _turn_to_first(self) -> None:
        """The first task is the next that the worker begins, if it has not yet."""
        self._has_begun, self._next_has_begun, self._so_far = self._next_has_begun, False, None
        self._since = monotonic()
        self._wind_up()

    def receive(self) -> Outcome[Answer] | _Unbegun | None:
        """Read a message: what became of the first task, None if the worker is still at it."""
        try:
            message = self.connection.recv_bytes()
        except (EOFError, OSError):
            self.process.join()
            self.is_lost = True
            return Lost(_how_it_ended(self.process.exitcode), self._kept()) if self._has_begun else _Unbegun()
        kind = message[:1]
        if kind in (_READY, _READY_AND_BEGUN):
            self._next_has_begun = kind == _READY_AND_BEGUN
            outcome: Outcome[Answer] = ForkingPickler.loads(message[1:])
            return Lost(outcome.reason, self._kept()) if isinstance(outcome, Lost) else outcome
        if kind == _BEGUN:
            self._has_begun = True
            return None
        # Most answers so far are followed by another, and need not be looked at.
        self._so_far = message
        if self._renews:
            self._wind_up()
        return None

    def _kept(self) -> Answer | None:
        """The last answer so far, if there was one."""
        if self._so_far is None:
            return None
        answer: Answer = ForkingPickler.loads(self._so_far[1:])
        return answer

    def _wind_up(self) -> None:
        """The time of the task begins now."""
        self.deadline = None if self.seconds is None else monotonic() + self.seconds

    def give_up(self) -> Outcome[Answer]:
        """The outcome of a task that takes too long; the worker is to be stopped."""
        self.is_lost = True
        return Lost("timeout", self._kept())

    def interrupted(self) -> Lost[Answer]:
        """The outcome of a task that an interrupt ends."""
        return Lost(INTERRUPTED, self._kept())

    def drop_first(self) -> int:
        """Its first task is done with: the number of that. The next one has its time from now on."""
        number = self.tasks.popleft()
        self.is_quick = monotonic() - self._since < _QUICK
        self._turn_to_first()
        return number

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _start(theirs: Connection, work: Work[Task, Answer], ours: Sequence[Connection]) -> BaseProcess:
    """A worker process that has begun. A fork holds copies of the parent's ends of all pipes.

    It must close them, or no worker would see the parent go.
    """
    process: BaseProcess
    if _METHOD == "fork":
        # The C library is loaded before the fork: a worker only has to call it.
        arguments = (theirs, work, ours, _end_with_parent())
        process = multiprocessing.get_context("fork").Process(target=_serve, args=arguments, daemon=True)
    else:
        arguments = (theirs, work, (), _end_soon_after_parent)
        process = multiprocessing.get_context("spawn").Process(target=_serve, args=arguments, daemon=True)
    # An interrupt that comes between the fork and `_serve` would end the worker with a stack trace.
    with interrupts_held():
        process.start()
    return process


def _end_with_parent() -> Callable[[], None]:
    """A function for a child of this process on Linux: from then on it is killed as soon as this process is dead."""
    import ctypes

    parent, library = os.getpid(), ctypes.CDLL(None)

    def end_with_parent() -> None:
        library.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return end_with_parent


def _end_soon_after_parent() -> None:
    """For a child on any system: from now on a thread waits for the end of the parent, and ends this process then."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "workers have a parent"

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _serve(
    connection: Connection,
    work: Work[Task, Answer],
    inherited: Sequence[Connection],
    end_with_parent: Callable[[], None],
) -> None:
    ignore_interrupts()
    end_with_parent()
    for other in inherited:
        other.close()
    work.prepare()
    listener = _Listener()
    listener.add(connection)

    def keep(answer: Answer) -> None:
        connection.send_bytes(_SO_FAR + _pickled(answer))

    try:
        task = connection.recv_bytes()
        connection.send_bytes(_BEGUN)
        while True:
            done = _pickled(do(work, ForkingPickler.loads(task), keep))
            if listener.heard(0.0):
                task = connection.recv_bytes()
                connection.send_bytes(_READY_AND_BEGUN + done)
            else:
                connection.send_bytes(_READY + done)
                task = connection.recv_bytes()
                connection.send_bytes(_BEGUN)
    except (EOFError, ConnectionError):
        return  # the parent has gone


def _pickled(value: object) -> bytes:
    """What a connection would send of a value, which can then be kept without being read."""
    return bytes(ForkingPickler.dumps(value))


def _how_it_ended(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"crash: {signal.Signals(-exit_code).name}"
    return f"crash: exit code {exit_code}"


def run_in_workers(
    work: Work[Task, Answer],
    tasks: Sequence[Task],
    jobs: int,
    notice: Callable[[int, Outcome[Answer]], None] = notice_nothing,
) -> Iterator[tuple[Task, Outcome[Answer]]]:
    """Do the tasks in `jobs` processes, or as many as there can be; outcomes come in the order of the tasks.

    `notice` is told what became of a task, by its number, as soon as that is known.
    An interrupt ends the work: the tasks that are done have their outcomes all the same, and the others are lost to it,
    before it is passed on.
    """
    batch = _Batch(work, tasks, jobs, notice)
    told = 0
    try:
        for number, task in enumerate(tasks):
            while number not in batch.finished:
                batch.go_on()
            told += 1
            yield task, batch.finished.pop(number)
    except KeyboardInterrupt:
        batch.take_what_came()
        lost = batch.left_undone()
        for number in range(told, len(tasks)):
            yield tasks[number], batch.finished.get(number) or lost.get(number) or Lost(INTERRUPTED)
        raise
    finally:
        batch.stop()


class _Listener:
    """Hears workers; each connection is registered once, not each time that it is waited for, where a system can."""

    def __init__(self) -> None:
        self._selector = None if sys.platform == "win32" else selectors.PollSelector()
        self._connections: set[Connection] = set()

    def add(self, connection: Connection) -> None:
        """From now on, hear what comes here."""
        self._connections.add(connection)
        if self._selector is not None:
            self._selector.register(connection, selectors.EVENT_READ)

    def drop(self, connection: Connection) -> None:
        """Do not hear this connection, which is open yet, any more."""
        self._connections.remove(connection)
        if self._selector is not None:
            self._selector.unregister(connection)

    def heard(self, patience: float | None) -> set[object]:
        """The connections at which something has come; none if nothing comes in so many seconds."""
        if self._selector is None:
            return set(wait(self._connections, patience))
        return {key.fileobj for key, _ in self._selector.select(patience)}


class _Batch(Generic[Task, Answer]):
    """Tasks, those that are finished, and the workers at the others."""

    def __init__(
        self,
        work: Work[Task, Answer],
        tasks: Sequence[Task],
        jobs: int,
        notice: Callable[[int, Outcome[Answer]], None],
    ) -> None:
        self._work = work
        self._notice = notice
        self._tasks = tasks
        self._jobs = jobs
        self._pending = deque(range(len(tasks)))
        self._trials = [0] * len(tasks)
        self._workers: list[_Worker[Task, Answer]] = []
        self._listener = _Listener()
        self.finished: dict[int, Outcome[Answer]] = {}

    def go_on(self) -> None:
        """Start the workers that are missing, and wait until some task is finished or a worker says something."""
        while self._pending and len(self._workers) < self._jobs:
            try:
                worker = _Worker(self._work, self._workers)
            except OSError as error:
                # There are too many processes or open files. Fewer workers do.
                self._jobs = max(1, len(self._workers))
                if self._workers:
                    break
                why = (error.strerror or str(error)).lower()
                self._finish(self._pending.popleft(), Lost(f"no worker: {why}"))
                return
            self._workers.append(worker)
            self._listener.add(worker.connection)
            self._give(worker)
        self._collect()

    def stop(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.stop()

    def _give(self, worker: _Worker[Task, Answer]) -> None:
        """Give a worker what it has to have."""
        # Of several, one would wait for another that takes long, although a third has nothing to do.
        most = _MOST_TASKS if self._jobs == 1 or worker.is_quick else 1
        while self._pending and len(worker.tasks) < most:
            task = _pickled(self._tasks[self._pending[0]])
            if worker.tasks and len(task) > _SHORT:
                return
            worker.give(self._pending.popleft(), task)

    def _collect(self) -> None:
        """Wait until some worker has something to say or is out of time, and take that."""
        busy = [worker for worker in self._workers if worker.tasks]
        deadlines = [worker.deadline for worker in busy if worker.deadline is not None]
        patience = max(0.0, min(_LONGEST_WAIT, min(deadlines) - monotonic())) if deadlines else None
        # Not between a message and what is done with it.
        with interrupts_taken():
            ready = self._listener.heard(patience)
        self._take(ready)

    def take_what_came(self) -> None:
        """Take what workers have said by now; no other task is handed out."""
        self._pending.clear()
        for _ in range(_MOST_THAT_CAME):
            ready = self._listener.heard(0.0)
            if not ready:
                break
            self._take(ready)

    def left_undone(self) -> dict[int, Lost[Answer]]:
        """The tasks that workers are at, by their numbers: lost to an interrupt, but for what was found so far."""
        return {worker.tasks[0]: worker.interrupted() for worker in self._workers if worker.tasks}

    def _take(self, ready: Collection[object]) -> None:
        """Take a message of each worker that has one, give up those that are out of time, and hand out tasks."""
        for worker in [worker for worker in self._workers if worker.tasks]:
            outcome: Outcome[Answer] | _Unbegun | None = None
            if worker.connection in ready:
                outcome = worker.receive()
            elif worker.deadline is not None and worker.deadline <= monotonic():
                outcome = worker.give_up()
            if outcome is None:
                continue
            number = worker.drop_first()
            if isinstance(outcome, _Unbegun):
                self._ask_again(number, worker)
            else:
                self._finish(number, outcome)
            if worker.is_lost:
                self._pending.extendleft(reversed(worker.tasks))
                self._workers.remove(worker)
                self._listener.drop(worker.connection)
                worker.stop()
                continue
            self._give(worker)
            if not worker.tasks:
                # There is nothing left for it to do or say; were it to die, that would be heard for ever.
                self._listener.drop(worker.connection)

    def _ask_again(self, number: int, worker: _Worker[Task, Answer]) -> None:
        self._trials[number] += 1
        if self._trials[number] < _TRIALS:
            worker.tasks.appendleft(number)
        else:
            self._finish(number, Lost(_how_it_ended(worker.process.exitcode)))

    def _finish(self, number: int, outcome: Outcome[Answer]) -> None:
        self.finished[number] = outcome
        self._notice(number, outcome)
