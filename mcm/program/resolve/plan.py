"""What a program may enqueue, before bodies are resolved: its commands, and the threads that they and callbacks run.

Work-items of kernels and callbacks are placed threads like others. Commands on memory run threads too, whose bodies
follow from the call (`host_calls`); only their numbers are given here.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field
from msgspec.structs import asdict

from mcm.program.command import Command, CommandKind, EnqueueFlag, MapFlag, Queue
from mcm.program.resolve.blocks import EVENT
from mcm.program.resolve.buffer_order import is_access
from mcm.program.resolve.call_walk import CAPTURES, ON_DEVICE, REGISTERS_CALLBACK, WAITS_FOR_BUFFER, calls_of, value_of
from mcm.program.resolve.events import Events
from mcm.program.resolve.group_sizes import group_sizes
from mcm.program.resolve.launches import MOST_WORK_ITEMS, Range, no_kernel, placed_items
from mcm.program.resolve.literals import integer_of
from mcm.program.resolve.placement import PlacedThread
from mcm.program.topology import Device, HostThread, WorkItem
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.program import Thread
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.launches import Instances
    from mcm.program.resolve.parts import HostObjects, Units
    from mcm.program.topology import Placement
    from mcm.program.types import Part

# Children of children: kernels that enqueue themselves would have no end.
MOST_GENERATIONS: Final = 4

FUNCTIONS: Final[dict[str, CommandKind]] = {
    "clEnqueueNDRangeKernel": CommandKind.NDRANGE,
    "enqueue_kernel": CommandKind.CHILD,
    "enqueue_marker": CommandKind.MARKER,
    "create_user_event": CommandKind.USER,
    "clEnqueueReadBuffer": CommandKind.READ,
    "clEnqueueWriteBuffer": CommandKind.WRITE,
    "clEnqueueFillBuffer": CommandKind.FILL,
    "clEnqueueSVMMemFill": CommandKind.FILL,
    "clEnqueueCopyBuffer": CommandKind.COPY,
    "clEnqueueSVMMemcpy": CommandKind.COPY,
    "clEnqueueMigrateMemObjects": CommandKind.MIGRATE,
    "clEnqueueSVMMigrateMem": CommandKind.MIGRATE,
    "clEnqueueMapBuffer": CommandKind.MAP,
    "clEnqueueSVMMap": CommandKind.MAP,
    "clEnqueueUnmapMemObject": CommandKind.UNMAP,
    "clEnqueueSVMUnmap": CommandKind.UNMAP,
    "clEnqueueMarkerWithWaitList": CommandKind.MARKER,
    "clEnqueueBarrierWithWaitList": CommandKind.BARRIER,
    WAITS_FOR_BUFFER: CommandKind.MARKER,
}
_ON_MEMORY: Final = frozenset(
    {
        *(CommandKind.READ, CommandKind.WRITE, CommandKind.FILL, CommandKind.COPY, CommandKind.MIGRATE),
        *(CommandKind.MAP, CommandKind.UNMAP),
    }
)


class CommandDraft(Struct):
    """A command under construction: its fields are those of `Command`."""

    number: int
    kind: CommandKind
    name: str
    function: str
    span: Span
    caller: int | None = None
    parent: int | None = None
    queue: int | None = None
    waits: tuple[int, ...] = ()
    requires: tuple[int, ...] = ()
    blocking: bool = False
    units: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()
    map_flags: frozenset[MapFlag] = frozenset()
    enqueue_flag: EnqueueFlag | None = None

    def command(self) -> Command:
        """The command."""
        return Command(**asdict(self))


# A thread, and the identity of a call in its text.
Occurrence = tuple[int, int]


class CommandPlan(Struct):
    """The host objects and commands of a program.

    `enqueued` and `registered` have, for each call of each thread, the commands or callback threads of the times that
    it is met, in order; resolution takes them from there. `threads` are those that commands and callbacks run,
    `started_by` and `callback_of` say which; a callback's event is known when its registration is resolved.
    """

    queues: dict[str, int]
    host_queues: tuple[Queue, ...]
    user_events: dict[str, int]
    commands: list[CommandDraft] = field(default_factory=list)
    threads: list[PlacedThread] = field(default_factory=list)
    data_threads: list[Thread] = field(default_factory=list)
    enqueued: dict[Occurrence, list[int]] = field(default_factory=dict)
    registered: dict[Occurrence, list[int]] = field(default_factory=dict)
    started_by: dict[int, int] = field(default_factory=dict)
    callback_of: dict[int, int] = field(default_factory=dict)

    def take_command(self, thread: int, call: ast.Call) -> CommandDraft | None:
        """The command of the next time that a thread meets a call; None where it never does."""
        waiting = self.enqueued.get((thread, id(call)))
        return self.commands[waiting.pop(0)] if waiting else None

    def take_callback(self, thread: int, call: ast.Call) -> int | None:
        """The thread of the callback of the next time that a thread meets a registration."""
        waiting = self.registered.get((thread, id(call)))
        return waiting.pop(0) if waiting else None

    def names_in_thread(self, complaints: Complaints) -> Events:
        """The names that a thread has for events, none as yet."""
        return Events(self, complaints)

    def queue_of(self, command: CommandDraft) -> Queue | None:
        """The queue of a command; None for the default queue of a device."""
        return None if command.queue is None else self.host_queues[command.queue]


def plan_commands(
    units: Units,
    objects: HostObjects,
    threads: tuple[PlacedThread, ...],
    instances: Instances,
    complaints: Complaints,
) -> CommandPlan:
    """Find every command that the threads may enqueue, and the threads that these run, which may enqueue more."""
    queues = {queue.name: number for number, queue in enumerate(objects.queues)}
    plan = CommandPlan(queues, objects.queues, {})
    for event in objects.user_events:
        number = len(plan.commands)
        plan.user_events[event.text] = number
        plan.commands.append(CommandDraft(number, CommandKind.USER, event.text, "user_event", event.span))
    search = _Search(plan, units, instances, 1 + max((thread.number for thread in threads), default=-1), complaints)
    for thread in threads:
        search.visit(thread, None, 0)
    return plan


class _Search:
    def __init__(
        self, plan: CommandPlan, units: Units, instances: Instances, first: int, complaints: Complaints
    ) -> None:
        self._plan: Final = plan
        self._units: Final = units
        self._instances: Final = instances
        self._complaints: Final = complaints
        self._next: int = first

    def visit(self, thread: PlacedThread, kernel: int | None, generation: int) -> None:
        """Add what a thread enqueues; `kernel` is the command that runs it, `generation` that of its kernel."""
        found: list[tuple[PlacedThread, int | None, int]] = []
        for call in calls_of(thread.unit.body, thread.placement, self._units.functions):
            is_host = isinstance(thread.placement, HostThread)
            name = call.function.text
            if is_host is (name in ON_DEVICE):
                # `host_calls` says that this kind of unit has no such function.
                continue
            if name == REGISTERS_CALLBACK:
                found += [(callback, None, generation) for callback in self._callback(thread, call)]
                continue
            command = self._command(thread, call, kernel)
            if command.kind.runs_kernel:
                found += [
                    (item, command.number, generation + 1) for item in self._kernel(thread, call, command, generation)
                ]
            elif command.kind in _ON_MEMORY:
                command.units = (self._take_number(),)
        for unit, runs, depth in found:
            self.visit(unit, runs, depth)

    def _take_number(self) -> int:
        self._next += 1
        return self._next - 1

    def _command(self, thread: PlacedThread, call: ast.Call, kernel: int | None) -> CommandDraft:
        plan, function = self._plan, call.function.text
        kind = FUNCTIONS[function]
        name = f"the {function}" if function == WAITS_FOR_BUFFER else kind.value
        command = CommandDraft(len(plan.commands), kind, name, function, call.span, thread.number, kernel)
        plan.commands.append(command)
        plan.enqueued.setdefault((thread.number, id(call)), []).append(command.number)
        queue = call.arguments[0] if call.arguments else None
        if isinstance(queue, ast.Name):
            command.queue = plan.queues.get(queue.text)
        return command

    def _callback(self, thread: PlacedThread, call: ast.Call) -> list[PlacedThread]:
        written = next(
            (a for a in call.arguments[1:] if isinstance(a, ast.Name) and a.text in self._units.callbacks), None
        )
        if written is None:
            return []
        unit = self._units.callbacks[written.text]
        number = self._take_number()
        name = self._instances.name_of(written.text)
        placed = PlacedThread(
            ast.Thread(number, (), unit.parameters, unit.body, span=unit.span), name, HostThread(), kernel=written.text
        )
        self._plan.threads.append(placed)
        self._plan.registered.setdefault((thread.number, id(call)), []).append(number)
        return [placed]

    # --- kernels ---

    def _kernel(
        self, thread: PlacedThread, call: ast.Call, command: CommandDraft, generation: int
    ) -> list[PlacedThread]:
        """The work-items of a kernel that a command runs; none after an error."""
        complaints = self._complaints
        parts = kernel_parts(call, self._plan)
        if parts is None:
            return []
        kernel = self._units.kernels.get(parts.kernel.text)
        if kernel is None:
            if complaints.is_new("E151", id(call)):
                complaints.error("E151", parts.kernel.span, no_kernel(parts.kernel.text, self._units))
            return []
        if generation == MOST_GENERATIONS:
            if complaints.is_new("E165", id(call)):
                message = f"kernels enqueue kernels here in more than {MOST_GENERATIONS} generations"
                complaints.error("E165", call.span, message)
            return []
        sizes = [self._size(node, thread, parts.call) for node in parts.sizes]
        amounts = tuple(size for size in sizes if size is not None)
        if len(amounts) < len(sizes) or not parts.has_sizes:
            return []
        global_sizes, written = amounts[: parts.dimensions], amounts[parts.dimensions :]
        local_sizes = group_sizes(kernel, global_sizes, written or None, command.span, complaints)
        if local_sizes is None:
            return []
        return self._items(kernel, command, (global_sizes, local_sizes, parts.sub_size), thread)

    def _size(self, node: ast.Expression, thread: PlacedThread, call: ast.Call) -> int | None:
        size = value_of(node if thread.kernel is None else _with_groups(node, thread.placement), thread.placement)
        if size is not None and 0 < size <= MOST_WORK_ITEMS:
            return size
        if self._complaints.is_new("E152", id(call), node.span.start):
            found = "found" if size is not None else "and a constant one, found"
            message = f"a size of 1 to {MOST_WORK_ITEMS} was expected, {found} '{node.span.text}'"
            self._complaints.error("E152", node.span, message)
        return None

    def _items(
        self,
        kernel: ast.Kernel,
        command: CommandDraft,
        sizes: tuple[tuple[int, ...], tuple[int, ...], int | None],
        thread: PlacedThread,
    ) -> list[PlacedThread]:
        complaints = self._complaints
        global_sizes, local_sizes, sub_size = sizes
        if self._next + prod(global_sizes) > MOST_WORK_ITEMS:
            if complaints.is_new("E152", "all"):
                message = f"the commands of this test run more than {MOST_WORK_ITEMS} work-items"
                complaints.error("E152", command.span, message)
            return []
        queue = self._plan.queue_of(command)
        place = thread.placement
        device = queue.device if queue is not None else place.device if isinstance(place, WorkItem) else Device()
        instance = self._instances.take(device)
        command.name = self._instances.name_of(kernel.name.text, instance)
        items = list(
            placed_items(
                kernel,
                Range(global_sizes, local_sizes, sub_size or prod(local_sizes), instance),
                command.name,
                self._next,
            )
        )
        self._next += len(items)
        command.units = tuple(item.number for item in items)
        self._plan.threads += items
        self._plan.started_by |= dict.fromkeys(command.units, command.number)
        return items


def _with_groups(node: Any, placement: Placement) -> Any:
    """A size in a kernel, which is launched: with the number of its groups in the first dimension."""
    match node:
        case ast.Call(ast.Name("get_num_groups"), (ast.NumberLiteral("0"),)) if isinstance(placement, WorkItem):
            if not placement.dimensions and placement.enqueued is not None:
                groups = -(-placement.global_size // placement.enqueued.local_size)
                return ast.NumberLiteral(str(groups), span=node.span)
    return with_parts(node, lambda part: _with_groups(part, placement))


class KernelParts(Struct, frozen=True):
    """The arguments of a call which say what runs: a kernel, a size for each dimension, and those of work-groups.

    `sub_size` is that of sub-groups where the language lets a program choose it.
    """

    call: ast.Call
    kernel: ast.Name
    dimensions: int
    sizes: tuple[ast.Expression, ...]
    sub_size: int | None = None

    @property
    def has_sizes(self) -> bool:
        """Whether there are as many sizes as dimensions, or twice as many: global ones, and local ones."""
        return len(self.sizes) in {self.dimensions, 2 * self.dimensions}


def kernel_parts(call: ast.Call, plan: CommandPlan) -> KernelParts | None:
    """The kernel and the sizes of a call: its arguments behind queue and flags; `ndrange_1D(…)` holds sizes too."""
    kernel: ast.Name | None = None
    sizes: list[ast.Expression] = []
    dimensions, sub_size = 1, None
    for argument in call.arguments:
        match argument:
            case ast.Name(text) if kernel is None and (text in plan.queues or text.startswith("CLK_")):
                continue
            case ast.Name() if kernel is None:
                if argument is not call.arguments[0] or call.function.text == "enqueue_kernel":
                    kernel = argument
            case ast.Call(ast.Name("ndrange_1D" | "ndrange_2D" | "ndrange_3D" as text), inner):
                dimensions = int(text[-2])
                sizes += inner
            case ast.Call(ast.Name("wait" | "get_default_queue")):
                continue
            case ast.Call(ast.Name(text)) if text in {CAPTURES, EVENT} or is_access(argument):
                continue
            case ast.Call(ast.Name("sub"), (ast.NumberLiteral(text),)):
                sub_size = integer_of(text)
            case _:
                sizes.append(argument)
    return None if kernel is None else KernelParts(call, kernel, dimensions, tuple(sizes), sub_size)
