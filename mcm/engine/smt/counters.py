"""Counters: what updates return that all add the same number to a location, by how many of them come before.

What is asserted here holds in every execution anyway, so nothing is lost; but that a counter is n - 1 when all others
have counted is a pigeonhole principle, which a solver does not find: it would look at every order of the updates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.cat.model import Shape
from mcm.catalogue.fewer_events import bare
from mcm.engine.smt.circuit import FALSE
from mcm.execution.evaluate import apply_binary
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant, ReadValue
from mcm.program.types import Scalar
from mcm.relation.term import Base, BaseSet, Compose, Intersection, Inverse, Product, SetTerm, Union

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.cat.model import Model
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.values import Cases, Values
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.program.types import Location, Value
    from mcm.relation.term import RelationTerm

# Two updates are in one of two orders: there is nothing to count.
_FEWEST: Final = 3
# About so many clauses are made of one counter at most.
_MOST_CLAUSES: Final = 1 << 17

_RF, _MO = Base("rf"), Base("mo")
_ATOMIC_OBJECTS: Final = Product(BaseSet("AO"), BaseSet("AO"))
_AFTER_ITS_SOURCE: Final = Compose(_MO, _RF)
_NEXT_TO_ITS_SOURCE: Final = Compose(Compose(_MO, _MO), Inverse(_RF))


def reads_write_before(model: Model) -> bool:
    """Whether an update of an atomic object has to read from the last write before it: a check says so."""
    parts = {
        _plain(part)
        for check in model.checks
        if check.shape is Shape.IRREFLEXIVE and not check.negated and not isinstance(check.term, SetTerm)
        for part in _parts(check.term)
    }
    return {_RF, _AFTER_ITS_SOURCE, _NEXT_TO_ITS_SOURCE} <= parts


class Counter(Struct, frozen=True):
    """A location to which updates add the same number; `bases` are its other writes, the initial one among them."""

    updates: tuple[Event, ...]
    bases: tuple[Event, ...]
    step: BinaryValue

    @property
    def clauses(self) -> int:
        """About how many clauses say what the updates return."""
        return len(self.bases) * len(self.updates) ** 3


def counters_of(execution: Execution, read: Mapping[int, Cases]) -> Iterator[Counter]:
    """The counters of a skeleton of which all updates have values in `read`, and that are not too large."""
    writes: dict[Location, list[Event]] = {}
    open_: set[Location] = set()
    for event in execution.skeleton.events:
        reached = execution.locations[event.identifier]
        if event.kind.writes and reached:
            writes.setdefault(next(iter(reached)), []).append(event)
            open_.update(reached if len(reached) > 1 else ())
    atomic = execution.skeleton.sets["AO"].locations
    for location, found in writes.items():
        updates = tuple(event for event in found if event.kind is EventKind.UPDATE)
        steps = {added_by(event) for event in updates}
        step = steps.pop() if len(steps) == 1 else None
        if step is None or location in open_ or location not in atomic:
            continue
        counter = Counter(updates, tuple(event for event in found if event.kind is not EventKind.UPDATE), step)
        has_values = all(event.identifier in read for event in updates)
        if has_values and len(updates) >= _FEWEST and counter.clauses <= _MOST_CLAUSES:
            yield counter


def added_by(event: Event) -> BinaryValue | None:
    """What an update adds, as a sum of nothing and that; None if it does something else."""
    match event.value:
        case BinaryValue(("+" | "-") as symbol, ReadValue(read), Constant(int()) as number, Scalar() as type_) if (
            read == event.identifier and type_ is not Scalar.FLOAT
        ):
            return BinaryValue(symbol, Constant(0), number, type_)
        case _:
            return None


class Counting:
    """Asserts what the updates of counters return, under a model by which they read the write before."""

    def __init__(self, execution: Execution, values: Values, circuit: Circuit, read: Mapping[int, Cases]) -> None:
        self._execution: Final = execution
        self._values: Final = values
        self._circuit: Final = circuit
        self._read: Final = read

    def require(self) -> None:
        """Assert it of all counters."""
        for counter in counters_of(self._execution, self._read):
            for base in counter.bases:
                self._require_from(base, counter)

    def _require_from(self, base: Event, counter: Counter) -> None:
        """Assert it of the updates between one of the other writes and the next of these."""
        counts = {update: self._count(base, update, counter) for update in counter.updates}
        elsewhere = {update: self._unless_last(base, update, counter) for update in counter.updates}
        assert base.value is not None, "a write writes a value"
        for value, literal in self._values.cases(base.value).items():
            for update, count in counts.items():
                self._require_values((-literal, *elsewhere[update]), value, counter.step, update, count)
        for first in counter.updates:
            for second in counter.updates:
                before = self._before(first, second)
                if before != FALSE and first is not second:
                    unless = (-before, *elsewhere[first], *elsewhere[second])
                    self._require_more(unless, counts[first], counts[second])

    def _before(self, first: Event, second: Event) -> int:
        if first is second:
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

    def _count(self, base: Event, update: Event, counter: Counter) -> list[int]:
        """Literals, the n-th of which says that more than n updates come between."""
        between = [
            self._circuit.both(self._before(base, other), self._before(other, update)) for other in counter.updates
        ]
        return self._sorted([literal for literal in between if literal != FALSE])

    def _sorted(self, literals: Sequence[int]) -> list[int]:
        """As many literals, of which the n-th is true if more than n of the given ones are (a totalizer)."""
        if len(literals) < 2:
            return list(literals)
        middle = len(literals) // 2
        one, other = self._sorted(literals[:middle]), self._sorted(literals[middle:])
        found = [self._circuit.variable() for _ in literals]
        for i in range(len(one) + 1):
            for j in range(len(other) + 1):
                if i + j:
                    enough = [-half[n - 1] for half, n in ((one, i), (other, j)) if n]
                    self._circuit.require(*enough, found[i + j - 1])
                if i + j < len(found):
                    more = [half[n] for half, n in ((one, i), (other, j)) if n < len(half)]
                    self._circuit.require(*more, -found[i + j])
        return found

    def _require_values(
        self, unless: Sequence[int], value: Value, step: BinaryValue, update: Event, count: Sequence[int]
    ) -> None:
        """Assert that an update returns a value only if as many come before as lead there, unless a literal holds."""
        steps = [value]
        for _ in count:
            steps.append(apply_binary(step.operator, steps[-1], _number(step.right), step.type))
        if len(set(steps)) < len(steps):
            # It comes round.
            return
        returned = self._read[update.identifier]
        for number, each in enumerate(steps):
            literal = returned.get(each, FALSE)
            if number:
                self._circuit.require(*unless, -literal, count[number - 1])
            if number < len(count):
                self._circuit.require(*unless, -literal, -count[number])

    def _require_more(self, unless: Sequence[int], earlier: Sequence[int], later: Sequence[int]) -> None:
        """Assert that before the second of two updates come the first and all that come before that."""
        self._circuit.require(*unless, *later[:1])
        for less, more in zip(earlier, later[1:], strict=False):
            self._circuit.require(*unless, -less, more)
        # Some of those that can come before the first cannot come before the second.
        for less in earlier[max(0, len(later) - 1) :]:
            self._circuit.require(*unless, -less)


def _number(expression: Expression) -> Value:
    assert isinstance(expression, Constant), "the same number is added each time"
    return expression.value


def _parts(term: RelationTerm) -> Iterator[RelationTerm]:
    """What a relation is the union of."""
    plain = bare(term)
    if isinstance(plain, Union):
        yield from _parts(plain.left)
        yield from _parts(plain.right)
    else:
        yield plain


def _plain(term: RelationTerm) -> RelationTerm:
    """A relation with compositions from the left, without names, and for atomic objects."""
    match bare(term):
        case Intersection(order, within) if bare(order) == _MO and bare(within) == _ATOMIC_OBJECTS:
            return _MO
        case Compose(left, Compose(middle, right)):
            return _plain(Compose(Compose(left, middle), right))
        case Compose(left, right):
            return Compose(_plain(left), _plain(right))
        case plain:
            return plain
