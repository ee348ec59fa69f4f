"""What a model surely says of a write and of what reads from it, whatever else there is: by interval evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.relation.evaluate import Structure
from mcm.relation.interval import interval
from mcm.relation.term import Base, BaseSet, children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.execution.skeleton import Skeleton
    from mcm.relation.evaluate import Rows
    from mcm.relation.term import RelationTerm, Term

# The elements of the structure in which a write and what reads from it are looked at: the first and the second one; all
# events that come before them, there or elsewhere; and all that come after them.
_FIRST, _SECOND, _EARLIER, _LATER = range(4)
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
        named = dict.fromkeys(_bases(order))
        self._sets: Final = [term.name for term in named if isinstance(term, BaseSet)]
        self._relations: Final = [term.name for term in named if isinstance(term, Base)]
        static = skeleton.relations
        self._static: Final = {name: static[name] for name in self._relations if name in static}
        # Pairs that are in the same sets and static relations are alike.
        self._known: Final[dict[tuple[object, ...], bool]] = {}
        self._known_sets: Final[dict[int, frozenset[str]]] = {}

    def is_related(self, first: int, second: int, *, is_read: bool) -> bool:
        """Whether a write is related to an update that reads from it, or if `is_read` to a read that does."""
        alike = self._sets_of(first), self._sets_of(second), self._rows(first, second)
        found = self._known.get((*alike, is_read))
        if found is None:
            found = self._known[(*alike, is_read)] = self._looked_at(*alike, is_read=is_read)
        return found

    def _rows(self, first: int, second: int) -> tuple[tuple[int, int], ...]:
        """The rows of the static relations between two events, which become the first and the second element."""
        found = []
        for rows in self._static.values():
            of_first, of_second = rows[first], rows[second]
            found.append(
                (
                    (of_first >> first & 1) << _FIRST | (of_first >> second & 1) << _SECOND,
                    (of_second >> first & 1) << _FIRST | (of_second >> second & 1) << _SECOND,
                )
            )
        return tuple(found)

    def _sets_of(self, event: int) -> frozenset[str]:
        known = self._known_sets.get(event)
        if known is None:
            locations = self._skeleton.events[event].locations
            sets = ((name, self._skeleton.sets[name]) for name in self._sets)
            names = (name for name, of in sets if of.events >> event & 1 or not of.locations.isdisjoint(locations))
            known = self._known_sets[event] = frozenset(names)
        return known

    def _looked_at(
        self, first: frozenset[str], second: frozenset[str], rows: tuple[tuple[int, int], ...], *, is_read: bool
    ) -> bool:
        others = _ALL & ~_TWO
        sets = {name: (name in first) << _FIRST | (name in second) << _SECOND for name in self._sets}
        least: dict[str, Rows] = dict.fromkeys(self._relations, _NOTHING)
        greatest: dict[str, Rows] = dict.fromkeys(self._relations, _ANYHOW)
        for name, (of_first, of_second) in zip(self._static, rows, strict=True):
            least[name] = of_first, of_second, 0, 0
            greatest[name] = of_first | others, of_second | others, _ALL, _ALL
        order = (_NOTHING, _WRITTEN_BEFORE_ALONE) if is_read else (_NEXT, _WRITTEN_BEFORE)
        dynamic = {"rf": (_NEXT, _READ_BY), "mo": order, "loc": (_OF_ONE_LOCATION, _ANYHOW)}
        least |= {name: low for name, (low, _) in dynamic.items()}
        greatest |= {name: high for name, (_, high) in dynamic.items()}
        surely, _ = interval(
            self._order,
            Structure(4, _TWO, sets, least),
            Structure(4, _ALL, {name: mask | others for name, mask in sets.items()}, greatest),
        )
        return bool(surely[_FIRST] >> _SECOND & 1)


def _bases(term: Term) -> Iterator[Base | BaseSet]:
    """The base sets and relations that occur in a term, each once."""
    left, seen = [term], {term}
    while left:
        part = left.pop()
        if isinstance(part, Base | BaseSet):
            yield part
        new = [each for each in children(part) if each not in seen]
        seen.update(new)
        left += new
