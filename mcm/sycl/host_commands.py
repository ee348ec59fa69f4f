"""Commands of host programs: launches, copies, waits, and what buffers order."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.program.resolve.buffer_order import BufferOrder, said_accesses
from mcm.program.resolve.call_walk import CAPTURES, WAITS_FOR_BUFFER
from mcm.program.resolve.command_words import BYTES, ENDED, NO_CONTENTS, numbers, said
from mcm.program.resolve.complaints import UnresolvedError
from mcm.sycl import tree
from mcm.sycl.aliases import Aliases
from mcm.sycl.command_groups import CommandGroup
from mcm.sycl.constants import condition
from mcm.sycl.context import call, counted, number
from mcm.sycl.copied_arrays import array_copies, copy_of, in_host, is_number_or_pointer
from mcm.sycl.data import DATA_COMMANDS, copied_now, data_command
from mcm.sycl.entities import Broken, Opaque, Reference, Variable
from mcm.sycl.frames import OfHost
from mcm.sycl.freed import Outstanding, Sent, without_frees
from mcm.sycl.given_back import GivenBack
from mcm.sycl.group_values import apart
from mcm.sycl.held_buffers import AtEnd, Buffer, Held, Lost, Open, ended, waiting_for
from mcm.sycl.host_events import COMPLETE, EVENT, KnownEvent
from mcm.sycl.host_lambdas import LAMBDA
from mcm.sycl.host_loops import enqueues
from mcm.sycl.kernels import LAUNCHES, GivenUp
from mcm.sycl.lifetimes import used_by_commands
from mcm.sycl.named_only import Pointers
from mcm.sycl.parts import offsets, stretches_of
from mcm.sycl.sizes import bytes_of_type
from mcm.sycl.stretches import whole
from mcm.sycl.types import is_record
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.program.resolve.buffer_order import Stretch
    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Functions, Object
    from mcm.sycl.entities import Accessor, Entity, Scopes
    from mcm.sycl.kernels import KernelDraft, Kernels
    from mcm.sycl.methods import Receiver
    from mcm.syntax.ast import Expression, Node, Statement

# The queue of what waits for buffers, which the program does not name.
BUFFER_QUEUE: Final = "(buffers)"
_WAITS: Final = frozenset({"wait", "wait_and_throw"})
_BARRIER: Final = "ext_oneapi_submit_barrier"
_NO_HINTS: Final = "it orders nothing, so leave it out"
_NO_COMMANDS: Final = {
    "throw_asynchronous": _NO_HINTS,
    "update_host": "a host_accessor is",
    "memcpy2d": "'memcpy' is",
}
_NOT_CAPTURED: Final = "variable of the host, and kernels are passed numbers and pointers: keep it in USM"
_OF_QUEUE: Final = (*LAUNCHES, *DATA_COMMANDS, "submit", _BARRIER, *_WAITS)


class Enqueued(Struct, frozen=True):
    """A call that enqueues a command, and what the command accesses of buffers, which the call says too.

    `before` are statements that enqueue parts of the command.
    """

    call: ast.Call
    accesses: Mapping[Stretch, bool] = {}
    before: tuple[Statement, ...] = ()


class HostCommands(GivenBack):
    """A body of the host, as far as it enqueues commands and waits; `queues` are those that it declares."""

    def __init__(
        self,
        scopes: Scopes,
        memory: Mapping[str, Object],
        functions: Functions,
        complaints: Complaints,
        kernels: Kernels,
    ) -> None:
        super().__init__(scopes, memory, functions, complaints)
        self._memory = memory
        self._kernels: Final = kernels
        self.queues: list[ast.QueueObject] = []
        self.user_events: list[ast.UserEventObject] = []
        self._open: list[Open] = []
        # Memory of which it is told that the host accesses it while a buffer has it.
        self._warned: set[str] = set()
        self._pointers = Pointers()
        self._changed: set[str] = set()
        self._changed_objects: frozenset[str] = frozenset()
        # Objects of which kernels may have copies.
        self.copied: dict[str, Opaque] = {}
        # Buffers that are made here, and hold nothing that could be given up.
        self._empty: set[str] = set()
        self._on_buffers: BufferOrder[Sent] = BufferOrder()
        self._outstanding = Outstanding()
        self._queue_lists = {}
        self._freed = set()
        self._gone = []
        self._loops = []

    def _is_command(self, node: Node) -> bool:
        """Whether a call enqueues something, or waits."""
        match node:
            case tree.MemberCall(ast.Name(text), _, ast.Name(name)):
                entity = self.scopes.find(plain(text))
                class_ = entity.class_ if isinstance(entity, Opaque) else ""
                return class_ == "queue" or (class_ in {EVENT, COMPLETE} and name in _WAITS)
            case tree.MemberCall(tree.MemberCall() | ast.Index() as base, _, ast.Name(name)) if name in _WAITS:
                return self._is_command(base) or self._event(base) is not None or self._is_complete(base)
            case _:
                return False

    def statement(self, node: Node) -> list[Statement]:
        """What a statement is: a branch with commands is what its condition of constants chooses, `if (i > 0)`."""
        is_branch = isinstance(node, ast.If) and (enqueues(node) or self._sets_event(node))
        if isinstance(node, ast.If) and is_branch and condition(node.condition, self.context) is not None:
            return self._chosen(tree.ConstantIf(node.condition, node.then, node.otherwise, span=node.span))
        return super().statement(node)

    def _sets_event(self, node: Node) -> bool:
        """Whether a statement assigns an event."""
        named = (one.target for one in walk([node]) if isinstance(one, ast.Assignment))
        found = (self.scopes.find(one.text) for one in named if isinstance(one, ast.Name))
        return any(isinstance(one, Opaque) and one.class_ in {EVENT, COMPLETE} for one in found)

    def ended(self, left: Sequence[Receiver | OfHost], node: Node) -> list[Statement]:
        """What the ends of what is left wait for and do, and who waits for that (SYCL-CMD-3)."""
        found: list[Statement] = []
        lost: list[Lost] = []
        for one in left:
            if isinstance(one, Lost):
                lost.append(one)
                continue
            found += self._without_variables(lost, node)
            lost = []
            found += self._ended(one, node)
            if isinstance(one, OfHost):
                one.is_over = True
        found += self._without_variables(lost, node)
        for one in left:
            if isinstance(one, OfHost):
                one.is_over = False
        return found

    def _ended(self, one: Receiver | OfHost, node: Node) -> list[Statement]:
        match one:
            case AtEnd():
                return [self.block(one.block)]
            case Buffer():
                return self._await(whole(one.memory, self._memory), node, only_reads=False)
            case Held():
                return [ended(one, node)] if one.end else []
            case _:
                return super().ended([one], node)

    def _lives(self, one: OfHost) -> None:
        """Remember what ends with the block."""
        self.frame.alive[-1].append(one)
        if isinstance(one, Buffer | Held):
            self._open[-1].made.append(one)

    def _opened(self, block: ast.Block) -> Open:
        """A block that begins; the outermost one ends with the program, whose memory is looked at then."""
        opened = Open(number=self._outstanding.number)
        if self._open and self._whole is not None:
            aliases = Aliases(self._whole, self._memory)
            used = used_by_commands(block, self._memory, aliases)
            opened.variables = tuple(name for name in used if name not in self._exchanged.names)
        return opened

    def _without_variables(self, lost: Iterable[Lost], node: Node) -> list[Statement]:
        """The end of variables of the host that commands may still use: they have no values then (ADR 83)."""
        found: list[Statement] = []
        events: list[ast.Name] = []
        for one in lost:
            if not self._outstanding.go_on(one.number):
                continue
            memory = ast.Name(one.name, span=self._memory[one.name].span)
            filled = call("clEnqueueSVMMemFill", (self._queue_of_buffers(node), memory, said(ENDED, (), node)), node)
            events.append(self._new_event(node))
            found.append(event_variable(events[-1], filled, node))
        return [*found, self._wait_for(events, node)] if events else []

    def tell_of_end(self) -> None:
        """Tell of a command that may go on when `main` returns, which no destructor of a queue waits for."""
        last = self._outstanding.last
        if last is not None:
            message = (
                "nothing waits for this command before 'main' returns: the destructor of a queue does not (SYCL 2020, "
                "3.9.8.1), and what becomes of the command then is not said"
            )
            self.complaints.warning("W157", last.span, message)

    # --- commands -----------------------------------------------------------------------------------------------------

    def _command(self, node: tree.MemberCall, name: ast.Name | None, whole: Node) -> list[Statement]:
        """A call that enqueues or waits, `name` the variable of its event."""
        if node.name.text in _WAITS:
            return self._wait(node, whole)
        enqueued = self._enqueued(node)
        self._note(enqueued, None if name is None else name.text)
        if name is None:
            return [*enqueued.before, ast.ExpressionStatement(enqueued.call, span=whole.span)]
        return [*enqueued.before, event_variable(name, enqueued.call, whole)]

    def _sent(self, node: tree.MemberCall, whole: Node) -> tuple[list[Statement], KnownEvent]:
        """A call that enqueues, in a list: what it is, and its event."""
        variable = self._new_event(node)
        return self._command(node, variable, whole), KnownEvent(variable.text, span=node.span)

    def _wait(self, node: tree.MemberCall, whole: Node) -> list[Statement]:
        """`e.wait();`, `q.wait();`, `q.memcpy(…).wait();`."""
        base = node.base
        if (event := self._event(base)) is not None:
            return [self._wait_for((ast.Name(event.text, span=event.span),), node)]
        if (isinstance(base, ast.Name) or not self._is_command(base)) and self._is_complete(base):
            return []
        if isinstance(base, ast.Name):
            entity = self.entity(base)
            base = ast.Name(entity.name if isinstance(entity, Opaque) else base.text, span=base.span)
            self._outstanding.finished(base.text)
            return [ast.ExpressionStatement(call("clFinish", (base,), node), span=whole.span)]
        assert isinstance(base, tree.MemberCall)
        now = copied_now(base, self._events, self.context)
        if now is not None:
            self._outstanding.complete([self._outstanding.enqueued(now, None, in_order=self._is_in_order(now))])
            return [ast.ExpressionStatement(now, span=whole.span)]
        enqueued, variable = self._enqueued(base), self._new_event(base)
        self._note(enqueued, variable.text)
        end = Span(node.span.source, base.span.end, node.span.end)
        waiting = ast.Empty(span=end)
        return [*enqueued.before, event_variable(variable, enqueued.call, whole), self._wait_for((variable,), waiting)]

    def _wait_for(self, events: Iterable[ast.Name], node: Node) -> Statement:
        listed = tuple(events)
        self._outstanding.waited(listed)
        if not listed:
            return ast.Empty(span=node.span)
        return ast.ExpressionStatement(call("clWaitForEvents", listed, node), span=node.span)

    def _is_in_order(self, enqueuing: ast.Call) -> bool:
        """Whether a command comes after all that its queue had before."""
        first = enqueuing.arguments[0]
        order = next(
            (one.order for one in self.queues if isinstance(first, ast.Name) and one.name.text == first.text), ""
        )
        return order == "in_order"

    def _enqueued(self, node: tree.MemberCall) -> Enqueued:
        """What enqueues a command, which waits for the ends of host accessors that it conflicts with."""
        found = self._to_enqueue(node)
        held = [one for block in self._open for one in block.accessors if one.conflicts(found.accesses)]
        for one in held:
            if one.is_perhaps or found.before:
                message = (
                    f"this command waits for the end of the host accessor of '{one.stretch.location}', which comes "
                    "later: not part of the litmus language in a branch or a loop, and of reductions and 'no_init'; "
                    "close the block of the host accessor before it"
                )
                self.complaints.fail("E214", node.span, message)
            if not one.end:
                count = len(self.user_events)
                one.end = f"(end of the host accessor of {one.stretch.location}{f' {count + 1}' if count else ''})"
                self.user_events.append(ast.UserEventObject(ast.Name(one.end, span=node.span), span=node.span))
        return replace(found, call=waiting_for(found.call, [one.end for one in held])) if held else found

    def _to_enqueue(self, node: tree.MemberCall) -> Enqueued:
        queue, name = node.base, node.name.text
        entity = self.entity(queue)
        if not isinstance(queue, ast.Name) or not isinstance(entity, Opaque) or entity.class_ != "queue":
            message = f"expected a queue before '{name}', found '{queue.span.text}'"
            self.complaints.fail("E160", queue.span, message)
        queue = ast.Name(entity.name, span=queue.span)
        if name in LAUNCHES:
            return self._launch(self._kernels.draft(node, self._captured(), self.context), queue)
        if name in DATA_COMMANDS:
            return Enqueued(data_command(node, queue, self._events, self.context))
        match node:
            case tree.MemberCall(_, _, ast.Name("submit"), _, (written,)) if (
                function := self._command_group(written)
            ) is not None:
                return self._submit(function, queue, node)
            case tree.MemberCall(_, _, ast.Name("ext_oneapi_submit_barrier"), _, arguments):
                waits = _wait_list(self._events(arguments), node)
                return Enqueued(call("clEnqueueBarrierWithWaitList", (queue, *waits), node))
            case _:
                hint = did_you_mean(name, _OF_QUEUE)
                message = f"a queue has no member '{name}' here, with {counted(len(node.arguments))}{hint}"
                if name == "submit":
                    message = "'submit' takes the lambda of a command group, '[&](handler& h) { … }', or its name"
                if name in _NO_COMMANDS:
                    message = f"'{name}': this is SYCL, but not part of the litmus language; {_NO_COMMANDS[name]}"
                    self.complaints.fail("E207", node.name.span, message)
                return self.complaints.fail("E203", node.name.span, message)

    def _command_group(self, node: Node) -> tree.Lambda | None:
        """The lambda of a command group, which a variable may hold; None for anything else."""
        held = self.entity(node) if isinstance(node, ast.Name) else None
        if isinstance(held, Broken):
            raise UnresolvedError
        if isinstance(held, Opaque) and held.class_ == LAMBDA and isinstance(held.node, tree.Lambda):
            return held.node
        return node if isinstance(node, tree.Lambda) else None

    def _submit(self, function: tree.Lambda, queue: ast.Name, node: tree.MemberCall) -> Enqueued:
        self.scopes.open()
        try:
            return self._submitted(function, queue, node)
        finally:
            self.scopes.close()

    def _submitted(self, function: tree.Lambda, queue: ast.Name, node: tree.MemberCall) -> Enqueued:
        group = CommandGroup(self._kernels, self.complaints, self.context, self._memory)
        declared, function = apart(function, self._captured(), self.context)
        for one in declared:
            self.context.pending += self.statement(one)
        group.read(function, self._captured())
        draft = group.draft()
        if draft is not None:
            start = node.span.start
            text = node.span.source.text[start : function.body.span.start]
            draft.span = Span(node.span.source, start, start + len(text.rstrip()))
            return self._launch(draft, queue)
        command = group.on_memory()
        if command is None:
            what = "" if group.command is None else f"'{group.command.name.text}' is not part of the litmus language: "
            message = f"{what}a command group launches a kernel with a lambda, or copies or fills memory"
            self.complaints.fail("E210", (group.command or node).span, message)
        on_memory = data_command(command, queue, self._events, self.context, tuple(group.waits))
        arguments = (*on_memory.arguments, *said_accesses(group.accesses, node))
        return Enqueued(replace(on_memory, arguments=arguments), group.accesses)

    def _captured(self) -> dict[str, Entity]:
        """What a kernel knows of the names of the host program: constants, objects, and variables by their values."""
        known: dict[str, Entity] = {}
        for name in self.scopes.names():
            entity = self.scopes.find(name)
            is_record_ = isinstance(entity, Variable) and entity.type is not None and is_record(entity.type)
            is_constant = isinstance(entity, Variable) and entity.constant is not None and not is_record_
            if isinstance(entity, Variable) and not is_constant and _is_passed(entity):
                known[name] = replace(entity, is_fixed=True, is_passed=True)
            elif isinstance(entity, Variable | Reference) and not is_constant:
                known[name] = self._copied_object(name, entity)
            elif entity is not None:
                known[name] = entity
        of_host = {name: entity for name in self.scopes.names() if (entity := self.scopes.find(name)) is not None}
        return known | array_copies(of_host, self._memory)

    def _copied_object(self, name: str, entity: Variable | Reference) -> Entity:
        """What a kernel knows an object of the host by: what it is made of, or what it holds then."""
        if name in self.copied and not entity.is_array:
            return self.copied[name]
        is_part = entity.is_array or (isinstance(entity, Reference) and entity.is_member)
        found = None if is_part or entity.type is None else copy_of(name, entity.type, self.context)
        return Opaque(_NOT_CAPTURED, name) if found is None else found

    def _launch(self, draft: KernelDraft, queue: ast.Name) -> Enqueued:
        freed: tuple[ast.Name, ...] = ()
        if draft.is_task:
            body, freed = without_frees(draft.function.body)
            draft.function = replace(draft.function, body=body)
        kernel = self._kernels.finish(draft)
        at = ast.Empty(span=draft.span)
        accesses = tuple(said_accesses(draft.accesses, at))
        events = self._events(draft.waits)
        before, given_up = self._give_up(draft.given_up, queue, (*_wait_list(events, at), *accesses))
        events += given_up
        sizes: tuple[Expression, ...] = tuple(number(size, at) for size in (*draft.global_sizes, *draft.local_sizes))
        if len(draft.global_sizes) > 1:
            sizes = (call(f"ndrange_{len(draft.global_sizes)}D", sizes, at),)
        sub = () if draft.sub_size is None else (call("sub", (number(draft.sub_size, at),), at),)
        elements = in_host(draft.arrays, draft.name, at, self.context)
        passed = tuple(ast.Name(one.name.text, span=at.span) for one in kernel.captured)
        captures = (call(CAPTURES, passed, at),) if passed else ()
        arguments: tuple[Expression, ...] = (queue, kernel.name, *sizes, *sub, *captures, *_wait_list(events, at))
        arguments += accesses
        launch = call("clEnqueueNDRangeKernel", arguments, at)
        found = self._combined(draft, launch, queue) if draft.reductions else Enqueued(launch, draft.accesses)
        found = self._with_frees(found, freed, queue)
        return replace(found, before=(*elements, *before, *found.before))

    def _first_part(self, event: ast.Name, call: ast.Call, node: Node) -> Statement:
        """What enqueues a part of a command, behind which another one comes."""
        self._outstanding.enqueued(call, event.text, in_order=self._is_in_order(call))
        return event_variable(event, call, node)

    def _with_frees(self, task: Enqueued, freed: tuple[ast.Name, ...], queue: ast.Name) -> Enqueued:
        """A host task, and what gives back memory behind it, after which nothing comes: not what waits for the task."""
        if not freed:
            return task
        at = freed[0]
        awaited = _wait_list((event := self._new_event(at),), at)
        lost = [self._lost_by_task(given, awaited) for given in freed]
        marker = call("clEnqueueMarkerWithWaitList", (queue, *awaited), at)
        return replace(task, call=marker, before=(*task.before, self._first_part(event, task.call, at), *lost))

    def _give_up(
        self, buffers: Mapping[str, GivenUp], queue: ast.Name, awaited: tuple[Expression, ...]
    ) -> tuple[list[Statement], tuple[ast.Name, ...]]:
        """What enqueues that buffers lose what they hold, where they hold something, and the events of that.

        `awaited` are the arguments that say what this comes after.
        """
        found: list[Statement] = []
        made: list[ast.Name] = []
        for location, given_up in buffers.items():
            node, item = given_up.node, self._memory[location]
            each = bytes_of_type(item.type, self.context) or 1
            is_empty = location in self._empty and not self._branches
            for one in stretches_of(location, () if is_empty else given_up.elements):
                event, memory = self._new_event(node), ast.Name(location, span=node.span)
                place: tuple[Expression, ...] = memory, *numbers((one.first * each, one.count * each), node)
                filled = memory if one.count == item.count else said(BYTES, place, node)
                arguments = (queue, filled, said(NO_CONTENTS, (), node), *awaited)
                found.append(event_variable(event, call("clEnqueueSVMMemFill", arguments, node), node))
                made.append(event)
        return found, tuple(made)

    def _combined(self, draft: KernelDraft, launch: ast.Call, queue: ast.Name) -> Enqueued:
        """A kernel, and behind it what combines the values of its reductions: one command, which ends with the last."""
        before: list[Statement] = []
        count = prod(draft.global_sizes)
        for reduction in draft.reductions:
            at = ast.Empty(span=reduction.span)
            event = self._new_event(at)
            before.append(self._first_part(event, launch, at))
            kernel = self._kernels.combining(reduction, count)
            awaited = (*_wait_list((event,), at), *said_accesses(draft.accesses, at))
            arguments = (queue, kernel.name, number(1, at), number(1, at), *awaited)
            launch = call("clEnqueueNDRangeKernel", arguments, at)
        return Enqueued(launch, draft.accesses, tuple(before))

    # --- buffers ------------------------------------------------------------------------------------------------------

    def _note(self, enqueued: Enqueued, event: str | None) -> None:
        """Remember a command for what waits for it, or accesses the same buffers later."""
        required = self._on_buffers.required(enqueued.accesses)
        in_order = self._is_in_order(enqueued.call)
        sent = self._outstanding.enqueued(enqueued.call, event, in_order=in_order, required=required)
        self._on_buffers.submit(sent, enqueued.accesses)
        for accessed in enqueued.accesses:
            self._empty.discard(accessed.location)

    def _await(self, accessed: Stretch, node: Node, *, only_reads: bool) -> list[Statement]:
        """Wait for the commands on a buffer, or on elements of it: in a loop, also for those of earlier iterations."""
        accesses = {accessed: only_reads}
        required = self._on_buffers.required(accesses)
        if not required and not self._branches:
            return []
        self._outstanding.complete(required)
        blocking = (self._queue_of_buffers(node), ast.Name("CL_TRUE", span=node.span))
        waiting = call(WAITS_FOR_BUFFER, (*blocking, *said_accesses(accesses, node)), node)
        return [ast.ExpressionStatement(waiting, span=node.span)]

    def _give_up_now(self, accessor: Accessor, node: Node) -> list[Statement]:
        """A buffer loses what it holds, for the host, which has waited for the commands on it."""
        given_up = {accessor.location: GivenUp(node, offsets(accessor))}
        found, events = self._give_up(given_up, self._queue_of_buffers(node), ())
        return [*found, self._wait_for(events, node)] if events else []

    def _queue_of_buffers(self, node: Node) -> ast.Name:
        """The queue of what waits for buffers."""
        name = ast.Name(BUFFER_QUEUE, span=node.span)
        if not any(queue.name.text == BUFFER_QUEUE for queue in self.queues):
            self.queues.append(ast.QueueObject(name, "out_of_order", 0, span=node.span))
        return name


def event_variable(name: ast.Name, value: Expression | None, node: Node) -> ast.Declaration:
    """A variable for the event of a command."""
    declarator = ast.Declarator(name, (), None, value, span=node.span if value is None else value.span)
    return ast.Declaration(ast.TypeName((), EVENT, span=name.span), (declarator,), span=node.span)


def _is_passed(entity: Variable) -> bool:
    """Whether kernels may be passed the value of a variable: a number, or a pointer."""
    return entity.type is not None and not entity.is_array and is_number_or_pointer(entity.type)


def _wait_list(events: tuple[ast.Name, ...], node: Node) -> tuple[Expression, ...]:
    return (call("wait", events, node),) if events else ()
