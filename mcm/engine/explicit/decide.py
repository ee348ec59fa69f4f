"""The explicit engine's answer to a query: the skeletons are searched one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.engine.explicit.budget import ExhaustedError, NodeBudget
from mcm.engine.explicit.compile import compile_model
from mcm.engine.explicit.findings import Findings
from mcm.engine.explicit.search import Search, SymmetricCircleError

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.answer.query import Query


def decide(query: Query) -> Answer:
    """Everything that the query asks for, or what was found until a limit was exceeded."""
    findings = Findings(query)
    budget = NodeBudget(query.limits)
    try:
        for skeleton in query.skeletons:
            plan = compile_model(query.model)
            try:
                Search(skeleton, plan, findings, budget).run()
            except SymmetricCircleError:
                Search(skeleton, plan, findings, budget, uses_symmetry=False).run()
        findings.count_circular()
    except UndecidedEquationsError as undecided:
        return findings.answer(undecided.reason)
    except ExhaustedError as exhausted:
        return findings.answer(exhausted.reason)
    return findings.answer(None)
