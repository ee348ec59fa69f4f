"""Footprints of operations, which tell which operations commute."""

from __future__ import annotations

from typing import NamedTuple


class Footprint(NamedTuple):
    """What operations depend on and what they change, as masks: bit n is location n; a memory may add further bits.

    Operations of different threads commute unless one changes what the other depends on or changes.
    """

    reads: int = 0
    writes: int = 0

    def joined(self, other: Footprint) -> Footprint:
        """The footprint of two operations together."""
        return Footprint(self.reads | other.reads, self.writes | other.writes)

    def conflicts_with(self, other: Footprint) -> bool:
        """Whether the order of the operations may matter."""
        return bool(self.writes & (other.reads | other.writes) or self.reads & other.writes)


NO_FOOTPRINT = Footprint()
