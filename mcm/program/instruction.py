"""What threads do: typed expressions and structured statements with every name resolved.

`execution.elaborate` turns them into events; `machine` interprets them. Neither sees the syntax tree.
Evaluation order follows C: the operands of an operator are unsequenced, calls (all atomics) are indeterminately
sequenced with respect to each other, `&& || ?: ,` sequence their operands from left to right.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from mcm.base.record import record

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.types import Flag, Order, Scope, Type, Value


@record(frozen=True, slots=True, kw_only=True)
class Written:
    """Anything that stands at a place in the source."""

    span: Span = field(compare=False, repr=False)


# --- places: what can be assigned -------------------------------------------------------------------------------------


@record(frozen=True, slots=True)
class RegisterPlace(Written):
    """A private variable of the thread, by its unique name in the thread."""

    register: str
    type: Type


@record(frozen=True, slots=True)
class ElementPlace(Written):
    """An element `array[index]` of a private array of `length` elements, kept in registers `array[0]`, `array[1]` …."""

    array: str
    length: int
    index: Expression
    type: Type


@record(frozen=True, slots=True)
class MemoryPlace(Written):
    """What a pointer points at; `type` is the type of the pointee."""

    address: Expression
    type: Type


Place = RegisterPlace | ElementPlace | MemoryPlace


# --- expressions ------------------------------------------------------------------------------------------------------


@record(frozen=True, slots=True)
class Literal(Written):
    """A constant, or the address of a known memory object."""

    value: Value
    type: Type


@record(frozen=True, slots=True)
class Read(Written):
    """The value at a place; on a MemoryPlace this is a non-atomic load."""

    place: Place
    type: Type


@record(frozen=True, slots=True)
class AddressOfRegister(Written):
    """`&r` of a private variable, or `&a[index]` of a private array."""

    place: RegisterPlace | ElementPlace
    type: Type


@record(frozen=True, slots=True)
class Unary(Written):
    """`operator operand` with operator one of `- ~ !`; the operand already has the type `type` (for `!`, any)."""

    operator: str
    operand: Expression
    type: Type


@record(frozen=True, slots=True)
class Binary(Written):
    """Arithmetic `+ - * / %`, shifts `<< >>`, bits `& ^ |` and comparisons `== != < > <= >=`.

    Usual arithmetic conversions have been applied: both operands are converted to `operands`, the result has `type`
    (INT for comparisons). Pointer plus or minus integer has a PointerType in `operands` and counts elements.
    """

    operator: str
    left: Expression
    right: Expression
    operands: Type
    type: Type


@record(frozen=True, slots=True)
class Logical(Written):
    """`left && right` or `left || right`, short-circuit; the result is 0 or 1."""

    operator: str
    left: Expression
    right: Expression
    type: Type


@record(frozen=True, slots=True)
class Conditional(Written):
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression
    type: Type


@record(frozen=True, slots=True)
class Sequence(Written):
    """`left, right`."""

    left: Expression
    right: Expression
    type: Type


@record(frozen=True, slots=True)
class Convert(Written):
    """Conversion to another type, written or implied."""

    operand: Expression
    type: Type


@record(frozen=True, slots=True)
class Assign(Written):
    """`place = value`; a plain store when the place is in memory. The expression's value is the stored value."""

    place: Place
    value: Expression
    type: Type


@record(frozen=True, slots=True)
class Modify(Written):
    """`place op= value`, `++place`, `place++`: one read and one write of the place, which is evaluated once.

    `returns_old` tells the postfix forms. `operands` is the type in which the operation is computed.
    """

    operator: str
    place: Place
    value: Expression
    operands: Type
    returns_old: bool
    type: Type


class UpdateOperator(Enum):
    """What a read-modify-write makes of the old value and its operand."""

    EXCHANGE = "exchange"
    ADD = "add"
    SUB = "sub"
    OR = "or"
    XOR = "xor"
    AND = "and"
    MIN = "min"
    MAX = "max"


@record(frozen=True, slots=True)
class AtomicLoad(Written):
    """An atomic load."""

    address: Expression
    order: Order
    scope: Scope
    type: Type


