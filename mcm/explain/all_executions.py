"""All executions that end as asked, where they are few: what excludes each of them forbids the outcome.

They are those of the model without rules. Whether the rules of another one exclude them is evaluated, and no engine is
asked again.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.bits import members
from mcm.catalogue.evaluate import is_met, structure_of
from mcm.catalogue.weaken import is_nothing
from mcm.explain.violation import mentions
from mcm.relation.evaluate import Evaluator, is_acyclic

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.cat.model import Check, Model
    from mcm.execution.candidate import Candidate
    from mcm.explain.witness_search import WitnessSearch
    from mcm.relation.evaluate import Structure

# More executions take longer to evaluate than an engine takes to look for one.
_MOST: Final = 12


def all_executions(search: WitnessSearch, bare: Model, ways: Sequence[Candidate]) -> AllExecutions | None:
    """All executions that end as asked; None where they are not known to be all, or are too many.

    `ways` are all choices of what is read under a model without rules. Values follow from what is read, but where a
    choice is free or a value depends on itself. The writes of each way may come in every order.
    """
    if bare.checks or not all(is_nothing(order.order) for order in bare.linearisations):
        return None
    if len(search.query.skeletons) != 1 or search.query.skeletons[0].choices:
        return None
    found: list[Candidate] = []
    for way in ways:
        if search.has_more_arrangements(way) or _may_have_other_values(structure_of(way)):
            return None
        found += islice(search.arrangements(way), _MOST + 1)
        if len(found) > _MOST:
            return None
    return AllExecutions(tuple(found), tuple(order.name for order in bare.linearisations))


def _may_have_other_values(structure: Structure) -> bool:
    """Whether what is read could be computed from itself, so that it has more than one solution."""
    po, rf = structure.relations["po"], structure.relations["rf"]
    return not is_acyclic(tuple(one | other for one, other in zip(po, rf, strict=True)))


class AllExecutions:
    """Evaluates models on all executions that end as asked."""

    def __init__(self, executions: tuple[Candidate, ...], orders: tuple[str, ...]) -> None:
        # An order of at most one event relates none; of more events it is not known here.
        self._evaluators: Final = [Evaluator(_without_orders(structure_of(each), orders)) for each in executions]

    def are_excluded_by(self, model: Model) -> bool:
        """Whether a model is seen to exclude all of them; False also where that depends on an order of events."""
        return all(any(self._broken(model, evaluator)) for evaluator in self._evaluators)

    @staticmethod
    def _broken(model: Model, evaluator: Evaluator) -> Iterator[Check]:
        open_ = {
            order.name for order in model.linearisations if sum(1 for _ in members(evaluator.set(order.events))) > 1
        }
        for check in model.checks:
            if not (open_ and mentions(check.term, open_)) and not is_met(check, evaluator):
                yield check


def _without_orders(structure: Structure, orders: tuple[str, ...]) -> Structure:
    nothing = dict.fromkeys(orders, (0,) * structure.size)
    return replace(structure, relations={**structure.relations, **nothing})
