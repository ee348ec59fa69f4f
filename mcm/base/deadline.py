"""The limits of what a thread does: work of unknown length asks, and ends in an exception of its own."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TIMEOUT: Final = "timeout"
MEMORY: Final = "memory"

_STATISTICS: Final = "/proc/self/statm"


class LimitReachedError(Exception):
    """Nothing more may be done; `reason` (`timeout` or `memory`) goes into the result."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Deadline(threading.local):
    """When the work of this thread has to end, as `monotonic` counts; None: never.

    `depth` is the number of limits around it.
    """

    end: float | None = None
    depth: int = 0


class _Solvers(threading.local):
    """Whether the work of this thread may use solvers, and whether it wanted to where it may not."""

    are_allowed: bool = True
    were_wanted: bool = False


_DEADLINE: Final = _Deadline()
_SOLVERS: Final = _Solvers()


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Within, `poll` raises LimitReachedError once so many seconds have passed; an earlier end around it holds too."""
    outer = _DEADLINE.end
    own = None if seconds is None else monotonic() + seconds
    _DEADLINE.end = own if outer is None else outer if own is None else min(outer, own)
    _DEADLINE.depth += 1
    try:
        yield
    finally:
        _DEADLINE.end = outer
        _DEADLINE.depth -= 1


@contextmanager
def limits_of_c_functions() -> Iterator[None]:
    """Within, a limit that is reached while the arguments of a C function are converted is raised as what it is.

    `ctypes` makes an ArgumentError of every exception that it meets there, with the type and the text of the first.
    """
    try:
        yield
    except Exception as error:
        for reason in (TIMEOUT, MEMORY):
            if str(error).endswith(f"{LimitReachedError.__name__}: {reason}"):
                raise LimitReachedError(reason) from None
        raise


@contextmanager
def without_solvers() -> Iterator[Callable[[], bool]]:
    """Within, `want_solver` raises LimitReachedError; the function that is given says whether it has."""
    _SOLVERS.are_allowed, _SOLVERS.were_wanted = False, False
    try:
        yield lambda: _SOLVERS.were_wanted
    finally:
        _SOLVERS.are_allowed = True


def want_solver() -> None:
    """To be called before a solver is loaded or used: a library that takes long to load, and may end the process."""
    if not _SOLVERS.are_allowed:
        _SOLVERS.were_wanted = True
        raise LimitReachedError(TIMEOUT)


def seconds_left() -> float | None:
    """The seconds until the end, not less than 0; None without a limit."""
    return None if _DEADLINE.end is None else max(0.0, _DEADLINE.end - monotonic())


def poll(grace: float = 0.0, megabytes: int | None = None) -> None:
    """Raise LimitReachedError if the end was more than `grace` seconds ago, or there are more than `megabytes` in use.

    Memory counts only within `time_limit`, whatever time that gives: elsewhere nobody expects the exception.
    """
    if _DEADLINE.end is not None and monotonic() > _DEADLINE.end + grace:
        raise LimitReachedError(TIMEOUT)
    if megabytes is not None and _DEADLINE.depth and resident_megabytes() > megabytes:
        raise LimitReachedError(MEMORY)


def resident_megabytes() -> int:
    """The megabytes that this process has in use; 0 where the system does not say."""
    try:
        with open(_STATISTICS, "rb") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError, IndexError):
        return 0
