"""Threads with the same code: work-items differ in the literals that their ids became, and in what parameters hold.

Such code is compiled once. What differs is kept in slots, which begin with the values of each thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.program.difference import different_literals
from mcm.program.instruction import Literal
from mcm.program.topology import WorkItem
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.program.program import Thread
    from mcm.program.types import Value


class Alike(Struct):
    """Threads with the code of the first of them, by their positions in the program.

    `literals` has for each thread the values of the literals of its body that differ from those of the first one, by
    the identities of the latter.
    """

    first: Thread
    performs: bool
    positions: list[int]
    literals: list[dict[int, Value]] = field(default_factory=list)

    def varying(self) -> dict[int, Value]:
        """The literals of the first thread that some other thread has another value for, with those of the first."""
        every = {literal for values in self.literals for literal in values}
        nodes = walk(self.first.body) if every else ()
        return {id(node): node.value for node in nodes if isinstance(node, Literal) and id(node) in every}


def threads_alike(threads: Sequence[Thread], performing: Sequence[int]) -> list[Alike]:
    """All threads, those with the same code together; `performing` are the positions of those that perform copies."""
    found: list[Alike] = []
    latest: dict[tuple[object, ...], Alike] = {}
    for position, thread in enumerate(threads):
        performs = position in performing
        span = thread.span
        key = (id(span.source), span.start, span.end, performs, isinstance(thread.placement, WorkItem))
        known = latest.get(key)
        different = None if known is None else _different_literals(known.first, thread)
        if known is None or different is None:
            latest[key] = Alike(thread, performs, [position], [{}])
            found.append(latest[key])
        else:
            known.positions.append(position)
            known.literals.append(different)
    return found


def _different_literals(one: Thread, other: Thread) -> dict[int, Value] | None:
    """The values of the other's literals that are not those of the first; None if anything else differs."""
    if not isinstance(one.placement, WorkItem) or len(one.registers) != len(other.registers):
        return None
    for mine, theirs in zip(one.registers, other.registers, strict=True):
        if (mine.name, mine.type, mine.initial is None) != (theirs.name, theirs.type, theirs.initial is None):
            return None
    return different_literals(one.body, other.body)
