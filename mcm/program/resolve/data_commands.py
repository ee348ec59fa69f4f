"""The threads of commands on memory: reads, writes, fills, copies and maps as bodies of plain accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.command import RESULT, VALUE, CommandKind, MapFlag, numbered
from mcm.program.held_units import declared_type
from mcm.program.instruction import Assign, Block, Evaluate, Literal, MemoryPlace, Read, RegisterPlace
from mcm.program.program import Register, Thread
from mcm.program.resolve.command_bytes import Element, Run, elements_of, of_repeated_byte, paired, reinterpreted
from mcm.program.resolve.command_words import BYTES, ELEMENTS, MEMBERS, bytes_of_name, is_said
from mcm.program.resolve.conversions import coerced, converted
from mcm.program.resolve.record_layouts import bytes_of
from mcm.program.resolve.unit_values import joined, taken_apart
from mcm.program.resolve.units import can_have_units
from mcm.program.topology import DataCommand, Device
from mcm.program.types import NO_VALUE, AllocationKind, Location, Part, PointerType, Region, Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.program.instruction import Expression, Statement
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.plan import CommandDraft
    from mcm.program.types import Type

# A map is about memory that the host does not share otherwise (MAP-2, MAP-4).
_MAPPED: Final = frozenset({AllocationKind.BUFFER, AllocationKind.COARSE_SVM})


class CommandMemory(Struct):
    """What a command on memory is about: what it writes and reads, an object for each member of structures.

    One that `gives_up` what it writes leaves memory without values.
    """

    context: ThreadContext
    command: CommandDraft
    targets: tuple[Run, ...] = ()
    sources: tuple[Run, ...] = ()
    result_type: Type | None = None
    gives_up: bool = False

    def is_location(self, node: ast.Expression) -> bool:
        """Whether an argument names a memory object that no variable hides."""
        if is_said(node, MEMBERS) or is_said(node, BYTES):
            return True
        return isinstance(node, ast.Name) and self._bound(node) is not None

    def is_private(self, node: ast.Expression) -> bool:
        """Whether an argument is a private variable of the thread."""
        return isinstance(node, ast.Name) and self._bound(node) is None

    def _bound(self, node: ast.Name) -> int | None:
        """The object of that name; None where a private variable hides it, or there is none."""
        memory, number = self.context.memory, self.context.number
        is_hidden = self.context.names.find(node.text) is not None and (number, node.text) not in memory.parameters
        return None if is_hidden else memory.bound_to(number, node.text)

    def runs_of(self, node: ast.Expression) -> tuple[Run, ...]:
        """The memory that an argument names: an object, a part of one, or the members of structures."""
        match node:
            case ast.Call(ast.Name(word), (_, *members)) if word == MEMBERS:
                return tuple(self._run_of_member(one) for one in members)
            case ast.Call() if (of_bytes := bytes_of_name(node)) is not None:
                name, first, size = of_bytes
                whole = self._part_of(name)
                run = Run(name.text, whole, bytes_of(self.whole_of(whole)) or 1, self.units_of(whole), begin=first)
                return (self._some(run, size, node),)
            case _:
                part = self._part_of(node)
                return (Run(part.name, part, bytes_of(self.whole_of(part)) or 1, self.units_of(part)),)

    def _run_of_member(self, node: ast.Expression) -> Run:
        """Elements of the object that a member of structures is."""
        assert is_said(node, ELEMENTS)
        assert isinstance(node, ast.Call)
        name, *numbers = node.arguments
        assert isinstance(name, ast.Name)
        width, place, stride, begin, size = (int(one.text) for one in numbers if isinstance(one, ast.NumberLiteral))
        part = self._part_of(name)
        run = Run(name.text.partition(".")[0], part, stride, width * self.units_of(part), place, begin)
        return run if size == 0 else self._some(run, size, node)

    def _some(self, run: Run, size: int, node: ast.Expression) -> Run:
        """The elements that so many bytes have, which must be whole ones."""
        each = bytes_of(self.type_of(run.part)) or 1
        numbers = [
            number
            for number in range(run.part.length)
            if run.place_of(number, each) < size and run.place_of(number, each) + each > 0
        ]
        if any(run.place_of(number, each) < 0 or run.place_of(number, each) + each > size for number in numbers):
            message = f"'{node.span.text}' begins or ends in the middle of an element of '{run.part.name}'"
            self.context.complaints.fail("E166", node.span, message)
        first = numbers[0] if numbers else 0
        return Run(
            run.name,
            Part(run.part.name, run.part.object, run.part.first + first, len(numbers)),
            run.stride,
            run.width,
            run.place,
            run.begin,
            first,
        )

    def _part_of(self, node: ast.Expression) -> Part:
        """The memory object, or the part of one, that has a name."""
        number = self._bound(node) if isinstance(node, ast.Name) else None
        text = node.span.text
        if number is None:
            message = f"expected the name of a location, found '{text}'"
            return self.context.complaints.fail("E166", node.span, message)
        assert isinstance(node, ast.Name)
        # Calls name buffers, which need not be parameters of the thread: it does not access them itself.
        if self.context.memory.objects[number].region is Region.LOCAL:
            return self.context.complaints.fail("E134", node.span, f"the host cannot access local memory '{text}'")
        return self.context.memory.part(number, node.text)

    def type_of(self, part: Part) -> Type:
        """The type of what memory holds of an object, or of a part of it: of its units, if it has some."""
        return self.context.memory.objects[part.object].type

    def whole_of(self, part: Part) -> Type:
        """The type of the elements of an object as it was declared."""
        return declared_type(self.context.memory.objects[part.object])

    def units_of(self, part: Part) -> int:
        """How many of what memory holds are an element as it was declared."""
        return self.context.memory.objects[part.object].units

    def single_type(self, runs: tuple[Run, ...], call: ast.Call) -> Type:
        """The type of a buffer of one element: the value of a call has one."""
        for run in runs:
            if run.part.length > run.width:
                name, length = run.name, run.part.length // run.width
                message = f"'{name}' has {length} elements, found one value; name an array"
                self.context.complaints.fail("E166", call.span, message)
        self.result_type = self.whole_of(runs[0].part)
        return self.result_type

    def types_of(self, runs: tuple[Run, ...]) -> list[Type]:
        """The types of the scalars that are read of one element, those of the members of a structure."""
        return [self.whole_of(run.part) for run in runs for _ in range(run.part.length // self.units_of(run.part))]

    def operands(self, node: ast.Expression, given: list[Expression]) -> list[Expression]:
        """The values that a command writes: one for all memory, or one for each element of a structure."""
        types = [self.whole_of(run.part) for run in self.targets for _ in range(run.width // self.units_of(run.part))]
        if len(given) != len(types):
            message = f"'{node.span.text}' is no value of what is in '{self.targets[0].name}'"
            self.context.complaints.fail("E122", node.span, message)
        return [coerced(one, type_, self.context.complaints) for one, type_ in zip(given, types, strict=True)]


def data_thread(memory: CommandMemory, operands: list[Expression], repeated: int | None = None) -> Thread:
    """The thread that executes a command on memory; `repeated` is what each byte becomes."""
    command, context = memory.command, memory.context
    (index,) = command.units
    queue = context.plan.queue_of(command)
    registers = [Register(numbered(VALUE, number), one.type, is_hidden=True) for number, one in enumerate(operands)]
    if command.kind is CommandKind.READ and not memory.targets:
        types = memory.types_of(memory.sources)
        registers += [Register(numbered(RESULT, number), one, is_hidden=True) for number, one in enumerate(types)]
    return Thread(
        index=index,
        name=command.name,
        placement=DataCommand(Device() if queue is None else queue.device),
        registers=tuple(registers),
        body=Block(tuple(_body(memory, operands, repeated)), span=command.span),
        span=command.span,
        started_by=command.number,
    )


def _body(memory: CommandMemory, operands: list[Expression], repeated: int | None) -> list[Statement]:
    """Plain accesses to every element, one after the other."""
    command, objects = memory.command, memory.context.memory.objects
    match command.kind:
        case CommandKind.UNMAP:
            return []
        case CommandKind.MAP:
            if objects[memory.targets[0].part.object].allocation not in _MAPPED:
                return []
            is_read = MapFlag.WRITE_INVALIDATE not in command.map_flags
            return _copied(memory, memory.targets, memory.targets) if is_read else _filled(memory, [], None)
        case CommandKind.MIGRATE if not memory.gives_up:
            # Accesses of what is migrated may not overlap with it, reads neither.
            return _copied(memory, memory.targets, memory.targets)
        case CommandKind.READ if not memory.targets:
            return _read(memory)
        case _ if memory.sources:
            return _copied(memory, memory.targets, memory.sources)
        case _:
            return _filled(memory, operands, repeated)


def _read(memory: CommandMemory) -> list[Statement]:
    """The read of one element, or of one structure, whose values the call returns."""
    found: list[Statement] = []
    span = memory.command.span
    for run in memory.sources:
        type_, each = memory.whole_of(run.part), memory.units_of(run.part)
        for offset in range(0, run.part.length, each):
            places = [_place(memory, run.part, offset + unit) for unit in range(each)]
            reads: list[Expression] = [Read(place, place.type, span=span) for place in places]
            value = joined(reads, type_, span) if each > 1 and isinstance(type_, Scalar) else reads[0]
            target = RegisterPlace(numbered(RESULT, len(found)), type_, span=span)
            found.append(Evaluate(Assign(target, value, type_, span=span), span=span))
    return found


def _copied(memory: CommandMemory, targets: tuple[Run, ...], sources: tuple[Run, ...]) -> list[Statement]:
    """A copy: each element that is written is that which lies at the same place."""
    found: list[Statement] = []
    span, complaints = memory.command.span, memory.context.complaints
    written, read = (
        [element for run in runs for element in elements_of(run, memory.type_of(run.part))]
        for runs in (targets, sources)
    )
    names = sources[0].name, targets[0].name
    _unite(memory, [*written, *read])
    for to, from_ in paired(written, read, names, span, complaints):
        target, source = _place(memory, to.part, to.offset), _place(memory, from_.part, from_.offset)
        value = reinterpreted(Read(source, source.type, span=span), target.type, names, complaints)
        found.append(Evaluate(Assign(target, value, target.type, span=span), span=span))
    return found


def _filled(memory: CommandMemory, operands: list[Expression], repeated: int | None) -> list[Statement]:
    """A fill: each element has a value that is passed, or bytes that are; without either, what nobody knows."""
    found: list[Statement] = []
    span, first = memory.command.span, 0
    for run in memory.targets:
        type_, each = memory.type_of(run.part), memory.units_of(run.part)
        for offset in range(run.part.length):
            value: Expression = converted(Literal(0, Scalar.INT, span=span), type_)
            if memory.gives_up:
                value = Literal(NO_VALUE, type_, span=span)
            elif repeated is not None:
                value = of_repeated_byte(repeated, type_, run.part.name, span, memory.context.complaints)
            elif operands:
                number, unit = divmod((run.index + offset) % run.width, each)
                register = RegisterPlace(numbered(VALUE, first + number), operands[first + number].type, span=span)
                value = Read(register, register.type, span=span)
                if each > 1 and isinstance(type_, Scalar):
                    value = taken_apart(value, type_, span)[unit]
            target = _place(memory, run.part, offset)
            found.append(Evaluate(Assign(target, value, target.type, span=span), span=span))
        first += run.width // each
    return found


def _unite(memory: CommandMemory, elements: list[Element]) -> None:
    """Have objects that are copied to one another held in units of one size, where some are held in units."""
    objects, units = memory.context.memory.objects, memory.context.memory.units
    numbers = sorted({one.part.object for one in elements})
    known = [units.known[item.name] for item in map(objects.__getitem__, numbers) if item.whole is not None]
    if not known:
        return
    least = min(known, key=lambda unit: unit.bits)
    for item in map(objects.__getitem__, numbers):
        if can_have_units(item) and item.unit_bits > least.bits:
            units.want(item, least.bits, least.span, least.seen)


def _place(memory: CommandMemory, part: Part, offset: int) -> MemoryPlace:
    target, span = memory.context.memory.objects[part.object], memory.command.span
    pointer = PointerType(target.type, target.region, target.atomic)
    location = Location(part.object, part.first + offset)
    return MemoryPlace(Literal(location, pointer, span=span), target.type, span=span)
