"""What an engine answers: states, flags, faults, and whether its search was complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.compared import PartlyCompared
from mcm.program.value_order import rank_of_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Span
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import BarrierInstance
    from mcm.execution.skeleton import Fault
    from mcm.program.types import Location, Scalar, Value
    from mcm.program.value_order import ValueRank


class Varying(Struct, frozen=True):
    """How a final value, by its index in the state, varies over the solutions of its execution's value equations.

    It is the value at `base` plus `offset`, in the arithmetic of its type; or, without a base, anything of `type`, if
    that is given, and else one of several values.
    """

    index: int
    base: int | None = None
    offset: int = 0
    type: Scalar | None = None


def more_general(one: tuple[Varying, ...], other: tuple[Varying, ...]) -> tuple[Varying, ...]:
    """That of two ways to vary which says more about a state: several executions may end in it."""
    return min(one, other, key=_specificity)


def _specificity(varying: tuple[Varying, ...]) -> tuple[object, ...]:
    # The more values vary and may be anything, the more is said; what follows only makes the choice a definite one.
    anything = [each.index for each in varying if each.base is not None or each.type is not None]
    shown = [(v.index, -1 if v.base is None else v.base, v.offset, v.type.spelling if v.type else "") for v in varying]
    return -len(anything), -len(varying), shown


class State(PartlyCompared, frozen=True):
    """A final state of some consistent execution: values in the order of `Query.observed`.

    `thin_air`: every execution that ends here has values that depend on themselves (a cycle of dependencies and rf).
    `varying` says of what the state is an example, where values are not determined: empty where they are.
    `executions` is their number (distinct rf, mo and choices) when it was asked for.
    """

    not_compared = frozenset({"witness"})

    values: tuple[Value, ...]
    satisfies: bool
    thin_air: bool = False
    executions: int | None = None
    witness: Candidate | None = None
    varying: tuple[Varying, ...] = ()

    @property
    def rank(self) -> list[ValueRank]:
        """Sorts states, by their values."""
        return rank_of_values(self.values)


class RaisedFlag(PartlyCompared, frozen=True):
    """A flag of the model that some consistent execution raises: one for each pair of places (`answer.places`).

    `events` are the pair (one event for a flag about a set), by identifier in the skeleton of the witness.
    """

    not_compared = frozenset({"witness"})

    name: str
    rule: str | None
    events: tuple[int, ...]
    witness: Candidate


class RaisedFault(PartlyCompared, frozen=True):
    """A fault of the program that some consistent execution has."""

    not_compared = frozenset({"witness"})

    fault: Fault
    witness: Candidate


class Waiting(Struct, frozen=True):
    """A unit (`thread` of the program) that goes no further: it waits in the loop at `span`, or there for a barrier.

    `locations` are those that an iteration of the loop reads, one of which has to change: in a blocked execution the
    locations that were reached, else all that can be; none at a barrier, and none in a loop that reads nothing.
    `barrier` is the instance of the barrier or group function that others do not arrive at; None in a loop. `awaits`
    are the commands and user events that it waits for, to be complete.
    """

    thread: int
    span: Span
    locations: tuple[Location, ...]
    barrier: BarrierInstance | None = None
    awaits: tuple[int, ...] = ()

    @property
    def place(self) -> tuple[int, int, int]:
        """Sorts units: the thread, and where it stops in the text."""
        return self.thread, self.span.start, self.span.end


class Blocked(PartlyCompared, frozen=True):
    """A consistent execution that cannot go on: its units have finished or wait forever, and the latter are listed.

    Each loop reads the last write in modification order of what it waits for. There is one witness for each set of
    units and places.
    """

    not_compared = frozenset({"witness"})

    units: tuple[Waiting, ...]
    witness: Candidate


class Answer(Struct, frozen=True):
    """What is known. `undecided` is None when the search was complete, else the reason (`timeout`, `memory`, …).

    An execution is complete when all units have finished. States are those of complete executions, sorted and
    distinct, in a tuple or as `ManyStates`; when undecided they are those found so far. `reachable` says whether some
    state satisfies the proposition (None when undecided or when there is no proposition). Flags and faults are those of
    all consistent executions, of unfinished ones as well.

    `bounded` lists the loops at which some consistent execution was cut by the bound, `waits` the loops in which some
    unit waits in some consistent execution and may fail again although nothing changes, so that its end depends on
    others, and `blocked` the executions in which units wait forever. `complete_exists` says whether some consistent
    execution is complete, whatever the filter makes of it (None when that is not known). `solver` is what the engine
    `smt` gave its formula to. `states_left` says why not all states are listed although all else is known: then the
    search was complete but for that.
    """

    engine: str
    states: Sequence[State]
    flags: tuple[RaisedFlag, ...]
    faults: tuple[RaisedFault, ...]
    bounded: tuple[Span, ...]
    reachable: bool | None
    undecided: str | None = None
    waits: tuple[Waiting, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    complete_exists: bool | None = None
    solver: str | None = None
    states_left: str | None = None
