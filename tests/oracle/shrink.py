"""Smaller programs that still show something."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from oracle.generate import well_formed
from oracle.program import (
    Allocation,
    Barrier,
    Fence,
    Instruction,
    Load,
    Location,
    Order,
    Program,
    Region,
    Scope,
    Store,
    Unit,
    accessed,
)


def shrink(program: Program, shows: Callable[[Program], bool]) -> Program:
    """Take away and simplify as long as the program remains well-formed and still shows it."""
    while smaller := next((p for p in _smaller(program) if well_formed(p) and shows(p)), None):
        program = smaller
    return program


def _smaller(program: Program) -> Iterator[Program]:
    yield from _with_fewer_units(program)
    yield from _with_simpler_units(program)
    for index, location in enumerate(program.locations):
        others = program.locations[:index], program.locations[index + 1 :]
        if location.allocation not in (None, Allocation.BUFFER):
            yield _located(program, (*others[0], replace(location, allocation=Allocation.BUFFER), *others[1]))
        if location.region is Region.LOCAL:
            simpler = replace(location, region=Region.GLOBAL, allocation=Allocation.BUFFER, initial=0)
            yield _located(program, (*others[0], simpler, *others[1]))
        if location.initial != 0:
            yield _located(program, (*others[0], replace(location, initial=0), *others[1]))


def _located(program: Program, locations: tuple[Location, ...]) -> Program:
    return replace(program, locations=locations)


def _with_units(program: Program, units: tuple[Unit, ...]) -> Program:
    used = {accessed(instruction) for unit in units for instruction in unit.body}
    return replace(program, units=units, locations=tuple(x for x in program.locations if x.name in used))


def _with_fewer_units(program: Program) -> Iterator[Program]:
    if len(program.units) > 1:
        for index in range(len(program.units)):
            yield _with_units(program, program.units[:index] + program.units[index + 1 :])


def _with_simpler_units(program: Program) -> Iterator[Program]:
    for index, unit in enumerate(program.units):
        for simpler in _simpler_units(unit):
            yield _with_units(program, (*program.units[:index], simpler, *program.units[index + 1 :]))


def _simpler_units(unit: Unit) -> Iterator[Unit]:
    for place, instruction in enumerate(unit.body):
        before, after = unit.body[:place], unit.body[place + 1 :]
        yield replace(unit, body=before + after)
        for simpler in _simpler_instructions(instruction):
            yield replace(unit, body=(*before, simpler, *after))
    for moved in (replace(unit, sg=0), replace(unit, wg=0), replace(unit, ki=0), replace(unit, dev=0)):
        if moved != unit:
            yield moved
    if unit.host:
        yield replace(unit, host=False)


def _simpler_instructions(instruction: Instruction) -> Iterator[Instruction]:
    if instruction.guard is not None:
        yield replace(instruction, guard=None)
    match instruction:
        case Barrier() | Fence() if len(instruction.flags) > 1:
            yield from (replace(instruction, flags=instruction.flags - {region}) for region in Region)
        case Store() | Load() if instruction.order not in (None, Order.RELAXED):
            yield replace(instruction, order=Order.RELAXED)
        case _:
            pass
    if instruction.scope not in (None, Scope.DEVICE):
        yield replace(instruction, scope=Scope.DEVICE)