@record(frozen=True, slots=True)
class AtomicStore(Written):
    """An atomic store (also `atomic_flag_clear`, storing 0)."""

    address: Expression
    value: Expression
    order: Order
    scope: Scope
    type: Type


@record(frozen=True, slots=True)
class AtomicInit(Written):
    """`atomic_init`: a non-atomic store (`model-rules` 1.6)."""

    address: Expression
    value: Expression
    type: Type


@record(frozen=True, slots=True)
class AtomicUpdate(Written):
    """An unconditional read-modify-write; its value is the old value (`type` is the object's type)."""

    operator: UpdateOperator
    address: Expression
    operand: Expression
    order: Order
    scope: Scope
    type: Type


@record(frozen=True, slots=True)
class CompareExchange(Written):
    """C11 compare-exchange: `expected` is the place read before and, on failure, written afterwards.

    A MemoryPlace `expected` is accessed non-atomically. The value is 1 on success, 0 on failure; `object_type` is the
    type of the atomic object.
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


@record(frozen=True, slots=True)
class LegacyCompareExchange(Written):
    """OpenCL 1.x `atomic_cmpxchg(p, expected, desired)`: relaxed, and its value is the old value."""

    address: Expression
    expected: Expression
    desired: Expression
    scope: Scope
    type: Type


class Level(Enum):
    """The group that a barrier or collective concerns."""

    WORK_GROUP = "work_group"
    SUB_GROUP = "sub_group"


class CollectiveOperator(Enum):
    """`all`, `any`, `broadcast`."""

    ALL = "all"
    ANY = "any"
    BROADCAST = "broadcast"


@record(frozen=True, slots=True)
class Collective(Written):
    """A group function (COLL-1): needs the whole group, combines `operand`; `lane` is the source of a broadcast."""

    operator: CollectiveOperator
    level: Level
    operand: Expression
    lane: Expression | None
    site: str
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
    | Assign
    | Modify
    | AtomicLoad
    | AtomicStore
    | AtomicInit
    | AtomicUpdate
    | CompareExchange
    | LegacyCompareExchange
    | Collective
)


# --- statements -------------------------------------------------------------------------------------------------------


@record(frozen=True, slots=True)
class Evaluate(Written):
    """A full expression, for its effects."""

    expression: Expression


@record(frozen=True, slots=True)
class Declare(Written):
    """A private variable (or array of `length`) begins to exist; without an initializer it is indeterminate.

    Each pass through the declaration makes it indeterminate again.
    """

    register: str
    type: Type
    length: int | None = None
    initializer: tuple[Expression, ...] | None = None


@record(frozen=True, slots=True)
class Block(Written):
    """Statements in order."""

    statements: tuple[Statement, ...]


@record(frozen=True, slots=True)
class If(Written):
    """Two-way choice."""

    condition: Expression
    then: Block
    otherwise: Block


@record(frozen=True, slots=True)
class Loop(Written):
    """`while`, `do` and `for`: `body` then `step` as long as `condition` holds; `do` tests after the first pass.

    `continue` goes to `step`.
    """

    condition: Expression
    body: Block
    step: Expression | None = None
    tests_first: bool = True


@record(frozen=True, slots=True)
class Return(Written):
    """The thread ends."""


@record(frozen=True, slots=True)
class Break(Written):
    """Leave the innermost loop."""


@record(frozen=True, slots=True)
class Continue(Written):
    """Next iteration of the innermost loop."""


@record(frozen=True, slots=True)
class Fence(Written):
    """A memory fence; `flags` empty only for the C dialect, where a fence covers everything."""

    flags: frozenset[Flag]
    order: Order
    scope: Scope


@record(frozen=True, slots=True)
class Barrier(Written):
    """A work-group or sub-group barrier. Instances meet when `site` and iteration agree within a group.

    `site` is the label, or `#n` for the n-th unlabelled barrier call of the thread's text.
    """

    level: Level
    flags: frozenset[Flag]
    scope: Scope
    site: str


Statement = Evaluate | Declare | Block | If | Loop | Return | Break | Continue | Fence | Barrier
