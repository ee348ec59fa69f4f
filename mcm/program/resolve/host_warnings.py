"""Warnings about calls of the host API that do less, or are asked less, than their author may think."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.resolve.not_mapped import warn_not_mapped
from mcm.program.resolve.set_twice import warn_set_twice
from mcm.program.resolve.unmapped import warn_unmapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.program.program import MemoryObject, Thread
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.plan import CommandDraft


def warn_of_calls(
    threads: Sequence[Thread],
    objects: Sequence[MemoryObject],
    commands: Sequence[CommandDraft],
    complaints: Complaints,
) -> None:
    """All warnings about what threads call."""
    warn_unmapped(threads, objects, complaints)
    warn_set_twice(threads, [command.name for command in commands], complaints)
    warn_not_mapped(threads, commands, complaints)
