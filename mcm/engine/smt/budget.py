"""How much an answer may still cost, and the exception that says that it was too much."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcm.answer.query import Limits

_PAGES: Final = Path("/proc/self/statm")
_PAGES_IN_A_MEGABYTE: Final = 256
_TICKS_BETWEEN_LOOKS: Final = 2000


class UndecidedError(Exception):
    """The question stays open; `reason` is what the answer gives as its reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Budget:
    """Wall time and memory of one query, counted from its construction."""

    def __init__(self, limits: Limits) -> None:
        self._end = None if limits.seconds is None else monotonic() + limits.seconds
        self._megabytes = limits.megabytes
        self._ticks = 0

    @property
    def milliseconds(self) -> int | None:
        """Time that is left; None when it is not limited."""
        return None if self._end is None else int((self._end - monotonic()) * 1000)

    @property
    def megabytes(self) -> int | None:
        """Memory that is left; None when it is not limited."""
        return None if self._megabytes is None else self._megabytes - _resident_megabytes()

    def tick(self) -> None:
        """Called in every loop of some length; looks at clock and memory now and then."""
        self._ticks += 1
        if self._ticks >= _TICKS_BETWEEN_LOOKS:
            self._ticks = 0
            self.check()

    def check(self) -> None:
        """Raise `UndecidedError` when time or memory is used up."""
        if self._end is not None and monotonic() >= self._end:
            raise UndecidedError("timeout")
        megabytes = self.megabytes
        if megabytes is not None and megabytes < 0:
            raise UndecidedError("memory")


def _resident_megabytes() -> int:
    """Memory in use; 0 where the system does not tell, so that only the solver's own limit counts there."""
    try:
        return int(_PAGES.read_text(encoding="ascii").split()[1]) // _PAGES_IN_A_MEGABYTE
    except (OSError, ValueError, IndexError):
        return 0
