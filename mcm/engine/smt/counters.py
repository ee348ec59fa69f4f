"""Counters: what updates return that add numbers to a location, by how many of them come before.

What is asserted here holds in every execution anyway, so nothing is lost; but that a counter is n - 1 when all others
have counted is a pigeonhole principle, which a solver does not find: it would look at every order of the updates.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.engine.smt.additions import additions, expected_by
from mcm.engine.smt.circuit import FALSE, TRUE
from mcm.engine.smt.exclusive import exclusions
from mcm.program.value_arithmetic import apply_binary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.engine.smt.additions import Addition
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.exclusive import Exclusion
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.values import Cases, Values
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.program.types import Location, Type, Value

# Two updates are in one of two orders: there is nothing to count.
_FEWEST: Final = 3
# About so many clauses are made of one counter at most.
_MOST_CLAUSES: Final = 1 << 18


class Counter(Struct, frozen=True):
    """A location to which updates add numbers of one type; `bases` are its other writes, the initial one among them.

    `updates` has those that add the same number for each such number, and `read` what each of them reads.
    """

    updates: Mapping[int, tuple[Event, ...]]
    read: Mapping[int, Expression]
    bases: tuple[Event, ...]
    type: Type

    @property
    def all_updates(self) -> tuple[Event, ...]:
        """Those that add anything."""
        return tuple(update for updates in self.updates.values() for update in updates)


def counters_of(execution: Execution) -> Iterator[Counter]:
    """The counters of a skeleton."""
    writes: dict[Location, list[Event]] = {}
    open_: set[Location] = set()
    for event in execution.skeleton.events:
        reached = execution.locations[event.identifier]
        if event.kind.writes and reached:
            writes.setdefault(next(iter(reached)), []).append(event)
            open_.update(reached if len(reached) > 1 else ())
    atomic = execution.skeleton.sets["AO"].locations
    expected = expected_by(execution.skeleton)
    for location, found in writes.items():
        if location not in open_ and location in atomic:
            added = additions(found, expected)
            if len(added) >= _FEWEST:
                yield _counter(found, added)


def _counter(writes: Sequence[Event], added: Mapping[int, Addition]) -> Counter:
    """The counter that a location is with these writes, of which some add numbers."""
    updates: dict[int, tuple[Event, ...]] = {}
    for event in writes:
        if event.identifier in added:
            number = added[event.identifier].number
            updates[number] = (*updates.get(number, ()), event)
    type_ = next(iter(added.values())).type
    # Numbers of one size follow each other, so that few sums are possible in between.
    in_order = {number: updates[number] for number in sorted(updates, key=lambda each: -_size(each, type_))}
    read = {event: addition.read for event, addition in added.items()}
    return Counter(in_order, read, tuple(event for event in writes if event.identifier not in added), type_)


class Counting:
    """Asserts what the updates of counters return, under a model by which they read the write before."""

    def __init__(
        self, execution: Execution, values: Values, circuit: Circuit, numbers: Mapping[int, Sequence[Value]]
    ) -> None:
        """`numbers` are the values that some updates may return, each by one of them."""
        self._execution: Final = execution
        self._values: Final = values
        self._circuit: Final = circuit
        self._numbers: Final = numbers
        # Of updates with the same exclusion at most one is executed: they count as one.
        self._exclusions: Mapping[int, Exclusion] = {}

    def require(self) -> None:
        """Assert it of all counters that are not too large."""
        for counter in counters_of(self._execution):
            self._exclusions = exclusions(self._execution.skeleton, self._values, counter.all_updates)
            if self._clauses(counter) <= _MOST_CLAUSES:
                for base in counter.bases:
                    self._require_from(base, counter)

    def _clauses(self, counter: Counter) -> int:
        """About how many clauses say what the updates of a counter return, or more than are made."""
        values = sum(len(self._values.cases(base.value)) for base in counter.bases if base.value is not None)
        count = len(counter.all_updates)
        each = 0
        sums: set[Value] = {0}
        most = 0
        for number, counted in counter.updates.items():
            kinds = len({*map(self._kind, counted)})
            kinds = min(kinds, self._most_before(counted[0]))
            most += kinds
            each += len(sums) * (kinds + 1)
            if each > _MOST_CLAUSES:
                break
            sums = {result for sum_ in sums for result in _added(sum_, number, kinds, counter.type)}
        return len(counter.bases) * count**2 * most + values * count * each

    def _require_from(self, base: Event, counter: Counter) -> None:
        """Assert it of the updates between one of the other writes and the next of these."""
        all_updates = counter.all_updates
        counts = {
            update: {number: self._count(base, update, counted) for number, counted in counter.updates.items()}
            for update in all_updates
        }
        elsewhere = {update: self._unless_last(base, update, counter) for update in all_updates}
        assert base.value is not None, "a write writes a value"
        for value, literal in self._values.cases(base.value).items():
            for update, count in counts.items() if isinstance(value, int) else ():
                self._require_values((-literal, *elsewhere[update]), value, counter, update, count)
        for number, counted in counter.updates.items():
            for first, second in product(counted, all_updates):
                before = self._before(first, second)
                if before != FALSE and first is not second:
                    unless = (-before, *elsewhere[first], *elsewhere[second])
                    for each, earlier in counts[first].items():
                        self._require_more(unless, earlier, counts[second][each], int(each == number))

    def _before(self, first: Event, second: Event) -> int:
        if first is second or not self._execution.may_meet(first.identifier, second.identifier):
            return FALSE
        return self._execution.writes_before(first.identifier, second.identifier)

    def _unless_last(self, base: Event, update: Event, counter: Counter) -> list[int]:
        """Literals of which one is true unless this is the last of the other writes before an update."""
        later = [
            self._circuit.both(self._before(base, other), self._before(other, update))
            for other in counter.bases
            if other is not base
        ]
        return [-self._before(base, update), *later]

    def _count(self, base: Event, update: Event, counted: Sequence[Event]) -> list[int]:
        """Literals, the n-th of which says that more than n of these updates come between."""
        between: dict[object, list[int]] = {}
        for other in counted:
            literal = self._circuit.both(self._before(base, other), self._before(other, update))
            if literal != FALSE:
                between.setdefault(self._kind(other), []).append(literal)
        # No other of its kind is executed.
        between.pop(self._kind(update), None)
        literals = [self._circuit.any_of(literals) for literals in between.values()]
        return self._sorted(literals, self._most_before(update))

    def _most_before(self, update: Event) -> int:
        """How many updates of its counter come before one at most."""
        numbers = self._numbers.get(update.identifier)
        return len(self._execution.skeleton.events) if numbers is None else len(numbers) - 1

    def _kind(self, update: Event) -> object:
        """What updates share of which at most one is executed, as far as that is known."""
        return self._exclusions.get(update.identifier, update.identifier)

    def _sorted(self, literals: Sequence[int], most: int) -> list[int]:
        """As many literals, of which the n-th is true if more than n of the given ones are (a totalizer).

        No more than `most` are.
        """
        if len(literals) < 2:
            return list(literals)
        middle = len(literals) // 2
        one, other = self._sorted(literals[:middle], most), self._sorted(literals[middle:], most)
        found = [self._circuit.variable() for _ in literals[:most]]
        for i in range(len(one) + 1):
            for j in range(min(len(other), most + 1 - i) + 1):
                if i + j:
                    enough = [-half[n - 1] for half, n in ((one, i), (other, j)) if n]
                    self._circuit.require(*enough, *found[i + j - 1 : i + j])
                if i + j < len(found):
                    more = [half[n] for half, n in ((one, i), (other, j)) if n < len(half)]
                    self._circuit.require(*more, -found[i + j])
        return found

    def _require_values(
        self, unless: Sequence[int], value: Value, counter: Counter, update: Event, counts: Mapping[int, Sequence[int]]
    ) -> None:
        """Assert that an update returns what the updates before it add up to, unless a literal holds."""
        returned = self._values.cases(counter.read[update.identifier])
        *others, (number, last) = counts.items()
        sums: Cases = {value: TRUE}
        for each, count in others:
            sums = self._added_up(sums, each, count, counter.type)
        for sum_, literal in sums.items():
            results = _added(sum_, number, len(last), counter.type)
            tell_apart = len({*results}) == len(results)
            for times, result in enumerate(results):
                reason, exactly, found = (*unless, -literal), _exactly(last, times), returned.get(result, FALSE)
                self._circuit.require(*reason, *(-each for each in exactly), found)
                # This follows where there is but one sum, and a solver finds it sooner so.
                for each in exactly if tell_apart else ():
                    self._circuit.require(*reason, -found, each)

    def _added_up(self, sums: Cases, number: int, count: Sequence[int], type_: Type) -> Cases:
        """Literals of what sums become when a number is added as often as is counted; none is true without need."""
        found: Cases = {}
        for sum_, literal in sums.items():
            for times, result in enumerate(_added(sum_, number, len(count), type_)):
                if result not in found:
                    found[result] = self._circuit.variable()
                self._circuit.require(-literal, *(-each for each in _exactly(count, times)), found[result])
        return found

    def _require_more(self, unless: Sequence[int], earlier: Sequence[int], later: Sequence[int], more: int) -> None:
        """Assert that before the second of two updates come those before the first, and so many more."""
        if more:
            self._circuit.require(*unless, *later[:more])
        for less, enough in zip(earlier, later[more:], strict=False):
            self._circuit.require(*unless, -less, enough)
        # Some of those that can come before the first cannot come before the second.
        for less in earlier[max(0, len(later) - more) :]:
            self._circuit.require(*unless, -less)


def _exactly(count: Sequence[int], number: int) -> list[int]:
    """Literals that are all true if so many are counted."""
    return [*count[:number][-1:], *(-literal for literal in count[number : number + 1])]


def _added(first: Value, number: int, times: int, type_: Type) -> list[Value]:
    """What a number makes of another one that it is added to never, once, and up to so many times."""
    # What another type has written is returned as it is while nothing is added.
    return [first, *(apply_binary("+", first, number * few, type_) for few in range(1, times + 1))]


def _size(number: int, type_: Type) -> int:
    """How far a number is from nothing, in the values of a type."""
    opposite = apply_binary("-", 0, number, type_)
    assert isinstance(opposite, int), "integers are added"
    return min(abs(number), abs(opposite))
