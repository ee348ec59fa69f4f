"""Random programs, rich in the shapes in which memory models differ."""

import math
from dataclasses import replace
from random import Random
from typing import Final

from oracle.mutate import mutated
from oracle.program import (
    Barrier,
    CompareExchange,
    Exchange,
    Fence,
    FetchAdd,
    Load,
    Program,
    Region,
    Store,
    Unit,
)
from oracle.wild import written

MAX_INSTRUCTIONS: Final = 9
MAX_CANDIDATES: Final = 4000


def generate(random: Random, name: str = "random") -> Program:
    """Return a program with one to four units, whose candidate executions are not too many to try."""
    while True:
        program = mutated(random) if random.random() < 0.6 else written(random)
        if well_formed(program) and cost(program) <= MAX_CANDIDATES:
            return replace(program, name=name)


def from_seed(seed: str, number: int) -> Program:
    """Return the program of this number in the sequence that the seed names."""
    return generate(Random(f"{seed}/{number}"), f"random-{seed}-{number}")  # noqa: S311 (nothing secret)


def well_formed(program: Program) -> bool:
    """Tell whether it is small, its registers are assigned before they are used, no value depends on itself, ..."""
    if sum(1 for _ in program.instructions()) > MAX_INSTRUCTIONS:
        return False
    for unit in program.units:
        if unit.host and not _fits_host(unit, program):
            return False
        assigned: set[str] = set()
        for instruction in unit.body:
            used = set() if instruction.guard is None else {instruction.guard.register}
            match instruction:
                case Store(_, value) | Exchange(_, _, value):
                    used |= {value} if isinstance(value, str) else set()
                case _:
                    pass
            if not used <= assigned:
                return False
            match instruction:
                case Load(register) | Exchange(register) | FetchAdd(register):
                    assigned.add(register)
                case CompareExchange(register, seen):
                    assigned |= {register, seen}
                case Store() | Fence() | Barrier():
                    pass
    return all(unit.body for unit in program.units) and not _has_value_cycle(program)


def _fits_host(unit: Unit, program: Program) -> bool:
    """Tell whether a host thread keeps to what it has: global memory, and no barriers."""
    return not any(
        isinstance(i, Barrier)
        or (isinstance(i, Fence) and Region.LOCAL in i.flags)
        or (not isinstance(i, Fence) and program.location(i.location).region is Region.LOCAL)
        for i in unit.body
    )


def _has_value_cycle(program: Program) -> bool:
    """Tell whether values may come from a location, through registers and stores, back to that location."""
    flows: set[tuple[str, str]] = set()
    for unit in program.units:
        origin: dict[str, set[str]] = {}
        for instruction in unit.body:
            match instruction:
                case Store(location, str(register)) | Exchange(_, location, str(register)):
                    flows |= {(source, location) for source in origin.get(register, ())}
                case _:
                    pass
            match instruction:
                case Load(register, location) | Exchange(register, location) | FetchAdd(register, location):
                    origin.setdefault(register, set()).add(location)
                case CompareExchange(register, seen, location):
                    origin.setdefault(register, set()).add(location)
                    origin.setdefault(seen, set()).add(location)
                case _:
                    pass
    names = {location.name for location in program.locations}
    for _ in names:
        flows |= {(a, d) for a, b in flows for c, d in flows if b == c}
    return any((name, name) in flows for name in names)


def cost(program: Program) -> int:
    """Estimate how many candidate executions there are."""
    total = 1
    for location in program.locations:
        here = [i for i in program.instructions() if not isinstance(i, Fence | Barrier) and i.location == location.name]
        writes = sum(not isinstance(i, Load) for i in here)
        reads = sum(not isinstance(i, Store) for i in here)
        total *= (writes + 1) ** reads * (math.factorial(writes) if location.atomic else 1)
    return total
