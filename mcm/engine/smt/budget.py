"""The limits of an answer in time and memory, and the exception that is raised when one is exceeded."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from mcm.base.deadline import resident_megabytes

if TYPE_CHECKING:
    from mcm.answer.query import Limits

_TICKS_BETWEEN_LOOKS: Final = 2000


class UndecidedError(Exception):
    """The query is not decided; `reason` goes into the answer."""

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
        """The seconds that are left; None without a limit."""
        return None if self._end is None else int((self._end - monotonic()) * 1000)

    @property
    def megabytes(self) -> int | None:
        """The megabytes that are left; None without a limit."""
        return None if self._megabytes is None else self._megabytes - resident_megabytes()

    def tick(self) -> None:
        """To be called in long loops: checks time and memory once in many calls. Raises `UndecidedError`."""
        self._ticks += 1
        if self._ticks >= _TICKS_BETWEEN_LOOKS:
            self._ticks = 0
            self.check()

    def check(self) -> None:
        """Raises `UndecidedError` when a limit is exceeded."""
        if self._end is not None and monotonic() >= self._end:
            raise UndecidedError("timeout")
        megabytes = self.megabytes
        if megabytes is not None and megabytes < 0:
            raise UndecidedError("memory")
