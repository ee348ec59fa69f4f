"""Whether anything below a partial execution can still be news: states, flags, faults or cuts not found yet."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.base.bits import listed
from mcm.engine.explicit.endings import last_in_place
from mcm.execution.evaluate import is_true
from mcm.execution.expression import ReadValue
from mcm.execution.outcome import holds, observables
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, RegisterName, Truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.findings import Findings, Values
    from mcm.engine.explicit.flags import FlagSearch
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton, Stop
    from mcm.program.condition import Observable, Operand, Proposition
    from mcm.program.types import Value

# What is known of the final values: everything that each can be, or None for anything.
Possible = dict["Observable", "frozenset[Value] | None"]

# So many states are looked up at the most: where more are possible, some are probably new.
_MANY_STATES: Final = 16


class Aim(Struct, frozen=True):
    """States that are not found yet, and the writes (second) that certain reads (first) have in all of them."""

    taken: tuple[tuple[int, int], ...]
    states: tuple[Values, ...]


class Prospects:
    """Compares what is possible with what was found; `cut` is the loop that is looked for, None in outcomes."""

    def __init__(self, skeleton: Skeleton, findings: Findings, flags: FlagSearch, cut: Stop | None) -> None:
        self._skeleton: Final = skeleton
        self._cut: Final = cut
        self._findings: Final = findings
        self._flags: Final = flags
        # The reads whose values are watched, each with the place of its value in a state (one of them, if several).
        self._reads: Final = {
            expression.event: place
            for place, what in enumerate(findings.watched)
            if isinstance(what, RegisterName) and isinstance(expression := skeleton.registers[what], ReadValue)
        }

    def is_open(self, valuation: Valuation, bounds: Bounds, aim: Aim | None) -> bool:
        """Whether some execution below may add to the findings; the aim, if there is one, is all that can be new."""
        if self._cut is not None:
            return not self._findings.has_cut(self._cut.span)
        if aim is not None:
            return any(self._findings.wants(values, thin=False) for values in aim.states)
        if not self._may_pass(self._findings.query.filter, valuation, bounds):
            return False
        return self._has_new_state(valuation, bounds) or self._has_other_news(valuation, bounds)

    def aims(self, valuation: Valuation, bounds: Bounds, writes: Mapping[int, int]) -> list[Aim] | None:
        """All new states, by what watched reads take that have no write yet; `writes` has what is left for each.

        None if something else may be new, if it is not known which states are possible, if they are too many, or if
        several writes write the same: to find out which of them to take for each state apart would cost more.
        """
        reads = [(read, place) for read, place in self._reads.items() if read in writes]
        if not reads or self._cut is not None or self._findings.query.counts:
            return None
        known = self._watched(valuation, bounds)
        if known is None or any(len(known[place]) != writes[read].bit_count() for read, place in reads):
            return None
        if self._has_other_news(valuation, bounds):
            return None
        by_value = [(read, place, {valuation.written[w]: w for w in listed(writes[read])}) for read, place in reads]
        aims: dict[tuple[tuple[int, int], ...], list[Values]] = {}
        for values in product(*known):
            if self._findings.wants(values, thin=False):
                taken = tuple((read, writers[values[place]]) for read, place, writers in by_value)
                aims.setdefault(taken, []).append(values)
        return [Aim(taken, tuple(states)) for taken, states in aims.items()]

    def _has_other_news(self, valuation: Valuation, bounds: Bounds) -> bool:
        """Whether there may be a new fault or flag."""
        return self._findings.query.wants_flags and (self._has_new_fault(valuation) or self._flags.may_raise(bounds))

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
        known = self._watched(valuation, bounds)
        return known is None or any(self._findings.wants(values, thin=False) for values in product(*known))

    def _watched(self, valuation: Valuation, bounds: Bounds) -> list[frozenset[Value]] | None:
        """What each that is watched can be; None if that is not known, or if too many states are possible."""
        known = []
        states = 1
        for what in self._findings.watched:
            values = self._final(what, valuation, bounds)
            if values is None:
                return None
            states *= len(values)
            if states > _MANY_STATES:
                return None
            known.append(values)
        return known

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
        for write in listed(sources):
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
