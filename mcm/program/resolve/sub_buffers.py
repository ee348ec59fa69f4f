"""Sub-buffers of the initial state: `s = clCreateSubBuffer(a, first, length)` names a part of buffer `a`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.suggest import did_you_mean
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.types import AllocationKind, Part, Region
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.base.source import Span
    from mcm.program.program import MemoryObject
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.memory import MemoryObjects
    from mcm.program.resolve.plan import CommandPlan

CREATES: Final = "clCreateSubBuffer"


class SubBuffer(Struct, frozen=True):
    """A sub-buffer as declared: `length` elements of the buffer `parent`, from element `first` on."""

    name: ast.Name
    parent: str
    first: int
    length: int
    span: Span


def is_sub_buffer(item: ast.InitialValue) -> bool:
    """Whether an item of the initial state declares a sub-buffer."""
    return isinstance(item.value, ast.Call) and item.value.function.text == CREATES


def declared_sub_buffers(items: tuple[ast.InitialValue, ...], complaints: Complaints) -> dict[str, SubBuffer]:
    """The sub-buffers that items of the initial state declare, by name."""
    found: dict[str, SubBuffer] = {}
    for item in items:
        if isinstance(item.value, ast.Call):
            with suppress(UnresolvedError):
                found[item.name.text] = _declared(item, item.value, complaints)
    return found


def _declared(item: ast.InitialValue, call: ast.Call, complaints: Complaints) -> SubBuffer:
    match call.arguments:
        case (ast.Name(parent), first, length):
            begin = constant_integer(first, complaints, "the first element of a sub-buffer")
            size = constant_integer(length, complaints, "the number of elements of a sub-buffer")
        case _:
            message = f"'{CREATES}' takes a buffer, its first element, and a number of elements"
            complaints.fail("E167", call.span, message)
    if item.allocation not in {None, AllocationKind.BUFFER.value}:
        message = f"a sub-buffer is a part of a buffer (cl_mem), found '{item.allocation}'"
        complaints.fail("E167", item.span, message)
    return SubBuffer(item.name, parent, begin, size, call.span)


def parts_of(
    declared: Mapping[str, SubBuffer], objects: tuple[MemoryObject, ...], complaints: Complaints
) -> dict[str, Part]:
    """The sub-buffers as parts of memory objects, by name; what is none is reported."""
    numbers = {item.name: number for number, item in enumerate(objects) if item.group is None}
    found: dict[str, Part] = {}
    for name, sub in declared.items():
        if sub.parent in declared:
            complaints.error("E167", sub.span, f"'{sub.parent}' is a sub-buffer, which has no sub-buffers itself")
            continue
        number = numbers.get(sub.parent)
        if number is None or not objects[number].declared:
            hint = did_you_mean(sub.parent, (o.name for o in objects if o.declared))
            complaints.error("E167", sub.span, f"the initial state declares no buffer '{sub.parent}'{hint}")
            continue
        parent = objects[number]
        size = len(parent.initial)
        if (parent.region, parent.allocation) != (Region.GLOBAL, AllocationKind.BUFFER):
            kind = parent.allocation.value if parent.region is Region.GLOBAL else parent.region.value
            complaints.error("E167", sub.span, f"a sub-buffer is a part of a buffer (cl_mem), '{sub.parent}' is {kind}")
        elif not (sub.first >= 0 and sub.length > 0 and sub.first + sub.length <= size):
            message = f"'{sub.parent}' has {size} elements: a sub-buffer from {sub.first} on of {sub.length} is no part"
            complaints.error("E167", sub.span, message)
        else:
            found[name] = Part(name, number, sub.first, sub.length)
    return found


def used_parts(memory: MemoryObjects, plan: CommandPlan | None) -> Iterator[tuple[int, Part]]:
    """The global objects, and parts of them, that threads are given: as parameters, and as arguments of commands."""
    for thread, name in memory.parameters:
        number = memory.bound_to(thread, name)
        if number is not None and memory.objects[number].region is Region.GLOBAL:
            yield thread, memory.part(number, name)
    for command in () if plan is None else plan.commands:
        if command.parts:
            yield from ((unit, part) for unit in command.units for part in command.parts)
