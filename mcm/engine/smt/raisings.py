"""What may raise the flags of a model in one skeleton: by which events, at which location, and by what literal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.places import Places
from mcm.engine.smt.circuit import FALSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.answer.places import PlacePair, Rank
    from mcm.cat.model import Flag
    from mcm.engine.smt.encode import Encoding
    from mcm.engine.smt.findings import Findings
    from mcm.program.types import Location


class Raising(Struct, frozen=True):
    """The flag of a model, by its number, raised by events (in the order of identifiers) of which the one that is shown
    first accesses a certain location, if it accesses any.
    """

    flag: int
    places: PlacePair
    rank: Rank
    events: tuple[int, ...]


def group_of(raising: Raising) -> object:
    """Of raisings with the same group one is listed."""
    return raising.flag, raising.places


def rank_of(raising: Raising) -> Rank:
    """Which of those of one group is listed: the one with the least rank."""
    return raising.rank


class Raisings:
    """The raisings that are possible in one skeleton."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding: Final = encoding
        self._places: Final = Places(encoding.skeleton.events)

    def literals(self, flags: Sequence[Flag], chosen: Sequence[int], findings: Findings) -> dict[Raising, int]:
        """Those of the flags with the `chosen` numbers that would add to the findings, each with its literal."""
        circuit, found = self._encoding.circuit, dict[Raising, int]()
        for number in chosen:
            for instance, literal in self._encoding.checks.instances(flags[number]):
                events = tuple(sorted({*instance}))
                for location, reached in self._locations(events):
                    where = {} if location is None else {self._places.first(events): location}
                    raising = Raising(number, self._places.pair(events), self._places.rank(events, where), events)
                    known = findings.rank_of_flag(number, raising.places)
                    if known is None or raising.rank < known:
                        both = circuit.both(literal, reached) if reached is not None else literal
                        found[raising] = circuit.either(found.get(raising, FALSE), both)
        return found

    def _locations(self, events: tuple[int, ...]) -> Iterator[tuple[Location | None, int | None]]:
        """The locations that the event shown first may access, each with the literal that it does, if that is open."""
        locations = self._encoding.execution.locations[self._places.first(events)] if events else {}
        if not locations:
            yield None, None
        for location, literal in locations.items():
            yield location, None if len(locations) == 1 else literal
