"""A counter from which threads take numbers until they get one that says that there are no more.

Each number is taken once: by the model, an update reads the last write before it, so along the modification order of
the counter its values are the initial one, what an update makes of it, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.settled.chains import FEWEST, TAKEN, all_chains, ends, holds, parts, values_of
from mcm.engine.explicit.settled.inputs import unwritten
from mcm.execution.algebra import conjuncts, negation
from mcm.execution.evaluate import evaluate, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcm.engine.explicit.settled.chains import Chains
    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Value

# What an update of another location reads, in expressions that are the same for all who take numbers. What is read
# where nobody writes has the numbers below.
READ: Final = ReadValue(-2)
_FIRST_INPUT: Final = -3


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
        names: dict[Atom, Expression] = {
            ReadValue(event.identifier): READ for event in skeleton.events if event.kind is EventKind.UPDATE
        }
        names.update((ReadValue(update), TAKEN) for update in conditions)
        self._shapes: Final = Substitution(names)
        # The update that decides where each read of what nobody writes reads; None where it is one place.
        self._inputs: Final[dict[int, int | None]] = {}
        # For conditions on what one update takes the update, and the places of the numbers for which they hold.
        self._known: Final[dict[Expression, tuple[int, frozenset[int]] | None]] = {}
        self._places: Final[dict[Expression, frozenset[int]]] = {}
        self._sure: Final[dict[Expression, bool]] = {}
        self._open_conditions: Final[dict[int, frozenset[Expression]]] = {}
        self._add_inputs(skeleton, names)

    def _add_inputs(self, skeleton: Skeleton, names: dict[Atom, Expression]) -> None:
        inputs = unwritten(skeleton)
        found: dict[tuple[Expression, frozenset[Expression]], int] = {}
        for event in skeleton.events:
            if event.kind is not EventKind.READ or event.address is None or not inputs.keys() >= {*event.locations}:
                continue
            decided = self.decided(parts(event.guard), event.address)
            if decided is None:
                continue
            owner, conditions = decided
            key = self.shape(event.address), frozenset(map(self.shape, conditions))
            if key not in found:
                number = found[key] = _FIRST_INPUT - len(found)
                for reads in self.reads:
                    place = evaluate(key[0], reads, ())
                    # What is not executed returns nothing.
                    if isinstance(place, Location) and place in inputs and holds(key[1], reads):
                        reads[number] = inputs[place]
            self._inputs[event.identifier] = owner
            names[ReadValue(event.identifier)] = ReadValue(found[key])

    def decided(
        self, guard: frozenset[Expression], *expressions: Expression | None, own: int | None = None
    ) -> tuple[int | None, frozenset[Expression]] | None:
        """The update that decides about an event, and under which conditions on what it takes; no update if none does.

        None if the event, whose address and value are given, depends on anything else.
        """
        open_ = self._open(guard)
        about = self.about(*expressions, *open_, own=own)
        if about is None or (open_ and not about):
            return None
        owner = max(about, default=None)
        if owner is not None:
            if owner not in self._open_conditions:
                self._open_conditions[owner] = self._open(self.conditions[owner])
            if not self._open_conditions[owner] <= open_:
                return None
            open_ -= self._open_conditions[owner]
            rest = self.about(*expressions, *open_, own=own)
            if rest is None or not rest <= {owner}:
                return None
        return owner, open_

    def _open(self, guard: frozenset[Expression]) -> frozenset[Expression]:
        """The parts of a guard that do not hold in any case, if the others do."""

        def is_executed(update: int) -> bool:
            return self.conditions[update] <= guard

        found: list[Expression] = []
        for part in guard:
            if part not in self._sure:
                self._sure[part] = self._is_sure(part)
            about = self.about(part) if self._sure[part] else None
            # What has no value where an update is not executed does not hold.
            if about is None or not (all(map(is_executed, about)) or self._ends(part)):
                found.append(part)
        return frozenset(found)

    def _ends(self, condition: Expression) -> bool:
        """Whether a condition says that one of the first updates of a thread takes a number that does not lead on."""
        leading: set[int] = set()
        for alternative in _alternatives(condition):
            taken = self.taken(negation(alternative))
            if taken is None or taken[1] != self.leads_on:
                return False
            leading.add(taken[0])
        return any(
            {update.identifier for update in updates[: len(leading)]} == leading for updates in self.updates.values()
        )

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

    def _is_sure(self, condition: Expression) -> bool:
        """Whether a condition holds in every execution in which all is executed that it is about."""
        taken = self.taken(condition)
        if taken is not None:
            return len(taken[1]) == len(self.values)
        return self.is_never(*map(negation, _alternatives(condition)))

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


def _alternatives(condition: Expression) -> Iterator[Expression]:
    """What a condition is the disjunction of."""
    waiting = [condition]
    while waiting:
        match waiting.pop():
            case BinaryValue("||", left, right):
                waiting += (left, right)
            case alternative:
                yield alternative


def counters_of(skeleton: Skeleton) -> tuple[Counter, ...]:
    """The counter that threads take jobs from as long as there are some, or those that each takes a number from once.

    Nothing where it does not pay to look at them, or where there are several of the former.
    """
    every = list(all_chains(skeleton))
    # What each thread takes one of may as well be an effect of the jobs that it takes from elsewhere.
    in_turn = [chains for chains in every if any(len(chain) > 1 for chain in chains.by_thread.values())]
    asked = in_turn or every
    if not any(chains.updates >= FEWEST for chains in asked):
        return ()
    found = [counter for counter in map(_counter, asked) if counter is not None]
    return () if in_turn and len(found) > 1 else tuple(counter(skeleton) for counter in found)


def _counter(chains: Chains) -> Callable[[Skeleton], Counter] | None:
    """The counter that a location is of whose numbers no thread can take too many; None if it is none."""
    updates = chains.updates
    values, leads_on = ends(chains, updates)
    behind = tuple(values_of(chains.first, chains.step, updates))
    if (
        not values
        or len(behind) < updates
        or any(holds(chains.asks, {TAKEN.event: value}) for value in behind[len(values) :])
        or any(len(chain) <= len(leads_on) for chain in chains.by_thread.values())
    ):
        return None
    return lambda skeleton: Counter(skeleton, chains.location, chains.by_thread, values, leads_on, chains.conditions)
