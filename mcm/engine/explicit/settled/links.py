"""What a model surely says of a write and of what reads from it, whatever else there is: by interval evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.relation.evaluate import Structure
from mcm.relation.interval import interval
from mcm.relation.occurrence import subterms
from mcm.relation.term import Base, BaseSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.execution.skeleton import Skeleton
    from mcm.relation.evaluate import Rows
    from mcm.relation.term import RelationTerm

# The elements of the structure in which a write and what reads from it are looked at: the first and the second one; all
# events that come before them, there or elsewhere; and all that come after them.
_FIRST, _SECOND, _EARLIER, _LATER = range(4)
# Fences around the two are further elements.
_OUTER: Final = 4
_PLACES: Final = (_FIRST, _SECOND, _OUTER, _OUTER + 1)
_ALL: Final = 0b1111
_TWO: Final = 1 << _FIRST | 1 << _SECOND
# An event is also related to those of its own element: many have it.
_NEXT: Final[Rows] = (1 << _SECOND, 0, 0, 0)
_READ_BY: Final[Rows] = (
    _ALL & ~(1 << _FIRST),
    1 << _EARLIER | 1 << _LATER,
    _ALL & ~(1 << _SECOND),
    _ALL & ~(1 << _SECOND),
)
_WRITTEN_BEFORE: Final[Rows] = (1 << _SECOND | 1 << _LATER, 1 << _LATER, _ALL, 1 << _EARLIER | 1 << _LATER)
# The second element is a read: no write is before it in this order, nor after it.
_WRITTEN_BEFORE_ALONE: Final[Rows] = (1 << _LATER, 0, _ALL & ~(1 << _SECOND), 1 << _EARLIER | 1 << _LATER)
_OF_ONE_LOCATION: Final[Rows] = (_TWO, _TWO, 0, 0)
_ANYHOW: Final[Rows] = (_ALL,) * 4
_NOTHING: Final[Rows] = (0,) * 4


class Links:
    """Tells whether a relation surely has pairs of a write and what reads from it, by the sets of the two alone."""

    def __init__(self, skeleton: Skeleton, order: RelationTerm) -> None:
        self._skeleton: Final = skeleton
        self._order: Final = order
        named = [*subterms([order])]
        self._sets: Final = [term.name for term in named if isinstance(term, BaseSet)]
        self._relations: Final = [term.name for term in named if isinstance(term, Base)]
        static = skeleton.relations
        self._static: Final = {name: static[name] for name in self._relations if name in static}
        # Pairs that are in the same sets and static relations are alike.
        self._known: Final[dict[tuple[object, ...], bool]] = {}
        self._known_sets: Final[dict[int, frozenset[str]]] = {}

    def is_related(
        self, write: int, reader: int, *, is_read: bool, before: int | None = None, behind: int | None = None
    ) -> bool:
        """Whether a write is related to an update that reads from it, or if `is_read` to a read that does.

        `before`: a fence before the write that is to be related instead of it; `behind` one behind what reads from it.
        """
        fences = [event for event in (before, behind) if event is not None]
        first = _FIRST if before is None else _OUTER
        second = _SECOND if behind is None else _OUTER + len(fences) - 1
        events = (write, reader, *fences)
        key = (tuple(map(self._sets_of, events)), self._rows(events), is_read, first, second)
        found = self._known.get(key)
        if found is None:
            surely = self._surely(*key[:2], is_read=is_read)
            found = self._known[key] = bool(surely[first] >> second & 1)
        return found

    def _rows(self, events: Sequence[int]) -> tuple[Rows, ...]:
        """The rows of the static relations between some events, which become the elements of the same places."""
        return tuple(
            tuple(
                sum((rows[one] >> other & 1) << place for other, place in zip(events, _PLACES, strict=False))
                for one in events
            )
            for rows in self._static.values()
        )

    def _sets_of(self, event: int) -> frozenset[str]:
        known = self._known_sets.get(event)
        if known is None:
            locations = self._skeleton.events[event].locations
            sets = ((name, self._skeleton.sets[name]) for name in self._sets)
            names = (name for name, of in sets if of.events >> event & 1 or not of.locations.isdisjoint(locations))
            known = self._known_sets[event] = frozenset(names)
        return known

    def _surely(self, sets: Sequence[frozenset[str]], rows: Sequence[Rows], *, is_read: bool) -> Rows:
        """What the relation surely has between the elements; the sets and rows are those of the events."""
        fences, others = len(sets) - 2, 1 << _EARLIER | 1 << _LATER
        size = _OUTER + fences
        nothing, everything = (0,) * size, (1 << size) - 1
        masks = {
            name: sum((name in of) << place for of, place in zip(sets, _PLACES, strict=False)) for name in self._sets
        }
        least: dict[str, Rows] = dict.fromkeys(self._relations, nothing)
        greatest: dict[str, Rows] = dict.fromkeys(self._relations, (everything,) * size)
        for name, of in zip(self._static, rows, strict=True):
            least[name] = (*of[:2], 0, 0, *of[2:])
            known = [row | others for row in of]
            greatest[name] = (*known[:2], everything, everything, *known[2:])
        order = (_NOTHING, _WRITTEN_BEFORE_ALONE) if is_read else (_NEXT, _WRITTEN_BEFORE)
        # Fences access nothing.
        for name, (low, high) in {"rf": (_NEXT, _READ_BY), "mo": order, "loc": (_OF_ONE_LOCATION, _ANYHOW)}.items():
            least[name], greatest[name] = low + nothing[_OUTER:], high + nothing[_OUTER:]
        surely, _ = interval(
            self._order,
            Structure(size, everything & ~others, masks, least),
            Structure(size, everything, {name: mask | others for name, mask in masks.items()}, greatest),
        )
        return surely
