"""Host programs: queues, events, buffers and commands, as calls of the host API of the C family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.program.resolve.call_walk import WAITS_FOR_BUFFER
from mcm.sycl import tree
from mcm.sycl.body import Body
from mcm.sycl.changes import changed_variables
from mcm.sycl.command_groups import CommandGroup, is_reading, location_of
from mcm.sycl.context import call, counted, number
from mcm.sycl.data import DATA_COMMANDS, copied_now, data_command
from mcm.sycl.entities import Accessor, Opaque, Variable
from mcm.sycl.host_memory import ALLOCATORS
from mcm.sycl.kernels import LAUNCHES, is_range, names_range, range_object, range_sizes
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Callee, Object
    from mcm.sycl.entities import Entity, Scopes
    from mcm.sycl.kernels import KernelDraft, Kernels
    from mcm.syntax.ast import Expression, Node, Statement

# The queue of what waits for buffers, which the program does not name.
BUFFER_QUEUE: Final = "(buffers)"
_WAITS: Final = frozenset({"wait", "wait_and_throw"})
_BARRIER: Final = "ext_oneapi_submit_barrier"
_NO_HINTS: Final = "it orders nothing, so leave it out"
_NO_COMMANDS: Final = {
    "prefetch": _NO_HINTS,
    "mem_advise": _NO_HINTS,
    "throw_asynchronous": _NO_HINTS,
    "update_host": "a host_accessor is",
    "memcpy2d": "'memcpy' is",
}
_NOT_CAPTURED: Final = "variable of the host that changes, and kernels know its constants only: keep it in USM"
_OF_QUEUE: Final = (*LAUNCHES, *DATA_COMMANDS, "submit", _BARRIER, *_WAITS)
_EVENT: Final = "event"
_STATUS: Final = "info::event::command_execution_status"


class _Enqueued(Struct, frozen=True):
    """A call that enqueues a command, and the buffers that the command accesses, each with whether it is only read."""

    call: ast.Call
    accesses: Mapping[str, bool]


class _Open(Struct):
    """What the end of a block destroys: buffers that write back, and host accessors."""

    buffers: list[str] = field(default_factory=list)
    accessors: list[str] = field(default_factory=list)


class HostBody(Body):
    """The body of a thread of the host; `queues` are those that it declares, with their order and their device."""

    def __init__(
        self,
        scopes: Scopes,
        memory: Mapping[str, Object],
        functions: Mapping[str, Callee],
        complaints: Complaints,
        kernels: Kernels,
    ) -> None:
        super().__init__(scopes, memory, functions, complaints, is_host=True)
        self._memory: Final = memory
        self._kernels: Final = kernels
        self.queues: list[ast.QueueObject] = []
        self._open: list[_Open] = []
        self._branches = 0
        self._anonymous = 0
        self._changed: set[str] = set()
        # For each buffer, the events of the commands on it, and whether each only reads.
        self._on_buffer: dict[str, list[tuple[str, bool]]] = {}

    def is_constant(self, name: ast.Name) -> bool:
        """Whether a variable keeps its first value, so that kernels may know it."""
        return name.text not in self._changed

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self, node: ast.Block) -> ast.Block:
        """A block; its end waits for the commands on its buffers (SYCL-CMD-3)."""
        if not self._open:
            self._changed |= changed_variables(node)
        self._open.append(_Open())
        found = super().block(node)
        closed = self._open.pop()
        brace = ast.Empty(span=Span(node.span.source, max(node.span.start, node.span.end - 1), node.span.end))
        waits = [one for name in closed.buffers for one in self._await(name, brace, only_writers=False)]
        return replace(found, statements=(*found.statements, *waits))

    def inner(self, node: Node) -> Statement:
        """The statement that a branch or a loop consists of."""
        self._branches += 1
        try:
            return super().inner(node)
        finally:
            self._branches -= 1

    def statement(self, node: Node) -> list[Statement]:
        """What a statement is: none, one or several."""
        match node:
            case ast.ExpressionStatement(tree.MemberCall() as expression) if self._is_command(expression):
                return self._command(expression, None, node)
            case ast.ExpressionStatement(ast.Assignment("=", ast.Name(text) as name, tree.MemberCall() as value)) if (
                self._is_event(text) and self._is_command(value)
            ):
                return self._assign(name, value, node)
            case ast.ExpressionStatement(ast.Call(ast.Name(text), arguments) as expression):
                if plain(text) == "free":
                    return []
                if plain(text) in {"event::wait", "event::wait_and_throw"}:
                    return [self._wait_for(self._events(arguments), expression)]
                return super().statement(node)
            case ast.Declaration(
                ast.TypeName(base="auto"), (ast.Declarator(name, (), None, tree.MemberCall() as value),)
            ):
                return self._auto(name, value, node)
            case ast.Declaration(_, (ast.Declarator(name, (), None, made),)) if made is not None and is_range(made):
                self.declare(name, Opaque("range", name.text, made))
                return []
            case ast.Declaration(declarators=declarators) if any(
                one.name.text in self._memory and _allocates(one.initializer) for one in declarators
            ):
                return []
            case _:
                return super().statement(node)

    def _auto(self, name: ast.Name, value: tree.MemberCall, node: ast.Declaration) -> list[Statement]:
        if self._is_command(value):
            return self._declare_event(name, value, node)
        if value.name.text in {"get_host_access", "get_access"} and not value.arguments[1:]:
            templates = value.templates or ()
            return self._host_accessor(name, value.base, (*value.arguments, *templates), node)
        return super().statement(node)

    def _is_event(self, name: str) -> bool:
        entity = self.scopes.find(name)
        return isinstance(entity, Opaque) and entity.class_ == _EVENT

    def _is_command(self, node: Node) -> bool:
        """Whether a call enqueues something, or waits."""
        match node:
            case tree.MemberCall(ast.Name(text), _, ast.Name(name)):
                entity = self.scopes.find(plain(text))
                class_ = entity.class_ if isinstance(entity, Opaque) else ""
                return class_ == "queue" or (class_ == _EVENT and name in _WAITS)
            case tree.MemberCall(tree.MemberCall() as base, _, ast.Name(name)):
                return name in _WAITS and self._is_command(base)
            case _:
                return False

    def member(self, node: tree.MemberCall) -> Expression:
        """A call of a member: an event tells its status, which is no synchronisation."""
        if isinstance(node.base, ast.Name) and self._is_event(node.base.text):
            match node.name.text, node.templates, node.arguments:
                case "get_info", (ast.Name(query),), () if plain(query) == _STATUS:
                    return call("clGetEventInfo", (node.base,), node)
                case _:
                    message = f"an event has 'wait()' and 'get_info<{_STATUS}>()' here, found '{node.name.text}'"
                    self.complaints.fail("E203", node.name.span, message)
        return super().member(node)

    # --- declarations -------------------------------------------------------------------------------------------------

    def declare_object(self, node: tree.ObjectDeclaration, one: tree.ObjectDeclarator) -> list[Statement]:
        """Queues, events, buffers and host accessors."""
        name = plain(node.type.name)
        if name == "queue":
            return self._queue(one)
        if name == "buffer":
            return self._buffer(one)
        if name == "host_accessor":
            if not one.arguments:
                self.complaints.fail("E104", one.span, f"a host_accessor is made of a buffer: '{one.name.text}(b)'")
            return self._host_accessor(one.name, one.arguments[0], one.arguments[1:], node)
        if name in {"range", "nd_range"} and one.arguments:
            self.declare(one.name, range_object(node.type, one))
            return []
        if name != _EVENT:
            return super().declare_object(node, one)
        if one.form == "=" and self._is_command(one.arguments[0]):
            value = one.arguments[0]
            assert isinstance(value, tree.MemberCall)
            return self._declare_event(one.name, value, node)
        if one.form:
            message = f"an event is that of a command: expected a call that enqueues one, found '{one.span.text}'"
            self.complaints.fail("E161", one.span, message)
        self.declare(one.name, Opaque(_EVENT, one.name.text))
        return [_event(one.name, None, node)]

    def _queue(self, one: tree.ObjectDeclarator) -> list[Statement]:
        """`queue q{property::queue::in_order()};`; a queue of another device is made with its name, `dev1`."""
        words = [plain(word) for word in _names_in(one.arguments)]
        order = "in_order" if any(word.endswith("queue::in_order") for word in words) else "out_of_order"
        device = next((int(word[3:]) for word in words if word.startswith("dev") and word[3:].isdecimal()), 0)
        self.queues.append(ast.QueueObject(one.name, order, device, span=one.span))
        self.declare(one.name, Opaque("queue", one.name.text))
        return []

    def _buffer(self, one: tree.ObjectDeclarator) -> list[Statement]:
        """A buffer of memory of the host, which its end writes back to; or memory of its own."""
        first = one.arguments[0] if one.arguments else None
        if isinstance(first, ast.Name) and first.text in self._memory:
            self.context.used[first.text] = None
            sizes = self._buffer_sizes(one.arguments[1:])
            self.declare(one.name, Opaque("buffer", first.text, sizes=sizes))
            self._open[-1].buffers.append(first.text)
            return []
        if one.name.text not in self._memory:
            message = f"a buffer is made of memory and a range, '{one.name.text}(x, range<1>(4))', or of a range alone"
            self.complaints.fail("E104", one.span, message)
        self.declare(one.name, Opaque("buffer", one.name.text, sizes=self._buffer_sizes(one.arguments)))
        return []

    def _buffer_sizes(self, arguments: tuple[Node, ...]) -> tuple[int, ...]:
        """The sizes of a buffer of several dimensions."""
        outer = self._captured()
        written = next((one for one in arguments if names_range(one, outer)), None)
        return () if written is None else range_sizes(written, outer, self.context)

    def _host_accessor(self, name: ast.Name, buffer: Node, rest: tuple[Node, ...], node: Node) -> list[Statement]:
        """Its construction waits for the commands on the buffer that conflict with it."""
        outer = {buffer.text: entity} if isinstance(buffer, ast.Name) and (entity := self.entity(buffer)) else {}
        location = location_of(buffer, outer, self._memory)
        if location is None:
            self.complaints.fail("E208", buffer.span, f"expected a buffer, found '{buffer.span.text}'")
        self.context.used[location] = None
        entity = self.entity(buffer)
        sizes = entity.sizes if isinstance(entity, Opaque) else ()
        self.declare(name, Accessor(location, self._memory[location].type, sizes=sizes))
        self._open[-1].accessors.append(location)
        return self._await(location, node, only_writers=any(is_reading(one) for one in rest))

    def _declare_event(self, name: ast.Name, value: tree.MemberCall, node: Node) -> list[Statement]:
        found = self._command(value, name, node)
        self.declare(name, Opaque(_EVENT, name.text))
        return found

    def _assign(self, name: ast.Name, value: tree.MemberCall, node: ast.ExpressionStatement) -> list[Statement]:
        enqueued = self._enqueued(value)
        self._note(enqueued, name.text, node)
        assigned = ast.Assignment("=", ast.Name(name.text, span=name.span), enqueued.call, span=enqueued.call.span)
        return [replace(node, expression=assigned)]

    # --- commands -----------------------------------------------------------------------------------------------------

    def _command(self, node: tree.MemberCall, name: ast.Name | None, whole: Node) -> list[Statement]:
        """A call that enqueues or waits, `name` the variable of its event."""
        if node.name.text in _WAITS:
            return self._wait(node, whole)
        enqueued = self._enqueued(node)
        if name is None and not enqueued.accesses:
            return [ast.ExpressionStatement(enqueued.call, span=whole.span)]
        variable = name or self._new_event(node)
        self._note(enqueued, variable.text, whole)
        return [_event(variable, enqueued.call, whole)]

    def _new_event(self, node: Node) -> ast.Name:
        """A name for the event of a command that the program has none for."""
        self._anonymous += 1
        return ast.Name(f"(event {self._anonymous})", span=node.span)

    def _wait(self, node: tree.MemberCall, whole: Node) -> list[Statement]:
        """`e.wait();`, `q.wait();`, `q.memcpy(…).wait();`."""
        base = node.base
        if isinstance(base, ast.Name):
            entity = self.scopes.find(base.text)
            assert isinstance(entity, Opaque)
            if entity.class_ == _EVENT:
                return [self._wait_for((base,), node)]
            return [ast.ExpressionStatement(call("clFinish", (base,), node), span=whole.span)]
        assert isinstance(base, tree.MemberCall)
        now = copied_now(base, self._events, self.context)
        if now is not None:
            return [ast.ExpressionStatement(now, span=whole.span)]
        enqueued, variable = self._enqueued(base), self._new_event(base)
        self._note(enqueued, variable.text, whole)
        end = Span(node.span.source, base.span.end, node.span.end)
        waiting = ast.Empty(span=end)
        return [_event(variable, enqueued.call, whole), self._wait_for((variable,), waiting)]

    def _wait_for(self, events: Iterable[ast.Name], node: Node) -> Statement:
        return ast.ExpressionStatement(call("clWaitForEvents", tuple(events), node), span=node.span)

    def _events(self, nodes: Iterable[Node]) -> tuple[ast.Name, ...]:
        """The names of events among arguments, which may stand in braces."""
        found: list[ast.Name] = []
        for node in nodes:
            if isinstance(node, ast.InitializerList):
                found += self._events(node.items)
            elif isinstance(node, ast.Name) and self._is_event(node.text):
                found.append(node)
            else:
                message = f"expected the name of an event, found '{node.span.text}'"
                self.complaints.fail("E161", node.span, message)
        return tuple(found)

    def _enqueued(self, node: tree.MemberCall) -> _Enqueued:
        queue, name = node.base, node.name.text
        entity = self.entity(queue)
        if not isinstance(queue, ast.Name) or not isinstance(entity, Opaque) or entity.class_ != "queue":
            message = f"expected a queue before '{name}', found '{queue.span.text}'"
            self.complaints.fail("E160", queue.span, message)
        if name in LAUNCHES:
            return self._launch(self._kernels.draft(node, self._captured(), self.context), queue)
        if name in DATA_COMMANDS:
            return _Enqueued(data_command(node, queue, self._events, self.context), {})
        match node:
            case tree.MemberCall(_, _, ast.Name("submit"), _, (tree.Lambda() as function,)):
                return self._submit(function, queue, node)
            case tree.MemberCall(_, _, ast.Name("ext_oneapi_submit_barrier"), _, arguments):
                waits = _wait_list(self._events(arguments), node)
                return _Enqueued(call("clEnqueueBarrierWithWaitList", (queue, *waits), node), {})
            case _:
                hint = did_you_mean(name, _OF_QUEUE)
                message = f"a queue has no member '{name}' here, with {counted(len(node.arguments))}{hint}"
                if name in _NO_COMMANDS:
                    message = f"'{name}': this is SYCL, but not part of the litmus language; {_NO_COMMANDS[name]}"
                    self.complaints.fail("E207", node.name.span, message)
                return self.complaints.fail("E203", node.name.span, message)

    def _submit(self, function: tree.Lambda, queue: ast.Name, node: tree.MemberCall) -> _Enqueued:
        self.scopes.open()
        try:
            return self._submitted(function, queue, node)
        finally:
            self.scopes.close()

    def _submitted(self, function: tree.Lambda, queue: ast.Name, node: tree.MemberCall) -> _Enqueued:
        group = CommandGroup(self._kernels, self.complaints, self.context, self._memory)
        group.read(function, self._captured())
        draft = group.draft()
        if draft is not None:
            start = node.span.start
            text = node.span.source.text[start : function.body.span.start]
            draft.span = Span(node.span.source, start, start + len(text.rstrip()))
            return self._launch(draft, queue)
        if group.command is None or group.command.name.text not in DATA_COMMANDS:
            what = "" if group.command is None else f"'{group.command.name.text}' is not part of the litmus language: "
            message = f"{what}a command group launches a kernel with a lambda, or copies or fills memory"
            self.complaints.fail("E210", (group.command or node).span, message)
        return _Enqueued(data_command(group.command, queue, self._events, self.context, tuple(group.waits)), {})

    def _captured(self) -> dict[str, Entity]:
        """What a kernel knows of the names of the host program: its constants, and objects."""
        known: dict[str, Entity] = {}
        for name in self.scopes.names():
            entity = self.scopes.find(name)
            if isinstance(entity, Variable) and entity.constant is None:
                known[name] = Opaque(_NOT_CAPTURED, name)
            elif entity is not None:
                known[name] = entity
        return known

    def _launch(self, draft: KernelDraft, queue: ast.Name) -> _Enqueued:
        kernel = self._kernels.finish(draft)
        at = ast.Empty(span=draft.span)
        events = (*self._events(draft.waits), *self._before(draft.accesses, at))
        sizes: tuple[Expression, ...] = tuple(number(size, at) for size in (*draft.global_sizes, *draft.local_sizes))
        if len(draft.global_sizes) > 1:
            sizes = (call(f"ndrange_{len(draft.global_sizes)}D", sizes, at),)
        sub = () if draft.sub_size is None else (call("sub", (number(draft.sub_size, at),), at),)
        arguments: tuple[Expression, ...] = (queue, kernel.name, *sizes, *sub, *_wait_list(events, at))
        return _Enqueued(call("clEnqueueNDRangeKernel", arguments, at), draft.accesses)

    # --- buffers ------------------------------------------------------------------------------------------------------

    def _note(self, enqueued: _Enqueued, event: str, node: Node) -> None:
        """Remember a command for those that access the same buffers later."""
        for location, is_reading_only in enqueued.accesses.items():
            if self._branches:
                message = (
                    "commands on buffers in branches and loops are not part of the litmus language; use USM and events"
                )
                self.complaints.fail("E214", node.span, message)
            if any(location in block.accessors for block in self._open):
                message = (
                    f"this command waits for the end of the host accessor of '{location}', which comes later: not part "
                    "of the litmus language; close the block of the host accessor before it"
                )
                self.complaints.fail("E214", node.span, message)
            self._on_buffer.setdefault(location, []).append((event, is_reading_only))

    def _before(self, accesses: Mapping[str, bool], node: Node) -> tuple[ast.Name, ...]:
        """The events of the commands on the same buffers that come before: one of each two writes (SYCL-CMD-2)."""
        found = [
            ast.Name(event, span=node.span)
            for location, is_reading_only in accesses.items()
            for event, was_reading in self._on_buffer.get(location, ())
            if not (is_reading_only and was_reading)
        ]
        return tuple({event.text: event for event in found}.values())

    def _await(self, location: str, node: Node, *, only_writers: bool) -> list[Statement]:
        """Wait for the commands on a buffer."""
        events = self._before({location: only_writers}, node)
        if not events:
            return []
        if not any(queue.name.text == BUFFER_QUEUE for queue in self.queues):
            name = ast.Name(BUFFER_QUEUE, span=node.span)
            self.queues.append(ast.QueueObject(name, "out_of_order", 0, span=node.span))
        blocking = (ast.Name(BUFFER_QUEUE, span=node.span), ast.Name("CL_TRUE", span=node.span))
        waiting = call(WAITS_FOR_BUFFER, (*blocking, *_wait_list(events, node)), node)
        return [ast.ExpressionStatement(waiting, span=node.span)]


def _allocates(value: Node | None) -> bool:
    return isinstance(value, tree.Construction) and plain(value.type.name) in ALLOCATORS


def _event(name: ast.Name, value: Expression | None, node: Node) -> ast.Declaration:
    """A variable for the event of a command."""
    declarator = ast.Declarator(name, (), None, value, span=node.span if value is None else value.span)
    return ast.Declaration(ast.TypeName((), _EVENT, span=name.span), (declarator,), span=node.span)


def _wait_list(events: tuple[ast.Name, ...], node: Node) -> tuple[Expression, ...]:
    return (call("wait", events, node),) if events else ()


def _names_in(nodes: Iterable[Node]) -> Iterable[str]:
    """All names in some nodes, those of classes too."""
    for node in walk(nodes):
        if isinstance(node, ast.Name):
            yield node.text
        elif isinstance(node, tree.ClassType):
            yield node.name
