"""Relations beyond the base that a picture shows: those that a model wants drawn, and those that are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.style import SHOWN
from mcm.picture.relations import Drawn, other_relation
from mcm.relation.term import Base, RelationTerm

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.relation.evaluate import Evaluator, Rows

# What every picture shows anyway.
_ALWAYS = frozenset({"po", "rf", "mo"})


def named_relations(
    candidate: Candidate, evaluator: Evaluator, model: Model | None, names: tuple[str, ...]
) -> list[Drawn]:
    """The relations that the model wants drawn, and those of these names.

    KeyError for a name that neither the base nor the model has.
    """
    definitions = {} if model is None else {each.name: each for each in model.definitions}

    def rows(name: str) -> Rows:
        if name in definitions:
            term = definitions[name].term
            if isinstance(term, RelationTerm):
                return evaluator.relation(term)
        return evaluator.relation(Base(name))

    shown = [each.name for each in definitions.values() if each.draw is not None or each.name in SHOWN]
    wanted = dict.fromkeys(name for name in (*shown, *names) if name not in _ALWAYS)
    styles = {each.name: each.draw for each in definitions.values()}
    return [other_relation(name, styles.get(name), rows(name), candidate) for name in wanted]
