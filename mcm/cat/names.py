"""The names that an expression uses and nothing defines."""

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
        if name.text not in scope.entries and name.text not in known
    ]


def _names(expression: tree.Expression) -> Iterator[tree.Name]:
    match expression:
        case tree.Name():
            yield expression
        case tree.Everything() | tree.Zero():
            pass
        case tree.Unary(_, operand, _):
            yield from _names(operand)
        case tree.Binary(_, left, right, _):
            yield from _names(left)
            yield from _names(right)
        case tree.Apply(function, arguments, _):
            yield function
            for argument in arguments:
                yield from _names(argument)
        case _:
            assert_never(expression)
