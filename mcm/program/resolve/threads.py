"""Threads: parameters become registers that hold addresses, bodies become instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import Note
from mcm.program.program import Thread
from mcm.program.resolve.context import ThreadContext
from mcm.program.resolve.names import Names
from mcm.program.resolve.statements import body
from mcm.program.topology import WorkItem
from mcm.program.types import Location
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.memory import Memory
    from mcm.program.resolve.names import InitialRegister
    from mcm.program.topology import Placement


def distinct_threads(tree: ast.Litmus, complaints: Complaints) -> tuple[ast.Thread, ...]:
    """The threads of the file, in order of their numbers, which must differ."""
    threads: dict[int, ast.Thread] = {}
    for unit in tree.units:
        if not isinstance(unit, ast.Thread):
            continue
        if unit.number in threads:
            note = Note("first written here", threads[unit.number].span)
            complaints.error("E113", unit.span, f"thread P{unit.number} is written twice", note)
        else:
            threads[unit.number] = unit
    if not tree.units:
        complaints.error("E148", tree.name_span or tree.span, f"test '{tree.name}' has no thread")
    return tuple(threads[number] for number in sorted(threads))


def resolve_threads(
    tree: ast.Litmus,
    units: tuple[ast.Thread, ...],
    placements: Mapping[int, Placement],
    names: Mapping[int, str],
    memory: Memory,
    registers: Mapping[int, Mapping[str, InitialRegister]],
    complaints: Complaints,
) -> tuple[Thread, ...]:
    """Resolve the bodies of all threads; `names` are those of work-items of kernels."""
    found = []
    work_items = tuple(place for place in placements.values() if isinstance(place, WorkItem))
    for unit in units:
        context = ThreadContext(
            number=unit.number,
            body_span=unit.body.span,
            dialect=tree.dialect,
            placement=placements[unit.number],
            work_items=work_items,
            memory=memory,
            names=Names(registers[unit.number], complaints),
            complaints=complaints,
        )
        found.append(_thread(unit, names.get(unit.number, f"P{unit.number}"), context))
    return tuple(found)


def _thread(unit: ast.Thread, name: str, context: ThreadContext) -> Thread:
    for parameter in unit.parameters:
        written = parameter.name.text
        index = context.memory.bound_to(unit.number, written)
        pointer = context.memory.parameters.get((unit.number, written))
        # A parameter whose type is broken has been reported; what uses it then speaks of the location's own type.
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
