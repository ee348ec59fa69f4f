"""What a model tells of where work-items stand: that two are in one group may be of no account for a program.

At device scope all work-items of a kernel are alike, whatever groups they are in: `docs/search.md` has the argument
(*Work-items of other groups*).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mcm.catalogue.empty_parts import empty_in, without_empty
from mcm.execution.vocabulary import PLACES
from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.local import is_local
from mcm.relation.occurrence import subterms
from mcm.relation.term import Base, BaseSet, RelationTerm, SetTerm, children

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.execution.skeleton import SetMembers, Skeleton
    from mcm.relation.evaluate import Rows
    from mcm.relation.term import Term


def relations_by_place(skeleton: Skeleton, model: Model) -> tuple[Rows, ...] | None:
    """The relations through which alone a model looks at where the units of events stand, for any that are executed.

    Each tells of two events by their sets and by what the program fixes between them, and of nothing else. None where
    it depends on values whether an event is in one of those sets.
    """
    terms = _terms_by_place(without_empty(model, empty_in([skeleton])), skeleton)
    names = {part.name for part in subterms(terms) if isinstance(part, BaseSet)}
    sets = {name: _members(skeleton, skeleton.sets[name]) for name in names}
    known = {name: members for name, members in sets.items() if members is not None}
    if len(known) < len(sets):
        return None
    size = len(skeleton.events)
    relations = {name: tuple(rows) for name, rows in skeleton.relations.items()}
    value = Evaluator(Structure(size, (1 << size) - 1, known, relations)).relation
    return tuple(map(value, terms))


def _terms_by_place(model: Model, skeleton: Skeleton) -> list[RelationTerm]:
    """The largest terms of a model that say of pairs of events what is fixed, and mention where units stand."""
    known: dict[Term, bool] = {}

    @cache
    def is_by_place(term: Term) -> bool:
        return term.name in PLACES if isinstance(term, Base) else any(map(is_by_place, children(term)))

    found: dict[RelationTerm, None] = {}
    waiting: list[Term] = [check.term for check in model.checks]
    waiting += [flag.term for flag in model.flags]
    waiting += [part for order in model.linearisations for part in (order.events, order.order)]
    seen = {*waiting}
    while waiting:
        term = waiting.pop()
        if not isinstance(term, SetTerm) and is_local(term, skeleton.relations, known):
            found[term] = None
            continue
        new = [part for part in children(term) if part not in seen and is_by_place(part)]
        seen.update(new)
        waiting += new
    return [term for term in found if is_by_place(term)]


def _members(skeleton: Skeleton, members: SetMembers) -> int | None:
    """The events that are in a set if they are executed, as a mask; None where values decide that of one."""
    found = members.events
    for event in skeleton.events:
        if members.locations.isdisjoint(event.locations) or found >> event.identifier & 1:
            continue
        if not members.locations.issuperset(event.locations):
            return None
        found |= 1 << event.identifier
    return found
