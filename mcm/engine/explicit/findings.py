"""What the search has found so far: states, flags, faults and cuts, each once, with an execution that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.answer import Answer, RaisedFault, RaisedFlag, State
from mcm.execution.outcome import holds, observables
from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from mcm.answer.query import Query
    from mcm.base.source import Span
    from mcm.cat.model import Flag
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Fault
    from mcm.program.condition import Observable
    from mcm.program.types import Value

Values = tuple["Value", ...]


class Findings:
    """The findings of one query; `watched` are the observed registers and locations, then those of conditions."""

    def __init__(self, query: Query) -> None:
        self.query: Final = query
        named = (o for p in (query.proposition, query.filter) if p is not None for o in observables(p))
        self.watched: Final[tuple[Observable, ...]] = tuple(dict.fromkeys((*query.observed, *named)))
        self._states: Final[dict[Values, State]] = {state.values: state for state in query.known}
        self._flags: Final[dict[object, RaisedFlag]] = {}
        self._faults: Final[dict[Fault, RaisedFault]] = {}
        self._cuts: Final[dict[tuple[Span, str], Span]] = {}

    # --- states -------------------------------------------------------------------------------------------------------

    def is_new(self, values: Values, *, thin_air: bool) -> bool:
        """Whether an execution with this final state, given as the values of what is watched, adds something."""
        if not self.query.wants_states and (self._states or not self._satisfies(values)):
            return False
        known = self._states.get(values[: len(self.query.observed)])
        return known is None or self.query.counts or (known.thin_air and not thin_air)

    def add_state(self, values: Values, witness: Candidate | None, *, thin_air: bool) -> None:
        """Add the final state of a consistent execution."""
        key = values[: len(self.query.observed)]
        known = self._states.get(key)
        executions = None
        if self.query.counts:
            executions = 1 + ((known.executions or 0) if known is not None else 0)
        if known is not None and (thin_air or not known.thin_air):
            witness = known.witness or witness
            thin_air = known.thin_air
        self._states[key] = State(key, self._satisfies(values), thin_air, executions, witness)

    def _satisfies(self, values: Values) -> bool:
        proposition = self.query.proposition
        return proposition is None or holds(proposition, dict(zip(self.watched, values, strict=True)))

    @property
    def states(self) -> int:
        """How many states were found."""
        return len(self._states)

    @property
    def is_complete(self) -> bool:
        """Whether nothing more is asked for."""
        return bool(self._states) and not self.query.wants_states and not self.query.wants_flags

    # --- flags, faults and cuts ---------------------------------------------------------------------------------------

    def raise_flag(self, site: object, flag: Flag, events: tuple[int, ...], witness: Candidate) -> None:
        """Add a flag of a consistent execution, once for each site."""
        rule = None if flag.rule is None else flag.rule.identifier
        self._flags.setdefault((flag.name, site), RaisedFlag(flag.name, rule, events, witness))

    def has_flag(self, site: object, flag: Flag) -> bool:
        """Whether a flag was raised at a site."""
        return (flag.name, site) in self._flags

    def raise_fault(self, fault: Fault, witness: Candidate) -> None:
        """Add a fault of a consistent execution."""
        self._faults.setdefault(fault, RaisedFault(fault, witness))

    def has_fault(self, fault: Fault) -> bool:
        """Whether a fault was raised."""
        return fault in self._faults

    def cut(self, span: Span) -> None:
        """Add a loop at which a consistent execution is cut."""
        self._cuts.setdefault((span, span.source.name), span)

    def has_cut(self, span: Span) -> bool:
        """Whether a loop is known to be cut."""
        return (span, span.source.name) in self._cuts

    def answer(self, undecided: str | None) -> Answer:
        """Everything found, sorted; `undecided` is the reason why the search is incomplete, if it is."""
        states = tuple(sorted(self._states.values(), key=lambda state: tuple(map(_rank, state.values))))
        reachable = None
        if undecided is None and self.query.proposition is not None:
            reachable = any(state.satisfies for state in states)
        return Answer(
            engine="explicit",
            states=states,
            flags=tuple(self._flags.values()),
            faults=tuple(self._faults.values()),
            bounded=tuple(sorted(self._cuts.values(), key=lambda span: (span.start, span.end))),
            reachable=reachable,
            undecided=undecided,
        )


def _rank(value: Value) -> tuple[int, float, int, str]:
    """A total order on values: numbers, then locations, then addresses of private variables."""
    match value:
        case Location(object=which, offset=offset):
            return (1, which, offset, "")
        case RegisterPointer(thread=thread, register=register, offset=offset):
            return (2, thread, offset, register)
        case int() | float():
            return (0, value, 0, "")
