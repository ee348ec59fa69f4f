"""The time that is left for what a thread does: work of unknown length asks, and ends in an exception of its own."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT: Final = "timeout"
MEMORY: Final = "memory"


class LimitReachedError(Exception):
    """Nothing more may be done; `reason` (`timeout` or `memory`) goes into the result."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Deadline(threading.local):
    """When the work of this thread has to end, as `monotonic` counts; None: never."""

    end: float | None = None


_DEADLINE: Final = _Deadline()


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Within, `poll` raises LimitReachedError once so many seconds have passed; an earlier end around it holds too."""
    outer = _DEADLINE.end
    own = None if seconds is None else monotonic() + seconds
    _DEADLINE.end = own if outer is None else outer if own is None else min(outer, own)
    try:
        yield
    finally:
        _DEADLINE.end = outer


def seconds_left() -> float | None:
    """The seconds until the end, not less than 0; None without a limit."""
    return None if _DEADLINE.end is None else max(0.0, _DEADLINE.end - monotonic())


def poll(grace: float = 0.0) -> None:
    """Raise LimitReachedError if the end was more than `grace` seconds ago."""
    if _DEADLINE.end is not None and monotonic() > _DEADLINE.end + grace:
        raise LimitReachedError(TIMEOUT)
