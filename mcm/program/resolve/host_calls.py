"""Calls of the host API, and enqueue_kernel: command queues, events and commands to instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.base.suggest import did_you_mean
from mcm.program.command import END, FREE, VALUE, CommandKind, EnqueueFlag, MapFlag, numbered
from mcm.program.instruction import (
    Assign,
    Conditional,
    Enqueue,
    EventStatus,
    Finish,
    Flush,
    Literal,
    Returned,
    Sequence,
    SetEventCallback,
    SetUserEventStatus,
    WaitForEvents,
)
from mcm.program.resolve.blocks import EVENT
from mcm.program.resolve.buffer_order import accesses_of, is_access
from mcm.program.resolve.call_walk import CAPTURES, ON_DEVICE, REGISTERS_CALLBACK, WAITS_FOR_BUFFER, value_of
from mcm.program.resolve.checks import check_available, check_count, check_writable
from mcm.program.resolve.command_bytes import reinterpreted
from mcm.program.resolve.command_words import (
    ENDED,
    FREED,
    GIVEN_UP,
    VALUES,
    is_migration_flags,
    is_said,
    leaves_contents_undefined,
    repeated_byte,
)
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.data_commands import CommandMemory, data_thread
from mcm.program.resolve.expressions import place, value
from mcm.program.resolve.plan import FUNCTIONS, kernel_parts
from mcm.program.resolve.signatures import Where
from mcm.program.types import Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.program.instruction import Expression, Place
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.plan import CommandDraft

_BLOCKING: Final = {"CL_TRUE": True, "CL_BLOCKING": True, "CL_FALSE": False, "CL_NON_BLOCKING": False}
_MAP_FLAGS: Final = {flag.value: flag for flag in MapFlag}
_ENQUEUE_FLAGS: Final = {flag.value: flag for flag in EnqueueFlag}
_HAS_BLOCKING: Final = frozenset(
    {
        *("clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueMapBuffer", "clEnqueueSVMMap", "clEnqueueSVMMemcpy"),
        WAITS_FOR_BUFFER,
    }
)
_CL_COMPLETE: Final = 0


def host_call(node: ast.Call, context: ThreadContext) -> Expression:
    """The instruction of a call."""
    name = node.function.text
    check_available(name, Where.DEVICE if name in ON_DEVICE else Where.HOST, node, context)
    if name in FUNCTIONS:
        return _enqueue(node, context)
    match name:
        case "clWaitForEvents":
            if not node.arguments:
                check_count(node, 1, "1 event or more", context)
            return WaitForEvents(_events(node.arguments, None, context), Scalar.INT, span=node.span)
        case "clFinish" | "clFlush":
            check_count(node, 1, "1 argument, a queue", context)
            queue = _queue(node.arguments[0], context)
            return (Finish if name == "clFinish" else Flush)(queue, Scalar.INT, span=node.span)
        case "clGetEventInfo":
            check_count(node, 1, "1 argument, an event", context)
            return EventStatus(_event(node.arguments[0], None, context), Scalar.INT, span=node.span)
        case "clSetUserEventStatus" | "set_user_event_status":
            return _set_status(node, context)
        case _:
            assert name == REGISTERS_CALLBACK
            return _set_callback(node, context)


# --- queues and events ------------------------------------------------------------------------------------------------


def _queue(node: ast.Expression, context: ThreadContext) -> int:
    """The number of a queue of the host."""
    plan = context.plan
    if isinstance(node, ast.Name) and node.text in plan.queues:
        number = plan.queues[node.text]
        if plan.host_queues[number].on_device:
            message = f"'{node.text}' is a queue of the device: kernels enqueue to it, the host does not"
            context.complaints.fail("E163", node.span, message)
        return number
    text = node.span.text
    hint = ""
    if isinstance(node, ast.Name) and context.names.find(text) is None:
        hint = did_you_mean(text, plan.queues) or f"; declare it in the initial state: 'queue {text} = in_order dev 0;'"
    return context.complaints.fail("E160", node.span, f"expected a command queue, found '{text}'{hint}")


def _event(node: ast.Expression, waiter: int | None, context: ThreadContext) -> int:
    if not isinstance(node, ast.Name):
        context.complaints.fail("E161", node.span, f"expected the name of an event, found '{node.span.text}'")
    number = context.events.find(node.text, node.span, waiter)
    if number is None:
        raise UnresolvedError
    return number


def _events(nodes: tuple[ast.Expression, ...], waiter: int | None, context: ThreadContext) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_event(node, waiter, context) for node in nodes))


def _set_status(node: ast.Call, context: ThreadContext) -> Expression:
    check_count(node, 2, "2 arguments, a user event and its status", context)
    first, second = node.arguments
    event = _event(first, None, context)
    if context.plan.commands[event].kind is not CommandKind.USER:
        message = f"'{first.span.text}' is no user event: the event of a command is set by the command alone"
        context.complaints.fail("E166", first.span, message)
    is_complete = isinstance(second, ast.Name) and second.text == "CL_COMPLETE"
    status = _CL_COMPLETE if is_complete else value_of(second, context.placement)
    if status is None or status > _CL_COMPLETE:
        message = f"expected CL_COMPLETE or the negative number of an error, found '{second.span.text}'"
        context.complaints.fail("E166", second.span, message)
    return SetUserEventStatus(event, status, Scalar.INT, span=node.span)


def _set_callback(node: ast.Call, context: ThreadContext) -> Expression:
    """`clSetEventCallback(e, [CL_COMPLETE,] CB)`."""
    arguments = [a for a in node.arguments if not (isinstance(a, ast.Name) and a.text == "CL_COMPLETE")]
    if len(arguments) != 2:
        check_count(node, 2, "2 arguments, an event and a callback", context)
    event = _event(arguments[0], None, context)
    thread = context.plan.take_callback(context.number, node)
    if thread is None:
        message = f"there is no callback '{arguments[1].span.text}'"
        context.complaints.fail("E166", arguments[1].span, message)
    context.plan.callback_of[thread] = event
    return SetEventCallback(event, thread, Scalar.INT, span=node.span)


# --- commands ---------------------------------------------------------------------------------------------------------


class _Arguments(Struct):
    """The arguments of a call that enqueues a command, by kind; `rest` are those that the command itself needs."""

    waits: ast.Call | None = None
    blocking: bool | None = None
    map_flags: frozenset[MapFlag] = frozenset()
    rest: list[ast.Expression] = field(default_factory=list)


def _enqueue(node: ast.Call, context: ThreadContext) -> Expression:
    command = context.plan.take_command(context.number, node)
    if command is None:
        if not context.events.unreached:
            message = f"how often '{node.function.text}' is called here is not plain"
            context.complaints.fail("E164", node.span, message)
        # A branch against which the ids of the work-item decide.
        return Flush(0, Scalar.INT, span=node.span)
    buffers, accesses = context.events.buffers, accesses_of(node.arguments)
    command.requires = buffers.required(accesses)
    if command.function == WAITS_FOR_BUFFER:
        if not command.requires:
            # There is nothing to wait for, and the command is never enqueued.
            return Literal(0, Scalar.INT, span=node.span)
    else:
        buffers.submit(command.number, accesses)
    context.enqueued.append(command)
    if command.kind is CommandKind.USER:
        check_count(node, 0, "no argument", context)
        command.caller = command.parent = None
        return Literal(0, Scalar.INT, span=node.span)
    if command.function in ON_DEVICE:
        return _enqueue_on_device(node, command, context)
    if not node.arguments:
        check_count(node, 1, "a queue and more", context)
    command.queue = _queue(node.arguments[0], context)
    if command.kind is CommandKind.NDRANGE:
        return _enqueue_kernel(node, command, context)
    found = _sorted_arguments(node, context)
    if found.waits is not None:
        command.waits = _events(found.waits.arguments, command.number, context)
    if command.function in _HAS_BLOCKING and found.blocking is None:
        message = f"'{command.function}' does not say whether it blocks: 'CL_TRUE' or 'CL_FALSE' is missing"
        context.complaints.fail("E166", node.span, message)
    if command.function not in _HAS_BLOCKING and found.blocking is not None:
        context.complaints.fail("E166", node.span, f"'{command.function}' has no blocking form")
    command.blocking = bool(found.blocking)
    if command.kind in {CommandKind.MARKER, CommandKind.BARRIER}:
        if found.rest:
            check_count(node, 1, "a queue, and 'wait(…)'", context)
        return Enqueue(command.number, (), (), Scalar.INT, span=node.span)
    if command.kind is CommandKind.MAP and not found.map_flags:
        message = f"'{command.function}' does not say what for: 'CL_MAP_READ' or 'CL_MAP_WRITE' is missing"
        context.complaints.fail("E166", node.span, message)
    command.map_flags = found.map_flags
    return _on_memory(node, command, found.rest, context)


def _sorted_arguments(node: ast.Call, context: ThreadContext) -> _Arguments:
    found = _Arguments()
    for argument in node.arguments[1:]:
        match argument:
            case ast.Call(ast.Name("wait"), _) as call:
                found.waits = call
            case ast.Call() if is_access(argument):
                continue
            case ast.Name(text) if text in _BLOCKING:
                found.blocking = _BLOCKING[text]
            case ast.Name() | ast.Infix("|") if (flags := _flags(argument)) is not None:
                found.map_flags |= flags
            case ast.Name(text) if text in context.events or text in context.plan.user_events:
                message = f"events to wait for stand in 'wait({text})'"
                context.complaints.fail("E166", argument.span, message)
            case _:
                found.rest.append(argument)
    return found


def _flags(node: ast.Expression) -> frozenset[MapFlag] | None:
    match node:
        case ast.Name(text) if text in _MAP_FLAGS:
            return frozenset({_MAP_FLAGS[text]})
        case ast.Infix("|", left, right):
            one, other = _flags(left), _flags(right)
            return None if one is None or other is None else one | other
        case _:
            return None


def _enqueue_kernel(node: ast.Call, command: CommandDraft, context: ThreadContext) -> Expression:
    command.waits = _events(_pseudo(node, "wait"), command.number, context)
    parts = kernel_parts(node, context.plan)
    if parts is None or not parts.has_sizes:
        message = "expected a queue, a kernel, its global size, and its local size"
        context.complaints.fail("E166", node.span, message)
    return _with_captures(node, command, context)


def _enqueue_on_device(node: ast.Call, command: CommandDraft, context: ThreadContext) -> Expression:
    """`enqueue_kernel` or `enqueue_marker`, and the variable that gets the event."""
    try:
        if command.kind is CommandKind.CHILD:
            return _enqueue_child(node, command, context)
        command.waits = _events(_pseudo(node, "wait"), command.number, context)
        if not command.waits:
            context.complaints.fail("E166", node.span, "a marker of a kernel waits for 1 event or more, found none")
        return Enqueue(command.number, (), (), Scalar.INT, span=node.span)
    finally:
        for name in _pseudo(node, EVENT):
            if isinstance(name, ast.Name) and name.text in context.events:
                context.events.bind(name.text, command, name.span)
            else:
                context.complaints.error("E161", name.span, f"there is no event variable '{name.span.text}'")


def _pseudo(node: ast.Call, name: str) -> tuple[ast.Expression, ...]:
    """What an earlier stage has written down among the arguments of a call."""
    return next((a.arguments for a in node.arguments if isinstance(a, ast.Call) and a.function.text == name), ())


def _enqueue_child(node: ast.Call, command: CommandDraft, context: ThreadContext) -> Expression:
    complaints, plan = context.complaints, context.plan
    flags = [a for a in node.arguments if isinstance(a, ast.Name) and a.text in _ENQUEUE_FLAGS]
    queue = plan.queue_of(command)
    if queue is not None and not queue.on_device:
        order = "in order" if queue.in_order else "of the host"
        message = f"'{queue.name}' is {order}: kernels enqueue to queues of the device, which are out of order (HOST-5)"
        complaints.fail("E163", node.arguments[0].span, message)
    first = node.arguments[0] if node.arguments else node
    if queue is None and isinstance(first, ast.Name) and not first.text.startswith("CLK_"):
        complaints.fail("E160", first.span, f"expected a queue or flags, found '{first.text}'")
    if len(flags) != 1:
        message = f"expected one of {', '.join(_ENQUEUE_FLAGS)}"
        complaints.fail("E166", node.span, message)
    parts = kernel_parts(node, plan)
    if parts is None or not parts.has_sizes:
        complaints.fail("E166", node.span, "expected flags, a kernel, its global size, and its local size")
    assert isinstance(flags[0], ast.Name)
    command.enqueue_flag = _ENQUEUE_FLAGS[flags[0].text]
    command.waits = _events(_pseudo(node, "wait"), command.number, context)
    return _with_captures(node, command, context)


def _with_captures(node: ast.Call, command: CommandDraft, context: ThreadContext) -> Expression:
    """The call that enqueues a kernel, which is passed variables by value."""
    passed = _pseudo(node, CAPTURES)
    operands = tuple(value(name, context) for name in passed)
    names = tuple(name.text for name in passed if isinstance(name, ast.Name))
    return Enqueue(command.number, operands, names, Scalar.INT, span=node.span)


# --- commands on memory -----------------------------------------------------------------------------------------------


def _on_memory(node: ast.Call, command: CommandDraft, rest: list[ast.Expression], context: ThreadContext) -> Expression:
    memory = CommandMemory(context, command)
    operands: list[Expression] = []
    targets: list[Place] = []
    repeated: int | None = None
    given_up = ""
    match command.kind, rest:
        case (CommandKind.READ, [source]):
            memory.sources = memory.runs_of(source)
            if not command.blocking or len(memory.sources) > 1:
                of_structure = " of a structure" if len(memory.sources) > 1 else " that does not block"
                context.complaints.fail("E166", node.span, f"a read{of_structure} needs a location to read into")
            memory.single_type(memory.sources, node)
        case (CommandKind.READ, [source, into]) if written := _variables(into, memory):
            memory.sources = memory.runs_of(source)
            if not command.blocking:
                message = "not yet supported: a read that does not block into a variable of the thread"
                context.complaints.fail("E100", into.span, message)
            memory.single_type(memory.sources, node)
            targets = _targets(written, into, memory)
        case (CommandKind.READ, [source, into]):
            memory.sources, memory.targets = memory.runs_of(source), memory.runs_of(into)
        case (CommandKind.COPY, [one, other]):
            first, second = memory.runs_of(one), memory.runs_of(other)
            is_memcpy = command.function == "clEnqueueSVMMemcpy"
            memory.targets, memory.sources = (first, second) if is_memcpy else (second, first)
        case (CommandKind.WRITE, [written_to, source]) if memory.is_location(source):
            memory.targets, memory.sources = memory.runs_of(written_to), memory.runs_of(source)
        case (CommandKind.WRITE | CommandKind.FILL, [written_to, given]):
            memory.targets = memory.runs_of(written_to)
            given_up = next((word for word in GIVEN_UP if is_said(given, word)), "")
            memory.gives_up, repeated = bool(given_up), repeated_byte(given)
            if repeated is None and not memory.gives_up:
                operands = memory.operands(given, [value(one, context) for one in _values(given)])
            if command.kind is CommandKind.WRITE:
                memory.single_type(memory.targets, node)
        case (CommandKind.MAP | CommandKind.UNMAP, [_]) | (CommandKind.MIGRATE, [_, *_]):
            _take(node, rest, memory)
        case _:
            _refuse_arguments(node, command, context)
    runs = (*memory.targets, *memory.sources)
    command.parts = tuple(run.part for run in runs if run.part.length)
    ends = {FREED: FREE, ENDED: END}
    what = ends.get(given_up, f"{'discard' if memory.gives_up else command.kind.value} of ")
    command.name = f"{what}{', '.join(dict.fromkeys(run.name for run in reversed(runs)))}"
    context.plan.data_threads.append(data_thread(memory, operands, repeated))
    passed = tuple(numbered(VALUE, number) for number in range(len(operands)))
    type_ = memory.result_type or Scalar.INT
    enqueue = Enqueue(command.number, tuple(operands), passed, type_, max(1, len(targets)), span=node.span)
    return _read_into(targets, enqueue, memory) if targets else enqueue


def _take(node: ast.Call, arguments: list[ast.Expression], memory: CommandMemory) -> None:
    """What is mapped, or migrated: several objects then, and flags may stand among the arguments."""
    memory.gives_up = any(map(leaves_contents_undefined, arguments))
    taken = [memory.runs_of(one) for one in arguments if not is_migration_flags(one)]
    if not taken:
        _refuse_arguments(node, memory.command, memory.context)
    memory.targets = tuple(run for runs in taken for run in runs)


def _variables(node: ast.Expression, memory: CommandMemory) -> tuple[ast.Expression, ...]:
    """The private variables that a read is into: one, or the members of a structure; none where it is into memory."""
    match node:
        case ast.Prefix("&", operand) if memory.is_private(operand):
            return (operand,)
        case ast.Call(ast.Name(word), members) if word == VALUES:
            return members
        case _:
            return ()


def _targets(written: tuple[ast.Expression, ...], node: ast.Expression, memory: CommandMemory) -> list[Place]:
    """The places that a read is into."""
    context = memory.context
    if len(written) != len(memory.types_of(memory.sources)):
        message = f"'{node.span.text}' is no variable like what is in '{memory.sources[0].name}'"
        context.complaints.fail("E122", node.span, message)
    found = [place(one, context) for one in written]
    for one in found:
        check_writable(one, context)
    return found


def _values(node: ast.Expression) -> tuple[ast.Expression, ...]:
    """The values that an argument stands for: one, or those of the members of a structure."""
    if isinstance(node, ast.Call) and is_said(node, VALUES):
        return node.arguments
    return (node.operand if isinstance(node, ast.Prefix) and node.operator == "&" else node,)


def _read_into(targets: list[Place], enqueue: Enqueue, memory: CommandMemory) -> Expression:
    """A blocking read into variables: where the command fails, they keep their values."""
    span, complaints = enqueue.span, memory.context.complaints
    success: Expression = Literal(0, Scalar.INT, span=span)
    pairs = zip(targets, memory.types_of(memory.sources), strict=True)
    for number, (target, type_) in reversed(list(enumerate(pairs))):
        read = Returned(enqueue.command, is_value=True, type=type_, number=number, span=span)
        value = reinterpreted(read, target.type, (memory.sources[0].name, target.span.text), complaints)
        assigned = Assign(target, value, target.type, span=span)
        success = Sequence(assigned, success, Scalar.INT, span=span)
    error = Returned(enqueue.command, is_value=False, type=Scalar.INT, span=span)
    return Sequence(enqueue, Conditional(error, error, success, Scalar.INT, span=span), Scalar.INT, span=span)


def _refuse_arguments(node: ast.Call, command: CommandDraft, context: ThreadContext) -> None:
    expected = {
        CommandKind.READ: "a buffer, and where to read it to",
        CommandKind.WRITE: "a buffer, and a value or location to write to it",
        CommandKind.FILL: "a buffer and a value",
        CommandKind.COPY: "two buffers",
        CommandKind.MIGRATE: "buffers",
        CommandKind.MAP: "one buffer",
        CommandKind.UNMAP: "one buffer",
    }[command.kind]
    context.complaints.fail("E166", node.span, f"'{command.function}' takes a queue, {expected}")
