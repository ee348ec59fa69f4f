"""Build the machine for a program on a memory that is chosen by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcm.machine.buffer_use import BufferUse
from mcm.machine.event_bits import EventBits
from mcm.machine.machine import Machine
from mcm.machine.memory_layout import MemoryLayout
from mcm.machine.sequential_memory import SequentialMemory
from mcm.machine.view_memory import ViewMemory
from mcm.program import instruction as hir
from mcm.program.command import CommandKind
from mcm.program.walk import walk

if TYPE_CHECKING:
    from mcm.program.program import Program

MEMORIES = (SequentialMemory.name, ViewMemory.name)


def build(program: Program, memory: str, *, counts_loops: bool = False) -> Machine[Any]:
    """The machine for a program; `memory` is one of MEMORIES. One that `counts_loops` is for single runs."""
    layout = MemoryLayout(program)
    if memory == SequentialMemory.name:
        return Machine(program, layout, SequentialMemory(layout), counts_loops=counts_loops)
    bits = EventBits(has_children=any(command.kind is CommandKind.CHILD for command in program.commands))
    uses = BufferUse(program, layout, lambda fact: bits.of_other(bits.of(fact))) if _has_buffer_rules(program) else None
    callbacks = sum(thread.callback_of is not None for thread in program.threads)
    views = ViewMemory(
        layout,
        bits,
        uses if uses is not None and uses.matters else None,
        remembers_reads=_acquires_late(program),
        boxes=2 * (len(program.commands) + callbacks),
    )
    return Machine(program, layout, views, counts_loops=counts_loops)


def _has_buffer_rules(program: Program) -> bool:
    """Whether there are buffers that hosts map and kernels share as a whole: in OpenCL only."""
    return program.dialect.has_maps and program.dialect.has_scopes


def _acquires_late(program: Program) -> bool:
    """Whether there is a fence or barrier, which may acquire what was read before it."""
    return any(isinstance(node, (hir.Fence, hir.Barrier)) for thread in program.threads for node in walk(thread.body))
