"""Expressions that name one object for as long as a body runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.resolve.literals import NAMED_CONSTANTS
from mcm.sycl import tree
from mcm.sycl.entities import Group, Ids, Item, Variable
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Node

CONSTANTS: Final = frozenset({*NAMED_CONSTANTS, "nullptr"})


def is_stable(node: Node, context: Context) -> bool:
    """Whether an expression always names one object: it is made of constants, ids and what never changes."""
    match node:
        case ast.NumberLiteral():
            return True
        case ast.Prefix("*" | "&" | "-", operand):
            return is_stable(operand, context)
        case ast.Index(base, index):
            return is_stable(base, context) and is_stable(index, context)
        case ast.Infix(operator, left, right) if operator in {"+", "-", "*", "%", "/"}:
            return is_stable(left, context) and is_stable(right, context)
        case ast.Name(text):
            entity = context.scopes.find(text)
            if entity is None:
                return text in context.memory or text in CONSTANTS
            return not isinstance(entity, Variable) or entity.is_fixed
        case tree.MemberCall(base):
            return isinstance(context.entity(base), Item | Group | Ids)
        case _:
            return False


def names_object(node: Node) -> bool:
    """Whether an expression names an object, and reads none to do so."""
    match node:
        case ast.Name() | ast.Prefix("*", ast.Name()) | ast.Index(ast.Name(), ast.Name() | ast.NumberLiteral()):
            return True
        case _:
            return False
