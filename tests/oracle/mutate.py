"""Programs near the boundaries: the field's classical tests with a few things changed at random."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from oracle.program import (
    FAILURE_ORDERS,
    GL,
    LOAD_ORDERS,
    NO_FLAGS,
    STORE_ORDERS,
    Allocation,
    Barrier,
    CompareExchange,
    Exchange,
    Fence,
    FetchAdd,
    G,
    Instruction,
    L,
    Load,
    Location,
    Order,
    Program,
    Region,
    Scope,
    Store,
    Unit,
)
from oracle.shorthand import program
from oracle.table import CLASSICS, IN_REGIONS


def mutated(random: Random) -> Program:
    """Return a classic in some place, with a few of its choices changed."""
    if random.random() < 0.2:
        text, local = random.choice(IN_REGIONS)
        changed = program(text, local=local)
        if random.random() < 0.3:
            changed = _placed(random, changed)
    else:
        placed = _placed(random, program(random.choice(CLASSICS)))
        changed = _replace_locations(placed, lambda location: _settled(random, location, placed.units))
    scope = _suited(random, changed)
    changed = _map(changed, lambda instruction: _scoped(instruction, scope))
    while random.random() < 0.6:
        changed = _changed_once(random, changed)
    return changed


def _placed(random: Random, program: Program) -> Program:
    units = list(program.units)
    kind = random.choice(("as is", "as is", "sg", "wg", "ki", "dev", "host", "mixed"))
    for number, unit in enumerate(units):
        far = number % 2 if random.random() < 0.8 else random.randint(0, 1)
        if kind == "host":
            waits = any(isinstance(i, Barrier) for i in unit.body)
            units[number] = replace(unit, host=not waits and far == 1)
        elif kind in ("sg", "wg", "ki", "dev"):
            units[number] = unit.moved(kind, far)
        elif kind == "mixed":
            units[number] = unit.moved(random.choice(("sg", "wg", "ki", "dev")), far)
    return replace(program, units=tuple(units))


def _settled(random: Random, location: Location, units: tuple[Unit, ...]) -> Location:
    hosts = any(unit.host for unit in units)
    one_device = not hosts and len({unit.dev for unit in units}) == 1
    if not hosts and random.random() < 0.35:
        return replace(location, region=Region.LOCAL, allocation=None, initial=None if random.random() < 0.02 else 0)
    kinds = [kind for kind in Allocation if kind is not Allocation.PROGRAM_SCOPE or one_device]
    kinds += [Allocation.FINE_SVM_ATOMICS] * (3 if one_device else 8) + [Allocation.BUFFER] * (3 if one_device else 1)
    return replace(location, region=Region.GLOBAL, allocation=random.choice(kinds), initial=0)


def _suited(random: Random, program: Program) -> Scope:
    """Choose a scope that reaches every unit, most of the time."""
    units = program.units
    if random.random() < 0.15:
        return random.choice(tuple(Scope))
    if any(unit.host for unit in units) or len({unit.dev for unit in units}) > 1:
        return Scope.ALL
    if len({(unit.ki, unit.wg) for unit in units}) > 1:
        return random.choice((Scope.DEVICE, Scope.DEVICE, Scope.ALL))
    if len({unit.sg for unit in units}) > 1:
        return random.choice((Scope.WORK_GROUP, Scope.DEVICE, Scope.ALL))
    return random.choice(tuple(Scope))


def _replace_locations(program: Program, change: Callable[[Location], Location]) -> Program:
    return replace(program, locations=tuple(change(location) for location in program.locations))


def _map(program: Program, change: Callable[[Instruction], Instruction]) -> Program:
    return replace(program, units=tuple(replace(unit, body=tuple(map(change, unit.body))) for unit in program.units))


def _scoped(instruction: Instruction, scope: Scope) -> Instruction:
    match instruction:
        case Barrier():
            return instruction
        case Store() | Load():
            return instruction if instruction.order is None else replace(instruction, scope=scope)
        case _:
            return replace(instruction, scope=scope)


def _changed_once(random: Random, program: Program) -> Program:
    number = random.randrange(len(program.units))
    unit = program.units[number]
    if not unit.body:
        return program
    index = random.randrange(len(unit.body))
    body = list(unit.body)
    kind = random.choice(
        ("change", "change", "change", "change", "drop", "swap", "guard", "fence", "repeat", "location")
    )
    match kind:
        case "change":
            body[index] = _varied(random, body[index])
        case "drop":
            del body[index]
        case "swap":
            other = random.randrange(len(body))
            body[index], body[other] = body[other], body[index]
        case "guard":
            body[index] = replace(body[index], guard=None)
        case "fence":
            flags = G if unit.host else random.choice((G, L, GL))
            body.insert(index, Fence(flags, random.choice(tuple(Order)), _suited(random, program)))
        case "repeat":
            body.insert(index, _varied(random, _renamed(body[index], f"n{len(body)}")))
        case _:
            return _replace_locations(
                program,
                lambda location: _settled(random, location, program.units) if random.random() < 0.5 else location,
            )
    units = list(program.units)
    units[number] = replace(unit, body=tuple(body))
    return replace(program, units=tuple(units))


def _renamed(instruction: Instruction, register: str) -> Instruction:
    match instruction:
        case Load() | Exchange() | FetchAdd():
            return replace(instruction, register=register)
        case CompareExchange():
            return replace(instruction, register=register, seen=f"{register}_seen")
        case Store(_, int(value)):
            return replace(instruction, value=value + 1)
        case Barrier():
            return replace(instruction, label=f"{instruction.label}again")
        case Store() | Fence():
            return instruction


def _varied(random: Random, instruction: Instruction) -> Instruction:
    scope = random.choice(tuple(Scope))
    widen = random.random() < 0.4
    match instruction:
        case Store() | Load() if instruction.order is None:
            return instruction
        case Store():
            return (
                replace(instruction, scope=scope) if widen else replace(instruction, order=random.choice(STORE_ORDERS))
            )
        case Load():
            return (
                replace(instruction, scope=scope) if widen else replace(instruction, order=random.choice(LOAD_ORDERS))
            )
        case Exchange() | FetchAdd():
            return (
                replace(instruction, scope=scope) if widen else replace(instruction, order=random.choice(tuple(Order)))
            )
        case CompareExchange():
            success = random.choice(tuple(Order))
            weak = random.random() < 0.3
            if widen:
                return replace(instruction, scope=scope, weak=weak)
            return replace(instruction, success=success, failure=random.choice(FAILURE_ORDERS[success]), weak=weak)
        case Fence():
            if widen:
                return replace(instruction, scope=scope)
            if random.random() < 0.5:
                return replace(instruction, flags=random.choice((G, L, GL)))
            return replace(instruction, order=random.choice(tuple(Order)))
        case Barrier():
            if widen:
                return replace(instruction, scope=scope)
            return replace(instruction, flags=random.choice((G, L, GL, NO_FLAGS)))
