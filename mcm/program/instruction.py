"""What threads do: typed expressions and structured statements with every name resolved.

`execution.elaborate` turns them into events; `machine` interprets them. Neither sees the syntax tree.
Order follows C: operands of an operator are unsequenced, calls (all atomics) are indeterminately sequenced with respect
to each other, `&& || ?: ,` sequence their operands from left to right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcm.program.host_instruction import (
    AboutCommands,
    Enqueue,
    EventStatus,
    Finish,
    Flush,
    HostCall,
    Returned,
    SetEventCallback,
    SetUserEventStatus,
    WaitForEvents,
)
from mcm.program.types import Location
from mcm.program.written import Written

if TYPE_CHECKING:
    from mcm.program.operators import CollectiveOperator, Level, PipeOperator, UpdateOperator
    from mcm.program.types import Flag, Order, Scope, Type, Value


# --- places: what can be assigned -------------------------------------------------------------------------------------


class RegisterPlace(Written, frozen=True):
    """A private variable of the thread, by its unique name in the thread."""

    register: str
    type: Type


class ElementPlace(Written, frozen=True):
    """An element `array[index]` of a private array of `length` elements, kept in registers `array[0]`, `array[1]` …."""

    array: str
    length: int
    index: Expression
    type: Type


class MemoryPlace(Written, frozen=True):
    """What a pointer points at; `type` is the type of the pointee."""

    address: Expression
    type: Type


Place = RegisterPlace | ElementPlace | MemoryPlace


# --- expressions ------------------------------------------------------------------------------------------------------


class Literal(Written, frozen=True):
    """A constant, or the address of a known memory object. `is_asked`: as a work-item asks for where it is."""

    value: Value
    type: Type
    is_asked: bool = False


class Read(Written, frozen=True):
    """The value at a place; a non-atomic load of memory. `is_copied`: as a part of a structure that needs no value."""

    place: Place
    type: Type
    is_copied: bool = False


class AddressOfRegister(Written, frozen=True):
    """`&r` of a private variable, or `&a[index]` of a private array."""

    place: RegisterPlace | ElementPlace
    type: Type


class Unary(Written, frozen=True):
    """`operator operand` with operator one of `- ~ !`; the operand already has the type `type` (for `!`, any)."""

    operator: str
    operand: Expression
    type: Type


class Binary(Written, frozen=True):
    """Arithmetic `+ - * / %`, shifts `<< >>`, bits `& ^ |` and comparisons `== != < > <= >=`.

    Usual arithmetic conversions have been applied: both operands are converted to `operands`, the result has `type`
    (INT for comparisons). Pointer plus or minus integer has a PointerType in `operands` and counts elements.
    """

    operator: str
    left: Expression
    right: Expression
    operands: Type
    type: Type


class Logical(Written, frozen=True):
    """`left && right` or `left || right`, short-circuit; the result is 0 or 1."""

    operator: str
    left: Expression
    right: Expression
    type: Type


class Conditional(Written, frozen=True):
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression
    type: Type


class Sequence(Written, frozen=True):
    """`left, right`."""

    left: Expression
    right: Expression
    type: Type


class Convert(Written, frozen=True):
    """Conversion to another type, written or implied.

    While a body is resolved, `multiple` is how many bytes a pointer has to be a multiple of; of one to an integer what
    is left of the address by so many bytes.
    """

    operand: Expression
    type: Type
    multiple: int = 1


class InRegion(Written, frozen=True):
    """1 where a pointer points to one of some `objects`, by their numbers, or to a `private` one; NULL does neither."""

    operand: Expression
    objects: frozenset[int]
    private: bool
    type: Type


class HeldMembers(NamedTuple):
    """Where a member is of the structures whose heads are the elements of an object: so many elements of another."""

    heads: int
    object: int
    width: int

    def of(self, head: Location) -> Location:
        """The first element of the member in the structure with a head."""
        return Location(self.object, head.offset * self.width)


class MemberAddress(Written, frozen=True):
    """The address of a member of the structure whose head an address is that of (ADR 124); NULL of no such address."""

    operand: Expression
    places: tuple[HeldMembers, ...]
    type: Type


class Inside(Written, frozen=True):
    """The value of an index of one of `count` elements; any other index is a fault (MEM-BOUNDS), and `why` it is."""

    operand: Expression
    count: int
    why: str
    type: Type


class Assign(Written, frozen=True):
    """`place = value`; a plain store when the place is in memory. The expression's value is the stored value."""

    place: Place
    value: Expression
    type: Type


class Modify(Written, frozen=True):
    """`place op= value`, `++place`, `place++`: one read and one write of the place, which is evaluated once.

    `returns_old`: a postfix form. `operands`: the type of the computation; `seen`: what the place's bits are seen as.
    """

    operator: str
    place: Place
    value: Expression
    operands: Type
    returns_old: bool
    type: Type
    seen: Type | None = None


class AtomicLoad(Written, frozen=True):
    """An atomic load."""

    address: Expression
    order: Order
    scope: Scope
    type: Type


class AtomicStore(Written, frozen=True):
    """An atomic store (also `atomic_flag_clear`, storing 0)."""

    address: Expression
    value: Expression
    order: Order
    scope: Scope
    type: Type


class AtomicInit(Written, frozen=True):
    """`atomic_init`: a non-atomic store (`model-rules` 1.6)."""

    address: Expression
    value: Expression
    type: Type


class AtomicUpdate(Written, frozen=True):
    """An unconditional read-modify-write, whose value is the old one; `seen`: of what type its bits are taken to be."""

    operator: UpdateOperator
    address: Expression
    operand: Expression
    order: Order
    scope: Scope
    type: Type
    seen: Type | None = None


