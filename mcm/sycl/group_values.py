"""Variables of command groups that the host computes when it submits them: `int a = n, b = n + 1;`, `Add f{x};`.

They are variables of the host before the submission, by names that nothing else has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.closures import function_of
from mcm.sycl.constants import constant
from mcm.sycl.entities import Variable
from mcm.sycl.reductions import is_reduction
from mcm.sycl.types import is_record, scalar_of, written_type
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.sycl.context import Context
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node

_READING: Final = (ast.Index, ast.Member, tree.MemberCall)


def apart(
    function: tree.Lambda, known: Mapping[str, Entity], context: Context
) -> tuple[list[ast.Declaration], tree.Lambda]:
    """The declarations that stand before the submission of a command group, and the rest of it.

    There are none where the command group has but constants, which may be sizes in it.
    """
    found = [
        node
        for node in function.body.statements
        if isinstance(node, ast.Declaration) and _is_plain(node, known, context)
    ]
    if not any(_is_open(node, context) for node in found):
        return [], function
    context.closures += 1
    names = {
        one.name.text: f"({one.name.text} of submission {context.closures})"
        for node in found
        for one in node.declarators
    }

    def renamed(part: Node) -> Node:
        return replace(part, text=names[part.text]) if isinstance(part, ast.Name) and part.text in names else part

    rest = tuple(one for one in function.body.statements if one not in found)
    body = mapped(replace(function.body, statements=rest), renamed)
    return [mapped(node, renamed) for node in found], replace(function, body=body)


def _is_plain(node: ast.Declaration, known: Mapping[str, Entity], context: Context) -> bool:
    """Whether a declaration is one of numbers, pointers and objects that the host has."""
    type_ = written_type(node.type)
    for one in node.declarators:
        value = one.initializer
        if value is None or one.length is not None or function_of(one) is not None or is_reduction(value, known):
            return False
        if isinstance(value, tree.MemberCall | tree.Construction) and type_.base == "auto":
            return False
        if type_.base == "auto" and not _is_number(value, context):
            return False
        if type_.base != "auto" and not (one.pointers or scalar_of(type_) or is_record(type_)):
            return False
    return True


def _is_number(node: Node, context: Context) -> bool:
    """Whether the value of a variable whose type is not written is a number or a pointer."""
    if isinstance(node, ast.Name):
        entity = context.scopes.find(node.text)
        return isinstance(entity, Variable) or (entity is None and node.text in context.memory)
    return isinstance(node, ast.Infix | ast.Index | ast.NumberLiteral | ast.Prefix | ast.Cast | ast.Member)


def _is_open(node: ast.Declaration, context: Context) -> bool:
    """Whether what is declared is more than constants."""
    if is_record(written_type(node.type)):
        return True
    for one in node.declarators:
        parts = list(walk([one.initializer])) if one.initializer is not None else []
        entities = [context.scopes.find(part.text) for part in parts if isinstance(part, ast.Name)]
        has_variable = any(isinstance(entity, Variable) and entity.constant is None for entity in entities)
        is_read = any(isinstance(part, _READING) for part in parts) and constant(one.initializer, context) is None  # type: ignore[arg-type]
        if has_variable or is_read or one.pointers:
            return True
    return False
