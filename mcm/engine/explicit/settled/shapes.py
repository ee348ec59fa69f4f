"""The shapes of terms, whatever names definitions give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
    from mcm.relation.term import RelationTerm, Term

# What the program fixes of two events by where their units stand: groups that contain both, and the rest.
GROUPS: Final = ("sdv", "family", "ski", "swg", "ssg")
# Of base sets that may have members, an intersection that may have none; likewise what a unit writes to an image and
# reads there.
SC_FENCES: Final = "SC & F"
HOST_WITHOUT_MAP: Final = "H & NEEDS_MAP"
READ_BACK: Final = "int & loc & ((W & IMAGES) * (R & IMAGES))"
STATIC: Final = frozenset({"po", "int", "ext", "syncbar", *GROUPS})


def is_local(term: Term) -> bool:
    """Whether a term relates two events by their sets and by what the program fixes between them alone."""
    waiting = [term]
    seen: set[Term] = set()
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        match part:
            case Closure() | Domain() | Range() | RecursionVariable() | Recursive():
                return False
            case Base(name) if name not in STATIC:
                return False
            case Compose(left, right) if not (isinstance(bare(left), Identity) or isinstance(bare(right), Identity)):
                return False
        waiting += children(part)
    return True


def is_same(term: RelationTerm) -> bool:
    """Whether a relation relates events to themselves only, by its shape."""
    return isinstance(bare(term), Identity)
