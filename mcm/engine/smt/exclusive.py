"""Events of which at most one is executed, because each is behind an update that alone reads a certain value.

Whoever sets a flag first, visits a node first or takes a place first goes on, and counts: the updates of that counter
that stand for one flag exclude each other. By the model an update reads the write just before it in modification order,
so two updates never read one write; and where no write but the initial one has a value, an update that reads it reads
that write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.smt.additions import expected_by
from mcm.execution.algebra import conjuncts
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant, ReadValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.engine.smt.values import Values
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value

# A value at a location, and which of several events behind an update that reads it.
Exclusion = tuple["Location", "Value", int]


def exclusions(skeleton: Skeleton, values: Values, events: Iterable[Event]) -> dict[int, Exclusion]:
    """For some of the events what they share with those that exclude them, where updates read the write before them."""
    firsts = _Firsts(skeleton, values)
    found: dict[int, Exclusion] = {}
    behind: dict[tuple[int, Value], int] = {}
    for event in events:
        for update, value in firsts.behind(event.guard):
            place = behind[update, value] = behind.get((update, value), -1) + 1
            found[event.identifier] = (firsts.location(update), value, place)
            break
    return found


class _Firsts:
    """The updates that read a value which only an initial write has."""

    def __init__(self, skeleton: Skeleton, values: Values) -> None:
        self._skeleton: Final = skeleton
        self._values: Final = values
        self._initial: Final[dict[Location, list[set[Value]]]] = {}
        for event in skeleton.events:
            if event.kind.writes and event.value is not None:
                written = {*values.cases(event.value)}
                for location in event.locations:
                    self._initial.setdefault(location, [set(), set()])[event.kind is EventKind.INITIAL] |= written
        # Compare-exchanges that expect a constant are executed only where they read it.
        self._exchanges: Final[dict[Expression, tuple[int, Value]]] = {
            list(conjuncts(skeleton.events[update].guard))[-1]: (update, expected.value)
            for update, expected in expected_by(skeleton).items()
            if isinstance(expected, Constant)
        }

    def location(self, update: int) -> Location:
        """The location of an update that has one."""
        return self._skeleton.events[update].locations[0]

    def behind(self, guard: Expression) -> Iterator[tuple[int, Value]]:
        """The updates that have read such a value where a guard holds, each with the value."""
        for part in conjuncts(guard):
            match part:
                case BinaryValue("==", ReadValue(update), Constant(value)):
                    found = update, value
                case _ if part in self._exchanges:
                    found = self._exchanges[part]
                case _:
                    continue
            if self._is_first(*found):
                yield found

    def _is_first(self, update: int, value: Value) -> bool:
        event = self._skeleton.events[update]
        if event.kind is not EventKind.UPDATE or len(event.locations) != 1:
            return False
        (location,) = event.locations
        later, initial = self._initial[location]
        return value in initial and value not in later and location in self._skeleton.sets["AO"].locations
