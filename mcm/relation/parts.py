"""What a relation consists of, whatever names definitions give it and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.relation.term import Defined, Intersection, Union

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.relation.term import RelationTerm


def bare(term: RelationTerm) -> RelationTerm:
    """A relation without the name that a definition gives it."""
    while isinstance(term, Defined):
        term = term.body
    return term


def unions(term: RelationTerm) -> Iterator[RelationTerm]:
    """What a relation is the union of."""
    plain = bare(term)
    if isinstance(plain, Union):
        yield from unions(plain.left)
        yield from unions(plain.right)
    else:
        yield plain


def intersections(term: RelationTerm) -> Iterator[RelationTerm]:
    """What a relation is the intersection of."""
    plain = bare(term)
    if isinstance(plain, Intersection):
        yield from intersections(plain.left)
        yield from intersections(plain.right)
    else:
        yield plain


def spread(term: RelationTerm) -> Iterator[RelationTerm]:
    """What a relation is the union of, where intersections of unions are unions of intersections."""
    plain = bare(term)
    match plain:
        case Union(one, other):
            yield from spread(one)
            yield from spread(other)
        case Intersection(one, other):
            for left in spread(one):
                for right in spread(other):
                    yield Intersection(left, right)
        case _:
            yield plain
