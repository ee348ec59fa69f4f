"""A minimal unsatisfiable core over the rules of a model: rules that together make a proposition unreachable.

`choose.excluded_by` asks for those that exclude every complete execution; explanations of *forbidden* will ask too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.smt.budget import Budget
from mcm.engine.smt.encode import Encoding

if TYPE_CHECKING:
    from mcm.answer.query import Query


def forbidding_rules(query: Query) -> tuple[str, ...] | None:
    """Names of checks and linearisations without any of which the proposition could be reached, in the model's order.

    All of them together forbid it, and leaving out one more would not: the set is minimal in each skeleton. Where
    there is a choice, rules that come early in the model are preferred. Empty when the program's values alone do not
    let the proposition come true; None when it can be reached. Raises `budget.UndecidedError` when the query's limits
    do not suffice.
    """
    budget = Budget(query.limits)
    forbidding: set[str] = set()
    names = [*(check.name for check in query.model.checks), *(order.name for order in query.model.linearisations)]
    for skeleton in query.skeletons:
        encoding = Encoding(skeleton, query.model, budget, query.solver, tracked=True)
        restrictions = encoding.complete()
        restrictions += [
            encoding.assumption(encoding.final.proposition(proposition))
            for proposition in (query.filter, query.proposition)
            if proposition is not None
        ]
        kept = dict(encoding.rules)
        if encoding.solve([*restrictions, *kept.values()]):
            return None
        for name in reversed(names):
            others = {each: rule for each, rule in kept.items() if each != name}
            if not encoding.solve([*restrictions, *others.values()]):
                kept = others
        forbidding |= kept.keys()
    return tuple(name for name in names if name in forbidding)
