"""Where recursion variables occur in a term, and how deep a term is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.relation.term import Identity, Product, RecursionVariable, Recursive, children

if TYPE_CHECKING:
    from mcm.relation.term import Term


def free_variables(term: Term, known: dict[Term, frozenset[str]] | None = None) -> frozenset[str]:
    """The recursion variables that no `Recursive` inside the term binds; `known` keeps results between calls."""
    known = {} if known is None else known
    found = known.get(term)
    if found is None:
        found = frozenset().union(*(free_variables(child, known) for child in children(term)))
        if isinstance(term, RecursionVariable):
            found |= {term.name}
        elif isinstance(term, Recursive):
            found -= {name for name, _ in term.equations}
        known[term] = found
    return found


def variables_in_sets(term: Term) -> frozenset[str]:
    """The free recursion variables of a relation that occur inside one of its sets."""
    seen: dict[Term, frozenset[str]] = {}

    def visit(inner: Term) -> frozenset[str]:
        found = seen.get(inner)
        if found is None:
            if isinstance(inner, (Identity, Product)):
                found = free_variables(inner)
            else:
                found = frozenset().union(*(visit(child) for child in children(inner)))
            seen[inner] = found
        return found

    return visit(term) & free_variables(term)


def depth(term: Term, known: dict[Term, int]) -> int:
    """How deeply a term is nested, definitions counted with their bodies; `known` keeps results."""
    found = known.get(term)
    if found is None:
        found = known[term] = 1 + max((depth(child, known) for child in children(term)), default=0)
    return found
