"""The pairs of events that a model orders because of commands, with the rules that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.bits import listed
from mcm.catalogue.evaluate import structure_of
from mcm.execution.algebra import FALSE
from mcm.execution.candidate import Candidate
from mcm.relation.evaluate import Evaluator
from mcm.relation.term import SetTerm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.cat.model import Definition, Model
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.evaluate import Rows

# The definitions of a model for what commands order: everywhere, and in fine-grain SVM only.
EVERYWHERE: Final = "commands-synchronise"
FINE_GRAIN: Final = "device-enqueue"

# What the rules about commands begin with.
_OF_COMMANDS: Final = ("HOST-", "SYCL-CMD-")

SEQUENCED: Final = "SB-1"

# For each pair of events the rules that order them.
Pairs = dict[tuple[int, int], tuple[str, ...]]


def orders_commands(model: Model) -> bool:
    """Whether a model says anything about commands."""
    names = {definition.name for definition in model.definitions}
    return EVERYWHERE in names


def ordered_pairs(skeleton: Skeleton, model: Model) -> tuple[Pairs, Pairs]:
    """The pairs of events that are ordered everywhere, and those that are so in fine-grain SVM only.

    It is supposed that everything is executed. A model that says nothing about commands orders what threads do alone.
    """
    found: Pairs = {(a, b): (SEQUENCED,) for a, row in enumerate(skeleton.relations["po"]) for b in listed(row)}
    if not orders_commands(model):
        return found, {}
    evaluator = Evaluator(structure_of(_everything(skeleton)))
    by_name: Mapping[str, Definition] = {definition.name: definition for definition in model.definitions}
    everywhere = _rows(by_name[EVERYWHERE], evaluator)
    rules = [
        (definition.rule.identifier, _rows(definition, evaluator))
        for definition in model.definitions
        if definition.rule is not None
        and definition.rule.identifier.startswith(_OF_COMMANDS)
        and not isinstance(definition.term, SetTerm)
    ]
    found |= _with_rules(everywhere, rules)
    is_split = FINE_GRAIN in by_name
    return found, _with_rules(_rows(by_name[FINE_GRAIN], evaluator), rules) if is_split else {}


def _rows(definition: Definition, evaluator: Evaluator) -> Rows:
    assert not isinstance(definition.term, SetTerm)
    return evaluator.relation(definition.term)


def _with_rules(rows: Rows, rules: list[tuple[str, Rows]]) -> Pairs:
    found: Pairs = {}
    for first, row in enumerate(rows):
        for second in listed(row):
            names = (name for name, those in rules if those[first] >> second & 1)
            found[first, second] = tuple(dict.fromkeys(names))
    return found


def _everything(skeleton: Skeleton) -> Candidate:
    """An execution of everything at once that is not excluded, of which only what the program fixes is asked."""
    events = skeleton.events
    return Candidate(
        skeleton=skeleton,
        executed=frozenset(event.identifier for event in events if event.guard is not FALSE),
        reads_from={},
        modification_orders={},
        locations={event.identifier: event.locations[0] for event in events if len(event.locations) == 1},
        read_values={},
        written_values={},
        choices=(),
        linearisations={},
    )
