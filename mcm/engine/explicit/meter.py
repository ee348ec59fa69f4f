"""How much a search may still cost."""

from __future__ import annotations

from mmap import PAGESIZE
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcm.answer.query import Limits

# Up to this many pairs of events a node costs the same.
_CHEAP_PAIRS: Final = 512
# What a node costs at the most on the way down to the first state, which is long in a large program.
_FIRST_PRICE: Final = 2
# How many nodes a state is worth: where states keep coming, no other engine is faster.
_EARNED: Final = 20
# Memory is looked at once in so many nodes.
_ROUND: Final = 64
_STATISTICS: Final = Path("/proc/self/statm")


class ExhaustedError(Exception):
    """A limit is reached; `reason` is what the answer says."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Meter:
    """Counts search nodes and watches clock and memory, from its creation on.

    Nodes are counted that find nothing: a state that is found earns new ones. A large program pays more for each, and
    one whose threads have the same code pays less, because this search looks at such threads once.
    """

    __slots__ = ("_alike", "_deadline", "_limits", "earned", "price", "spent")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._deadline = None if limits.seconds is None else perf_counter() + limits.seconds
        self._alike = 1
        self.earned = 0
        self.price = 1
        self.spent = 0

    def start(self, size: int, alike: int) -> None:
        """Begin the search of a skeleton with `size` events, in which `alike` threads do the same."""
        self.price = 1 + size * size // _CHEAP_PAIRS
        self._alike = alike

    def earn(self, found: int) -> None:
        """Say how many states were found so far."""
        self.earned = found * _EARNED

    def spend(self) -> None:
        """Pay for one search node; raises ExhaustedError when that is too much."""
        self.spent += self.price if self.earned else min(self.price, _FIRST_PRICE)
        if self._limits.nodes is not None and self.spent > (self._limits.nodes + self.earned) * self._alike:
            raise ExhaustedError("budget")
        if self._limits.megabytes is not None and self.spent % _ROUND < self.price:
            self._check_memory(self._limits.megabytes)
        self.check_time()

    def check_time(self) -> None:
        """Raise ExhaustedError when the time is over."""
        if self._deadline is not None and perf_counter() > self._deadline:
            raise ExhaustedError("timeout")

    @staticmethod
    def _check_memory(megabytes: int) -> None:
        if _STATISTICS.exists():
            pages = int(_STATISTICS.read_text(encoding="ascii").split()[1])
            if pages * PAGESIZE > megabytes << 20:
                raise ExhaustedError("memory")
