"""A candidate execution: a skeleton with everything that it leaves open filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.program.types import NO_VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value


class Candidate(Struct, frozen=True):
    """One execution. Keys are event identifiers; only executed events occur.

    `reads_from[r]` is the write that `r` reads; `modification_orders[l]` lists the writes of `l` from first to last;
    `locations`, `read_values` and `written_values` say what accesses reached, read and wrote;
    `linearisations[name]` is the order chosen for a linearisation of the model.
    """

    skeleton: Skeleton
    executed: frozenset[int]
    reads_from: Mapping[int, int]
    modification_orders: Mapping[Location, tuple[int, ...]]
    locations: Mapping[int, Location]
    read_values: Mapping[int, Value]
    written_values: Mapping[int, Value]
    choices: tuple[bool, ...]
    linearisations: Mapping[str, tuple[int, ...]]

    def lacks_value(self, event: int) -> bool:
        """Whether what an event writes, or reads, is no value, or stands in for an initial one that is missing."""
        write = self.reads_from.get(event, event)
        if self.written_values.get(write) == NO_VALUE:
            return True
        indeterminate = self.skeleton.sets.get("INDETERMINATE")
        return indeterminate is not None and bool(indeterminate.events >> write & 1)
