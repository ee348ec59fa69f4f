"""What can be said of an expression before it is expanded: names that nothing defines, and nesting."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.cat import tree
from mcm.cat.built_in import BUILT_IN_FUNCTIONS
from mcm.cat.errors import unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.base.diagnostic import Diagnostic
    from mcm.cat.scope import Scope


def unknown_names(expression: tree.Expression, scope: Scope, known: Iterable[str] = ()) -> list[Diagnostic]:
    """A complaint about each name that neither the scope nor `known` knows; what is tried may have such names."""
    return [
        unknown_name(name, (*scope.names(), *BUILT_IN_FUNCTIONS))
        for name in _free_names(expression, frozenset(known) | BUILT_IN_FUNCTIONS.keys())
        if scope.get(name.text) is None
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
        case tree.Apply(function, arguments, _):
            return (function, *arguments)
        case tree.Tuple(items, _) | tree.Listed(items, _):
            return items
        case tree.Lambda(_, body, _):
            return (body,)
        case tree.Local(_, bindings, body, _):
            return (*(binding.body for binding in bindings), body)
        case tree.Attempt(body, otherwise, _) | tree.Conditional(_, body, otherwise, _):
            return (body, otherwise)
        case tree.Match(subject, empty, _, _, found, _):
            return (subject, *(part for part in (empty, found) if part is not None))
        case _:
            assert_never(expression)


def _free_names(expression: tree.Expression, bound: frozenset[str]) -> Iterator[tree.Name]:
    """The names of an expression that it does not bind itself, and that must be known."""
    match expression:
        case tree.Name():
            if expression.text not in bound:
                yield expression
        case tree.Attempt(_, otherwise, _) | tree.Conditional(_, _, otherwise, _):
            # What is tried may fail, and a variant that is off need not make sense.
            yield from _free_names(otherwise, bound)
        case tree.Lambda(parameters, body, _):
            yield from _free_names(body, bound | _texts(parameters))
        case tree.Local(recursive, bindings, body, _):
            inner = bound | _texts(name for binding in bindings for name in binding.unpacked or (binding.name,))
            for binding in bindings:
                around = inner if recursive else bound
                yield from _free_names(binding.body, around | _texts(binding.parameters or ()))
            yield from _free_names(body, inner)
        case tree.Match(subject, empty, member, rest, found, _):
            yield from _free_names(subject, bound)
            if empty is not None:
                yield from _free_names(empty, bound)
            if found is not None and member is not None and rest is not None:
                yield from _free_names(found, bound | _texts((member, rest)))
        case _:
            for operand in _operands(expression):
                yield from _free_names(operand, bound)


def _texts(names: Iterable[tree.Name]) -> frozenset[str]:
    return frozenset(name.text for name in names)
