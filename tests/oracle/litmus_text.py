"""A program as text in the litmus language, every register and location observed."""

from oracle.program import (
    UNASSIGNED,
    Barrier,
    CompareExchange,
    Exchange,
    Fence,
    FetchAdd,
    Instruction,
    Load,
    Location,
    Operand,
    Order,
    Program,
    Region,
    Scope,
    Store,
    Unit,
    accessed,
)

SCOPES = {
    Scope.SUB_GROUP: "memory_scope_sub_group",
    Scope.WORK_GROUP: "memory_scope_work_group",
    Scope.DEVICE: "memory_scope_device",
    Scope.ALL: "memory_scope_all_svm_devices",
}
FLAGS = {Region.GLOBAL: "CLK_GLOBAL_MEM_FENCE", Region.LOCAL: "CLK_LOCAL_MEM_FENCE"}


def to_litmus(program: Program) -> str:
    """Print the program; odd instructions use the shorter of two spellings where there are two."""
    initial = "".join(
        f"  {_allocation(location)}[{location.name}] = {location.initial};\n"
        for location in program.locations
        if location.initial is not None
    )
    observed = [location.name for location in program.locations]
    observed += [f"{number}:{register}" for number, unit in enumerate(program.units) for register in unit.registers()]
    units = "\n".join(_unit(number, unit, program) for number, unit in enumerate(program.units))
    listed = " ".join(f"{name};" for name in observed)
    return f"OPENCL {program.name}\n{{\n{initial}}}\n{units}\nlocations [{listed}]\nexists (true)\n"


def _allocation(location: Location) -> str:
    return "" if location.allocation is None else f"{location.allocation.value} "


def _unit(number: int, unit: Unit, program: Program) -> str:
    parts = [("sg", unit.sg), ("wg", unit.wg), ("ki", unit.ki), ("dev", unit.dev)]
    shown = [f"{part} {value}" for part, value in parts if value or part in ("wg", "dev")]
    place = "host" if unit.host else ", ".join(shown)
    used = {accessed(instruction) for instruction in unit.body}
    parameters = ", ".join(
        f"{location.region.value} {'atomic_int' if location.atomic else 'int'}* {location.name}"
        for location in program.locations
        if location.name in used
    )
    lines = [f"int {register} = {UNASSIGNED};" for register in unit.registers()]
    lines += [_guarded(instruction, unit, short=index % 2 == 1) for index, instruction in enumerate(unit.body)]
    return f"P{number}@{place} ({parameters}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}"


def _guarded(instruction: Instruction, unit: Unit, *, short: bool) -> str:
    if isinstance(instruction, Fence) and unit.host:
        text = f"atomic_thread_fence(memory_order_{instruction.order.value});"
    else:
        text = _instruction(instruction, short=short)
    guard = instruction.guard
    return text if guard is None else f"if ({guard.register} == {guard.value}) {{ {text} }}"


def _instruction(instruction: Instruction, *, short: bool) -> str:
    match instruction:
        case Store(location, value, None):
            return f"*{location} = {value};"
        case Load(register, location, None):
            return f"{register} = *{location};"
        case Store(location, value, order, scope):
            return f"{_call('atomic_store', [location, value], [order], scope, short=short)};"
        case Load(register, location, order, scope):
            return f"{register} = {_call('atomic_load', [location], [order], scope, short=short)};"
        case Exchange(register, location, value, order, scope):
            return f"{register} = {_call('atomic_exchange', [location, value], [order], scope, short=short)};"
        case FetchAdd(register, location, addend, order, scope):
            return f"{register} = {_call('atomic_fetch_add', [location, addend], [order], scope, short=short)};"
        case CompareExchange(register, seen, location, expected, desired, success, failure, scope, weak):
            name = f"atomic_compare_exchange_{'weak' if weak else 'strong'}"
            call = _call(name, [location, f"&{seen}", desired], [success, failure], scope, short=short)
            return f"{seen} = {expected}; {register} = {call};"
        case Fence(flags, order, scope):
            scopes = [] if short and scope is Scope.DEVICE else [SCOPES[scope]]
            return f"atomic_work_item_fence({', '.join([_flags(flags), f'memory_order_{order.value}', *scopes])});"
        case Barrier(label, flags, scope, sub_group):
            name = "sub_group_barrier" if sub_group else "work_group_barrier"
            default = Scope.SUB_GROUP if sub_group else Scope.WORK_GROUP
            scopes = [] if short and scope is default else [SCOPES[scope]]
            return f"{label}: {name}({', '.join([_flags(flags), *scopes])});"


def _flags(flags: frozenset[Region]) -> str:
    return " | ".join(FLAGS[region] for region in Region if region in flags) or "0"


def _call(name: str, arguments: list[Operand], orders: list[Order | None], scope: Scope | None, *, short: bool) -> str:
    shown = [str(argument) for argument in arguments]
    if short and scope is Scope.DEVICE and all(order is Order.SEQ_CST for order in orders):
        return f"{name}({', '.join(shown)})"
    shown += [f"memory_order_{order.value}" for order in orders if order is not None]
    if scope is not None and not (short and scope is Scope.DEVICE):
        shown.append(SCOPES[scope])
    return f"{name}_explicit({', '.join(shown)})"
