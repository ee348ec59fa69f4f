"""Partial executions of which all is known but from which of the known writes some reads take their values.

Below them nothing of control flow, locations and written values changes any more: only the problem is copied for each
way to give the reads their writes, and where no formula is left open the final state is read off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.final_states import final_expression, possible_final_values
from mcm.execution.expression import ReadValue
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.leaf_results import LeafResults
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.pruning import TargetStates
    from mcm.engine.explicit.valuation import Valuation
    from mcm.program.types import Value


class SettledReads:
    """Adds the final states of settled partial executions, of which neither executions nor problems are sought."""

    def __init__(self, leaf_results: LeafResults, findings: Findings, budget: NodeBudget) -> None:
        self._leaf_results: Final = leaf_results
        self._findings: Final = findings
        self._budget: Final = budget

    def left(
        self, valuation: Valuation, problem: ConstraintProblem, reads: int, targets: Iterable[TargetStates]
    ) -> Iterator[tuple[TargetStates, ConstraintProblem]]:
        """Add the targets that propagation decides; those left to search, each with its problem.

        `valuation` must be settled; `reads` is the number of reads that have no write in it.
        """
        values = self._values(valuation, problem)
        for target in targets:
            self._budget.charge_node()
            part = problem.copy()
            for read, write in target.reads_from:
                part.bounds.choose(write, read)
            if not part.propagate():
                continue
            if values is None or part.open_formulas or len(target.reads_from) != reads:
                yield target, part
            elif part.decided_order(0) is not None:
                writer = dict(target.reads_from)
                state = tuple(
                    [valuation.written[writer[one.event]] if isinstance(one, ReadValue) else one for one in values]
                )
                # Two observed registers may have one read: then not all combinations of their values are states.
                if state in target.states:
                    self._leaf_results.add_state(state, valuation.executed, part)

    def _values(self, valuation: Valuation, problem: ConstraintProblem) -> list[Value | ReadValue] | None:
        """The final values of what is watched, or the reads that return them; None if they depend on anything else."""
        found: list[Value | ReadValue] = []
        for what in self._findings.watched:
            expression = final_expression(what, valuation.packed.skeleton)
            value = None if expression is None else valuation.evaluate(expression)
            if value is not None:
                found.append(value)
            elif isinstance(expression, ReadValue):
                found.append(expression)
            elif isinstance(what, Location):
                possible = possible_final_values(what, valuation, problem)
                if possible is None or len(possible) > 1:
                    return None
                found.extend(possible)
            else:
                return None
        return found
