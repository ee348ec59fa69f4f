"""Memory that holds that it has no value: members of structures, which copies carry (ADR 70), and what is given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program import instruction as hir
from mcm.program.topology import DataCommand
from mcm.program.types import NO_VALUE, AllocationKind, Location
from mcm.program.walk import walk_once

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.program.instruction import Written
    from mcm.program.program import MemoryObject, Program


def is_member(item: MemoryObject) -> bool:
    """Whether an object is a member of a structure in memory, or of an array of them."""
    return "." in item.name and item.allocation not in {AllocationKind.PIPE, AllocationKind.IMAGE}


def copies_members(nodes: Iterable[Written]) -> bool:
    """Whether a program copies structures from memory."""
    return any(
        isinstance(node, hir.Read) and node.is_copied and isinstance(node.place, hir.MemoryPlace)
        for node in walk_once(nodes)
    )


def may_lack_values(program: Program) -> frozenset[int]:
    """The objects that hold that they have no value: from the beginning, or where a command gives up what they held."""
    found = {number for number, item in enumerate(program.objects) if NO_VALUE in item.initial}
    if program.has_commands:
        bodies = (one.body for one in program.threads if isinstance(one.placement, DataCommand))
        for node in walk_once(bodies):
            match node:
                case hir.Assign(hir.MemoryPlace(hir.Literal(Location(number))), hir.Literal(value)):
                    found |= {number} if value == NO_VALUE else set()
                case _:
                    pass
    return frozenset(found)


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
