"""Counters from which threads take numbers, each as long as what it has taken leads on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.algebra import FALSE, TRUE, conjuncts
from mcm.execution.evaluate import evaluate, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value

# What is taken, in expressions that are the same for all who take.
TAKEN: Final = ReadValue(-1)
# One number is no job, and a single thread has no one to take another.
FEWEST: Final = 3
# Of so many numbers it is looked at whether they are the last.
_MOST_NUMBERS: Final = 1 << 12


class Chains(Struct, frozen=True):
    """The updates of a location by each thread, of which each but the first depends on what the one before has read.

    `step` is what is made of what is read, `asks` what it has to be.
    """

    location: Location
    first: Value
    step: Expression
    asks: frozenset[Expression]
    by_thread: Mapping[int, tuple[Event, ...]]
    conditions: Mapping[int, frozenset[Expression]]

    @property
    def updates(self) -> int:
        """How many updates there are."""
        return sum(map(len, self.by_thread.values()))


def all_chains(skeleton: Skeleton) -> Iterator[Chains]:
    """The counters of a skeleton from which threads take numbers, and which nothing else accesses."""
    atomic = skeleton.sets["AO"].locations
    for location, (first, *updates) in skeleton.accesses_by_location().items():
        if (
            location in atomic
            and updates
            and first.kind is EventKind.INITIAL
            and isinstance(first.value, Constant)
            and all(e.kind is EventKind.UPDATE and isinstance(e.address, Constant) for e in updates)
        ):
            found = _chains(location, first.value.value, updates)
            if found is not None:
                yield found


def _chains(location: Location, first: Value, updates: Sequence[Event]) -> Chains | None:
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
    if step is None or len(asked) > 1:
        return None
    # Where each thread takes one number, none leads on.
    asks = asked.pop() if asked else frozenset({FALSE})
    return Chains(location, first, step, asks, chains, conditions)


def ends(chains: Chains, most: int) -> tuple[tuple[Value, ...], frozenset[int]]:
    """The numbers up to the one that the last thread ends with, and the places of those that lead on.

    Nothing where so many are not enough.
    """
    found: list[Value] = []
    leads_on: set[int] = set()
    for value in values_of(chains.first, chains.step, most):
        if holds(chains.asks, {TAKEN.event: value}):
            leads_on.add(len(found))
        found.append(value)
        if len(found) - len(leads_on) == len(chains.by_thread):
            return tuple(found), frozenset(leads_on)
    return (), frozenset()


def most_iterations(skeleton: Skeleton) -> int | None:
    """How often a thread goes on at most that takes numbers from a counter, if it takes all that there are.

    None where nobody takes any, or where there is no end of them.
    """
    found = [ends(chains, _MOST_NUMBERS) for chains in all_chains(skeleton) if chains.updates >= FEWEST]
    return max((len(leads_on) for _, leads_on in found if leads_on), default=None)


def parts(guard: Expression) -> frozenset[Expression]:
    """The conditions under which an event is executed."""
    return frozenset(conjuncts(guard)) - {TRUE}


def holds(shapes: Iterable[Expression], reads: Mapping[int, Value]) -> bool:
    """Whether conditions hold where reads return this; what cannot be told does not hold."""
    return all(result is not None and is_true(result) for result in (evaluate(each, reads, ()) for each in shapes))


def values_of(first: Value, step: Expression, most: int) -> Iterator[Value]:
    """What so many updates read, one after the other."""
    value: Value | None = first
    for _ in range(most):
        if value is None:
            return
        yield value
        value = evaluate(step, {TAKEN.event: value}, ())
