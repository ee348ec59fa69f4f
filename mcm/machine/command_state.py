"""The states of commands (HOST-17), and what a queue pushes to its device (QUE-2): what every runtime here shares."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CommandT = TypeVar("CommandT")

# OpenCL's code of the error of a kernel that failed.
FAILED: Final = -5

COMPLETE_RANK: Final = 3


class State(IntEnum):
    """The states of a command in their order; one that has failed has a negative error code instead.

    ABSENT: it has not been enqueued. SUBMITTED: its queue has been flushed. READY: all that it waits for is over, and
    its device has it. ENDED: its own work is done, but perhaps not that of the kernels that it has enqueued.
    """

    ABSENT = 0
    QUEUED = 1
    SUBMITTED = 2
    READY = 3
    RUNNING = 4
    ENDED = 5
    COMPLETE = 6


_STATUS: Final = {
    State.QUEUED: 3,
    State.SUBMITTED: 2,
    State.READY: 2,
    State.RUNNING: 1,
    State.ENDED: 1,
    State.COMPLETE: 0,
}


def status_of(state: int) -> int:
    """What `clGetEventInfo` tells of a command in a state, or with an error code; a user event begins as submitted.

    >>> [status_of(state) for state in (State.QUEUED, State.READY, State.RUNNING, State.ENDED, State.COMPLETE, -14)]
    [3, 2, 1, 1, 0, -14]
    """
    return state if state < 0 else _STATUS[State(state)]


def rank_of(state: int) -> int:
    """How far a command may be said to be that is in a state: 0 queued, 1 submitted, 2 running, 3 complete.

    When a queue is flushed is up to the implementation, so that a command may be submitted as soon as it is queued.

    >>> [rank_of(state) for state in (State.QUEUED, State.SUBMITTED, State.READY, State.ENDED, State.COMPLETE, -14)]
    [1, 1, 2, 2, 3, 3]
    """
    if is_over(state):
        return COMPLETE_RANK
    return COMPLETE_RANK - 1 if state >= State.READY else 1


def is_over(state: int) -> bool:
    """Whether a command has completed or failed."""
    return state < 0 or state == State.COMPLETE


def to_push(
    pending: Sequence[CommandT],
    *,
    in_order: bool,
    has_begun: Callable[[CommandT], bool],
    may_begin: Callable[[CommandT], bool],
    blocks_later: Callable[[CommandT], bool],
) -> Iterator[CommandT]:
    """QUE-2: the commands that a queue pushes now, of those that are not over, in the order in which they came.

    An in-order queue pushes the first one only. An out-of-order queue pushes all whose wait lists are complete, up to
    the first barrier; what comes after a barrier waits until it is over.
    """
    for command in pending:
        if not has_begun(command) and may_begin(command):
            yield command
        if in_order or blocks_later(command):
            return
