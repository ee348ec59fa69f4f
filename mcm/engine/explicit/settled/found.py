"""What is settled of the accesses of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.engine.explicit.settled.idle import IDLE
from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.engine.explicit.settled.clocks import Phases
    from mcm.engine.explicit.settled.ordering import Layer
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location


class Settled(Struct, frozen=True):
    """What is settled: the layers of each location, and all accesses as units perform them.

    `sources` are the layers that reads, and updates that are alone in theirs, take their values from. `substitution`
    puts the values in the place of the reads; `finals` are the values that locations have in the end. `in_phases`:
    every barrier is passed in every execution, by all who are needed, so that happens-before has no cycle through them.
    `bases` are for updates that are not settled the last other write before them, where it is always the same.
    `counted` are the layers of locations whose updates stay, as what these return is used; of their reads it is known.
    `begun` are the first layers of locations of which it is not known whether later writes are executed: likewise.
    """

    layers: dict[Location, tuple[Layer, ...]]
    sources: dict[int, Layer]
    accesses: tuple[int, ...]
    substitution: Substitution
    finals: dict[Location, Expression]
    in_phases: bool
    bases: dict[int, int] = {}
    counted: dict[Location, tuple[Layer, ...]] = {}
    begun: dict[Location, tuple[Layer, ...]] = {}
    # In which they were looked at; None where that is not asked.
    phases: Phases | None = None

    @property
    def looked_at(self) -> frozenset[int]:
        """All accesses of locations whose layers are known."""
        return frozenset([*self.accesses, *accesses_of(self.counted)])

    @property
    def extent(self) -> tuple[int, int]:
        """How much is settled: accesses of locations whose layers are known, and of those that are begun."""
        return len(self.looked_at), sum(1 for _ in accesses_of(self.begun))


def accesses_of(layers: Mapping[Location, tuple[Layer, ...]]) -> Iterator[int]:
    """All accesses of the layers of some locations."""
    for its in layers.values():
        for layer in its:
            yield from (event.identifier for event in (*layer.writes, *layer.reads, *layer.paired))


NOTHING: Final = Settled({}, {}, (), Substitution({}), {}, in_phases=False)


def is_all(skeleton: Skeleton, found: Settled) -> bool:
    """Whether all is settled but waiting and free choices, and nobody waits for ever, stops, or has a fault."""
    accesses, apply = frozenset(found.accesses), found.substitution.apply
    return (
        found.in_phases
        and all(
            event.identifier in accesses or event.thread is None or event.kind in IDLE or event.kind.is_of_commands
            for event in skeleton.events
            if apply(event.guard) is not FALSE
        )
        and all(apply(condition) is TRUE for condition in skeleton.constraints)
        and all(apply(fault.condition) is FALSE for fault in skeleton.faults)
        and all(apply(stop.condition) is FALSE for stop in skeleton.stops)
    )
