"""Events of which at most one is executed, because each is behind an update that alone reads a certain value.

Whoever sets a flag first, visits a node first or takes a place first goes on, and counts: the updates of that counter
that stand for one flag exclude each other. By the model an update reads the write just before it in modification order,
so two updates never read one write; and where no write but the initial one has a value, an update that reads it reads
that write. So do the events behind such updates: relations between them need not be looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.engine.smt.additions import expected_by
from mcm.execution.algebra import TRUE, conjuncts, leaves
from mcm.execution.event import EventKind, writes_by_location
from mcm.execution.expression import BinaryValue, Constant, ReadValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.values import Values
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value

# Fewer that exclude each other are found to do so soon enough.
_FEWEST: Final = 3

# A value at a location, and which of several events behind an update that reads it.
Exclusion = tuple["Location", "Value", int]


def exclusions(skeleton: Skeleton, values: Values, events: Iterable[Event]) -> dict[int, Exclusion]:
    """For some of the events what they share with those that exclude them, where updates read the write before them."""
    firsts = _Firsts(skeleton, values.cases)
    found: dict[int, Exclusion] = {}
    behind: dict[tuple[int, Value], int] = {}
    for event in events:
        for update, value, _ in firsts.behind(event.guard):
            place = behind[update, value] = behind.get((update, value), -1) + 1
            found[event.identifier] = (firsts.location(update), value, place)
            break
    return found


def exclude(skeleton: Skeleton, values: Values, circuit: Circuit) -> dict[int, int]:
    """For events those that are never executed with them, as masks, where updates read the write before them.

    They are behind different updates of which one alone can read a value: that is asserted. Values need not be known
    yet, since what is written is looked at where it is constant.
    """
    firsts = _Firsts(skeleton, _constants)
    guards: dict[Expression, int] = {}
    for event in skeleton.events:
        guards[event.guard] = guards.get(event.guard, 0) | 1 << event.identifier
    behind: dict[tuple[Location, Value], dict[int, int]] = {}
    reading: dict[tuple[int, Value], int] = {}
    for guard, events in guards.items():
        for update, value, part in firsts.behind(guard):
            its = behind.setdefault((firsts.location(update), value), {})
            its[update] = its.get(update, 0) | events
            reading[update, value] = circuit.both(values.executed(update), values.true(part))
    found: dict[int, int] = {}
    for (_, value), its in behind.items():
        if len(its) < _FEWEST:
            continue
        # What is behind several is never executed, as follows from what is asserted: it is left out here.
        every = several = 0
        for own in its.values():
            several |= every & own
            every |= own
        for own in its.values():
            for each in members(own & ~several):
                found[each] = found.get(each, 0) | every & ~own & ~several
        # Only variables exclude each other in few clauses.
        variables = {update: circuit.variable() for update in its}
        for update, variable in variables.items():
            circuit.require(-reading[update, value], variable)
        circuit.at_most_one(variables.values())
    return found


def _constants(expression: Expression) -> Iterable[Value] | None:
    """The constants of which an expression is one; None where it may be something else."""
    found: dict[Value, None] = {}
    for _, leaf in leaves(expression):
        if not isinstance(leaf, Constant):
            return None
        found[leaf.value] = None
    return found


class _Firsts:
    """The updates that read a value which only an initial write has.

    `values` are those that an expression may have; None where that is not known.
    """

    def __init__(self, skeleton: Skeleton, values: Callable[[Expression], Iterable[Value] | None]) -> None:
        self._skeleton: Final = skeleton
        self._values: Final = values
        self._writes: Final = writes_by_location(skeleton.events)
        # The values at locations that were asked about.
        self._first_values: Final[dict[Location, frozenset[Value]]] = {}
        # Compare-exchanges that expect a constant are executed only where they read it.
        self._exchanges: Final[dict[Expression, tuple[int, Value]]] = {
            list(conjuncts(skeleton.events[update].guard))[-1]: (update, expected.value)
            for update, expected in expected_by(skeleton).items()
            if isinstance(expected, Constant)
        }

    def location(self, update: int) -> Location:
        """The location of an update that has one."""
        return self._skeleton.events[update].locations[0]

    def behind(self, guard: Expression) -> Iterator[tuple[int, Value, Expression]]:
        """The updates that are executed and have read such a value where a guard holds.

        Each with the value, and the part of the guard that says so of an update that is executed.
        """
        parts = list(conjuncts(guard))
        # What is always executed is so in any case.
        known = {*parts, TRUE}
        for part in parts:
            match part:
                case BinaryValue("==", ReadValue(update), Constant(value)):
                    found = update, value
                case _ if part in self._exchanges:
                    found = self._exchanges[part]
                case _:
                    continue
            if known.issuperset(conjuncts(self._skeleton.events[found[0]].guard)) and self._is_first(*found):
                yield *found, part

    def _is_first(self, update: int, value: Value) -> bool:
        event = self._skeleton.events[update]
        if event.kind is not EventKind.UPDATE or len(event.locations) != 1:
            return False
        (location,) = event.locations
        if location not in self._skeleton.sets["AO"].locations:
            return False
        return value in self._values_read_first(location)

    def _values_read_first(self, location: Location) -> frozenset[Value]:
        """The values that only the initial write of a location has."""
        found = self._first_values.get(location)
        if found is None:
            found = self._first_values[location] = frozenset(self._found_at(location))
        return found

    def _found_at(self, location: Location) -> set[Value]:
        initial: set[Value] = set()
        later: set[Value] = set()
        for event in self._writes[location]:
            written = self._values(event.value) if event.value is not None else None
            if written is None:
                return set()
            (initial if event.kind is EventKind.INITIAL else later).update(written)
        return initial - later
