"""A counter from which threads take numbers until they get one that says that there are no more.

Each number is taken once: by the model, an update reads the last write before it, so along the modification order of
the counter its values are the initial one, what an update makes of it, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.bits import members
from mcm.execution.algebra import TRUE, conjuncts, negation
from mcm.execution.evaluate import evaluate, is_true, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression, GroupResult
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Value

# What is taken, in expressions that are the same for all who take, and what an update of another location reads. What
# is read where nobody writes has the numbers below.
TAKEN: Final = ReadValue(-1)
READ: Final = ReadValue(-2)
_FIRST_INPUT: Final = -3
# One number is no job, and a single thread has no one to take another.
_FEWEST: Final = 3
# Of so many numbers it is looked at whether they are the last.
_MOST_NUMBERS: Final = 1 << 12


class Counter:
    """A counter, with the numbers that are taken from it in every execution, in the order in which they are.

    `updates` are those of each thread, in order: the first is executed in any case, and each other one if the numbers
    that those before it have taken say so: `leads_on`, by their places. `conditions` are the parts of the guard of each
    update. Of each thread there is an update for each number that leads on, and one more.
    """

    def __init__(
        self,
        skeleton: Skeleton,
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
        # What reads return: the number taken at each place, and what is found with it where nobody writes.
        self.reads: Final[list[dict[int, Value]]] = [{TAKEN.event: value} for value in values]
        names: dict[GroupResult | ReadValue, Expression] = {
            ReadValue(event.identifier): READ for event in skeleton.events if event.kind is EventKind.UPDATE
        }
        names.update((ReadValue(update), TAKEN) for update in conditions)
        self._shapes: Final = Substitution(names)
        # The update that decides where each read of what nobody writes reads; None where it is one place.
        self._inputs: Final[dict[int, int | None]] = {}
        self._add_inputs(skeleton, names)
        # For conditions on what one update takes the update, and the places of the numbers for which they hold.
        self._known: Final[dict[Expression, tuple[int, frozenset[int]] | None]] = {}
        self._places: Final[dict[Expression, frozenset[int]]] = {}

    def _add_inputs(self, skeleton: Skeleton, names: dict[GroupResult | ReadValue, Expression]) -> None:
        unwritten = _unwritten(skeleton)
        found: dict[Expression, int] = {}
        for event in skeleton.events:
            if event.kind is not EventKind.READ or event.address is None or not unwritten.keys() >= {*event.locations}:
                continue
            about = self.about(event.address)
            if about is None or len(about) > 1:
                continue
            address = self.shape(event.address)
            if address not in found:
                number = found[address] = _FIRST_INPUT - len(found)
                for reads in self.reads:
                    place = evaluate(address, reads, ())
                    if isinstance(place, Location) and place in unwritten:
                        reads[number] = unwritten[place]
            self._inputs[event.identifier] = max(about, default=None)
            names[ReadValue(event.identifier)] = ReadValue(found[address])

    def about(self, *expressions: Expression | None, own: int | None = None) -> frozenset[int] | None:
        """The updates of the counter that expressions depend on; None if they do on anything else but an `own` read."""
        reads = {read for each in expressions if each is not None for read in reads_of(each)} - {own}
        if not all(read in self.conditions or read in self._inputs for read in reads):
            return None
        return frozenset(update for update in (self._inputs.get(read, read) for read in reads) if update is not None)

    def shape(self, expression: Expression) -> Expression:
        """An expression about one update without the names of who has taken what it is about, and of other reads."""
        return self._shapes.apply(expression)

    def taken(self, condition: Expression) -> tuple[int, frozenset[int]] | None:
        """The update that a condition is about, and the places of the numbers for which it holds.

        None if it is about anything else.
        """
        if condition not in self._known:
            about = self.about(condition)
            found = None
            if about is not None and len(about) == 1:
                (update,) = about
                asked = self.shape(condition)
                if asked not in self._places:
                    self._places[asked] = frozenset(i for i, reads in enumerate(self.reads) if holds((asked,), reads))
                found = update, self._places[asked]
            self._known[condition] = found
        return self._known[condition]

    def is_sure(self, condition: Expression) -> bool:
        """Whether a condition holds in every execution in which all is executed that it is about."""
        alternatives: list[Expression] = []
        waiting = [condition]
        while waiting:
            match waiting.pop():
                case BinaryValue("||", left, right):
                    waiting += (left, right)
                case alternative:
                    alternatives.append(negation(alternative))
        return self.is_never(*alternatives)

    def is_never(self, *conditions: Expression) -> bool:
        """Whether conditions hold together in no execution: some update would take a number that it can not.

        No thread takes more numbers that lead on than there are.
        """
        places: dict[int, frozenset[int]] = {}
        for part in (part for condition in conditions for part in conjuncts(condition)):
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


def parts(guard: Expression) -> frozenset[Expression]:
    """The conditions under which an event is executed."""
    return frozenset(conjuncts(guard)) - {TRUE}


def holds(shapes: Iterable[Expression], reads: Mapping[int, Value]) -> bool:
    """Whether conditions hold where reads return this; what cannot be told does not hold."""
    return all(result is not None and is_true(result) for result in (evaluate(each, reads, ()) for each in shapes))


def counter_of(skeleton: Skeleton) -> Counter | None:
    """The counter that threads take jobs from; None where there is none, or more than one."""
    found = [counter for counter in map(_counter, _all_chains(skeleton)) if counter is not None]
    return found[0](skeleton) if len(found) == 1 else None


def most_iterations(skeleton: Skeleton) -> int | None:
    """How often a thread goes on at most that takes numbers from a counter, if it takes all that there are.

    None where nobody takes any, or where there is no end of them.
    """
    found = [_ends(chains, _MOST_NUMBERS) for chains in _all_chains(skeleton)]
    return max((len(leads_on) for values, leads_on in found if values), default=None)


def _unwritten(skeleton: Skeleton) -> dict[Location, Value]:
    """The locations that no thread writes, with the values that they have."""
    found: dict[Location, Value] = {}
    indeterminate = {*members(skeleton.sets["INDETERMINATE"].events)}
    for event in skeleton.events:
        for location in event.locations if event.kind.writes else ():
            if event.kind is not EventKind.INITIAL:
                found.pop(location, None)
            elif event.identifier not in indeterminate and isinstance(event.value, Constant):
                found[location] = event.value.value
    return found


class _Chains(Struct, frozen=True):
    """The updates of a location by each thread, of which each but the first depends on what the one before has read.

    `step` is what is made of what is read, `asks` what it has to be.
    """

    location: Location
    first: Value
    step: Expression
    asks: frozenset[Expression]
    by_thread: Mapping[int, tuple[Event, ...]]
    conditions: Mapping[int, frozenset[Expression]]


def _all_chains(skeleton: Skeleton) -> Iterator[_Chains]:
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
            found = _chains(location, first.value.value, updates)
            if found is not None:
                yield found


def _chains(location: Location, first: Value, updates: Sequence[Event]) -> _Chains | None:
    apply = Substitution({ReadValue(update.identifier): TAKEN for update in updates}).apply
    steps = {None if u.value is None or reads_of(u.value) != {u.identifier} else apply(u.value) for u in updates}
    step = steps.pop() if len(steps) == 1 else None
    chains: dict[int, tuple[Event, ...]] = {}
    for update in updates:
        if update.thread is None:
            return None
        chains[update.thread] = (*chains.get(update.thread, ()), update)
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
                asked.add(frozenset(map(apply, new)))
            conditions[update.identifier] = known = guard
            last = update.identifier
    if step is None or len(asked) != 1:
        return None
    return _Chains(location, first, step, asked.pop(), chains, conditions)


def _ends(chains: _Chains, most: int) -> tuple[tuple[Value, ...], frozenset[int]]:
    """The numbers up to the one that the last thread ends with, and the places of those that lead on.

    Nothing where so many are not enough.
    """
    found: list[Value] = []
    leads_on: set[int] = set()
    for value in _values(chains.first, chains.step, most):
        if holds(chains.asks, {TAKEN.event: value}):
            leads_on.add(len(found))
        found.append(value)
        if len(found) - len(leads_on) == len(chains.by_thread):
            return tuple(found), frozenset(leads_on)
    return (), frozenset()


def _counter(chains: _Chains) -> Callable[[Skeleton], Counter] | None:
    """The counter that a location is of whose numbers no thread can take too many; None if it is none."""
    updates = sum(map(len, chains.by_thread.values()))
    values, leads_on = _ends(chains, updates)
    behind = tuple(_values(chains.first, chains.step, updates))
    if (
        not values
        or len(behind) < updates
        or any(holds(chains.asks, {TAKEN.event: value}) for value in behind[len(values) :])
        or any(len(chain) <= len(leads_on) for chain in chains.by_thread.values())
    ):
        return None
    return lambda skeleton: Counter(skeleton, chains.location, chains.by_thread, values, leads_on, chains.conditions)


def _values(first: Value, step: Expression, most: int) -> Iterator[Value]:
    """What so many updates read, one after the other."""
    value: Value | None = first
    for _ in range(most):
        if value is None:
            return
        yield value
        value = evaluate(step, {TAKEN.event: value}, ())
