"""Why an outcome is forbidden, in one line: how one execution that would end so breaks a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.answer.explanation import How
from mcm.catalogue.evaluate import is_met, structure_of
from mcm.explain.derivation import marks_of
from mcm.explain.derivation_check import holds
from mcm.explain.naming import Names
from mcm.explain.telling import Teller
from mcm.explain.violation import Violations, edges_of, without_orders
from mcm.explain.witness_search import OpenError, WitnessSearch, goal_of
from mcm.relation.evaluate import Evaluator

if TYPE_CHECKING:
    from mcm.answer.explanation import Broken, Derivation
    from mcm.answer.query import Query
    from mcm.cat.model import Model
    from mcm.engine.choose import EngineName
    from mcm.execution.candidate import Candidate
    from mcm.program.condition import Condition

# Larger programs are explained by `mcm explain` only.
_FEW_EVENTS = 40


def reason_in_one_line(query: Query, condition: Condition | None, engine: EngineName) -> str | None:
    """`COH-WR: line 12 →ghb line 18 →fr line 12`; None where it is not found out quickly."""
    if condition is None or sum(len(skeleton.events) for skeleton in query.skeletons) > _FEW_EVENTS:
        return None
    search = WitnessSearch(replace(query, proposition=goal_of(condition)), engine)
    try:
        candidate = search.find(replace(query.model, checks=(), linearisations=()))
    except OpenError:
        return None
    if candidate is None:
        return None
    teller = Teller(Names(candidate), None)
    broken = _first_broken(candidate, query.model)
    if broken is None:
        return _of_order(candidate, query.model, teller)
    path = teller.path(broken.edges)
    if broken.derivation is not None:
        path = ", but ".join(filter(None, (path, _in_the_way(broken.derivation, teller))))
    return _shown(broken.rules or (broken.check,), path)


def _shown(rules: tuple[str, ...], path: str) -> str:
    cited = ", ".join(dict.fromkeys(rules))
    return f"{cited}: {path}" if path else cited


def _first_broken(candidate: Candidate, model: Model) -> Broken | None:
    structure = structure_of(candidate)
    evaluator = Evaluator(structure)
    check = next((one for one in without_orders(model) if not is_met(one, evaluator)), None)
    if check is None:
        return None
    broken = Violations(structure, marks_of(model)).broken(check)
    if broken is not None and broken.derivation is not None and not holds(broken.derivation, structure):
        raise AssertionError(f"the derivation of {check.name} does not hold")
    return broken


def _of_order(candidate: Candidate, model: Model, teller: Teller) -> str | None:
    """Why there is no order as the model asks for."""
    # Imported here: few outcomes are excluded by an order.
    from mcm.explain.forbidden import exclusion  # noqa: PLC0415

    excluded = exclusion(candidate, model)
    if excluded is None or excluded.contradiction is None:
        return None
    rules = tuple(rule for one in excluded.contradiction.forced for rule in one.otherwise.rules)
    return _shown(rules or excluded.rules[:1], teller.path(excluded.broken.edges))


def _in_the_way(derivation: Derivation, teller: Teller) -> str:
    """The path by which something that would permit the outcome is absent; empty where it just is."""
    if derivation.how is How.ABSENT and derivation.parts:
        return teller.path(edges_of(_opened(derivation.parts[0])))
    return next(filter(None, (_in_the_way(part, teller) for part in derivation.parts)), "")


def _opened(derivation: Derivation) -> Derivation:
    while derivation.how in {How.DEFINITION, How.ABSENT} and derivation.parts:
        derivation = derivation.parts[0]
    return derivation
