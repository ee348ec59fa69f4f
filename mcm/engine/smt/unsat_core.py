"""A minimal unsatisfiable core over the rules of a model: rules that together make a proposition unreachable.

`choose.excluded_by` asks for those that exclude every complete execution; explanations of *forbidden* will ask too.
Where values may depend on themselves once rules are left out, each set of rules is a query of its own, since what
values there are is then no matter of one formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.decide import decide
from mcm.engine.smt.encode import Encoding
from mcm.program.condition import Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mcm.answer.query import Query
    from mcm.execution.skeleton import Skeleton


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
        is_reached = _reaching(query, skeleton, budget)
        kept = list(names)
        if is_reached(kept):
            return None
        for name in reversed(names):
            others = [each for each in kept if each != name]
            if not is_reached(others):
                kept = others
        forbidding.update(kept)
    return tuple(name for name in names if name in forbidding)


def _reaching(query: Query, skeleton: Skeleton, budget: Budget) -> Callable[[Collection[str]], bool]:
    """Whether some complete execution of a skeleton satisfies the proposition, given the names of the rules to keep."""
    encoding = Encoding(skeleton, query.model, budget, query.solver, tracked=True)
    if encoding.thin_air:
        return lambda kept: _is_reached(replace(query, skeletons=(skeleton,)), kept, budget)
    restrictions = encoding.complete()
    restrictions += [
        encoding.assumption(encoding.final.proposition(proposition))
        for proposition in (query.filter, query.proposition)
        if proposition is not None
    ]
    return lambda kept: encoding.solve([*restrictions, *(encoding.rules[name] for name in kept)])


def _is_reached(query: Query, kept: Collection[str], budget: Budget) -> bool:
    """Whether the proposition can be reached with these checks.

    Linearisations are kept: the checks about an order mean nothing without it. So they are not named.
    """
    budget.check()
    left = None if budget.milliseconds is None else max(0, budget.milliseconds) / 1000
    model = replace(query.model, checks=tuple(check for check in query.model.checks if check.name in kept))
    answer = decide(
        replace(
            query,
            model=model,
            proposition=query.proposition or Truth(value=True),
            wants_states=False,
            wants_flags=False,
            wants_outcomes=True,
            first_problem=None,
            counts=False,
            known=(),
            limits=replace(query.limits, seconds=left),
        )
    )
    if answer.undecided is not None:
        raise UndecidedError(answer.undecided)
    return bool(answer.reachable)
