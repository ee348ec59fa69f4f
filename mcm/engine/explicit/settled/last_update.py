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

from mcm.catalogue.updates import reads_write_before
from mcm.engine.explicit.settled.commuting import commuting
from mcm.engine.explicit.settled.links import Links
from mcm.execution.algebra import TRUE
from mcm.execution.evaluate import evaluate, reads_of
from mcm.execution.event import EventKind, writes_by_location
from mcm.execution.expression import BinaryValue, Constant
from mcm.program.value_arithmetic import is_true
from mcm.relation.parts import bare
from mcm.relation.term import Closure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.cat.model import Model
    from mcm.execution.awaited import Part, Wait
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Scalar
    from mcm.relation.term import RelationTerm


def asks_for_the_last(skeleton: Skeleton) -> bool:
    """Whether the guard of an event holds only if some access finds a counter at its end."""
    found = _Counters(skeleton)
    guards = dict.fromkeys(event.guard for event in skeleton.events) if found.counter_of else {}
    return any(found.at_its_end(guard, access) for guard in guards for access in reads_of(guard))


def before_the_last(part: Part, model: Model) -> frozenset[int]:
    """The numbers of the waits of a part that hold: those for updates of a counter, at places behind its end.

    Nothing for models that let updates read older writes.
    """
    if not reads_write_before(model):
        return frozenset()
    found = _Counters(part.skeleton)
    orders = {order: _Leading(Links(part.skeleton, order), order) for order in {wait.order for wait in part.waits}}

    def holds(wait: Wait) -> bool:
        counter = found.counter_of.get(wait.event)
        if counter is None or wait.event not in counter.updates:
            return False
        return any(
            found.counter_of.get(access) is counter
            and access != wait.event
            and found.at_its_end(wait.place.guard, access)
            and orders[wait.order].lead_to(access, counter)
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


class _Counters:
    """The counters of a skeleton; `counter_of` has that of each update, and of each atomic read of one."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._unknown: Final = (None,) * skeleton.choices
        writes = writes_by_location(skeleton.events)
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


class _Leading:
    """Tells which updates of one counter a closure relates to what reads from them."""

    def __init__(self, links: Links, order: RelationTerm) -> None:
        self._links: Final = links
        self._is_transitive: Final = isinstance(bare(order), Closure)
        self._relates_all: Final = cache(self._are_all_related)
        self.lead_to: Final = cache(self._leads_to)

    def _leads_to(self, access: int, counter: _Counter) -> bool:
        """Whether each update of a counter is related to each other one, and to an access, if that reads from it."""
        is_read = access not in counter.updates
        return self._relates_all(counter) and (
            not is_read or all(self._links.is_related(update, access, is_read=True) for update in counter.updates)
        )

    def _are_all_related(self, counter: _Counter) -> bool:
        pairs = permutations(counter.updates, 2)
        return self._is_transitive and all(self._links.is_related(one, two, is_read=False) for one, two in pairs)
