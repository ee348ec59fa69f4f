"""What plain reads are supposed to return while a program is elaborated, until it is shown that they return it.

Where data decides how far a loop goes and what an address is, each access may be anywhere, in each iteration of any
number. With the values that one run reads, a program elaborates to what that run executes. That every consistent
execution reads these values is shown afterwards (`docs/search.md`, *Suppositions*).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.execution.expression import Constant
    from mcm.program.types import Location


class ReadPlace(Struct, frozen=True):
    """A read of a run: the thread, where in the text it begins, and how often the thread has read there before."""

    thread: int
    start: int
    earlier: int


class Supposition(Struct, frozen=True):
    """A read finds this value at this location."""

    location: Location
    value: Constant


Suppositions = Mapping[ReadPlace, Supposition]

NOTHING_SUPPOSED: Final[Suppositions] = {}


class ReadCounter:
    """Counts the reads of one thread at each place of the text, and says what each of them is supposed to find."""

    def __init__(self, suppositions: Suppositions, thread: int) -> None:
        self._suppositions = suppositions
        self._thread = thread
        self._counts: dict[int, int] = {}

    def following(self, start: int) -> Supposition | None:
        """What is supposed of the next read at a place; None where nothing is."""
        earlier = self._counts.get(start, 0)
        self._counts[start] = earlier + 1
        return self._suppositions.get(ReadPlace(self._thread, start, earlier))
