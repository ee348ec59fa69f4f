"""What occurs in a term: its parts, recursion variables, and how deep it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.relation.term import Identity, Product, RecursionVariable, Recursive, children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.relation.term import Term


def subterms(terms: Iterable[Term]) -> Iterator[Term]:
    """The terms, and all that they consist of, each once."""
    waiting = list(dict.fromkeys(terms))
    seen = {*waiting}
    while waiting:
        term = waiting.pop()
        yield term
        new = [part for part in children(term) if part not in seen]
        seen.update(new)
        waiting += new


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
