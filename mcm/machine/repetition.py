"""Accesses of view memory that add nothing to an earlier one, so that the state may stay as it is.

A thread that waits in a loop repeats such accesses. Without new events its configurations repeat themselves, so that a
search comes to an end and finds out that it waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.value_arithmetic import are_same

if TYPE_CHECKING:
    from mcm.machine.access_records import Accesses, AccessRecord
    from mcm.machine.history import History
    from mcm.machine.memory import CompareRequest
    from mcm.machine.view import Message, ThreadView


def read_adds_nothing(
    view: ThreadView,
    message: Message,
    access: AccessRecord,
    accesses: Accesses,
    after: ThreadView,
) -> bool:
    """Whether a read that gains nothing adds nothing to an earlier one; `after` is the view of the thread after it.

    Since its last event that is not a read, the thread has read this message, and the instruction has read this
    location. Whatever happens after one of these reads happens after all of them: the same accesses race with them, and
    the same messages are known because of them.
    """
    if not view.latest_reads & message.readers or after.pending != view.pending:
        return False
    return any(other.event & view.latest_reads and other[1:] == access[1:] for other in accesses.by(access.thread))


def repeated_update(
    view: ThreadView,
    thread: int,
    site: int,
    history: History,
    index: int,
    accesses: Accesses,
) -> Message | None:
    """The message of an earlier update that another one repeats, which gains nothing and writes back what it reads.

    None if there is no such. It is the last event of the thread, by the same instruction, and only updates are between
    the two in modification order. All these carry the same releases and the same value, so that it makes no difference
    which of them others read. What races with the repetition races with the next one too.
    """
    source = history[index]
    while index > 0 and history[index].attached and are_same(history[index].value, source.value):
        message = history[index]
        if message.thread == thread and message.number == view.number:
            is_same = any(other.event == message.event and other.site == site for other in accesses.by(thread))
            return message if is_same and message.releases == source.releases else None
        index -= 1
    return None


def may_fail(request: CompareRequest, thread: int, message: Message, accesses: Accesses) -> bool:
    """Whether a compare-exchange that finds what it expects may fail: a weak one, once in a row for each message.

    Else a loop that writes something before it tries again would go on for ever, with another state each time.
    """
    return request.weak and not any(
        other.thread == thread and other.site == request.site and other.event & message.readers
        for other in accesses.by(thread)
    )
