"""Results at a leaf where values are copied around circles and decide nothing, so that each may be any."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from mcm.answer.answer import Varying
from mcm.engine.explicit.final_states import FinalWrites
from mcm.engine.explicit.orders import solve_orders
from mcm.execution.expression import ReadValue
from mcm.execution.outcome import comparisons, constants, holds
from mcm.program.condition import Observed
from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.engine.equations.copies import Copies
    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.leaf_results import LeafResults
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.expression import Expression
    from mcm.program.condition import Observable, Proposition
    from mcm.program.types import Scalar, Value

    Finals = Mapping[Observable, Expression]

# How many combinations of values are tried for a condition.
_MOST: Final = 4096


class CopiedResults:
    """Adds the results of executions whose values are copied around circles: as `CircularResults` does by a solver."""

    def __init__(self, leaf_results: LeafResults, findings: Findings, budget: NodeBudget) -> None:
        self._leaf_results: Final = leaf_results
        self._findings: Final = findings
        self._budget: Final = budget

    def add(self, copies: Copies, valuation: Valuation, problem: ConstraintProblem) -> bool:
        """Add everything that is new of the executions at a leaf; false, and nothing is added, where that is not seen.

        It is not where executions are counted or filtered, a final value is computed from what goes around, or the
        condition compares what goes around one circle with another.
        """
        findings, query = self._findings, self._findings.query
        parts = list(FinalWrites(valuation, findings.watched).split(problem))
        if query.counts or query.filter is not None:
            return False
        examples = [_Examples(copies, valuation, finals, query.observed) for finals, _ in parts]
        if not all(each.are_seen(query.proposition) for each in examples):
            return False
        if findings.asks_whether_complete and not findings.complete_exists:
            findings.complete_exists = solve_orders(problem, self._budget) is not None
        for (_, part), each in zip(parts, examples, strict=True):
            found = solve_orders(part, self._budget)
            if found is not None and query.wants_outcomes:
                self._add_states(each, found)
            if found is not None and query.wants_flags:
                self._leaf_results.find_problems(each.concrete((0,) * len(copies.types)), part)
            if findings.is_complete:
                break
        return True

    def _add_states(self, examples: _Examples, found: ConstraintProblem) -> None:
        """A state in which the condition holds, and one in which it does not."""
        findings, query = self._findings, self._findings.query
        varying = examples.varying() if query.wants_states else ()
        for truth in (True, False) if query.wants_states and query.proposition is not None else (True,):
            amounts = examples.least(query.proposition, truth=truth)
            if amounts is None:
                continue
            concrete = examples.concrete(amounts)
            values = tuple(examples.final(what, concrete) for what in findings.watched)
            if findings.wants_example(values):
                witness = findings.witness(concrete, found) if query.wants_witnesses else None
                findings.add_example(values, witness, varying)


class _Examples:
    """The final states that differ in what goes around the circles only."""

    def __init__(self, copies: Copies, valuation: Valuation, finals: Finals, observed: Sequence[Observable]) -> None:
        self._copies: Final = copies
        self._valuation: Final = valuation
        self._finals: Final = finals
        self._observed: Final = observed
        # What goes around, by the number of the circle, and the values of what does not; others are computed from it.
        self._circles: Final = {
            what: copies.circles[final.event]
            for what, final in finals.items()
            if isinstance(final, ReadValue) and final.event in copies.circles
        }
        self._known: Final = {
            what: value for what, final in finals.items() if (value := valuation.evaluate(final)) is not None
        }

    def are_seen(self, proposition: Proposition | None) -> bool:
        """Whether the states that satisfy a proposition can be told from some of them."""
        if len(self._circles) + len(self._known) < len(self._finals):
            return False
        if proposition is None:
            return True
        compared = [
            {self._circles[side.what] for side in sides if isinstance(side, Observed) and side.what in self._circles}
            for sides in comparisons(proposition)
        ]
        known = (*constants(proposition), *self._known.values())
        return (
            all(len(circles) < 2 for circles in compared)
            and all(isinstance(value, (int, Location, RegisterPointer)) for value in known)
            and len(self._tried(known)) ** len(self._copies.types) <= _MOST
        )

    def least(self, proposition: Proposition | None, *, truth: bool) -> Sequence[int] | None:
        """What goes around in the state nearest to zero in which the proposition is true, or false; None if in none.

        Each comparison tells a value from a constant, so that the nearest one is zero, or next to a constant.
        """
        if proposition is None:
            return (0,) * len(self._copies.types)
        tried = self._tried((*constants(proposition), *self._known.values()))
        order = list(dict.fromkeys((*self._in_order(), *range(len(self._copies.types)))))
        for chosen in product(*(_of_type(tried, self._copies.types[circle]) for circle in order)):
            amounts = [amount for _, amount in sorted(zip(order, chosen, strict=True))]
            around = {what: amounts[circle] for what, circle in self._circles.items()}
            if holds(proposition, {**self._known, **around}) is truth:
                return amounts
        return None

    def _in_order(self) -> Iterator[int]:
        """The circles of what is observed, in the order of that."""
        return (self._circles[what] for what in self._observed if what in self._circles)

    @staticmethod
    def _tried(constants: Sequence[Value]) -> list[int]:
        """Zero, and integers next to constants: those nearest to zero first, of these the positive ones."""
        near = {value + step for value in constants if isinstance(value, int) for step in (-1, 0, 1)}
        return sorted({0, *near}, key=lambda value: (value < 0, abs(value)))

    def concrete(self, amounts: Sequence[int]) -> Valuation:
        """The execution in which these go around."""
        found = self._valuation.with_values(self._copies.values(amounts))
        assert found is not None, "nothing depends on what goes around"
        return found

    def final(self, what: Observable, concrete: Valuation) -> Value:
        """A final value of an execution."""
        value = concrete.evaluate(self._finals[what])
        assert value is not None, "all values are known"
        return value

    def varying(self) -> tuple[Varying, ...]:
        """How the states vary: of what goes around a circle, the last is any value, and the others are the same."""
        last: dict[int, int] = {}
        found = []
        for index, what in reversed(list(enumerate(self._observed))):
            circle = self._circles.get(what)
            if circle is not None and circle in last:
                found.append(Varying(index, last[circle], 0))
            elif circle is not None:
                last[circle] = index
                found.append(Varying(index, type=self._copies.types[circle]))
        return tuple(reversed(found))


def _of_type(values: Sequence[int], type_: Scalar) -> list[int]:
    return [value for value in values if type_.low <= value <= type_.high]
