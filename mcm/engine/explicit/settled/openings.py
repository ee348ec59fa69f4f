"""Choices that constraints decide: whether a barrier opens, where it is known when all come to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.algebra import FALSE, TRUE, disjunction, disjuncts, negation
from mcm.execution.evaluate import choices_of
from mcm.execution.expression import Choice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mcm.execution.expression import Atom, Expression
    from mcm.execution.substitution import Substitution


def with_decided(constraints: Collection[Expression], known: Substitution) -> Substitution:
    """What is known, with the choices that it decides, and what these decide in turn."""
    while opened := decided_choices(constraints, known):
        known = known.with_more(opened)
    return known


def decided_choices(constraints: Iterable[Expression], known: Substitution) -> dict[Atom, Expression]:
    """The choices that hold if and only if something else does that mentions no choice, and what that is.

    `known` is what is known of reads and of other choices. Constraints say that a choice or the negation of a condition
    holds, and the negation of the choice or the condition.
    """
    needed: dict[Choice, Expression] = {}
    enough: dict[Choice, Expression] = {}
    for constraint in constraints:
        parts_of_it = disjuncts(known.apply(constraint))
        for part in parts_of_it:
            rest = disjunction(*(other for other in parts_of_it if other is not part))
            if isinstance(part, Choice):
                enough[part] = negation(rest)
            elif isinstance(opposite := negation(part), Choice):
                needed[opposite] = rest
    found: dict[Atom, Expression] = {
        choice: condition
        for choice, condition in needed.items()
        if enough.get(choice) is condition and not choices_of(condition)
    }
    # What a constraint is all of.
    found.update((choice, TRUE) for choice, condition in enough.items() if condition is TRUE)
    found.update((choice, FALSE) for choice, condition in needed.items() if condition is FALSE)
    return found
