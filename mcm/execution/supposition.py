"""What reads and group functions are supposed to return while a program is elaborated, until that is shown.

Where data decides how far a loop goes and what an address is, each access may be anywhere, in each iteration of any
number. With the values that one run reads, a program elaborates to what that run executes. That every consistent
execution has these values is shown afterwards (`docs/search.md`, *Suppositions*).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.execution.expression import Constant
    from mcm.program.types import Location


class RunPlace(Struct, frozen=True):
    """A read or a call of a run: the thread, where in the text it begins, and how often it was there before."""

    thread: int
    start: int
    earlier: int


class Supposition(Struct, frozen=True):
    """A read finds this value at this location; without one, a group function returns it.

    `is_shown`: every execution reads so, which need not be shown again.
    """

    location: Location | None
    value: Constant
    is_shown: bool = False


Suppositions = Mapping[RunPlace, Supposition]

NOTHING_SUPPOSED: Final[Suppositions] = {}


class FalseSuppositionError(Exception):
    """The members of a group do not pass what makes the result that a group function was supposed to return."""


class RunCounter:
    """Counts how often one thread reads or calls at each place of the text, and says what is supposed of each time."""

    def __init__(self, suppositions: Suppositions, thread: int) -> None:
        self._suppositions = suppositions
        self._thread = thread
        self._counts: dict[int, int] = {}

    def following(self, start: int) -> Supposition | None:
        """What is supposed of the next time at a place; None where nothing is."""
        earlier = self._counts.get(start, 0)
        self._counts[start] = earlier + 1
        return self._suppositions.get(RunPlace(self._thread, start, earlier))
