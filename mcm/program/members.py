"""Members of structures in memory, which a copy of the whole structure carries although they have no value (ADR 70)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program import instruction as hir
from mcm.program.types import NO_VALUE, AllocationKind
from mcm.program.walk import walk_once

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.program.instruction import Written
    from mcm.program.program import MemoryObject


def is_member(item: MemoryObject) -> bool:
    """Whether an object is a member of a structure in memory, or of an array of them."""
    return "." in item.name and item.allocation not in {AllocationKind.PIPE, AllocationKind.IMAGE}


def copies_members(nodes: Iterable[Written]) -> bool:
    """Whether a program copies structures from memory."""
    return any(
        isinstance(node, hir.Read) and node.is_copied and isinstance(node.place, hir.MemoryPlace)
        for node in walk_once(nodes)
    )


def without_values(objects: tuple[MemoryObject, ...], nodes: Iterable[Written]) -> tuple[MemoryObject, ...]:
    """The objects; where structures are copied, members of them that begin without a value hold that they have none."""
    if not any(None in item.initial and is_member(item) for item in objects) or not copies_members(nodes):
        return objects
    return tuple(
        replace(item, initial=tuple(NO_VALUE if one is None else one for one in item.initial))
        if is_member(item)
        else item
        for item in objects
    )
