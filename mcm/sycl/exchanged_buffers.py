"""Buffers that change places, `std::swap(a, b);`: from there on each name is that of the other one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.sycl.parts import buffer_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Object
    from mcm.sycl.entities import Entity, Scopes
    from mcm.syntax.ast import Node


def exchanged(
    node: ast.Call, scopes: Scopes, memory: Mapping[str, Object], complaints: Complaints, *, is_always: bool
) -> bool:
    """Note that buffers change places; False where a call is about something else.

    What the names mean is known at every statement where that is done in any case, in loops that are written out.
    """
    if len(node.arguments) != 2:
        return False
    one, other = node.arguments
    known: dict[str, Entity] = {}
    for name in node.arguments:
        entity = scopes.find(name.text) if isinstance(name, ast.Name) else None
        if isinstance(name, ast.Name) and entity is not None:
            known[name.text] = entity
    first, second = _buffer(one, known, memory), _buffer(other, known, memory)
    if first is None or second is None:
        return False
    if not is_always:
        message = (
            "buffers change places in a branch here, or in a loop of which it is not known how often it goes round"
        )
        complaints.fail("E207", node.span, message)
    assert isinstance(one, ast.Name)
    assert isinstance(other, ast.Name)
    scopes.assign(one.text, second)
    scopes.assign(other.text, first)
    return True


def _buffer(node: Node, known: Mapping[str, Entity], memory: Mapping[str, Object]) -> Entity | None:
    return buffer_of(node, known, memory)
