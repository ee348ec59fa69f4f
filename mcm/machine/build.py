"""A program on a memory that is chosen by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcm.machine.configuration import Machine
from mcm.machine.interleaving import Interleaving
from mcm.machine.platform import Platform
from mcm.machine.views import WeakMemory
from mcm.program import instruction as hir
from mcm.program.walk import walk

if TYPE_CHECKING:
    from mcm.program.program import Program

MEMORIES = (Interleaving.name, WeakMemory.name)


def build(program: Program, memory: str) -> Machine[Any]:
    """The machine for a program; `memory` is one of MEMORIES."""
    platform = Platform(program)
    if memory == Interleaving.name:
        return Machine(program, platform, Interleaving(platform))
    return Machine(program, platform, WeakMemory(platform, remembers_reads=_acquires_late(program)))


def _acquires_late(program: Program) -> bool:
    """Whether some fence or barrier may acquire what was read before it."""
    return any(isinstance(node, (hir.Fence, hir.Barrier)) for thread in program.threads for node in walk(thread.body))
