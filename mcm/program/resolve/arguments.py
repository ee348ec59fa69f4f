"""Arguments that must be written as constants: memory orders, memory scopes and fence flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.suggest import did_you_mean
from mcm.program.resolve.constants import known_integer
from mcm.program.resolve.order_words import chosen
from mcm.program.resolve.spelling import FLAGS, ORDERS, SCOPES
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.program.resolve.context import ThreadContext
    from mcm.program.types import Flag, Order, Scope

# The flags by the places of their bits in the headers of compilers (`opencl-c-base.h`).
_OF_BITS: Final = ("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE")
# A word that is shorter is no beginning of another one.
_SHORTEST_BEGINNING: Final = 6


def memory_order(node: ast.Expression, context: ThreadContext) -> Order:
    """The order that an argument names."""
    node = chosen(node)
    if isinstance(node, ast.Name):
        if node.text in ORDERS:
            return ORDERS[node.text]
        if node.text == "memory_order_consume":
            dialect = context.dialect
            exists = "is not yet supported" if dialect.has_consume else f"does not exist in {dialect.language}"
            hint = "; did you mean 'memory_order_acquire'?"
            context.complaints.fail("E105", node.span, f"'memory_order_consume' {exists}{hint}")
    hint = _hint("memory_order_{}", node, ORDERS)
    return context.complaints.fail("E105", node.span, f"expected a memory order, found '{node.span.text}'{hint}")


def memory_scope(node: ast.Expression, context: ThreadContext) -> Scope:
    """The scope that an argument names."""
    if not context.dialect.has_scopes:
        context.complaints.fail(
            "E106", node.span, f"{context.dialect.standard} has no memory scopes, found '{node.span.text}'"
        )
    node = chosen(node)
    if isinstance(node, ast.Name) and node.text in SCOPES:
        return SCOPES[node.text]
    hint = _hint("memory_scope_{}", node, SCOPES)
    return context.complaints.fail("E106", node.span, f"expected a memory scope, found '{node.span.text}'{hint}")


def _of_headers(node: ast.Expression) -> str:
    """Which flags a number most likely means: OpenCL does not say what numbers they are, but headers agree."""
    number = known_integer(node) or 0
    found = [name for bit, name in enumerate(_OF_BITS) if number >> bit & 1]
    if number >> len(_OF_BITS) or not found:
        return ""
    return f"; in the headers of compilers that is {' | '.join(found)}, which is what to write"


def fence_flags(node: ast.Expression, context: ThreadContext) -> frozenset[Flag]:
    """The flags that an argument names: some joined by `|`, or none for `0`. The sum of different ones is the same."""
    node = chosen(node)
    match node:
        case ast.Infix("|" | "+", left, right):
            found = fence_flags(right, context)
            while isinstance(left, ast.Infix) and left.operator == node.operator:
                found = _joined(found, fence_flags(left.right, context), node, context)
                left = left.left
            return _joined(found, fence_flags(left, context), node, context)
        case ast.Name(text) if text in FLAGS:
            return frozenset({FLAGS[text]})
        case ast.NumberLiteral("0"):
            return frozenset()
        case _:
            hint = _hint("CLK_{}_MEM_FENCE", node, FLAGS) or _of_headers(node)
            is_misspelt = isinstance(node, ast.Name) and context.names.find(node.text) is None
            if not hint and not is_misspelt and known_integer(node) is None:
                hint = "; flags that are only known when the program runs are not supported"
            message = f"expected memory fence flags, found '{node.span.text}'{hint}"
            return context.complaints.fail("E107", node.span, message)


def _joined(one: frozenset[Flag], other: frozenset[Flag], node: ast.Infix, context: ThreadContext) -> frozenset[Flag]:
    """The flags of two sides; a sum in which one comes twice would be another number."""
    if node.operator == "+" and one & other:
        message = f"'{node.span.text}' adds a memory fence flag to itself, which is another number: join flags by '|'"
        context.complaints.error("E107", node.span, message)
    return one | other


def _hint(pattern: str, node: ast.Expression, known: Collection[str]) -> str:
    """A suggestion for a misspelt word, or for one without its prefix (`acquire`) or its end (`CLK_GLOBAL`)."""
    word = node.span.text
    full = pattern.format(word)
    begun = [one for one in known if len(word) > _SHORTEST_BEGINNING and one.startswith(word)]
    if full in known or len(begun) == 1:
        return f"; did you mean '{full if full in known else begun[0]}'?"
    return did_you_mean(word, known)
