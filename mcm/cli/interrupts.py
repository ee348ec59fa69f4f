"""When an interrupt (Ctrl-C) is taken: where a process works or waits, so that nothing that is finished is lost."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager


def interrupts_held() -> AbstractContextManager[None]:
    """Within, an interrupt waits until there is `interrupts_taken`, or the end.

    On Windows, and in a process with other threads, it may come at once.
    """
    return _with_mask("SIG_BLOCK")


def interrupts_taken() -> AbstractContextManager[None]:
    """Within, an interrupt comes at once; one that has waited comes now."""
    return _with_mask("SIG_UNBLOCK")


@contextmanager
def _with_mask(change: str) -> Iterator[None]:
    """Within, interrupts are blocked or not, as the constant of `signal` with this name says; Windows has no mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(getattr(signal, change), {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
