"""Pruning: a partial execution is not searched when no state, flag, fault or stop below it can be new.

The possible final values are taken from upper bounds, so they include those of every execution below: pruning loses
nothing.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, Protocol, assert_never

from msgspec import Struct

from mcm.base.bits import listed
from mcm.engine.explicit.final_states import final_expression, possible_final_values
from mcm.execution.expression import ReadValue
from mcm.execution.outcome import holds, observables
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, RegisterName, Truth
from mcm.program.value_order import rank_of_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.engine.explicit.findings import Findings, Values
    from mcm.engine.explicit.flags import FlagSearch
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable, Operand, Proposition
    from mcm.program.types import Value

# The possible final values of registers and locations; None where they are not known.
Possible = dict["Observable", "frozenset[Value] | None"]

# At most so many states are looked up: where more are possible, some are probably new.
_MANY_STATES: Final = 16


class TargetStates(Struct, frozen=True):
    """States that are not found yet, and the pairs (read, write) that their executions have in common."""

    reads_from: tuple[tuple[int, int], ...]
    states: tuple[Values, ...]


class Pruning(Protocol):
    """Tells for one kind of executions what below a node can be new."""

    def is_open(self, valuation: Valuation, problem: ConstraintProblem, target: TargetStates | None) -> bool:
        """Whether some execution below may add to the findings; a target has all states that can be new."""

    def targets(
        self, valuation: Valuation, problem: ConstraintProblem, writes: Mapping[int, int]
    ) -> list[TargetStates] | None:
        """All possible new states, grouped by the writes of watched reads; None if they are not known, or not all."""


class SinglePruning:
    """Looks for any one execution."""

    def __init__(self, is_found: Callable[[], bool]) -> None:
        self._is_found: Final = is_found

    def is_open(self, valuation: Valuation, problem: ConstraintProblem, target: TargetStates | None) -> bool:
        """Whether none was found."""
        del valuation, problem, target
        return not self._is_found()

    def targets(self, valuation: Valuation, problem: ConstraintProblem, writes: Mapping[int, int]) -> None:
        """None: the state does not matter."""
        del valuation, problem, writes


class OutcomePruning:
    """Compares what is possible below a node, of complete executions, with what was found."""

    def __init__(self, skeleton: Skeleton, findings: Findings, flags: FlagSearch) -> None:
        self._skeleton: Final = skeleton
        self._findings: Final = findings
        self._flags: Final = flags
        self._finals: Final = {what: final_expression(what, skeleton) for what in findings.watched}
        # The reads whose values are watched, each with the index of its value in a state (one of them, if several).
        self._reads: Final = {
            expression.event: index
            for index, expression in enumerate(self._finals.values())
            if isinstance(expression, ReadValue)
        }

    def is_open(self, valuation: Valuation, problem: ConstraintProblem, target: TargetStates | None) -> bool:
        """Whether some execution below may add to the findings; a target has all states that can be new."""
        if target is not None:
            return any(self._findings.is_new(values, thin_air=False) for values in target.states)
        if not self._may_pass(self._findings.query.filter, valuation, problem):
            return False
        return self._has_new_state(valuation, problem) or self.may_raise_more(valuation, problem)

    def targets(
        self, valuation: Valuation, problem: ConstraintProblem, writes: Mapping[int, int]
    ) -> list[TargetStates] | None:
        """All possible new states, grouped by the writes of watched reads; `writes` has the reads without a write.

        None if a fault or flag may be new, if the possible states are not known or too many, or if several writes have
        the same value, so that a state does not determine the write.
        """
        reads = [(read, index) for read, index in self._reads.items() if read in writes]
        if not reads or self._findings.query.counts:
            return None
        if self.may_raise_more(valuation, problem):
            return None
        known = self._watched(valuation, problem)
        if known is None or any(len(known[index]) != writes[read].bit_count() for read, index in reads):
            return None
        by_value = [(read, index, {valuation.written[w]: w for w in listed(writes[read])}) for read, index in reads]
        targets: dict[tuple[tuple[int, int], ...], list[Values]] = {}
        # Sorted, so that states are found in the same order in each process.
        for values in product(*(sorted(possible, key=rank_of_value) for possible in known)):
            if self._findings.is_new(values, thin_air=False):
                pairs = tuple((read, writers[values[index]]) for read, index, writers in by_value)
                targets.setdefault(pairs, []).append(values)
        return [TargetStates(pairs, tuple(states)) for pairs, states in targets.items()]

    def may_raise_more(self, valuation: Valuation, problem: ConstraintProblem) -> bool:
        """Whether there may be a new fault or flag."""
        return self._findings.query.wants_flags and (self._has_new_fault(valuation) or self._flags.may_raise(problem))

    def _has_new_fault(self, valuation: Valuation) -> bool:
        return any(
            not self._findings.has_fault(fault) and valuation.may_hold(fault.condition)
            for fault in self._skeleton.faults
        )

    def _may_pass(self, proposition: Proposition | None, valuation: Valuation, problem: ConstraintProblem) -> bool:
        """Whether a proposition may be true in a final state."""
        if proposition is None:
            return True
        possible = {what: self._final(what, valuation, problem) for what in observables(proposition)}
        return True in possible_truths(proposition, possible)

    def _has_new_state(self, valuation: Valuation, problem: ConstraintProblem) -> bool:
        findings = self._findings
        query = findings.query
        if not query.wants_outcomes:
            return False
        if query.counts:
            return True
        if findings.has_enough:
            return False
        # Where none was found, each is new.
        if query.wants_states and not findings.states:
            return True
        known = self._watched(valuation, problem)
        if known is None:
            return query.wants_states or self._may_pass(query.proposition, valuation, problem)
        return any(findings.is_new(values, thin_air=False) for values in product(*known))

    def _watched(self, valuation: Valuation, problem: ConstraintProblem) -> list[frozenset[Value]] | None:
        """The possible values of everything that is watched; None if they are not known, or make too many states."""
        known = []
        states = 1
        for what in self._findings.watched:
            values = self._final(what, valuation, problem)
            if values is None:
                return None
            states *= len(values)
            if states > _MANY_STATES:
                return None
            known.append(values)
        return known

    def _final(self, what: Observable, valuation: Valuation, problem: ConstraintProblem) -> frozenset[Value] | None:
        known = self._finals[what]
        if known is not None:
            return self._possible(known, valuation, problem)
        assert not isinstance(what, RegisterName), "the final value of a register is an expression"
        return possible_final_values(what, valuation, problem)

    def _possible(
        self, expression: Expression, valuation: Valuation, problem: ConstraintProblem
    ) -> frozenset[Value] | None:
        """The possible values of an expression; None if they are not known."""
        value = valuation.evaluate(expression)
        if value is not None:
            return frozenset({value})
        if not isinstance(expression, ReadValue) or expression.event in valuation.sources:
            return None
        matrices = problem.bounds.matrices
        sources = matrices.successors(
            matrices.inverse(problem.bounds.upper[problem.plan.reads_from.index]), expression.event
        )
        values: set[Value] = set()
        for write in listed(sources):
            if write not in valuation.written:
                return None
            values.add(valuation.written[write])
        return frozenset(values)


def possible_truths(proposition: Proposition, possible: Possible) -> frozenset[bool]:
    """The possible truth values of a proposition, and perhaps more."""
    match proposition:
        case Truth(value):
            return frozenset({value})
        case Not(body):
            return frozenset(not truth for truth in possible_truths(body, possible))
        case And(left, right):
            return frozenset(a and b for a in possible_truths(left, possible) for b in possible_truths(right, possible))
        case Or(left, right):
            return frozenset(a or b for a in possible_truths(left, possible) for b in possible_truths(right, possible))
        case Comparison(symbol, left, right):
            ones, others = _operand(left, possible), _operand(right, possible)
            if ones is None or others is None:
                return frozenset({False, True})
            return frozenset(holds(Comparison(symbol, Fixed(a), Fixed(b)), {}) for a in ones for b in others)
        case _:
            assert_never(proposition)


def _operand(operand: Operand, possible: Possible) -> frozenset[Value] | None:
    match operand:
        case Fixed(value):
            return frozenset({value})
        case Observed(what):
            return possible[what]
        case _:
            assert_never(operand)