class CompareExchange(Written, frozen=True):
    """C11 compare-exchange: `expected` is the place read before and, on failure, written afterwards; plainly in memory.

    The value is 1 on success, 0 on failure; `object_type` is that of the object, `seen` of `expected` if it is another.
    """

    address: Expression
    expected: Place
    desired: Expression
    success: Order
    failure: Order
    scope: Scope
    weak: bool
    object_type: Type
    type: Type
    seen: Type | None = None


class LegacyCompareExchange(Written, frozen=True):
    """OpenCL 1.x `atomic_cmpxchg(p, expected, desired)`: relaxed, and its value is the old value."""

    address: Expression
    expected: Expression
    desired: Expression
    scope: Scope
    type: Type


class Collective(Written, frozen=True):
    """A group function (COLL-1): needs the whole group, or, `of_active`, those who come; combines `operand`.

    `lane` is the number of whose operand is taken, how far a rotation goes, or the ballot that is asked about.
    `cluster` is the size of the clusters that the group falls into; 0 where it does not.
    """

    operator: CollectiveOperator
    level: Level
    operand: Expression
    lane: Expression | None
    site: str
    type: Type
    of_active: bool = False
    cluster: int = 0


# --- asynchronous copies, pipes ---------------------------------------------------------------------------------------


class AsyncCopy(Written, frozen=True):
    """`async_work_group_copy` and its strided form: `count` elements of type `element`, copied for a work-group.

    Element `i` goes from `source + i * source_stride` to `target + i * target_stride`. The value is the event: `event`
    where that is not zero, else a new one.
    """

    target: Expression
    source: Expression
    count: Expression
    target_stride: Expression | None
    source_stride: Expression | None
    event: Expression
    element: Type
    site: str
    type: Type

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """The arguments of the call."""
        strides = tuple(stride for stride in (self.target_stride, self.source_stride) if stride is not None)
        return self.target, self.source, self.count, *strides, self.event


class AwaitCopies(Written, frozen=True):
    """`wait_group_events`: goes on when the copies with these events are complete; it has no value."""

    events: tuple[Expression, ...]
    site: str
    type: Type

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """The events that are read."""
        return self.events


class PipeAction(Written, frozen=True):
    """A call about the pipe at the first of the `arguments`; the others are a reservation, an index, what is written.

    `count` is how many packets it reserves, writes or reads, and `place` where one is read to.
    """

    operator: PipeOperator
    arguments: tuple[Expression, ...]
    count: int
    place: Place | None
    type: Type


Expression = (
    Literal
    | Read
    | AddressOfRegister
    | Unary
    | Binary
    | Logical
    | Conditional
    | Sequence
    | Convert
    | InRegion
    | MemberAddress
    | Inside
    | Assign
    | Modify
    | AtomicLoad
    | AtomicStore
    | AtomicInit
    | AtomicUpdate
    | CompareExchange
    | LegacyCompareExchange
    | Collective
    | AsyncCopy
    | AwaitCopies
    | PipeAction
    | HostCall
)


# --- statements -------------------------------------------------------------------------------------------------------


class Evaluate(Written, frozen=True):
    """A full expression, for its effects."""

    expression: Expression


class Declare(Written, frozen=True):
    """A private variable (or array of `length`); without an initializer each pass makes it indeterminate."""

    register: str
    type: Type
    length: int | None = None
    initializer: tuple[Expression, ...] | None = None


class Block(Written, frozen=True):
    """Statements in order.

    `iteration`: they are the iteration of this number, from 0, of a loop that is written out. `ends_iteration`: they
    stand where an iteration of a loop begins, but belong to the one before.
    """

    statements: tuple[Statement, ...]
    iteration: int | None = None
    ends_iteration: bool = False


class If(Written, frozen=True):
    """Two-way choice."""

    condition: Expression
    then: Block
    otherwise: Block


class Arm(Written, frozen=True):
    """The statements behind the labels of a `switch` up to the next ones; `values` are of the condition's type."""

    values: tuple[int, ...]
    is_default: bool
    body: Block


class Switch(Written, frozen=True):
    """`switch`: control enters the arm that has the value, or the default, and falls through; `break` leaves it."""

    condition: Expression
    arms: tuple[Arm, ...]


class Inlined(Written, frozen=True):
    """A call of a function, its body in place of the call; `return` in it leaves it."""

    body: Block


class Loop(Written, frozen=True):
    """`while`, `do`, `for`: `body`, then `step`, to which `continue` goes; `is_cut`: the rest, not looked at."""

    condition: Expression
    body: Block
    step: Expression | None = None
    tests_first: bool = True
    is_cut: bool = False


class Return(Written, frozen=True):
    """The thread ends, or the innermost function around."""


class Break(Written, frozen=True):
    """Leave the innermost loop or `switch`."""


class Continue(Written, frozen=True):
    """Next iteration of the innermost loop."""


class Fence(Written, frozen=True):
    """A memory fence; `flags` empty only for the C dialect, where a fence covers everything."""

    flags: frozenset[Flag]
    order: Order
    scope: Scope


class Barrier(Written, frozen=True):
    """A barrier; instances of a group meet by iteration and `site`: the label, or `#n` for the n-th one without."""

    level: Level
    flags: frozenset[Flag]
    scope: Scope
    site: str


Statement = Evaluate | Declare | Block | If | Switch | Inlined | Loop | Return | Break | Continue | Fence | Barrier

__all__ = [  # What is imported from here, and stands elsewhere.
    "AboutCommands",
    "Enqueue",
    "EventStatus",
    "Finish",
    "Flush",
    "HostCall",
    "Returned",
    "SetEventCallback",
    "SetUserEventStatus",
    "WaitForEvents",
    "Written",
]
