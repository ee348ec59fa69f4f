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
# What other languages and compilers call scopes.
_OF_OTHERS: Final = {
    "system": "all_svm_devices",
    "agent": "device",
    "gpu": "device",
    "block": "work_group",
    "cta": "work_group",
    "group": "work_group",
    "wavefront": "sub_group",
    "warp": "sub_group",
    "thread": "work_item",
    "singlethread": "work_item",
}
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
    is_scope = node.span.text in SCOPES
    hint = "; the scope stands behind the order" if is_scope else _hint("memory_order_{}", node, ORDERS)
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
    hint = "; the order stands before the scope" if node.span.text in ORDERS else _meant_scope(node)
    return context.complaints.fail("E106", node.span, f"expected a memory scope, found '{node.span.text}'{hint}")


def _meant_scope(node: ast.Expression) -> str:
    """A suggestion for a scope that has a misspelt name, or one of another language."""
    other = _OF_OTHERS.get(node.span.text.lower().removeprefix("memory_scope_"))
    return _hint("memory_scope_{}", node, SCOPES) if other is None else f"; did you mean 'memory_scope_{other}'?"


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
            hint = _joined_by_or(node) or _hint("CLK_{}_MEM_FENCE", node, FLAGS) or _of_headers(node)
            is_misspelt = isinstance(node, ast.Name) and context.names.find(node.text) is None
            if not hint and not is_misspelt and known_integer(node) is None:
                hint = "; flags that are only known when the program runs are not supported"
            message = f"expected memory fence flags, found '{node.span.text}'{hint}"
            return context.complaints.fail("E107", node.span, message)


def _joined_by_or(node: ast.Expression) -> str:
    """A suggestion for flags that are joined by `||`: that is a truth value, which is another number."""
    is_logical = isinstance(node, ast.Infix) and node.operator == "||"
    return f"; did you mean '{node.span.text.replace('||', '|')}'?" if is_logical else ""


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
