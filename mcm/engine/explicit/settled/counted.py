"""A counter from which threads take numbers until they get one that says that there are no more.

Each number is taken once: by the model, an update reads the last write before it, so along the modification order of
the counter its values are the initial one, what an update makes of it, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import TRUE, conjuncts
from mcm.execution.evaluate import evaluate, is_true, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression, GroupResult
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value

# What is taken, in expressions that are the same for all who take; and what an update of another location reads.
TAKEN: Final = ReadValue(-1)
READ: Final = ReadValue(-2)
# One number is no job, and a single thread has no one to take another.
_FEWEST: Final = 3


class Counter:
    """A counter, with the numbers that are taken from it in every execution, in the order in which they are.

    `updates` are those of each thread, in order: the first is executed in any case, and each other one if the numbers
    that those before it have taken say so: `leads_on`, by their places. `conditions` are the parts of the guard of each
    update. Of each thread there is an update for each number that leads on, and one more.
    """

    def __init__(
        self,
        location: Location,
        updates: Mapping[int, tuple[Event, ...]],
        values: tuple[Value, ...],
        leads_on: frozenset[int],
        conditions: Mapping[int, frozenset[Expression]],
    ) -> None:
        self.location: Final = location
        self.updates: Final = updates
        self.values: Final = values
        self.leads_on: Final = leads_on
        self.conditions: Final = conditions
        # For conditions on what one update takes the update, and the places of the numbers for which they hold.
        self._known: Final[dict[Expression, tuple[int, frozenset[int]] | None]] = {}
        self._places: Final[dict[Expression, frozenset[int]]] = {}

    def taken(self, condition: Expression) -> tuple[int, frozenset[int]] | None:
        """The update that a condition is about, and the places of the numbers for which it holds.

        None if it is about anything else.
        """
        if condition not in self._known:
            reads = reads_of(condition)
            found = None
            if len(reads) == 1 and reads <= self.conditions.keys():
                (update,) = reads
                asked = shape(condition, update)
                if asked not in self._places:
                    self._places[asked] = frozenset(i for i, v in enumerate(self.values) if holds((asked,), v))
                found = update, self._places[asked]
            self._known[condition] = found
        return self._known[condition]

    def is_never(self, condition: Expression) -> bool:
        """Whether a condition holds in no execution: some update would take a number that it can not.

        No thread takes more numbers that lead on than there are.
        """
        places: dict[int, frozenset[int]] = {}
        for part in conjuncts(condition):
            found = self.taken(part)
            if found is not None:
                update, holding = found
                places[update] = places.get(update, holding) & holding
        if not all(places.values()):
            return True
        leading = {update for update, holding in places.items() if holding <= self.leads_on}
        return len(leading) > len(self.leads_on) and any(
            sum(update.identifier in leading for update in updates) > len(self.leads_on)
            for updates in self.updates.values()
        )

    def distribution(self) -> dict[int, Value]:
        """What updates take if each thread takes as much as it gets, one thread after the other."""
        found: dict[int, Value] = {}
        numbers = iter(enumerate(self.values))
        for updates in self.updates.values():
            for update, (place, value) in zip(updates, numbers, strict=False):
                found[update.identifier] = value
                if place not in self.leads_on:
                    break
        return found


def shape(expression: Expression, update: int, own: int | None = None) -> Expression:
    """An expression without the names of who has taken what it is about, and of the read that it belongs to."""
    names: dict[GroupResult | ReadValue, Expression] = {ReadValue(update): TAKEN}
    if own is not None:
        names[ReadValue(own)] = READ
    return Substitution(names).apply(expression)


def parts(guard: Expression) -> frozenset[Expression]:
    """The conditions under which an event is executed."""
    return frozenset(conjuncts(guard)) - {TRUE}


def holds(shapes: Iterable[Expression], value: Value) -> bool:
    """Whether conditions hold on what is taken."""
    reads = {TAKEN.event: value}
    return all(result is not None and is_true(result) for result in (evaluate(each, reads, ()) for each in shapes))


def counter_of(skeleton: Skeleton) -> Counter | None:
    """The counter that threads take jobs from; None where there is none, or more than one."""
    found = [counter for counter in _counters(skeleton) if counter is not None]
    return found[0] if len(found) == 1 else None


def _counters(skeleton: Skeleton) -> Iterator[Counter | None]:
    atomic = skeleton.sets["AO"].locations
    accesses: dict[Location, list[Event]] = {}
    for event in skeleton.events:
        for location in event.locations if event.kind.is_access else ():
            accesses.setdefault(location, []).append(event)
    for location, (first, *updates) in accesses.items():
        if (
            location in atomic
            and len(updates) >= _FEWEST
            and first.kind is EventKind.INITIAL
            and isinstance(first.value, Constant)
            and all(e.kind is EventKind.UPDATE and isinstance(e.address, Constant) for e in updates)
        ):
            yield _counter(location, first.value.value, updates)


def _counter(location: Location, first: Value, updates: Sequence[Event]) -> Counter | None:
    """The counter that a location is with these updates, and no others; None if it is none to take jobs from."""
    steps = {None if u.value is None else shape(u.value, u.identifier) for u in updates}
    step = steps.pop() if len(steps) == 1 else None
    chains: dict[int, list[Event]] = {}
    for update in updates:
        if update.thread is None:
            return None
        chains.setdefault(update.thread, []).append(update)
    conditions: dict[int, frozenset[Expression]] = {}
    asked: set[frozenset[Expression]] = set()
    for chain in chains.values():
        known: frozenset[Expression] = frozenset()
        last: int | None = None
        for update in chain:
            guard = parts(update.guard)
            new = guard - known
            if not known <= guard or any(last is None or reads_of(each) != {last} for each in new):
                return None
            if last is not None:
                asked.add(frozenset(shape(each, last) for each in new))
            conditions[update.identifier] = known = guard
            last = update.identifier
    if step is None or len(asked) != 1:
        return None
    (asks,) = asked
    values = list(_values(first, step, len(updates)))
    lead_on = [place for place, value in enumerate(values) if holds(asks, value)]
    ends = [place for place in range(len(values)) if place not in {*lead_on}]
    if len(values) < len(updates) or len(ends) < len(chains):
        return None
    taken = ends[len(chains) - 1] + 1
    leads_on = frozenset(place for place in lead_on if place < taken)
    if len(leads_on) < len(lead_on) or any(len(chain) <= len(leads_on) for chain in chains.values()):
        return None
    by_thread = {thread: tuple(chain) for thread, chain in chains.items()}
    return Counter(location, by_thread, tuple(values[:taken]), leads_on, conditions)


def _values(first: Value, step: Expression, most: int) -> Iterator[Value]:
    """What so many updates read, one after the other."""
    value: Value | None = first
    for _ in range(most):
        if value is None:
            return
        yield value
        value = evaluate(step, {TAKEN.event: value}, ())
