"""Host programs of OpenCL as those of SYCL: queues, events and commands."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.convert.bodies import Body, written
from mcm.convert.kernels import launched, shape_of, whole_groups
from mcm.convert.names import free_name, words_of
from mcm.convert.refusal import refused
from mcm.convert.runs import kernel_of
from mcm.program.command import CommandKind
from mcm.program.resolve.plan import FUNCTIONS
from mcm.sycl.words import EVENT_STATUS
from mcm.syntax import ast
from mcm.syntax.parsed_text import text_of
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.base.source import Span
    from mcm.convert.runs import Runs
    from mcm.front_end.test import Test
    from mcm.program.command import Command

_EVENT: Final = "event"
_NO_MAPS: Final = "SYCL has no maps: the host accesses what it shares, and an accessor of a buffer waits for commands"
# What the host of SYCL cannot say, by the function of OpenCL that does.
_NONE: Final = {
    "clSetUserEventStatus": "SYCL has no events that the host sets",
    "clSetEventCallback": "SYCL has no callbacks of events",
    "clEnqueueMapBuffer": _NO_MAPS,
    "clEnqueueUnmapMemObject": _NO_MAPS,
    "clEnqueueSVMMap": _NO_MAPS,
    "clEnqueueSVMUnmap": _NO_MAPS,
}
_STATUS: Final = {ours: theirs for theirs, ours in EVENT_STATUS.items()}


class HostBody(Body):
    """The body of a thread of the host."""

    def __init__(self, test: Test, parameters: tuple[ast.Parameter, ...], runs: Runs) -> None:
        super().__init__(test, parameters, is_host=True)
        self._test: Final = test
        self._runs: Final = runs
        self._kernels: Final = {unit.name.text: unit for unit in test.tree.units if isinstance(unit, ast.Kernel)}
        self._handler: Final = free_name(words_of(text_of(test.tree)), "h", "cgh", "command_handler")
        self._named: Final = _named_for_markers(test)

    def statements(self, node: ast.Statement) -> tuple[ast.Statement, ...]:
        """What stands in place of a statement of a block."""
        match node:
            case ast.ExpressionStatement(ast.Call(ast.Name("clFlush"))):
                # A queue of SYCL needs none: it begins what it is given.
                return ()
            case ast.ExpressionStatement(ast.Call() as call) if call.span in self._named:
                return (_statement(f"event {self._named[call.span]} = {self._submitted(call)}", node),)
            case ast.ExpressionStatement(ast.Call(ast.Name(name)) as call) if _is_host_call(name):
                return (_statement(self._call(call), node),)
            case ast.Declaration(ast.TypeName(base=base), declarators) if base == _EVENT:
                return tuple(self._event(node, one) for one in declarators)
            case ast.Declaration(_, (ast.Declarator(name, (), None, ast.Call() as read) as one,)) if _reads(read):
                declared = replace(node, declarators=(replace(one, initializer=None),))
                return (*super().statements(declared), _statement(self._read_into(name.text, read), node))
            case ast.ExpressionStatement(ast.Assignment("=", ast.Name(text), ast.Call() as read)) if _reads(read):
                return (_statement(self._read_into(text, read), node),)
            case _:
                return super().statements(node)

    def _event(self, node: ast.Declaration, one: ast.Declarator) -> ast.Statement:
        """`event e = …;`."""
        if isinstance(one.initializer, ast.Call):
            one = replace(one, initializer=written(self._submitted(one.initializer), one))
        return replace(node, declarators=(one,))

    def node(self, node: object) -> object:
        """A node, and all below it, as SYCL has it; calls of the host API where a value is expected."""
        match node:
            case ast.Call(ast.Name("clGetEventInfo"), (event,)):
                text = f"{self.show(event)}.get_info<info::event::command_execution_status>()"
                return written(text, node)
            case ast.Name(text) if text in _STATUS:
                return written(_STATUS[text], node)
            case ast.Declaration(_, declarators) if any(_is_query(one.initializer) for one in declarators):
                return super().node(replace(node, type=replace(node.type, qualifiers=(), base="auto")))
            case ast.Assignment("=", ast.Name(), ast.Call(ast.Name(name)) as call) if name in FUNCTIONS:
                return replace(node, value=written(self._submitted(call), call))
            case ast.Call(ast.Name(name)) if _is_host_call(name):
                raise refused(node, f"'{name}' is converted where it stands by itself")
            case _:
                return super().node(node)

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, call: ast.Call) -> str:
        """A call that stands by itself."""
        name, arguments = call.function.text, call.arguments
        match name:
            case "clFinish":
                return f"{self.show(arguments[0])}.wait()"
            case "clWaitForEvents":
                events = ", ".join(map(self.show, arguments))
                return f"{events}.wait()" if len(arguments) == 1 else f"event::wait({{{events}}})"
            case _ if name in _NONE:
                raise refused(call, _NONE[name])
            case _:
                submitted = self._submitted(call)
                return f"{submitted}.wait()" if self._command(call).blocking else submitted

    def _command(self, call: ast.Call) -> Command:
        """A command that a call enqueues: the first one, where the call is in a loop."""
        return next(self._commands(call))

    def _commands(self, call: ast.Call) -> Iterator[Command]:
        return (command for command in self._test.program.commands if command.span == call.span)

    def _submitted(self, call: ast.Call) -> str:
        """What a call that enqueues a command is, as an expression with the event of the command."""
        name = call.function.text
        if name in _NONE:
            raise refused(call, _NONE[name])
        queue = self.show(call.arguments[0])
        waits = self._waits(call)
        command = self._command(call)
        match command.kind:
            case CommandKind.NDRANGE:
                return self._kernel(call, queue, waits)
            case CommandKind.MARKER:
                return self._marker(call, command, queue, waits)
            case CommandKind.BARRIER:
                listed = f"{{{', '.join(waits)}}}" if waits else ""
                return f"{queue}.ext_oneapi_submit_barrier({listed})"
            case _:
                return self._on_memory(call, command, queue, waits)

    def _waits(self, call: ast.Call) -> tuple[str, ...]:
        """The names of the events in the wait list."""
        commands = self._test.program.commands
        found: list[str] = []
        for argument in call.arguments:
            if isinstance(argument, ast.Call) and argument.function.text == "wait":
                found += map(self.show, argument.arguments)
        for number in self._command(call).waits:
            if commands[number].kind is CommandKind.USER:
                raise refused(call, _NONE["clSetUserEventStatus"])
        return tuple(found)

    def _kernel(self, call: ast.Call, queue: str, waits: tuple[str, ...]) -> str:
        kernel = kernel_of(call, self._kernels)
        sub = next((self._sub_size(one) for one in call.arguments if _is_call(one, "sub")), None)
        shapes = {shape_of(self._test.program.thread(one.units[0]), sub) for one in self._commands(call)}
        if len(shapes) > 1:
            raise refused(call, f"kernel '{kernel.name.text}' has another size in another turn of the loop")
        receiver = self._handler if waits else queue
        shape = whole_groups(shapes.pop(), call)
        text = launched(kernel, shape, self._runs.classes[call.span], receiver, self._test)
        return self._group(queue, waits, text) if waits else text

    def _sub_size(self, node: ast.Expression) -> int:
        assert isinstance(node, ast.Call)
        (size,) = node.arguments
        return int(self.show(size), 0)

    def _group(self, queue: str, waits: tuple[str, ...], text: str) -> str:
        """A command group that depends on events."""
        depends = f"{self._handler}.depends_on({_list(waits)});"
        return f"{queue}.submit([&](handler& {self._handler}) {{ {depends} {text}; }})"

    def _marker(self, call: ast.Call, command: Command, queue: str, waits: tuple[str, ...]) -> str:
        """A kernel that does nothing, and depends on what the marker waits for."""
        assert command.queue is not None
        nothing = "single_task([=]() {})"
        if self._test.program.queues[command.queue].in_order and not waits:
            return f"{queue}.{nothing}"
        waits = waits or self._before(command, call)
        return self._group(queue, waits, f"{self._handler}.{nothing}") if waits else f"{queue}.{nothing}"

    def _before(self, marker: Command, call: ast.Call) -> tuple[str, ...]:
        """The events of what stands before a marker in its queue, all from this thread, each once."""
        before = [
            one
            for one in self._test.program.commands
            if one.queue == marker.queue and (one.number < marker.number or one.caller != marker.caller)
        ]
        places = {one.span for one in before} | {call.span}
        if len(places) <= len(before) or any(one.caller != marker.caller for one in before):
            reason = "SYCL has no marker, and which commands stand before this one is not plain"
            raise refused(call, reason)
        return tuple(self._named[one.span] for one in before)

    def _on_memory(self, call: ast.Call, command: Command, queue: str, waits: tuple[str, ...]) -> str:
        """A copy or a fill."""
        program = self._test.program
        for part in command.parts:
            item = program.objects[part.object]
            if part.first or part.length != len(item.initial):
                raise refused(call, "commands on a part of a buffer are not converted")
        events = f", {_list(waits)}" if waits else ""
        names = [program.objects[part.object].name for part in command.parts]
        count = command.parts[0].length // program.objects[command.parts[0].object].units
        size = f"{count} * " * (count > 1) + f"sizeof({self.types[names[0]]})"
        match command.kind:
            case CommandKind.FILL | CommandKind.WRITE if len(names) == 1:
                value = self._operand(call)
                return f"{queue}.fill({names[0]}, {value}, {count}{events})"
            case _ if len(names) == 2:
                return f"{queue}.memcpy({names[0]}, {names[1]}, {size}{events})"
            case _:
                raise refused(call, f"'{call.function.text}' is converted where its value is assigned")

    def _operand(self, call: ast.Call) -> str:
        """The value that a command writes."""
        *_, value = (one for one in call.arguments if not _is_call(one, "wait"))
        if isinstance(value, ast.Prefix) and value.operator == "&":
            value = value.operand
        return self.show(value)

    def _read_into(self, variable: str, call: ast.Call) -> str:
        """A read that blocks, into a variable of the host."""
        command = self._command(call)
        (part,) = command.parts
        item = self._test.program.objects[part.object]
        if part.first or part.length != len(item.initial):
            raise refused(call, "commands on a part of a buffer are not converted")
        waits = self._waits(call)
        events = f", {_list(waits)}" if waits else ""
        size = f"sizeof({self.types[item.name]})"
        return f"{self.show(call.arguments[0])}.memcpy(&{variable}, {item.name}, {size}{events}).wait()"


def _named_for_markers(test: Test) -> dict[Span, str]:
    """Names for the events of commands that markers wait for; a marker of SYCL lists them."""
    program = test.program
    last = {
        one.queue: one.number
        for one in program.commands
        if one.kind is CommandKind.MARKER and not (one.waits or one.queue is None or program.queues[one.queue].in_order)
    }
    found = {
        one.initializer.span: one.name.text
        for one in walk(test.tree.units)
        if isinstance(one, ast.Declarator) and isinstance(one.initializer, ast.Call)
    }
    taken = words_of(text_of(test.tree))
    free = (name for number in count(1) if (name := f"e{number}") not in taken)
    for one in program.commands:
        if one.queue is not None and one.number < last.get(one.queue, 0) and one.span not in found:
            found[one.span] = next(free)
    return found


def _is_query(node: ast.Node | None) -> bool:
    return isinstance(node, ast.Call) and node.function.text == "clGetEventInfo"


def _is_host_call(name: str) -> bool:
    return name in FUNCTIONS or name in _NONE or name in {"clFinish", "clWaitForEvents", "clFlush"}


def _is_call(node: ast.Expression, name: str) -> bool:
    return isinstance(node, ast.Call) and node.function.text == name


def _reads(call: ast.Call) -> bool:
    """Whether a call reads a buffer, into a variable that its value is assigned to."""
    return call.function.text == "clEnqueueReadBuffer"


def _list(events: tuple[str, ...]) -> str:
    """Events as an argument: one, or several in braces."""
    return events[0] if len(events) == 1 else f"{{{', '.join(events)}}}" if events else ""


def _statement(text: str, node: ast.Statement) -> ast.Statement:
    return ast.ExpressionStatement(written(text, node), span=node.span)


def declared_queues(items: Mapping[str, ast.QueueObject]) -> Iterator[str]:
    """The declarations of queues at the beginning of a host program."""
    for name, item in items.items():
        words = [f"dev{item.device}"] if item.device else []
        words += ["property::queue::in_order()"] if item.order == "in_order" else []
        yield f"queue {name}{{{', '.join(words)}}};" if words else f"queue {name};"
