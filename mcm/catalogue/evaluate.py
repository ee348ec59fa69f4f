"""Evaluates a model on one execution: the checks that it violates, and the flags that it raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from msgspec import Struct

from mcm.cat.model import Shape
from mcm.execution.sequencing import mask
from mcm.relation.evaluate import Evaluator, Structure, is_acyclic, is_empty, is_irreflexive
from mcm.relation.term import Base, Difference, Intersection, Product, SetTerm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.cat.model import Check, Flag, Linearisation, Model
    from mcm.execution.candidate import Candidate
    from mcm.program.types import Location
    from mcm.relation.evaluate import Rows
    from mcm.relation.term import Term


class Evaluation(Struct, frozen=True):
    """Names of the violated checks (and linearisations) and of the raised flags, in the model's order."""

    violated: tuple[str, ...]
    raised: tuple[str, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether the model allows the execution."""
        return not self.violated


def evaluate_model(candidate: Candidate, model: Model) -> Evaluation:
    """What the model says about a candidate whose linearisations are given."""
    evaluator = Evaluator(structure_of(candidate))
    violated = [
        order.name
        for order in model.linearisations
        if not is_linearised(order, candidate.linearisations[order.name], evaluator)
    ]
    violated += [check.name for check in model.checks if not is_met(check, evaluator)]
    return Evaluation(tuple(violated), tuple(flag.name for flag in model.flags if is_met(flag, evaluator)))


def is_consistent(candidate: Candidate, model: Model, evaluator: Evaluator) -> bool:
    """Whether a model allows a candidate with the linearisations that it has; `evaluator` is of its structure.

    False also where a linearisation of the model is not given: another order, or another candidate, may do.
    """
    orders = candidate.linearisations
    return all(
        order.name in orders and is_linearised(order, orders[order.name], evaluator) for order in model.linearisations
    ) and all(is_met(check, evaluator) for check in model.checks)


def is_met(check: Check | Flag, evaluator: Evaluator) -> bool:
    """Whether a check holds, or a flag is raised."""
    return _has_shape(check.shape, check.term, evaluator) != check.negated


def structure_of(candidate: Candidate) -> Structure:
    """The base sets and relations of a candidate."""
    skeleton = candidate.skeleton
    size = len(skeleton.events)
    executed = mask(candidate.executed)
    accesses = _accesses(candidate.locations)
    sets = {
        name: executed & (members.events | _union(accesses.get(place, 0) for place in members.locations))
        for name, members in skeleton.sets.items()
    }
    relations = {
        name: tuple(row & executed if executed >> i & 1 else 0 for i, row in enumerate(rows))
        for name, rows in skeleton.relations.items()
    }
    relations["rf"] = _rows(size, ((write, 1 << read) for read, write in candidate.reads_from.items()))
    relations["mo"] = _rows(size, (row for order in candidate.modification_orders.values() for row in _later(order)))
    relations["loc"] = _rows(size, ((access, accesses[place]) for access, place in candidate.locations.items()))
    for name, order in candidate.linearisations.items():
        relations[name] = _rows(size, _later(order))
    return Structure(size, executed, sets, relations)


def is_linearised(linearisation: Linearisation, chosen: tuple[int, ...], evaluator: Evaluator) -> bool:
    """Whether the order chosen for a linearisation has just its events and contains what it must."""
    if len(set(chosen)) != len(chosen) or mask(chosen) != evaluator.set(linearisation.events):
        return False
    inside = Intersection(linearisation.order, Product(linearisation.events, linearisation.events))
    return is_empty(evaluator.relation(Difference(inside, Base(linearisation.name))))


def _has_shape(shape: Shape, term: Term, evaluator: Evaluator) -> bool:
    if isinstance(term, SetTerm):
        assert shape is Shape.EMPTY, "only emptiness is asked of sets"
        return evaluator.set(term) == 0
    rows = evaluator.relation(term)
    match shape:
        case Shape.ACYCLIC:
            return is_acyclic(rows)
        case Shape.IRREFLEXIVE:
            return is_irreflexive(rows)
        case Shape.EMPTY:
            return is_empty(rows)
        case _:
            assert_never(shape)


def _accesses(locations: Mapping[int, Location]) -> dict[Location, int]:
    """The events that access each location, as masks."""
    found: dict[Location, int] = {}
    for event, location in locations.items():
        found[location] = found.get(location, 0) | 1 << event
    return found


def _union(masks: Iterable[int]) -> int:
    found = 0
    for one in masks:
        found |= one
    return found


def _later(order: tuple[int, ...]) -> Iterable[tuple[int, int]]:
    """Each event of a total order with the mask of those after it."""
    later = 0
    for event in reversed(order):
        yield event, later
        later |= 1 << event


def _rows(size: int, successors: Iterable[tuple[int, int]]) -> Rows:
    rows = [0] * size
    for event, following in successors:
        rows[event] |= following
    return tuple(rows)
