"""A program as a SYCL litmus test, every register and location observed, and programs that SYCL can write."""

from dataclasses import replace
from typing import Final

from oracle.program import (
    GL,
    UNASSIGNED,
    Allocation,
    Barrier,
    CompareExchange,
    Exchange,
    Fence,
    FetchAdd,
    G,
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

SCOPES: Final = {
    Scope.SUB_GROUP: "memory_scope::sub_group",
    Scope.WORK_GROUP: "memory_scope::work_group",
    Scope.DEVICE: "memory_scope::device",
    Scope.ALL: "memory_scope::system",
}
KINDS: Final = {
    Allocation.BUFFER: "buffer",
    Allocation.COARSE_SVM: "malloc_device",
    Allocation.FINE_SVM_ATOMICS: "malloc_shared",
    Allocation.SYSTEM_SVM_ATOMICS: "system",
}
# Kinds that SYCL has no name for, and what acts most like them.
NEAREST: Final = {
    Allocation.FINE_SVM: Allocation.COARSE_SVM,
    Allocation.SYSTEM_SVM: Allocation.COARSE_SVM,
    Allocation.PROGRAM_SCOPE: Allocation.COARSE_SVM,
}
# DPC-2: the order of a compare-exchange that fails, where one order is written.
ON_FAILURE: Final = {Order.ACQ_REL: Order.ACQUIRE, Order.RELEASE: Order.RELAXED}
# DPC-3: what acq_rel as the default order means.
OF_ACQ_REL: Final = {Load: Order.ACQUIRE, Store: Order.RELEASE, Exchange: Order.ACQ_REL, FetchAdd: Order.ACQ_REL}


def for_sycl(program: Program) -> Program:
    """Return the program with the kinds of memory of SYCL, fences of all memory, barriers as wide as the group."""
    instructions = [instruction for unit in program.units for instruction in unit.body]
    # SYCL has no atomic types: what nobody accesses atomically is no atomic object.
    atomic = {accessed(one) for one in instructions if not isinstance(one, Load | Store) or one.order is not None}

    def of_sycl(location: Location) -> Location:
        kind, is_atomic = location.allocation, location.name in atomic
        return replace(location, atomic=is_atomic, allocation=None if kind is None else NEAREST.get(kind, kind))

    units = tuple(replace(unit, body=tuple(_of_sycl(i, unit) for i in unit.body)) for unit in program.units)
    return replace(program, locations=tuple(map(of_sycl, program.locations)), units=units)


def _of_sycl(instruction: Instruction, unit: Unit) -> Instruction:
    match instruction:
        case Fence():
            return replace(instruction, flags=G if unit.host else GL)
        case Barrier(scope=scope, sub_group=sub_group):
            narrowest = Scope.SUB_GROUP if sub_group else Scope.WORK_GROUP
            return replace(instruction, flags=GL, scope=max(scope, narrowest))
        case _:
            return instruction


def to_sycl(program: Program) -> str:
    """Print the program; even, odd and every third instruction use different spellings of the same."""
    initial = "".join(f"  {_kind(location)} int {location.name}{_value(location)};\n" for location in program.locations)
    observed = [location.name for location in program.locations]
    observed += [f"{number}:{register}" for number, unit in enumerate(program.units) for register in unit.registers()]
    units = "\n".join(_unit(number, unit, program) for number, unit in enumerate(program.units))
    listed = " ".join(f"{name};" for name in observed)
    return f"SYCL {program.name}\n{{\n{initial}}}\n{units}\nlocations [{listed}]\nexists (true)\n"


def _kind(location: Location) -> str:
    if location.region is Region.LOCAL:
        return "local_accessor"
    return KINDS[location.allocation or Allocation.BUFFER]


def _value(location: Location) -> str:
    return "" if location.initial is None else f" = {location.initial}"


def _unit(number: int, unit: Unit, program: Program) -> str:
    parts = [("sg", unit.sg), ("wg", unit.wg), ("ki", unit.ki), ("dev", unit.dev)]
    shown = [f"{part} {value}" for part, value in parts if value or part in ("wg", "dev")]
    place = "host" if unit.host else ", ".join(shown)
    used = {accessed(instruction) for instruction in unit.body}
    parameters = ", ".join(f"int* {location.name}" for location in program.locations if location.name in used)
    lines = [f"int {register} = {UNASSIGNED};" for register in unit.registers()]
    for index, instruction in enumerate(unit.body):
        text = _instruction(instruction, unit, index)
        guard = instruction.guard
        lines.append(text if guard is None else f"if ({guard.register} == {guard.value}) {{ {text} }}")
    return f"P{number}@{place} ({parameters}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}"


def _instruction(instruction: Instruction, unit: Unit, index: int) -> str:
    match instruction:
        case Store(location, value, None):
            return f"*{location} = {value};"
        case Load(register, location, None):
            return f"{register} = *{location};"
        case Fence(_, order, scope):
            if unit.host:
                return f"std::atomic_thread_fence(std::memory_order_{order.value});"
            prefix = "sycl::" if index % 2 else ""
            return f"{prefix}atomic_fence({prefix}memory_order::{order.value}, {prefix}{SCOPES[scope]});"
        case Barrier(label, _, scope, sub_group):
            group = "it.get_sub_group()" if sub_group else "it.get_group()"
            default = Scope.SUB_GROUP if sub_group else Scope.WORK_GROUP
            scopes = "" if index % 2 and scope is default else f", {SCOPES[scope]}"
            return f"{label}: group_barrier({group}{scopes});"
        case _:
            return _atomic(instruction, unit, index)


def _atomic(instruction: Store | Load | Exchange | FetchAdd | CompareExchange, unit: Unit, index: int) -> str:
    order = instruction.success if isinstance(instruction, CompareExchange) else instruction.order
    assert order is not None
    assert instruction.scope is not None
    default, orders = _orders(instruction, order, index)
    scope = SCOPES[instruction.scope]
    if unit.host:
        class_, scopes = "std::atomic_ref<int>", []
        orders = [f"std::memory_order_{one.value}" for one in _all_orders(instruction, order)]
    elif index % 3 == 1:
        class_, scopes = f"atomic_ref<int, memory_order::{default.value}, {scope}>", []
    else:
        class_, scopes = f"sycl::atomic_ref<int, memory_order::{default.value}, memory_scope::device>", [scope]
        orders = orders or [f"memory_order::{one.value}" for one in _all_orders(instruction, order)]
    target = instruction.location
    object_ = f"{class_}(*{target})"

    def call(name: str, *values: object) -> str:
        return f"{object_}.{name}({', '.join([*map(str, values), *orders, *scopes])})"

    match instruction:
        case Store(_, value):
            return f"{call('store', value)};"
        case Load(register):
            return f"{register} = {call('load')};"
        case Exchange(register, _, value):
            return f"{register} = {call('exchange', value)};"
        case FetchAdd(register, _, addend):
            return f"{register} = {call('fetch_add', addend)};"
        case CompareExchange(register, seen, _, expected, desired, weak=weak):
            name = f"compare_exchange_{'weak' if weak else 'strong'}"
            return f"{seen} = {expected}; {register} = {call(name, seen, desired)};"


def _all_orders(instruction: Instruction, order: Order) -> list[Order]:
    return [order, instruction.failure] if isinstance(instruction, CompareExchange) else [order]


def _orders(instruction: Instruction, order: Order, index: int) -> tuple[Order, list[str]]:
    """Return the default order of the reference, and the orders that are written."""
    written = [f"memory_order::{one.value}" for one in _all_orders(instruction, order)]
    if isinstance(instruction, CompareExchange):
        if instruction.failure is not ON_FAILURE.get(order, order):
            return Order.RELAXED, written
        return (order, []) if order in (Order.ACQ_REL, Order.SEQ_CST) and index % 2 else (Order.RELAXED, written[:1])
    if index % 2 and order is OF_ACQ_REL[type(instruction)]:
        return Order.ACQ_REL, []
    if index % 2 and order in (Order.RELAXED, Order.SEQ_CST):
        return order, []
    return (Order.ACQ_REL, Order.RELAXED, Order.SEQ_CST)[index % 3], written
