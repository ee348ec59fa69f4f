"""What it is in a decided execution that leaves its values without a solution: the same in many others.

One system of a skeleton holds the equations of all its executions, each under the decision that makes it one. An
execution is a set of decisions; those of an unsatisfiable core are a *conflict*: no execution with all of them has
values. Who takes executions one by one need not look at others that have it.

The system says no more than the equations of any execution do, so that a conflict is one. It may say less: about floats
and ranges of types it says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import z3

from mcm.answer.conflict import ChoiceTaken, Conflict, Decision, Executed, Place, ReadFrom, Supposition
from mcm.base.bits import members
from mcm.engine.equations.context import context_of_this_thread
from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.engine.equations.solving import decide, memory_is_a_reason
from mcm.engine.equations.terms import Terms
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.equations.decided import DecidedExecution
    from mcm.engine.equations.solving import Left
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Type

# A core of more decisions is not made smaller one by one: to ask that often takes longer than it saves.
_WIDEST: Final = 24


class ConflictFinder:
    """Finds conflicts among what is decided of executions of one skeleton, within what is left of the limits."""

    def __init__(self, skeleton: Skeleton, left: Left) -> None:
        self._skeleton: Final = skeleton
        self._left: Final = left
        self._context: Final = context_of_this_thread()
        reads = [event for event in skeleton.events if event.kind.reads]
        self._types: Final = {event.identifier: self._type_of(event.locations) for event in reads}
        choices = (None,) * skeleton.choices
        self._terms: Final = Terms(self._context, {}, self._types, frozenset(self._types), choices, skeleton.addresses)
        self._solver: Final = z3.SolverFor("QF_BV", ctx=self._context)
        self._assumptions: Final[dict[Decision, Any]] = {}
        self._decisions: Final[dict[str, Decision]] = {}
        for constraint in skeleton.constraints:
            self._state(self._terms.yes, Supposition(constraint, holds=True))

    def _type_of(self, locations: tuple[Location, ...]) -> Type:
        """The type of what may be read: where it depends on the place, one that says less about values."""
        types = [self._skeleton.program.object_at(location).type for location in locations]
        return next((type_ for type_ in types if type_ is not Scalar.BOOL), Scalar.BOOL)

    def of(self, decided: DecidedExecution) -> Conflict | None:
        """Decisions of an execution that leave no values; None where it is not seen that there are none.

        Raises UndecidedEquationsError where a limit is reached.
        """
        with memory_is_a_reason():
            literals = [self._assumption(decision) for decision in _decisions(decided)]
            core = self._core(literals)
            if core is None:
                return None
            if len(core) <= _WIDEST:
                core = self._smaller(core)
            return tuple(self._decisions[name] for name in sorted(map(str, core)))

    def _core(self, literals: list[Any]) -> list[Any] | None:
        """Literals of some that cannot all hold; None if all can."""
        result = decide(self._solver, self._left, *literals)
        return None if result == z3.sat else list(self._solver.unsat_core())

    def _smaller(self, core: list[Any]) -> list[Any]:
        """A core without literals that can be spared."""
        kept: list[Any] = []
        left = sorted(core, key=str)
        while left:
            literal = left.pop()
            smaller = self._core([*kept, *left])
            if smaller is None:
                kept.append(literal)
            else:
                names = set(map(str, smaller))
                left = [other for other in left if str(other) in names]
        return kept

    def _assumption(self, decision: Decision) -> Any:
        """The literal that a decision is taken; what it says about values is stated when it is first met."""
        known = self._assumptions.get(decision)
        if known is not None:
            return known
        name = f"a{len(self._assumptions)}"
        literal = self._assumptions[decision] = z3.Bool(name, self._context)
        self._decisions[name] = decision
        self._state(literal, decision)
        return literal

    def _state(self, literal: Any, decision: Decision) -> None:
        """Assert what a decision says about values if a literal holds; nothing where that cannot be said exactly."""
        try:
            self._solver.add(z3.Implies(literal, self._meaning(decision)))
        except (UndecidedEquationsError, RecursionError):
            return

    def _meaning(self, decision: Decision) -> Any:
        """What a decision says about values."""
        terms, events = self._terms, self._skeleton.events
        match decision:
            case ReadFrom(write, read):
                written = events[write].value
                assert written is not None, "a write writes a value"
                if self._types[read].is_floating:
                    return terms.yes
                return z3.And(terms.defined(written), terms.variable(read) == terms.value(written))
            case Executed(event, is_executed):
                guard = terms.true(events[event].guard)
                holds = guard if is_executed else z3.Not(guard)
                return z3.And(holds, *self._has_value(event, is_executed=is_executed))
            case Place(event, location):
                address = events[event].address
                assert address is not None, "an access has an address"
                return terms.reaches(address, location)
            case ChoiceTaken(number, is_taken):
                choice = z3.Bool(f"c{number}", self._context)
                return choice if is_taken else z3.Not(choice)
            case Supposition(condition, holds):
                return terms.true(condition) if holds else z3.Not(terms.true(condition))

    def _has_value(self, event: int, *, is_executed: bool) -> list[Any]:
        """That a read returns a value just if it is executed."""
        if event not in self._types:
            return []
        defined = z3.Bool(f"d{event}", self._context)
        return [defined if is_executed else z3.Not(defined)]


def _decisions(decided: DecidedExecution) -> Iterator[Decision]:
    """Everything that is decided of an execution and says something about values."""
    for read, write in decided.sources.items():
        yield ReadFrom(write, read)
    for event in members(decided.executed):
        yield Executed(event, is_executed=True)
    for event in members(decided.skipped):
        yield Executed(event, is_executed=False)
    yield from (place for place, _ in decided.places())
    for number, choice in enumerate(decided.choices):
        if choice is not None:
            yield ChoiceTaken(number, is_taken=choice)
    for expression, value in decided.supposed.items():
        if isinstance(value, int):
            yield Supposition(expression, holds=bool(value))
