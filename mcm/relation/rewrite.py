"""Terms with some of their definitions replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.relation.term import Defined, DefinedSet, RelationTerm, SetTerm, map_children

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.relation.term import Term


class Rewriter:
    """Replaces the bodies of definitions everywhere in a term, in the new bodies too; names are kept.

    `is_meant` says of terms whether they may mention such a definition.
    """

    def __init__(
        self,
        sets: Mapping[DefinedSet, SetTerm],
        relations: Mapping[Defined, RelationTerm],
        is_meant: Callable[[Term], bool] = lambda _: True,
    ) -> None:
        self._new_sets = sets
        self._new_relations = relations
        self._is_meant = is_meant
        self._known_sets: dict[SetTerm, SetTerm] = {}
        self._known_relations: dict[RelationTerm, RelationTerm] = {}

    def term(self, term: Term) -> Term:
        """The term with all replacements made."""
        return self.set(term) if isinstance(term, SetTerm) else self.relation(term)

    def set(self, term: SetTerm) -> SetTerm:
        """The set with all replacements made."""
        if not self._is_meant(term):
            return term
        found = self._known_sets.get(term)
        if found is None:
            if isinstance(term, DefinedSet):
                found = DefinedSet(term.name, self.set(self._new_sets.get(term, term.body)))
            else:
                found = map_children(term, self.set, self.relation)
            self._known_sets[term] = found
        return found

    def relation(self, term: RelationTerm) -> RelationTerm:
        """The relation with all replacements made."""
        if not self._is_meant(term):
            return term
        found = self._known_relations.get(term)
        if found is None:
            if isinstance(term, Defined):
                found = Defined(term.name, self.relation(self._new_relations.get(term, term.body)))
            else:
                found = map_children(term, self.set, self.relation)
            self._known_relations[term] = found
        return found
