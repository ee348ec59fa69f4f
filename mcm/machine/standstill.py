"""When a run stands still: nobody changes anything, and what units do they have done before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcm.program.types import Location

# After so many operations that were done before, and change nothing, everybody probably only waits.
_LONG: Final = 1_000


class Standstill:
    """What was done since something has changed. To read what a unit has not read since then leads on."""

    def __init__(self) -> None:
        self._done: set[tuple[int, int, Location | None]] = set()
        self._repeated = 0

    @property
    def is_long(self) -> bool:
        """Whether much was done again, and nothing else."""
        return self._repeated > _LONG

    def add(self, thread: int, instruction: int, location: Location | None) -> None:
        """A unit has done what changes nothing."""
        done = thread, instruction, location
        self._repeated += done in self._done
        self._done.add(done)

    def end(self) -> None:
        """Something has changed."""
        self._done.clear()
        self._repeated = 0
