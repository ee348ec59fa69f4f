"""Syntax tree to program: every name bound, every expression typed, every thread placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import InputError
from mcm.program.program import Program
from mcm.program.resolve.accessed import atomically_accessed
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.conditions import observables, resolve_condition, resolve_observable, resolve_proposition
from mcm.program.resolve.launches import launched_items
from mcm.program.resolve.memory import initial_registers, resolve_memory
from mcm.program.resolve.placement import place_threads
from mcm.program.resolve.threads import distinct_threads, resolve_threads
from mcm.program.resolve.unsupported import refuse_unsupported

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.program.condition import Observable
    from mcm.program.resolve.conditions import Observables
    from mcm.syntax.ast import Litmus

__all__ = ["resolve"]


def resolve(tree: Litmus, source: Source) -> Program:
    """The program that a litmus file means.

    Everything that is wrong with the file is reported at once, in an InputError; warnings stay in the program.
    """
    complaints = Complaints()
    refuse_unsupported(tree, complaints)
    units = distinct_threads(tree, complaints)
    placements = place_threads(tree, units, complaints)
    items = launched_items(tree, units, placements, complaints)
    units += tuple(item.unit for item in items)
    placements |= {item.unit.number: item.placement for item in items}
    memory = resolve_memory(tree, units, placements, {item.unit.number: item.copy for item in items}, complaints)
    registers = initial_registers(tree, memory, placements, complaints)
    names = {item.unit.number: item.name for item in items}
    threads = resolve_threads(tree, units, placements, names, memory, registers, complaints)
    known = observables(threads, memory, complaints)
    locations = _locations(tree, known)
    filtered = None if tree.filter is None else resolve_proposition(tree.filter, known)
    condition = None if tree.condition is None else resolve_condition(tree.condition, known)
    if complaints.has_errors:
        raise InputError(*complaints.diagnostics)
    objects = memory.objects
    if not all(item.atomic for item in objects):
        objects = memory.with_atomic(atomically_accessed(threads, objects))
    return Program(
        source=source,
        dialect=tree.dialect,
        name=tree.name,
        threads=threads,
        objects=objects,
        locations=locations,
        filter=filtered,
        condition=condition,
        diagnostics=complaints.diagnostics,
    )


def _locations(tree: Litmus, known: Observables) -> tuple[Observable, ...]:
    found: list[Observable] = []
    for reference in tree.locations:
        try:
            found.append(resolve_observable(reference, known))
        except UnresolvedError:
            continue
    return tuple(found)
