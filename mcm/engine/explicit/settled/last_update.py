"""What comes before who finds a counter at its end: it is shown without a search.

`if (atomic_fetch_add(done, 1) == n - 1)`, or `while (atomic_load(done) < n)`: who finds that all have counted comes
after all of them. A solver would look at all orders in which they may. `docs/search.md` has the argument (*The last
one*).
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.catalogue.updates import reads_write_before
from mcm.engine.explicit.settled.commuting import commuting
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.explicit.settled.synchronising import synchronisation
from mcm.execution.algebra import TRUE
from mcm.execution.evaluate import evaluate, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant
from mcm.program.value_arithmetic import is_true
from mcm.relation.evaluate import Structure
from mcm.relation.interval import interval
from mcm.relation.parts import bare
from mcm.relation.term import Base, BaseSet, Closure, children

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.cat.model import Model
    from mcm.execution.awaited import Part, Wait
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Scalar
    from mcm.relation.evaluate import Rows
    from mcm.relation.term import RelationTerm, Term

# The elements of the structure in which two updates are looked at that are neighbours in modification order: the first
# and the second one; all events that come before them, there or elsewhere; and all that come after them.
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


def with_the_last(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Skeleton:
    """What is left of a skeleton by what comes before the last updates of counters; the same one where that is nothing.

    It has the same final states of what is `watched`, the same flags, faults and stops.
    """
    if skeleton.shown is not None or not _asks_for_the_last(skeleton):
        return skeleton
    found = synchronisation(skeleton, model)
    waits = frozenset[int]() if found is None else before_the_last(found.part, model)
    if found is None or not waits:
        return skeleton
    return without_settled(replace(skeleton, shown=found.shown(waits, ())), model, watched)


def _asks_for_the_last(skeleton: Skeleton) -> bool:
    """Whether the guard of an event holds only if some access finds a counter at its end."""
    found = _Found(skeleton)
    guards = dict.fromkeys(event.guard for event in skeleton.events) if found.counter_of else {}
    return any(found.at_its_end(guard, access) for guard in guards for access in reads_of(guard))


def before_the_last(part: Part, model: Model) -> frozenset[int]:
    """The numbers of the waits of a part that hold: those for updates of a counter, at places behind its end.

    Nothing for models that let updates read older writes.
    """
    if not reads_write_before(model):
        return frozenset()
    found = _Found(part.skeleton)
    links = {order: _Links(part.skeleton, order) for order in {wait.order for wait in part.waits}}

    def holds(wait: Wait) -> bool:
        counter = found.counter_of.get(wait.event)
        if counter is None or wait.event not in counter.updates:
            return False
        return any(
            found.counter_of.get(access) is counter
            and access != wait.event
            and found.at_its_end(wait.place.guard, access)
            and links[wait.order].lead_to(access, counter)
            for access in wait.place.after
        )

    return frozenset(number for number, wait in enumerate(part.waits) if holds(wait))


class _Counter(Struct, eq=False):
    """Updates that are executed in any case and add `step` each to a location, which nothing else writes.

    By the model, an update reads the write just before it, so the value tells how many came before.
    """

    first: int
    step: int
    updates: frozenset[int]


class _Found:
    """The counters of a skeleton; `counter_of` has that of each update, and of each atomic read of one."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._unknown: Final = (None,) * skeleton.choices
        writes: dict[Location, list[Event]] = {}
        for event in skeleton.events:
            for location in event.locations if event.kind.writes else ():
                writes.setdefault(location, []).append(event)
        counters = {location: _counter(events, skeleton, location) for location, events in writes.items()}
        self.counter_of: Final = {
            event.identifier: counter
            for event in skeleton.events
            if event.kind.reads and event.atomic and len(event.locations) == 1
            if (counter := counters.get(event.locations[0])) is not None
        }
        self.at_its_end: Final = cache(self._at_its_end)

    def _at_its_end(self, guard: Expression, access: int) -> bool:
        """Whether a guard does not hold unless an access returns what all other updates of a counter have left."""
        counter = self.counter_of.get(access)
        if counter is None:
            return False
        others = len(counter.updates) - (access in counter.updates)
        values = (counter.first + number * counter.step for number in range(others))
        found = (evaluate(guard, {access: value}, self._unknown) for value in values)
        return all(value is not None and not is_true(value) for value in found)


def _counter(writes: Sequence[Event], skeleton: Skeleton, location: Location) -> _Counter | None:
    """The counter that the writes of a location make it; None where it is none, or may leave the range of its type."""
    initial, *updates = writes
    first = initial.value
    is_known = initial.kind is EventKind.INITIAL and not skeleton.sets["INDETERMINATE"].events >> initial.identifier & 1
    if not (is_known and updates and location in skeleton.sets["AO"].locations):
        return None
    steps = {_step(event) for event in updates}
    step = steps.pop()
    if steps or step is None or not (isinstance(first, Constant) and isinstance(first.value, int)):
        return None
    size, type_ = step
    in_range = type_.low <= first.value + size * len(updates) <= type_.high
    return _Counter(first.value, size, frozenset(event.identifier for event in updates)) if in_range else None


def _step(event: Event) -> tuple[int, Scalar] | None:
    """What an update that is executed in any case adds, and its type; None where that is not known."""
    found = commuting(event)
    if found is None or event.guard is not TRUE or not isinstance(event.address, Constant):
        return None
    match event.value:
        case BinaryValue("+" | "-" as symbol, _, Constant(int() as size)) if size:
            return size if symbol == "+" else -size, found[1]
        case _:
            return None


class _Links:
    """Tells which updates of one counter a closure relates to what reads from them."""

    def __init__(self, skeleton: Skeleton, order: RelationTerm) -> None:
        self._skeleton: Final = skeleton
        self._order: Final = order
        named = dict.fromkeys(_bases(order))
        self._sets: Final = [term.name for term in named if isinstance(term, BaseSet)]
        self._relations: Final = [term.name for term in named if isinstance(term, Base)]
        static = skeleton.relations
        self._static: Final = {name: static[name] for name in self._relations if name in static}
        self.lead_to: Final = cache(self._lead_to)
        self._relate_all: Final = cache(self._relates_all)
        # Pairs that are in the same sets and static relations are alike.
        self._known: Final[dict[tuple[object, ...], bool]] = {}
        self._known_sets: Final[dict[int, frozenset[str]]] = {}

    def _lead_to(self, access: int, counter: _Counter) -> bool:
        """Whether each update of a counter is related to each other one, and to an access, if that reads from it."""
        is_read = access not in counter.updates
        return self._relate_all(counter) and (
            not is_read or all(self._is_related(update, access, is_read=True) for update in counter.updates)
        )

    def _relates_all(self, counter: _Counter) -> bool:
        is_transitive = isinstance(bare(self._order), Closure)
        pairs = permutations(counter.updates, 2)
        return is_transitive and all(self._is_related(one, two, is_read=False) for one, two in pairs)

    def _is_related(self, first: int, second: int, *, is_read: bool) -> bool:
        """Whether an update is related to the next one, or to a read of what it has written."""
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
