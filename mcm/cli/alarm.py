"""Limits of this process: a time limit that interrupts work which does not ask, and a limit on memory."""

from __future__ import annotations

import atexit
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from mcm import LimitReachedError, poll

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

# How often the time is looked at, and how long work that asks for itself may take to end: what it found is kept then.
_INTERVAL: Final = 0.1
_GRACE: Final = 0.2

# What the code of libraries takes, which counts where the memory in use is measured.
_LIBRARY_MEGABYTES: Final = 96

# The least that a process may have beyond its limit before it is refused memory. It is interrupted before that: the
# interpreter itself may abort where there is no memory for an exception.
_OWN_MEGABYTES: Final = 160

# By what part of the limit a process may exceed it before it is refused memory, and before it is interrupted: engines
# watch their memory themselves, and keep what they have found.
_EXCESS: Final = 4
_SMALL_EXCESS: Final = 8


class _Watched:
    """The megabytes that this process may have; None: no limit."""

    megabytes: int | None = None


def interrupt_at_time_limits() -> None:
    """From now on a limit of the main thread interrupts whatever Python code is running, where that is possible.

    Work in one of the solver's functions ends by the solver's own limit. A forked process has to ask anew.
    """
    if sys.platform == "win32":
        return
    import signal

    def look(_number: int, _frame: FrameType | None) -> None:
        try:
            poll(_GRACE, _Watched.megabytes)
        except LimitReachedError:
            # An object of the solver that is half made then would complain when it is taken away.
            sys.unraisablehook = lambda _: None
            raise

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _INTERVAL, _INTERVAL)
    # On its way out the interpreter takes the handler away; the next signal would kill the process.
    atexit.register(signal.signal, signal.SIGALRM, signal.SIG_IGN)


def limit_memory(megabytes: int | None) -> None:
    """From now on this process gets a MemoryError where it takes more than a quarter (at least 160 MB) beyond a limit.

    Where limits are looked at, work that takes more than an eighth is interrupted before that: not all libraries are
    written so that they end well without memory.
    """
    _Watched.megabytes = None if megabytes is None else megabytes + max(megabytes // _SMALL_EXCESS, _LIBRARY_MEGABYTES)
    if megabytes is None or sys.platform == "win32":
        return
    import resource

    # Data, not address space: the solver's library alone maps more than a small limit.
    wanted = min(max(megabytes + megabytes // _EXCESS, megabytes + _OWN_MEGABYTES) << 20, sys.maxsize)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


@contextmanager
def memory_limit(megabytes: int | None) -> Iterator[None]:
    """The same within, and as before afterwards."""
    if megabytes is None or sys.platform == "win32":
        yield
        return
    import resource

    before, watched = resource.getrlimit(resource.RLIMIT_DATA), _Watched.megabytes
    limit_memory(megabytes)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
        _Watched.megabytes = watched
