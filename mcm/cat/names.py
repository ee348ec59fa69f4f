"""What can be said of an expression before it is expanded: names that nothing defines, and nesting."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.cat import tree
from mcm.cat.expand import BUILT_IN_FUNCTIONS, unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.diagnostic import Diagnostic
    from mcm.cat.scope import Scope


def unknown_names(expression: tree.Expression, scope: Scope, known: frozenset[str] = frozenset()) -> list[Diagnostic]:
    """A complaint about each name that neither the scope nor `known` knows."""
    known |= BUILT_IN_FUNCTIONS
    return [
        unknown_name(name, scope)
        for name in _names(expression)
        if scope.get(name.text) is None and name.text not in known
    ]


def nests_deeper(expression: tree.Expression, limit: int) -> bool:
    """Whether operators nest deeper than the limit. Does not recurse, so that no depth is too much for it."""
    waiting = [(expression, 1)]
    while waiting:
        inner, depth = waiting.pop()
        if depth > limit:
            return True
        waiting += [(part, depth + 1) for part in _operands(inner)]
    return False


def _operands(expression: tree.Expression) -> tuple[tree.Expression, ...]:
    match expression:
        case tree.Name() | tree.Everything() | tree.Zero():
            return ()
        case tree.Unary(_, operand, _):
            return (operand,)
        case tree.Binary(_, left, right, _):
            return (left, right)
        case tree.Apply(_, arguments, _):
            return arguments
        case _:
            assert_never(expression)


def _names(expression: tree.Expression) -> Iterator[tree.Name]:
    if isinstance(expression, tree.Name):
        yield expression
    elif isinstance(expression, tree.Apply):
        yield expression.function
    for operand in _operands(expression):
        yield from _names(operand)
