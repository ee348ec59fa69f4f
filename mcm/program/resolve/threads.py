"""Threads: parameters become registers that hold addresses, bodies become instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.program import Thread
from mcm.program.resolve.context import ThreadContext
from mcm.program.resolve.names import Names
from mcm.program.resolve.statements import body
from mcm.program.topology import WorkItem
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.base.dialect import Dialect
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.memory import MemoryObjects
    from mcm.program.resolve.names import InitialRegister
    from mcm.program.resolve.placement import PlacedThread
    from mcm.syntax import ast


def resolve_threads(
    dialect: Dialect,
    threads: tuple[PlacedThread, ...],
    functions: Mapping[str, ast.Function],
    memory: MemoryObjects,
    registers: Mapping[int, Mapping[str, InitialRegister]],
    complaints: Complaints,
) -> tuple[Thread, ...]:
    """Resolve the bodies of all threads."""
    work_items = tuple(thread.placement for thread in threads if isinstance(thread.placement, WorkItem))
    found = []
    for thread in threads:
        context = ThreadContext(
            number=thread.number,
            body_span=thread.unit.body.span,
            dialect=dialect,
            placement=thread.placement,
            work_items=work_items,
            memory=memory,
            names=Names(registers[thread.number], complaints),
            functions=functions,
            complaints=complaints,
        )
        found.append(_thread(thread.unit, thread.name, context))
    return tuple(found)


def _thread(unit: ast.Thread, name: str, context: ThreadContext) -> Thread:
    for parameter in unit.parameters:
        written = parameter.name.text
        index = context.memory.bound_to(unit.number, written)
        pointer = context.memory.parameters.get((unit.number, written))
        # After an error in its type, a parameter has the type of the location, so that its uses are checked.
        if index is not None:
            type_ = pointer or context.memory.pointer_to(index)
            context.names.add_parameter(written, type_, Location(index), parameter.span)
            context.note_const(written, parameter.type, ((),) if parameter.length is not None else ())
    block = body(unit.body, context)
    return Thread(
        index=unit.number,
        name=name,
        placement=context.placement,
        registers=context.names.registers(),
        body=block,
        span=unit.span,
    )
