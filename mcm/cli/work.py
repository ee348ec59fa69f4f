"""Tasks and their outcomes; done here, one after the other, or by `mcm.cli.workers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class Answered(Struct, Generic[Answer], frozen=True):
    """The task was done."""

    answer: Answer


class Lost(Struct, frozen=True):
    """The worker that had the task is gone; `reason` says how it ended."""

    reason: str


class Failed(Struct, frozen=True):
    """The task ended in an exception that is a defect of ours; `trace` is its stack trace."""

    trace: str


Outcome = Answered[Answer] | Lost | Failed


class Work(Struct, Generic[Task, Answer], frozen=True):
    """What workers do: `prepare` once in each process, then `perform` for each task, for at most `seconds`."""

    perform: Callable[[Task], Answer]
    prepare: Callable[[], None]
    seconds: float | None = None


def do(work: Work[Task, Answer], task: Task) -> Outcome[Answer]:
    """The outcome of a task; an exception is one, too."""
    try:
        return Answered(work.perform(task))
    except MemoryError:
        return Lost("memory")
    except Exception:  # noqa: BLE001 - carried to the parent as data
        import traceback

        return Failed(traceback.format_exc())


def run_here(work: Work[Task, Answer], tasks: Sequence[Task]) -> Iterator[Outcome[Answer]]:
    """Do the tasks one after the other in this process."""
    work.prepare()
    for task in tasks:
        yield do(work, task)
