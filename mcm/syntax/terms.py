"""What a question compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.syntax.question import Comparison, Connective, Negation, Truth

if TYPE_CHECKING:
    from mcm.syntax.ast import Litmus
    from mcm.syntax.question import ConditionTerm, Proposition


def terms_of_question(tree: Litmus) -> list[ConditionTerm]:
    """What `locations` list, and what the filter and the condition compare, in this order and as written."""
    found: list[ConditionTerm] = [*tree.locations]
    if tree.filter is not None:
        found += _compared(tree.filter)
    if tree.condition is not None:
        found += _compared(tree.condition.proposition)
    return found


def _compared(proposition: Proposition) -> list[ConditionTerm]:
    """What a proposition compares, from left to right."""
    found: list[ConditionTerm] = []
    waiting = [proposition]
    while waiting:
        match waiting.pop():
            case Comparison(_, left, right):
                found += (left, right)
            case Connective(_, first, second):
                waiting += (second, first)
            case Negation(body):
                waiting.append(body)
            case Truth():
                pass
            case node:
                assert_never(node)
    return found
