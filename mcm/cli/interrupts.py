"""When an interrupt is taken: where a process works or waits, so that nothing that is finished is lost.

Ctrl-C is one, and so are SIGTERM, and SIGHUP, which tells that the terminal has gone.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from types import FrameType

# What interrupts a command, wherever it comes from: a terminal, or whoever ends what takes too long.
_TERMINATIONS: Final = (signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
_INTERRUPTS: Final = (signal.SIGINT, *_TERMINATIONS)

# `timeout` sends SIGTERM to the command and to its process group, and others send SIGHUP too: that is one interrupt.
_TOGETHER: Final = 1.0


@contextmanager
def terminations_interrupt() -> Iterator[None]:
    """Within, signals that end a process interrupt it, unless they mean something else to this process already."""
    handler = _Terminations()
    meant = [number for number in _TERMINATIONS if signal.getsignal(number) is signal.SIG_DFL]
    taken = [number for number in meant if _is_taken(number, handler)]
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _is_taken(number: int, handler: _Terminations) -> bool:
    """Whether a signal goes to a handler from now on: only the main thread may say so."""
    try:
        signal.signal(number, handler)
    except ValueError:
        return False
    return True


class _Terminations:
    """What is done about a signal that ends a process; one that follows another at once is the same."""

    def __init__(self) -> None:
        self._last: float | None = None

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        before, self._last = self._last, monotonic()
        if before is None or self._last - before > _TOGETHER:
            raise KeyboardInterrupt


def ignore_interrupts() -> None:
    """From now on this process leaves it to its parent what an interrupt of the whole process group means."""
    for number in _INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)


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
    before = signal.pthread_sigmask(getattr(signal, change), set(_INTERRUPTS))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
