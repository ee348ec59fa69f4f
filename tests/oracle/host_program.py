"""A small host program: threads of the host, queues, commands with wait lists, callbacks, and kernels of kernels."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from oracle.program import Allocation, Exchange, FetchAdd, Guard, Load, Location, Region, Store, Unit

Access: TypeAlias = Store | Load | Exchange | FetchAdd


class Kind(Enum):
    KERNEL = "kernel"
    READ = "read"
    WRITE = "write"
    FILL = "fill"
    COPY = "copy"
    MAP = "map"
    UNMAP = "unmap"
    MARKER = "marker"
    BARRIER = "barrier"


class Flag(Enum):
    NO_WAIT = "NO_WAIT"
    WAIT_KERNEL = "WAIT_KERNEL"
    WAIT_WORK_GROUP = "WAIT_WORK_GROUP"


@dataclass(frozen=True, slots=True)
class Object:
    """A scalar (`size` is None) or an array of plain or atomic integers, all of them 0 in the beginning."""

    name: str
    allocation: Allocation = Allocation.BUFFER
    size: int | None = None
    atomic: bool = False

    def locations(self) -> tuple[Location, ...]:
        names = [self.name] if self.size is None else [f"{self.name}[{index}]" for index in range(self.size)]
        return tuple(Location(name, Region.GLOBAL, self.allocation, self.atomic) for name in names)


@dataclass(frozen=True, slots=True)
class Queue:
    name: str
    in_order: bool
    device: int = 0


@dataclass(frozen=True, slots=True)
class Kernel:
    """What each work-item does; groups have `local` work-items. A kernel is enqueued once.

    `by_part`: it is given the sub-buffer of `x` in place of `x`. `end`: that of the pipe which its first work-item
    uses before all else, "write" or "read"; what it reads is not asked for.
    """

    items: tuple[tuple["Step", ...], ...]
    local: int = 1
    by_part: bool = False
    end: str | None = None


@dataclass(frozen=True, slots=True)
class Enqueue:
    """A call of a thread of the host that enqueues a command; `event` names both."""

    event: str
    kind: Kind
    queue: str
    waits: tuple[str, ...] = ()
    blocking: bool = False
    kernel: Kernel | None = None
    target: str | None = None
    """The object that a command on memory is about; of a copy, the one that is read."""
    copied_to: str | None = None
    value: int = 0
    register: str | None = None
    """What a blocking read returns its value in."""
    for_writing: bool = False
    guard: Guard | None = None
    by_part: bool = False
    """A command on memory is about the sub-buffer of its target."""

    @property
    def parts(self) -> tuple[str | None, bool]:
        return self.target, self.by_part


@dataclass(frozen=True, slots=True)
class Launch:
    """A call of enqueue_kernel."""

    event: str
    flag: Flag
    kernel: Kernel
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class WaitFor:
    events: tuple[str, ...]
    guard: Guard | None = None
    register: str | None = None
    """What the call returns its error in, or 0."""


@dataclass(frozen=True, slots=True)
class Finish:
    queue: str
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class SetStatus:
    """A call of clSetUserEventStatus: CL_COMPLETE (0), or negative."""

    event: str
    status: int = 0
    guard: Guard | None = None
    register: str | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """A call of clSetEventCallback, for a callback that is registered once."""

    event: str
    callback: str
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A call of clGetEventInfo."""

    register: str
    event: str
    guard: Guard | None = None


Call: TypeAlias = Enqueue | Launch | WaitFor | Finish | SetStatus | Register | Query
Step: TypeAlias = Access | Call


@dataclass(frozen=True, slots=True)
class Callback:
    name: str
    steps: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class HostProgram:
    objects: tuple[Object, ...]
    queues: tuple[Queue, ...]
    threads: tuple[tuple[Step, ...], ...]
    user_events: tuple[str, ...] = ()
    callbacks: tuple[Callback, ...] = ()
    name: str = "host"
    has_part: bool = False
    """There is a sub-buffer `s` of `x`, which has two elements: the second one of them."""

    def locations(self) -> tuple[Location, ...]:
        return tuple(location for one in self.objects for location in one.locations())

    def object(self, name: str) -> Object:
        return next(one for one in self.objects if one.name == name)

    def queue(self, name: str) -> Queue:
        return next(one for one in self.queues if one.name == name)


