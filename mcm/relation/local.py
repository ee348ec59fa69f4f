"""Terms that relate two events by these alone: by their sets, and by what is known of the pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.relation.parts import bare
from mcm.relation.term import (
    Base,
    Closure,
    Compose,
    Domain,
    Identity,
    Range,
    RecursionVariable,
    Recursive,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.relation.term import Term


def is_local(term: Term, fixed: Collection[str], known: dict[Term, bool] | None = None) -> bool:
    """Whether a term is built from sets and the base relations `fixed`, and asks of no third event.

    `known` keeps results between calls with the same relations.
    """
    known = {} if known is None else known
    found = known.get(term)
    if found is None:
        match term:
            case Closure() | Domain() | Range() | RecursionVariable() | Recursive():
                found = False
            case Base(name):
                found = name in fixed
            case Compose(left, right) if not (isinstance(bare(left), Identity) or isinstance(bare(right), Identity)):
                found = False
            case _:
                found = all(is_local(part, fixed, known) for part in children(term))
        known[term] = found
    return found
