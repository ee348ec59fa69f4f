"""Whether anything below a partial execution can still be news: states, flags, faults or cuts not found yet."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, assert_never

from mcm.base.bits import members
from mcm.engine.explicit.endings import last_in_place
from mcm.execution.evaluate import is_true
from mcm.execution.expression import ReadValue
from mcm.execution.outcome import holds, observables
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, RegisterName, Truth

if TYPE_CHECKING:
    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.flags import FlagSearch
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable, Operand, Proposition
    from mcm.program.types import Value

# What is known of the final values: everything that each can be, or None for anything.
Possible = dict["Observable", "frozenset[Value] | None"]

# So many states are looked up at the most: where more are possible, some are probably new.
_MANY_STATES: Final = 16


class Prospects:
    """Compares what is possible with what was found."""

    def __init__(self, skeleton: Skeleton, findings: Findings, flags: FlagSearch) -> None:
        self._skeleton: Final = skeleton
        self._findings: Final = findings
        self._flags: Final = flags

    def is_open(self, valuation: Valuation, bounds: Bounds) -> bool:
        """Whether some execution below may add to the findings."""
        for cut in self._skeleton.cuts:
            goes_on = valuation.evaluate(cut.condition)
            if goes_on is None or is_true(goes_on):
                if not self._findings.has_cut(cut.span):
                    return True
                if goes_on is not None:
                    return False
        if not self._may_pass(self._findings.query.filter, valuation, bounds):
            return False
        return self._has_new_state(valuation, bounds) or (
            self._findings.query.wants_flags and (self._has_new_fault(valuation) or self._flags.may_raise(bounds))
        )

    def _has_new_fault(self, valuation: Valuation) -> bool:
        return any(
            not self._findings.has_fault(fault) and _may_hold(fault.condition, valuation)
            for fault in self._skeleton.faults
        )

    def _may_pass(self, proposition: Proposition | None, valuation: Valuation, bounds: Bounds) -> bool:
        """Whether a proposition may be true in the end."""
        if proposition is None:
            return True
        possible = {what: self._final(what, valuation, bounds) for what in observables(proposition)}
        return True in _outcomes(proposition, possible)

    def _has_new_state(self, valuation: Valuation, bounds: Bounds) -> bool:
        findings = self._findings
        query = findings.query
        if query.counts:
            return True
        if not query.wants_states and (findings.states or not self._may_pass(query.proposition, valuation, bounds)):
            return False
        return self._has_new_values(valuation, bounds)

    def _has_new_values(self, valuation: Valuation, bounds: Bounds) -> bool:
        known = []
        for what in self._findings.watched:
            values = self._final(what, valuation, bounds)
            if values is None:
                return True
            known.append(values)
        if prod(map(len, known)) > _MANY_STATES:
            return True
        return any(self._findings.wants(values, thin=False) for values in product(*known))

    def _final(self, what: Observable, valuation: Valuation, bounds: Bounds) -> frozenset[Value] | None:
        if isinstance(what, RegisterName):
            return self._possible(self._skeleton.registers[what], valuation, bounds)
        return last_in_place(what, valuation, bounds)

    def _possible(self, expression: Expression, valuation: Valuation, bounds: Bounds) -> frozenset[Value] | None:
        """What an expression can be; None if that is not known."""
        value = valuation.evaluate(expression)
        if value is not None:
            return frozenset({value})
        if not isinstance(expression, ReadValue) or expression.event in valuation.sources:
            return None
        square = bounds.square
        sources = square.successors(square.inverse(bounds.up[bounds.plan.reads_from.index]), expression.event)
        values: set[Value] = set()
        for write in members(sources):
            if write not in valuation.written:
                return None
            values.add(valuation.written[write])
        return frozenset(values)


def _may_hold(condition: Expression, valuation: Valuation) -> bool:
    value = valuation.evaluate(condition)
    return value is None or is_true(value)


def _outcomes(proposition: Proposition, possible: Possible) -> frozenset[bool]:
    """What a proposition can turn out to be, and perhaps more."""
    match proposition:
        case Truth(value):
            return frozenset({value})
        case Not(body):
            return frozenset(not outcome for outcome in _outcomes(body, possible))
        case And(left, right):
            return frozenset(a and b for a in _outcomes(left, possible) for b in _outcomes(right, possible))
        case Or(left, right):
            return frozenset(a or b for a in _outcomes(left, possible) for b in _outcomes(right, possible))
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
