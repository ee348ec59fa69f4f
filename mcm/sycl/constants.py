"""Constant expressions: the sizes of ranges and of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.resolve.literals import written_integer
from mcm.sycl import tree
from mcm.sycl.entities import Variable
from mcm.sycl.types import scalar_of, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.sycl.context import Context
    from mcm.syntax.ast import Node


def constant(node: Node, context: Context) -> int | None:
    """The value of a constant expression; None where it is none."""

    def known(name: str) -> int | None:
        entity = context.scopes.find(name)
        return written_integer(entity.constant) if isinstance(entity, Variable) else None

    return constant_of(node, known)


def constant_of(node: Node, known: Callable[[str], int | None]) -> int | None:
    """The value of a constant expression, where `known` says those of names; None where it is none."""
    match node:
        case ast.NumberLiteral():
            return written_integer(node)
        case ast.Name(text):
            return known(plain(text))
        case ast.Infix(operator, left, right) if operator in {"+", "-", "*", "/"}:
            one, other = constant_of(left, known), constant_of(right, known)
            if one is None or other is None or (operator == "/" and other == 0):
                return None
            return {"+": one + other, "-": one - other, "*": one * other, "/": one // (other or 1)}[operator]
        case tree.SizeOf(type_name):
            scalar = scalar_of(written_type(type_name))
            return None if scalar is None else max(1, scalar.bits // 8)
        case _:
            return None
