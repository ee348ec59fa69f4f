"""The table's own shorthand for programs: `x:=1; y.st(1,rel,dv) || r=y.ld(acq,dv); if r=1: s=*x`.

`||` separates units of one group, `|||` starts another work-group. `*x` and `x:=` are not atomic; `st ld xchg add cas`
are. `F(GL,ar,wg)` is a fence, `BAR(G,dv)` and `SGB(L)` are barriers; the n-th ones of the units are one barrier unless
they carry labels (`B1:BAR(G)`). Orders are rlx acq rel ar sc, scopes sg wg dv all; device is the scope left out.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from oracle.program import (
    GL,
    NO_FLAGS,
    Allocation,
    Barrier,
    CompareExchange,
    Exchange,
    Fence,
    FetchAdd,
    G,
    Guard,
    Instruction,
    L,
    Load,
    Location,
    Operand,
    Order,
    Program,
    Region,
    Scope,
    Store,
    Unit,
)

ORDERS = {
    "rlx": Order.RELAXED,
    "acq": Order.ACQUIRE,
    "rel": Order.RELEASE,
    "ar": Order.ACQ_REL,
    "sc": Order.SEQ_CST,
}
SCOPES = {"sg": Scope.SUB_GROUP, "wg": Scope.WORK_GROUP, "dv": Scope.DEVICE, "all": Scope.ALL}
FLAGS = {"G": G, "L": L, "GL": GL, "0": NO_FLAGS}
ALLOCATIONS = {
    "clmem": Allocation.BUFFER,
    "cg": Allocation.COARSE_SVM,
    "prog": Allocation.PROGRAM_SCOPE,
    "fg": Allocation.FINE_SVM,
    "fga": Allocation.FINE_SVM_ATOMICS,
    "sys": Allocation.SYSTEM_SVM,
    "sysa": Allocation.SYSTEM_SVM_ATOMICS,
}


def program(
    text: str,
    *,
    local: str = "",
    allocation: str | Mapping[str, str] = "clmem",
    places: Mapping[int, Mapping[str, int | bool]] | None = None,
    free_values: frozenset[int] = frozenset(),
) -> Program:
    """Read a program; `places` moves units, by number, to another `sg`, `wg`, `ki`, `dev`, or to the `host`."""
    units: list[Unit] = []
    for wg, group in enumerate(text.split("|||")):
        for body in group.split("||"):
            unit = Unit(_body(body), wg=wg)
            place = (places or {}).get(len(units), {})
            units.append(replace(unit, **place))  # type: ignore[arg-type]
    touched: dict[str, bool] = {}
    for unit in units:
        for instruction in unit.body:
            if not isinstance(instruction, Fence | Barrier):
                plain = isinstance(instruction, Store | Load) and instruction.order is None
                touched[instruction.location] = touched.get(instruction.location, False) or not plain
    return Program(
        tuple(_location(name, local, allocation, atomic=atomic) for name, atomic in touched.items()),
        tuple(units),
        free_values=free_values,
    )


def _location(name: str, local: str, allocation: str | Mapping[str, str], *, atomic: bool) -> Location:
    if name in local:
        return Location(name, Region.LOCAL, None, atomic)
    kind = allocation if isinstance(allocation, str) else allocation.get(name, "clmem")
    return Location(name, Region.GLOBAL, ALLOCATIONS[kind], atomic)


def _body(text: str) -> tuple[Instruction, ...]:
    instructions: list[Instruction] = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        guard = None
        if match := re.fullmatch(r"if (\w+)=(-?\d+): *(.*)", part):
            guard, part = Guard(match[1], int(match[2])), match[3]  # noqa: PLW2901
        count = sum(isinstance(i, Barrier) for i in instructions)
        instructions.append(replace(_instruction(part, f"B{count}"), guard=guard))
    return tuple(instructions)


def _operand(text: str) -> Operand:
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _instruction(text: str, label: str) -> Instruction:
    if match := re.fullmatch(r"(\w+):=(\S+)", text):
        return Store(match[1], _operand(match[2]))
    if match := re.fullmatch(r"(\w+)=\*(\w+)", text):
        return Load(match[1], match[2])
    if match := re.fullmatch(r"F\((\w+),(\w+)(?:,(\w+))?\)", text):
        return Fence(FLAGS[match[1]], ORDERS[match[2]], SCOPES[match[3] or "dv"])
    if match := re.fullmatch(r"(?:(\w+):)?(BAR|SGB)\((\w+)(?:,(\w+))?\)", text):
        sub_group = match[2] == "SGB"
        scope = SCOPES[match[4] or ("sg" if sub_group else "wg")]
        return Barrier(match[1] or label, FLAGS[match[3]], scope, sub_group)
    match = re.fullmatch(r"(?:(\w+)=)?(\w+)\.(\w+)\(([^)]*)\)", text)
    assert match, text
    return _atomic(match[1], match[2], match[3], match[4].split(","))


def _atomic(register: str | None, location: str, operation: str, arguments: list[str]) -> Instruction:
    scope = SCOPES[arguments.pop()] if arguments[-1] in SCOPES else Scope.DEVICE
    orders = [ORDERS[argument] for argument in arguments if argument in ORDERS]
    values = [_operand(argument) for argument in arguments if argument not in ORDERS]
    target = register or f"_{location}"
    match operation:
        case "st":
            return Store(location, values[0], orders[0], scope)
        case "ld":
            return Load(target, location, orders[0], scope)
        case "xchg":
            return Exchange(target, location, values[0], orders[0], scope)
        case "add":
            return FetchAdd(target, location, int(values[0]), orders[0], scope)
        case "cas":
            expected, desired = int(values[0]), int(values[1])
            return CompareExchange(target, f"{target}_seen", location, expected, desired, orders[0], orders[1], scope)
        case _:
            raise AssertionError(operation)
