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
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Node


def constant(node: Node, context: Context) -> int | None:
    """The value of a constant expression; None where it is none."""
    match node:
        case ast.NumberLiteral():
            return written_integer(node)
        case ast.Name(text):
            entity = context.scopes.find(plain(text))
            known = entity.constant if isinstance(entity, Variable) else None
            return written_integer(known)
        case ast.Infix(operator, left, right) if operator in {"+", "-", "*", "/"}:
            one, other = constant(left, context), constant(right, context)
            if one is None or other is None or (operator == "/" and other == 0):
                return None
            return {"+": one + other, "-": one - other, "*": one * other, "/": one // (other or 1)}[operator]
        case tree.SizeOf(type_name):
            scalar = scalar_of(written_type(type_name))
            return None if scalar is None else max(1, scalar.bits // 8)
        case _:
            return None
