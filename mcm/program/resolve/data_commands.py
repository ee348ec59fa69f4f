"""The threads of commands on memory: reads, writes, fills, copies and maps as bodies of plain accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.command import CommandKind, MapFlag
from mcm.program.instruction import Assign, Block, Evaluate, Literal, MemoryPlace, Read, RegisterPlace
from mcm.program.program import Register, Thread
from mcm.program.resolve.conversions import converted
from mcm.program.topology import DataCommand, Device
from mcm.program.types import AllocationKind, Location, PointerType, Region, Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.program.instruction import Expression, Statement
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.plan import CommandDraft
    from mcm.program.types import Part, Type

# The registers of a command's thread: what the call passes by value, and what a read without a target returns.
VALUE: Final = "value"
RESULT: Final = "result"

# A map is about memory that the host does not share otherwise (MAP-2, MAP-4).
_MAPPED: Final = frozenset({AllocationKind.BUFFER, AllocationKind.COARSE_SVM})


class CommandMemory(Struct):
    """What a command on memory is about: the buffers, or sub-buffers, that it writes and reads."""

    context: ThreadContext
    command: CommandDraft
    targets: Part | None = None
    sources: Part | None = None
    result_type: Type | None = None

    def is_location(self, node: ast.Expression) -> bool:
        """Whether an argument names a memory object that no variable hides."""
        return isinstance(node, ast.Name) and self._bound(node) is not None

    def is_private(self, node: ast.Expression) -> bool:
        """Whether an argument is a private variable of the thread."""
        return isinstance(node, ast.Name) and self._bound(node) is None

    def _bound(self, node: ast.Name) -> int | None:
        """The object of that name; None where a private variable hides it, or there is none."""
        memory, number = self.context.memory, self.context.number
        is_hidden = self.context.names.find(node.text) is not None and (number, node.text) not in memory.parameters
        return None if is_hidden else memory.bound_to(number, node.text)

    def part_of(self, node: ast.Expression) -> Part:
        """The memory object, or the part of one, that an argument names."""
        number = self._bound(node) if isinstance(node, ast.Name) else None
        text = node.span.text
        if number is None:
            message = f"expected the name of a location, found '{text}'"
            return self.context.complaints.fail("E166", node.span, message)
        # Calls name buffers, which need not be parameters of the thread: it does not access them itself.
        if self.context.memory.objects[number].region is Region.LOCAL:
            return self.context.complaints.fail("E134", node.span, f"the host cannot access local memory '{text}'")
        return self.context.memory.part(number, text)

    def type_of(self, part: Part) -> Type:
        """The type of the elements of an object, or of a part of it."""
        return self.context.memory.objects[part.object].type

    def single_type(self, part: Part, call: ast.Call) -> Type:
        """The type of a buffer of one element: the value of a call has one."""
        if part.length > 1:
            message = f"'{part.name}' has {part.length} elements, found one value; name an array"
            self.context.complaints.fail("E166", call.span, message)
        self.result_type = self.type_of(part)
        return self.result_type


def data_thread(memory: CommandMemory, operand: Expression | None) -> Thread:
    """The thread that executes a command on memory."""
    command, context = memory.command, memory.context
    (index,) = command.units
    queue = context.plan.queue_of(command)
    registers: list[Register] = []
    if operand is not None:
        registers.append(Register(VALUE, operand.type, is_hidden=True))
    if command.kind is CommandKind.READ and memory.targets is None:
        assert memory.sources is not None
        registers.append(Register(RESULT, memory.type_of(memory.sources), is_hidden=True))
    return Thread(
        index=index,
        name=command.name,
        placement=DataCommand(Device() if queue is None else queue.device),
        registers=tuple(registers),
        body=Block(tuple(_body(memory, operand)), span=command.span),
        span=command.span,
        started_by=command.number,
    )


def _body(memory: CommandMemory, operand: Expression | None) -> list[Statement]:
    """Plain accesses to every element, one after the other."""
    command, objects = memory.command, memory.context.memory.objects
    if command.kind is CommandKind.UNMAP:
        return []
    if command.kind is CommandKind.MAP:
        assert memory.targets is not None
        if objects[memory.targets.object].allocation not in _MAPPED:
            return []
        is_read = MapFlag.WRITE_INVALIDATE not in command.map_flags
        return _accesses(memory, memory.targets, memory.targets if is_read else None, None)
    return _accesses(memory, memory.targets, memory.sources, operand)


def _accesses(
    memory: CommandMemory, targets: Part | None, sources: Part | None, operand: Expression | None
) -> list[Statement]:
    span = memory.command.span
    lengths = {part.length for part in (targets, sources) if part is not None}
    if len(lengths) > 1:
        one, other = (part.name for part in (sources, targets) if part is not None)
        memory.context.complaints.fail("E166", span, f"'{one}' and '{other}' have different numbers of elements")
    found: list[Statement] = []
    for offset in range(*lengths):
        value: Expression = Literal(0, Scalar.INT, span=span)
        if sources is not None:
            source = _element(memory, sources, offset)
            value = Read(source, source.type, span=span)
        elif operand is not None:
            register = RegisterPlace(VALUE, operand.type, span=span)
            value = Read(register, operand.type, span=span)
        target = RegisterPlace(RESULT, value.type, span=span) if targets is None else _element(memory, targets, offset)
        found.append(Evaluate(Assign(target, converted(value, target.type), target.type, span=span), span=span))
    return found


def _element(memory: CommandMemory, part: Part, offset: int) -> MemoryPlace:
    target, span = memory.context.memory.objects[part.object], memory.command.span
    pointer = PointerType(target.type, target.region, target.atomic)
    location = Location(part.object, part.first + offset)
    return MemoryPlace(Literal(location, pointer, span=span), target.type, span=span)
