"""Constant expressions: the sizes of ranges and of memory."""

from __future__ import annotations

from math import prod
from operator import add, floordiv, mod, mul, sub
from typing import TYPE_CHECKING, Final

from mcm.program.resolve.literals import written_integer
from mcm.sycl import tree
from mcm.sycl.entities import Opaque, Variable
from mcm.sycl.types import scalar_of, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.sycl.context import Context
    from mcm.syntax.ast import Node

# What stands behind a name to ask for its number of elements.
SIZE: Final = ".size()"
_WIDEST_SHIFT: Final = 63
_OPERATORS: Final[dict[str, Callable[[int, int], int]]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": floordiv,
    "%": mod,
    "<<": lambda left, right: left << (right & _WIDEST_SHIFT),
    ">>": lambda left, right: left >> (right & _WIDEST_SHIFT),
}


def constant(node: Node, context: Context) -> int | None:
    """The value of a constant expression; None where it is none."""

    def known(name: str) -> int | None:
        entity = context.scopes.find(name)
        if name.endswith(SIZE):
            return size_of(name.removesuffix(SIZE), context)
        if not isinstance(entity, Variable) or entity.constant is None:
            return None
        return constant_of(entity.constant, lambda _: None)

    return constant_of(node, known)


def size_of(name: str, context: Context) -> int | None:
    """The number of elements of a container, or of a range with a name; None for other names."""
    entity = context.scopes.find(name)
    if isinstance(entity, Opaque) and entity.class_ == "range" and entity.node is not None:
        parts = [constant(part, context) for part in _parts(entity.node)]
        return prod(part for part in parts if part is not None) if None not in parts else None
    return context.memory[name].count if entity is None and name in context.memory else None


def _parts(node: Node) -> tuple[Node, ...]:
    """What a range consists of."""
    match node:
        case tree.Construction(_, _, parts) | ast.Call(_, parts):
            return parts
        case _:
            return (node,)


def constant_of(node: Node, known: Callable[[str], int | None]) -> int | None:
    """The value of a constant expression, where `known` says those of names; None where it is none."""
    match node:
        case ast.NumberLiteral():
            return written_integer(node)
        case ast.Name(text):
            return known(plain(text))
        case tree.MemberCall(ast.Name(text), ".", ast.Name("size"), None, ()):
            return known(text + SIZE)
        case ast.Call(ast.Name(size), (ast.Name(text),)) if plain(size) == "size":
            return known(text + SIZE)
        case ast.Infix(operator, left, right) if operator in _OPERATORS:
            one, other = constant_of(left, known), constant_of(right, known)
            if one is None or other is None or (operator in {"/", "%"} and (one < 0 or other <= 0)):
                return None
            return _OPERATORS[operator](one, other)
        case ast.Call(ast.Name(text), (left, right)) if plain(text) in {"min", "max"}:
            one, other = constant_of(left, known), constant_of(right, known)
            return None if one is None or other is None else (min if plain(text) == "min" else max)(one, other)
        case ast.Prefix("-", operand):
            negated = constant_of(operand, known)
            return None if negated is None else -negated
        case ast.SizeOf(ast.TypeName() as type_name, ()):
            scalar = scalar_of(written_type(type_name))
            return None if scalar is None else max(1, scalar.bits // 8)
        case _:
            return None
