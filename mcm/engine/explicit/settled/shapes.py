"""The shapes of terms, whatever names definitions give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.vocabulary import PLACES
from mcm.relation import local
from mcm.relation.parts import bare
from mcm.relation.term import (
    Identity,
)

if TYPE_CHECKING:
    from mcm.relation.term import RelationTerm, Term

# What the program fixes of two events: groups that contain both, and the rest.
STATIC: Final = frozenset({"po", "int", "ext", "syncbar", *PLACES})
# Of base sets that may have members, an intersection that may have none; likewise what a unit writes to an image and
# reads there.
SC_FENCES: Final = "SC & F"
HOST_WITHOUT_MAP: Final = "H & NEEDS_MAP"
READ_BACK: Final = "int & loc & ((W & IMAGES) * (R & IMAGES))"


def is_local(term: Term) -> bool:
    """Whether a term relates two events by their sets and by what the program fixes between them alone."""
    return local.is_local(term, STATIC)


def is_same(term: RelationTerm) -> bool:
    """Whether a relation relates events to themselves only, by its shape."""
    return isinstance(bare(term), Identity)