@dataclass(slots=True)
class Actor:
    """Who executes steps: a thread of the host, a work-item, what performs a command on memory, or a callback."""

    number: int
    name: str
    steps: tuple[Step, ...]
    place: Unit
    command: str | None = None
    """The command that it executes a part of."""
    callback_of: str | None = None
    """The event that its callback is registered for."""
    is_map: bool = False
    by_part: bool = False


@dataclass(slots=True)
class Command:
    """A command by the name of its event; `caller` is the number of the actor that enqueues it."""

    name: str
    call: Enqueue | Launch
    caller: int
    actors: list[int] = field(default_factory=list)
    parent: str | None = None

    @property
    def is_marker(self) -> bool:
        return isinstance(self.call, Enqueue) and self.call.kind is Kind.MARKER

    @property
    def is_barrier(self) -> bool:
        return isinstance(self.call, Enqueue) and self.call.kind is Kind.BARRIER

    @property
    def waits(self) -> tuple[str, ...]:
        return self.call.waits if isinstance(self.call, Enqueue) else ()


class Cast:
    """Everybody who acts in a program, and all commands."""

    def __init__(self, program: HostProgram) -> None:
        self.program = program
        self.actors: list[Actor] = []
        self.commands: dict[str, Command] = {}
        for number, steps in enumerate(program.threads):
            self._add(f"P{number}", steps, Unit((), host=True))
        for actor in list(self.actors):
            self._enqueued_by(actor)
        for actor in list(self.actors):
            for step in actor.steps:
                if isinstance(step, Register):
                    steps = next(one.steps for one in program.callbacks if one.name == step.callback)
                    self._add(f"{step.callback}[0]", steps, Unit((), host=True)).callback_of = step.event

    def _add(self, name: str, steps: tuple[Step, ...], place: Unit) -> Actor:
        self.actors.append(Actor(len(self.actors), name, steps, place))
        return self.actors[-1]

    def _enqueued_by(self, actor: Actor) -> None:
        for step in actor.steps:
            if isinstance(step, Enqueue | Launch):
                command = self.commands[step.event] = Command(step.event, step, actor.number, parent=actor.command)
                # A kernel instance and all that it starts count as one for device scope (CC-2): they share a number.
                number = len(self.commands)
                family = number if actor.command is None else actor.place.ki
                device = self.program.queue(step.queue).device if isinstance(step, Enqueue) else actor.place.dev
                for name, steps, group in _performed(self.program, step):
                    # Groups of different instances of a family are different groups.
                    place = Unit((), wg=number * 100 + group, ki=family, dev=device)
                    one = self._add(name, steps, place)
                    one.command = command.name
                    one.is_map = isinstance(step, Enqueue) and step.kind is Kind.MAP
                    one.by_part = step.kernel.by_part if step.kernel is not None else _is_about_part(step)
                    command.actors.append(one.number)
                    self._enqueued_by(one)

    def completes(self, event: str) -> bool:
        """Tell whether an event is that of a command, not a user event."""
        return event in self.commands


def _is_about_part(call: Enqueue | Launch) -> bool:
    return isinstance(call, Enqueue) and call.by_part


def _performed(program: HostProgram, call: Enqueue | Launch) -> Iterator[tuple[str, tuple[Step, ...], int]]:
    """Yield the name, the steps and the group of each who executes a command."""
    if call.kernel is not None:
        for index, steps in enumerate(call.kernel.items):
            yield f"K{call.event}[{index}]", steps, index // call.kernel.local
    elif isinstance(call, Enqueue):
        steps = tuple(_on_memory(program, call))
        if steps:
            yield call.event, steps, 0


def _on_memory(program: HostProgram, call: Enqueue) -> Iterator[Access]:
    if call.target is None:
        return
    target = program.object(call.target)
    names = [location.name for location in target.locations()][1 if call.by_part else 0 :]
    match call.kind:
        case Kind.READ:
            yield from (Load("value", name) for name in names)
        case Kind.WRITE | Kind.FILL:
            yield from (Store(name, call.value) for name in names)
        case Kind.COPY:
            assert call.copied_to is not None
            others = [location.name for location in program.object(call.copied_to).locations()]
            for name, other in zip(names, others, strict=True):
                yield Load(f"value of {name}", name)
                yield Store(other, f"value of {name}")
        case Kind.MAP if target.allocation in (Allocation.BUFFER, Allocation.COARSE_SVM):
            # MAP-2: a write of every byte of the region, with the view of what the map synchronises with.
            for name in names:
                yield Load(f"value of {name}", name)
                yield Store(name, f"value of {name}")
        case _:
            return
