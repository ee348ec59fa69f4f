"""Which definitions with rules the terms of a model mention: a change of one leaves most of a model as it is."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mcm.relation.term import Defined, DefinedSet, SetTerm, children

if TYPE_CHECKING:
    from mcm.cat.model import Definition, Model
    from mcm.relation.term import Term


class Mentions:
    """Which definitions of a model occur in which terms, as masks over `definitions`: those that have a rule."""

    def __init__(self, model: Model) -> None:
        self.definitions: Final = tuple(d for d in model.definitions if d.rule is not None)
        self._place: Final[dict[Term, int]] = {
            named(definition): number for number, definition in enumerate(self.definitions)
        }
        self._masks: dict[Term, int] = {}

    def mask(self, term: Term) -> int:
        """The definitions that a term mentions, itself included."""
        found = self._masks.get(term)
        if found is None:
            found = self.own_mask(term)
            for child in children(term):
                found |= self.mask(child)
            self._masks[term] = found
        return found

    def own_mask(self, term: Term) -> int:
        """The definition that a term is; 0 where it is none."""
        place = self._place.get(term)
        return 0 if place is None else 1 << place

    def definition(self, term: Term) -> Definition:
        """The definition that a term is."""
        return self.definitions[self._place[term]]


@lru_cache(maxsize=8)
def mentions_of(model: Model) -> Mentions:
    """The mentions of a model; those of the last models are kept."""
    return Mentions(model)


def named(definition: Definition) -> Defined | DefinedSet:
    """A definition as terms mention it."""
    term = definition.term
    return DefinedSet(definition.name, term) if isinstance(term, SetTerm) else Defined(definition.name, term)
