"""What is decided of an execution whose values are still to be found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.answer.conflict import Place
from mcm.execution.expression import Constant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value


class DecidedExecution(Struct, frozen=True):
    """What is decided of an execution, some of whose reads have values that depend on themselves.

    `executed` and `skipped` are masks of events; of those in neither it is not decided. `known` are the reads whose
    value is computed from constants; `sources[r]` is the write of read `r`. `supposed` are conditions and addresses
    that were decided before the values that they depend on are known.
    """

    skeleton: Skeleton
    executed: int
    skipped: int
    sources: Mapping[int, int]
    locations: Mapping[int, Location]
    known: Mapping[int, Value]
    choices: tuple[bool | None, ...]
    supposed: Mapping[Expression, Value]

    def places(self) -> Iterator[tuple[Place, Expression]]:
        """Where executed events access memory, each with its address, but for those whose address is a constant."""
        for event, location in self.locations.items():
            address = self.skeleton.events[event].address
            if self.executed >> event & 1 and address is not None and not isinstance(address, Constant):
                yield Place(event, location), address
