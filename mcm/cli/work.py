"""Tasks and what becomes of them; done here, one after the other, or by `mcm.cli.workers`."""

from __future__ import annotations

from functools import partial
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from msgspec import Struct

from mcm import LimitReachedError
from mcm.cli.interrupts import interrupts_taken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Task = TypeVar("Task")
Answer = TypeVar("Answer")

# Why a task is lost that an interrupt has left undone.
INTERRUPTED: Final = "interrupted"


class Answered(Struct, Generic[Answer], frozen=True):
    """The task was done."""

    answer: Answer


class Lost(Struct, Generic[Answer], frozen=True):
    """The task was given up; `reason` says why. `kept` is the last answer so far, None where there was none."""

    reason: str
    kept: Answer | None = None


class Failed(Struct, frozen=True):
    """The task ended in an exception that is a defect of ours; `trace` is its stack trace."""

    trace: str


Outcome = Answered[Answer] | Lost[Answer] | Failed


class Work(Struct, Generic[Task, Answer], frozen=True):
    """What workers do: `prepare` once in each process, then `perform` for each task, for at most `seconds`.

    `perform` is given a function for answers so far; the last one is kept if the task is given up. `renews`: with each
    of them the time begins anew. `at_once` gives the same answer if that takes a moment and cannot end the process, and
    otherwise None.
    """

    perform: Callable[[Task, Callable[[Answer], None]], Answer]
    prepare: Callable[[], None]
    seconds: float | None = None
    renews: bool = False
    at_once: Callable[[Task], Answer | None] | None = None


def do(work: Work[Task, Answer], task: Task, keep: Callable[[Answer], None]) -> Outcome[Answer]:
    """Do a task; what goes wrong with it is an outcome too."""
    return _outcome_of(partial(work.perform, task, keep))


def _outcome_of(perform: Callable[[], Answer]) -> Outcome[Answer]:
    try:
        return Answered(perform())
    except LimitReachedError as reached:
        return Lost(reached.reason)
    except MemoryError:
        return Lost("memory")
    except Exception as error:  # noqa: BLE001 - carried to the parent as data
        import traceback

        if _is_want_of_memory(error):
            return Lost("memory")

        return Failed(traceback.format_exc())


def _is_want_of_memory(error: Exception) -> bool:
    """Whether C code that was refused memory has failed without saying so, which Python finds out."""
    return isinstance(error, SystemError) and "exception" in str(error)


def notice_nothing(_number: int, _outcome: object) -> None:
    """Where nobody wants to know at once what became of a task."""


def run_here(work: Work[Task, Answer], tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome[Answer]]]:
    """Do the tasks one after the other in this process."""
    work.prepare()
    for task in tasks:
        kept: list[Answer] = []
        try:
            with interrupts_taken():
                outcome = do(work, task, kept.append)
        except KeyboardInterrupt:
            yield task, Lost(INTERRUPTED, kept[-1] if kept else None)
            raise
        if isinstance(outcome, Lost) and kept:
            outcome = Lost(outcome.reason, kept[-1])
        yield task, outcome


def run_at_once(
    work: Work[Task, Answer], tasks: Sequence[Task], seconds: float
) -> Iterator[tuple[Task, Outcome[Answer]]]:
    """Do tasks in this process up to the first that takes longer than a moment; none is begun after so many seconds."""
    if work.at_once is None:
        return
    end = monotonic() + seconds
    work.prepare()
    for task in tasks:
        if monotonic() > end:
            return
        outcome: Outcome[Answer | None]
        with interrupts_taken():
            outcome = _outcome_of(partial(work.at_once, task))
        match outcome:
            case Answered(answer) if answer is not None:
                yield task, Answered(answer)
            case Failed() as failed:
                yield task, failed
            case _:
                return


def to_the_end(
    tasks: Sequence[Task], outcomes: Iterator[tuple[Task, Outcome[Answer]]]
) -> Iterator[tuple[Task, Outcome[Answer]]]:
    """The outcomes, which come in the order of the tasks; an interrupt is passed on when each task has one.

    Those that it leaves undone are lost to it, so that each is named in what is shown.
    """
    told = 0
    try:
        for one in outcomes:
            told += 1
            yield one
    except KeyboardInterrupt:
        for task in islice(tasks, told, None):
            yield task, Lost(INTERRUPTED)
        raise
