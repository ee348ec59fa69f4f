"""Instructions of a compiled thread: a flat list over numbered slots.

A slot holds a private variable, a temporary value, a loop counter, or whether a variable has been given a value.
Operands are closures over the slots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.operators import CollectiveOperator, Level, PipeEnd
    from mcm.program.topology import Placement
    from mcm.program.types import Flag, Order, Scope, Type, Value


class Slots(Protocol):
    """The values of slots by number; KeyError for a slot whose value is not known."""

    def __getitem__(self, slot: int, /) -> Value:
        """The value of a slot."""


# A value computed from the slots alone.
Operand = Callable[[Slots], "Value"]


class Compute(Struct, frozen=True, eq=False):
    """Set the slot `target` to a value."""

    target: int
    value: Operand


class Jump(Struct, frozen=True, eq=False):
    """Go on at `to`; `loop` is the loop that this repeats, None for a jump forwards."""

    to: int
    loop: Span | None = None


class Branch(Struct, frozen=True, eq=False):
    """Go on at `otherwise` unless the condition is true."""

    condition: Operand
    otherwise: int


class Require(Struct, frozen=True, eq=False):
    """If the condition is false, report that the program is undefined, and go on."""

    condition: Operand
    kind: str
    rule: str
    why: str
    span: Span


class RecordAccess(Struct, frozen=True, eq=False):
    """Keep in the slot `target` the address of a plain access that is not sequenced with another one."""

    target: int
    address: Operand
    span: Span


class CheckUnsequenced(Struct, frozen=True, eq=False):
    """DR-3: report two accesses, given by the indices of their RecordAccess, if they were of the same object."""

    pairs: tuple[tuple[int, int], ...]


class AccessElement(Struct, frozen=True, eq=False):
    """Read element `index` of a private array of `length` slots from `base` on into `target`, or write it from there.

    `defined` is the first of the slots that say whether an element has a value; None if all always have one. `is_value`
    says whether what is written is one; of what is read as a part of a structure that is copied, the slot `found` does.
    """

    base: int
    length: int
    index: Operand
    target: int
    writes: bool
    defined: int | None
    array: str
    span: Span
    is_value: Operand | None = None
    found: int | None = None


class ChooseOrder(Struct, frozen=True, eq=False):
    """Go on at `first` or at `second`: C leaves open in which order two operands are evaluated."""

    first: int
    second: int


class Load(Struct, frozen=True, eq=False):
    """Read memory; `order` is None for a plain access. `is_copy`: it belongs to an asynchronous copy.

    Of a member of a structure that is copied, which may have no value, the slot `defined` says whether it has one.
    """

    target: int
    address: Operand
    order: Order | None
    scope: Scope | None
    span: Span
    is_copy: bool = False
    defined: int | None = None


class Store(Struct, frozen=True, eq=False):
    """Write memory; `order` is None for a plain access."""

    address: Operand
    value: Operand
    order: Order | None
    scope: Scope | None
    span: Span
    # `atomic_init` is a plain access, but never one of private memory.
    is_call: bool = False
    is_copy: bool = False
    # Whether it is a value at all, where it is a member of a structure that is copied; None if it always is.
    defined: Operand | None = None


class PacketMove(Struct, frozen=True, eq=False):
    """What a step on the state of a pipe does with a packet: it writes `packet`, or reads it into `target`.

    `number` is that of the packet, from the state before and after the step; None where there is none.
    """

    number: Callable[[Value, Value], int | None]
    packet: Operand | None
    target: int | None


class Update(Struct, frozen=True, eq=False):
    """Read, combine with the operand and write in one step; `target` gets the old value.

    `pipe` is the end of the pipe whose state it is, which has no order, and `move` what becomes of a packet.
    """

    target: int
    address: Operand
    operand: Operand
    combine: Callable[[Value, Value], Value]
    order: Order | None
    scope: Scope | None
    span: Span
    pipe: PipeEnd | None = None
    move: PacketMove | None = None


class CompareExchange(Struct, frozen=True, eq=False):
    """Write `desired` if the value is `expected`; `succeeded` gets 1 or 0, `found` the old value."""

    succeeded: int
    found: int
    address: Operand
    expected: Operand
    desired: Operand
    success: Order
    failure: Order
    scope: Scope
    weak: bool
    span: Span


class Fence(Struct, frozen=True, eq=False):
    """A memory fence."""

    flags: frozenset[Flag]
    order: Order
    scope: Scope
    span: Span


class Barrier(Struct, frozen=True, eq=False):
    """Wait for the group; `iterations` are the slots that count the iterations of the loops around."""

    level: Level
    flags: frozenset[Flag]
    scope: Scope
    site: str
    iterations: tuple[int, ...]
    span: Span


class Collective(Struct, frozen=True, eq=False):
    """Wait for the group, and combine the operands of its members."""

    target: int
    operator: CollectiveOperator
    level: Level
    operand: Operand
    lane: Operand | None
    type: Type
    site: str
    iterations: tuple[int, ...]
    span: Span
    of_active: bool = False
    cluster: int = 0


class BeginCopy(Struct, frozen=True, eq=False):
    """The thread begins to perform an asynchronous copy."""

    span: Span


class EndCopy(Struct, frozen=True, eq=False):
    """The copy that the thread performs is complete; `site` and `iterations` say which dynamic instance it is."""

    event: Operand
    site: str
    iterations: tuple[int, ...]
    span: Span


class AwaitCopies(Struct, frozen=True, eq=False):
    """Wait for the group, and for the copies with some events."""

    level: Level
    events: tuple[Operand, ...]
    site: str
    iterations: tuple[int, ...]
    span: Span


class EnqueueCommand(Struct, frozen=True, eq=False):
    """Enqueue a command, and wait for it if it is blocking; `passed` are the values that the call gives to registers.

    `target` gets what a blocking read has read, else the same as `error`: 0, or an error where a blocking command has
    waited for what has failed. `others` get the values behind the first, where a read has several.
    """

    target: int
    error: int
    command: int
    passed: tuple[tuple[str, Operand], ...]
    span: Span
    others: tuple[int, ...] = ()


class AwaitEvents(Struct, frozen=True, eq=False):
    """Wait until some commands are over; `target` gets an error if one of them has failed, else 0."""

    target: int
    events: tuple[int, ...]
    span: Span


class FinishQueue(Struct, frozen=True, eq=False):
    """Wait until all commands that have been enqueued to a queue are over."""

    queue: int
    span: Span


class FlushQueue(Struct, frozen=True, eq=False):
    """Submit the commands of a queue."""

    queue: int
    span: Span


class SetUserEvent(Struct, frozen=True, eq=False):
    """Complete a user event, or let it fail with a negative status.

    `target` gets 0, or an error where the event was set before: the call then changes nothing.
    """

    target: int
    event: int
    status: int
    span: Span


class SetCallback(Struct, frozen=True, eq=False):
    """Let the thread with the index `thread` begin when a command is complete."""

    event: int
    thread: int
    span: Span


class QueryStatus(Struct, frozen=True, eq=False):
    """Ask for the status of a command."""

    target: int
    event: int
    span: Span


class Stop(Struct, frozen=True, eq=False):
    """The thread has finished."""


Access = Load | Store | Update | CompareExchange
GroupFunction = Barrier | Collective | AwaitCopies
HostCall = EnqueueCommand | AwaitEvents | FinishQueue | FlushQueue | SetUserEvent | SetCallback | QueryStatus
Instruction = (
    Compute
    | Jump
    | Branch
    | Require
    | RecordAccess
    | CheckUnsequenced
    | AccessElement
    | ChooseOrder
    | Access
    | Fence
    | GroupFunction
    | BeginCopy
    | EndCopy
    | HostCall
    | Stop
)


class ThreadCode(Struct, frozen=True, eq=False):
    """A compiled thread; `index` is its number in conditions.

    `initial` has the initial values of all slots. `registers` has the slots of private variables, `defined` the slots
    that say whether a variable has a value; a variable that always has one is not in `defined`. `iterations` are the
    slots that count iterations of loops, on which only group functions depend; `around` has those of the loops around
    each instruction, the outermost loop first, as far as its iterations are counted.
    """

    index: int
    name: str
    placement: Placement
    instructions: tuple[Instruction, ...]
    initial: tuple[Value, ...]
    registers: Mapping[str, int]
    defined: Mapping[str, int]
    iterations: frozenset[int] = frozenset()
    around: tuple[tuple[int, ...], ...] = ()
