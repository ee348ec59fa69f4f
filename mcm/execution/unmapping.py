"""Which unmap ends which map: each the latest map of the same buffer by its thread that none has ended so far.

Where a thread has none left, an unmap is taken to end those of other threads. Of calls in branches it is not known
which are made: such an unmap may end any of the maps that it could be about, up to one that is made whenever it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.algebra import conjunction
from mcm.program.command import CommandKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.execution.expression import Expression
    from mcm.program.command import Command


def unmapped_by(commands: Sequence[Command], guards: Mapping[int, Expression]) -> Iterator[tuple[Command, Command]]:
    """Maps, and the unmaps that may end them; `guards` has the conditions of the commands that are enqueued."""
    left = [command for command in commands if command.kind is CommandKind.MAP and command.number in guards]
    for unmap in commands:
        if unmap.kind is not CommandKind.UNMAP or unmap.number not in guards:
            continue
        same = [one for one in left if one.parts == unmap.parts]
        own = [one for one in same if one.caller == unmap.caller and one.number < unmap.number]
        if not own:
            yield from ((one, unmap) for one in same if one.caller != unmap.caller)
            continue
        for one in reversed(own):
            yield one, unmap
            if _implies(guards[one.number], guards[unmap.number]):
                left.remove(one)
            if _implies(guards[unmap.number], guards[one.number]):
                break


def _implies(one: Expression, other: Expression) -> bool:
    """Whether a condition surely implies another one."""
    return conjunction(one, other) == one
