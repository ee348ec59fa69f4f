"""Sorts the units and the items of the initial state by kind; reports those that are duplicates or not supported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.base.diagnostic import Note
from mcm.program.resolve.literals import NAMED_CONSTANTS
from mcm.program.resolve.mentions import text_of_body
from mcm.program.resolve.signatures import SIGNATURES
from mcm.program.resolve.sub_buffers import declared_sub_buffers, is_sub_buffer
from mcm.program.topology import Device
from mcm.program.types import Scalar
from mcm.syntax import ast
from mcm.syntax.parsed_text import text_of
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.command import Queue
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.sub_buffers import SubBuffer


class Units(Struct, frozen=True):
    """Threads in order of their numbers, kernels and functions by name, and launches as written.

    `bodies` are those of all units, also of duplicates and of units that are not supported.
    """

    threads: tuple[ast.Thread, ...]
    kernels: dict[str, ast.Kernel]
    functions: dict[str, ast.Function]
    callbacks: dict[str, ast.Callback]
    launches: tuple[ast.Launch, ...]
    bodies: tuple[ast.Block, ...]


class HostObjects(Struct, frozen=True):
    """The command queues and the user events of the initial state."""

    queues: tuple[Queue, ...]
    user_events: tuple[ast.Name, ...]


class InitialState(Struct, frozen=True):
    """The locations and the registers of the initial state; `addressed` are locations whose addresses are values."""

    locations: tuple[ast.InitialValue, ...]
    registers: tuple[ast.InitialRegister, ...]
    addressed: tuple[ast.Name, ...]
    objects: HostObjects
    sub_buffers: dict[str, SubBuffer]

    @property
    def values(self) -> dict[str, ast.InitialValue]:
        """The items of locations by name."""
        return {item.name.text: item for item in self.locations}


# Units whose bodies no thread runs, at least not by itself.
_WITHOUT_BODY: Final = (ast.Launch, ast.Function, ast.Structure, ast.FileVariables)


def sort_units(tree: ast.Litmus, complaints: Complaints) -> Units:
    """The units of a file; duplicates are reported, and a file without units."""
    threads: dict[int, ast.Thread] = {}
    kernels: dict[str, ast.Kernel] = {}
    functions: dict[str, ast.Function] = {}
    callbacks: dict[str, ast.Callback] = {}
    launches: list[ast.Launch] = []
    bodies: list[ast.Block] = []
    for unit in tree.units:
        if not isinstance(unit, _WITHOUT_BODY):
            bodies.append(unit.body)
        match unit:
            case ast.Thread(number):
                if threads.setdefault(number, unit) is not unit:
                    note = Note("first written here", threads[number].span)
                    complaints.error("E113", unit.span, f"thread P{number} is written twice", note)
            case ast.Kernel(name):
                _add_kernel(name, unit, kernels, tree, complaints)
            case ast.Function():
                _add_function(unit, functions, complaints)
            case ast.Structure() | ast.FileVariables():
                # Taken apart before.
                pass
            case ast.Callback(name):
                if not tree.dialect.has_devices:
                    _refuse(name.span, f"callbacks ('{name.text}') in {tree.dialect.standard}", complaints)
                if callbacks.setdefault(name.text, unit) is not unit:
                    note = Note("first declared here", callbacks[name.text].name.span)
                    complaints.error("E118", name.span, f"callback '{name.text}' is declared twice", note)
            case ast.Launch():
                launches.append(unit)
            case _:
                assert_never(unit)
    for function in functions.values():
        if function.body is None:
            complaints.error(
                "E102", function.name.span, f"function '{function.name.span.text}' is declared, but never defined"
            )
    if all(isinstance(unit, ast.Function) for unit in tree.units):
        complaints.error("E148", tree.name_span or tree.span, f"test '{tree.name}' has no thread")
    in_order = tuple(threads[number] for number in sorted(threads))
    return Units(in_order, kernels, functions, callbacks, tuple(launches), tuple(bodies))


def _add_kernel(
    name: ast.Name, unit: ast.Kernel, kernels: dict[str, ast.Kernel], tree: ast.Litmus, complaints: Complaints
) -> None:
    if not tree.dialect.has_devices:
        _refuse(name.span, f"kernels ('{name.text}') in {tree.dialect.standard}", complaints)
    if kernels.setdefault(name.text, unit) is not unit:
        note = Note("first declared here", kernels[name.text].name.span)
        complaints.error("E118", name.span, f"kernel '{name.text}' is declared twice", note)


def _add_function(unit: ast.Function, functions: dict[str, ast.Function], complaints: Complaints) -> None:
    """Keep the definition of a function, or a declaration until it comes."""
    name = unit.name.text
    if name in SIGNATURES:
        complaints.error("E118", unit.name.span, f"'{name}' is a function of the language")
        return
    known = functions.get(name)
    if known is not None and known.body is not None and unit.body is not None:
        note = Note("first defined here", known.name.span)
        complaints.error("E118", unit.name.span, f"function '{name}' is defined twice", note)
    elif known is None or unit.body is not None:
        functions[name] = unit


# Whoever enqueues commands, or waits for them, calls one of these, or what has one of the words below in its name.
_HOST_API: Final = ("clEnqueue", "clWait", "clFinish", "clFlush", "clGetEvent", "clSet", "clk_event_t")


def may_have_commands(tree: ast.Litmus, units: Units, objects: HostObjects) -> bool:
    """Whether a test has queues, user events or callbacks, or may call what is about commands."""
    if objects.queues or objects.user_events or units.callbacks:
        return True
    text = text_of_body(tree)
    is_host_api = "cl" in text and any(word in text for word in _HOST_API)
    return is_host_api or "enqueue_" in text or "user_event" in text


def sort_initial_state(tree: ast.Litmus, complaints: Complaints) -> InitialState:
    """The items of the initial state; a name that two host objects have is reported."""
    locations: list[ast.InitialValue] = []
    registers: list[ast.InitialRegister] = []
    names: list[ast.Name] = []
    parts: list[ast.InitialValue] = []
    queues: list[Queue] = []
    events: list[ast.Name] = []
    declared: dict[str, Span] = {}
    for item in tree.initial:
        match item:
            case ast.InitialValue() if is_sub_buffer(item):
                parts.append(item)
                _check_new(item.name, declared, complaints)
            case ast.InitialValue():
                locations.append(item)
                if isinstance(item.value, ast.InitializerList):
                    names += [name for value in item.value.items for name in addressed(value)]
                elif not isinstance(item.value, ast.NumberLiteral):
                    names += addressed(item.value)
            case ast.InitialRegister():
                registers.append(item)
                names += addressed(item.value)
            case ast.QueueObject(name) | ast.UserEventObject(name) if not tree.dialect.has_devices:
                _refuse(item.span, f"command queues and events ('{name.text}') in {tree.dialect.standard}", complaints)
            case ast.QueueObject(name, order, device):
                queues.append(_queue(name, order, device))
                _check_new(name, declared, complaints)
            case ast.UserEventObject(name):
                events.append(name)
                _check_new(name, declared, complaints)
            case _:
                assert_never(item)
    objects = HostObjects(tuple(queues), tuple(events))
    sub_buffers = declared_sub_buffers(tuple(parts), complaints) if parts else {}
    return InitialState(tuple(locations), tuple(registers), tuple(names), objects, sub_buffers)


def _queue(name: ast.Name, order: str, device: int) -> Queue:
    # Imported here: most programs have no queues.
    from mcm.program.command import Queue  # noqa: PLC0415

    return Queue(name.text, Device(device), order == "in_order", order == "on_device", name.span)


def _check_new(name: ast.Name, declared: dict[str, Span], complaints: Complaints) -> None:
    if name.text in declared:
        note = Note("first declared here", declared[name.text])
        complaints.error("E118", name.span, f"'{name.text}' is declared twice", note)
    declared.setdefault(name.text, name.span)


def unsuffixed_type(tree: ast.Litmus) -> Scalar:
    """The type of floating literals without a suffix: OpenCL C makes them floats where there are no doubles."""
    return Scalar.DOUBLE if tree.dialect.has_doubles or _names_doubles(tree) else Scalar.FLOAT


def _names_doubles(tree: ast.Litmus) -> bool:
    """Whether a test has something of type `double`: so it is for devices that have doubles."""
    if "double" not in text_of(tree):
        return False
    nodes = walk((tree,))
    return any(isinstance(node, ast.TypeName) and node.base in {"double", "atomic_double"} for node in nodes)


def has_unions(tree: ast.Litmus) -> bool:
    """Whether a test defines unions."""
    return any(isinstance(unit, ast.Structure) and unit.is_union for unit in tree.units)


def addressed(value: ast.Expression | None) -> Iterator[ast.Name]:
    """The name of the location if an initial value is an address: `&x`, `&a[1]`, `x`."""
    match value:
        case ast.Prefix("&", ast.Name() as name) | ast.Prefix("&", ast.Index(ast.Name() as name, _)):
            yield name
        case ast.Name(text) as name if text not in NAMED_CONSTANTS:
            yield name
        case ast.Cast(_, operand):
            yield from addressed(operand)
        case _:
            return


def _refuse(span: Span, what: str, complaints: Complaints) -> None:
    complaints.error("E100", span, f"not yet supported: {what}")
