"""How much a search may still cost."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcm.answer.query import Limits


class ExhaustedError(Exception):
    """A limit is reached; `reason` is what the answer says."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Meter:
    """Counts search nodes and watches the clock, from its creation on."""

    __slots__ = ("_deadline", "_nodes", "spent")

    def __init__(self, limits: Limits) -> None:
        self._deadline = None if limits.seconds is None else perf_counter() + limits.seconds
        self._nodes = limits.nodes
        self.spent = 0

    def spend(self) -> None:
        """Pay for one search node; raises ExhaustedError when that is too much."""
        self.spent += 1
        if self._nodes is not None and self.spent > self._nodes:
            raise ExhaustedError("budget")
        if self._deadline is not None and perf_counter() > self._deadline:
            raise ExhaustedError("timeout")
