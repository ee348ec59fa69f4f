"""What an engine answers: states, flags, and whether it is sure."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from mcm.base.record import record

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Fault
    from mcm.program.types import Value


@record(frozen=True, slots=True)
class State:
    """A final state of some consistent execution: values in the order of `Query.observed`.

    `thin_air`: every execution that ends here has values that depend on themselves (a cycle of dependencies and rf).
    `executions` is their number (distinct rf, mo and choices) when it was asked for.
    """

    values: tuple[Value, ...]
    satisfies: bool
    thin_air: bool = False
    executions: int | None = None
    witness: Candidate | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class RaisedFlag:
    """A flag of the model that some consistent execution raises: one value for each pair of source places.

    `events` are the pair (one event for a flag about a set), by identifier in the skeleton of the witness.
    """

    name: str
    rule: str | None
    events: tuple[int, ...]
    witness: Candidate = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class RaisedFault:
    """A fault of the program that some consistent execution has."""

    fault: Fault
    witness: Candidate = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Answer:
    """What is known. `undecided` is None when the search was complete, else the reason (`timeout`, `memory`, …).

    States are sorted and distinct; when undecided they are those found so far. `reachable` says whether some state
    satisfies the proposition (None when undecided or when there is no proposition). `bounded` lists the loops at
    which some consistent execution was cut.
    """

    engine: str
    states: tuple[State, ...]
    flags: tuple[RaisedFlag, ...]
    faults: tuple[RaisedFault, ...]
    bounded: tuple[Span, ...]
    reachable: bool | None
    undecided: str | None = None
