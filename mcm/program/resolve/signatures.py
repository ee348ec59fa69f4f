"""Every operation of the language: its name, what its arguments are, and which instruction it becomes."""

from __future__ import annotations

from enum import Enum, Flag, auto
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.collectives import EXCLUSIVE_SCANS, INCLUSIVE_SCANS, REDUCTIONS
from mcm.program.operators import OF_ACTIVE_ONLY, SHUFFLES, CollectiveOperator, Level, UpdateOperator
from mcm.program.resolve.spelling import BALLOT_WORD
from mcm.program.types import Order

if TYPE_CHECKING:
    from collections.abc import Iterator


class Argument(Enum):
    """The kinds of arguments."""

    OBJECT = "a pointer to an atomic object"
    VALUE = "a value"
    EXPECTED = "a pointer to the expected value"
    ORDER = "a memory order"
    SCOPE = "a memory scope"
    FLAGS = "memory fence flags"


class Where(Flag):
    """The kinds of units that have an operation."""

    DEVICE = auto()
    HOST = auto()
    C = auto()
    EVERYWHERE = DEVICE | HOST | C


# --- what an operation becomes ---------------------------------------------------------------------------------------


class Load(Struct, frozen=True):
    """An atomic load."""


class Store(Struct, frozen=True):
    """An atomic store; of a `fixed` value where the operation has none of its own."""

    fixed: int | None = None


class Init(Struct, frozen=True):
    """`atomic_init`."""


class Update(Struct, frozen=True):
    """A read-modify-write; with a `fixed` operand where the operation has none of its own."""

    operator: UpdateOperator
    fixed: int | None = None


class Exchange(Struct, frozen=True):
    """C11 compare-exchange."""

    weak: bool


class LegacyExchange(Struct, frozen=True):
    """OpenCL 1.x compare-exchange."""


class MemoryFence(Struct, frozen=True):
    """A fence; `takes_image` tells the forms that know image memory."""

    takes_image: bool


class GroupBarrier(Struct, frozen=True):
    """A barrier."""

    level: Level


class GroupFunction(Struct, frozen=True):
    """A collective; `of_active` as the instruction says. With `has_clusters` their size is the last argument.

    `of_pairs`: of two values of each work-item, those of the second ones stand behind those of the first ones.
    """

    operator: CollectiveOperator
    level: Level
    of_active: bool = False
    has_clusters: bool = False
    of_pairs: bool = False


Operation = Load | Store | Init | Update | Exchange | LegacyExchange | MemoryFence | GroupBarrier | GroupFunction


class Signature(Struct, frozen=True):
    """An operation by name: the first `required` of its parameters must be given.

    `order` is the memory order of the forms that have no argument for it; `is_legacy` marks OpenCL 1.x.
    """

    name: str
    operation: Operation
    parameters: tuple[Argument, ...]
    required: int
    where: Where = Where.EVERYWHERE
    order: Order = Order.SEQ_CST
    is_legacy: bool = False

    @property
    def arity(self) -> str:
        """How many arguments are taken, in words."""
        most = len(self.parameters)
        if most == self.required:
            return f"{most} argument{'s' if most != 1 else ''}"
        joint = "or" if most == self.required + 1 else "to"
        return f"{self.required} {joint} {most} arguments"


# The shuffles of cl_intel_subgroups, and whether they are of two values.
INTEL_SHUFFLES: Final = {
    CollectiveOperator.SHUFFLE: False,
    CollectiveOperator.SHUFFLE_XOR: False,
    CollectiveOperator.SHUFFLE_UP: True,
    CollectiveOperator.SHUFFLE_DOWN: True,
}
_FETCH: Final = {
    "add": UpdateOperator.ADD,
    "sub": UpdateOperator.SUB,
    "or": UpdateOperator.OR,
    "xor": UpdateOperator.XOR,
    "and": UpdateOperator.AND,
    "min": UpdateOperator.MIN,
    "max": UpdateOperator.MAX,
}


def _atomic(name: str, operation: Operation, parameters: tuple[Argument, ...], orders: int = 1) -> Iterator[Signature]:
    yield Signature(name, operation, parameters, len(parameters))
    explicit = (*parameters, *[Argument.ORDER] * orders, Argument.SCOPE)
    yield Signature(f"{name}_explicit", operation, explicit, len(explicit) - 1)


def _atomics() -> Iterator[Signature]:
    pointer, value = Argument.OBJECT, Argument.VALUE
    yield Signature("atomic_init", Init(), (pointer, value), 2)
    yield from _atomic("atomic_load", Load(), (pointer,))
    yield from _atomic("atomic_store", Store(), (pointer, value))
    yield from _atomic("atomic_exchange", Update(UpdateOperator.EXCHANGE), (pointer, value))
    for word, operator in _FETCH.items():
        yield from _atomic(f"atomic_fetch_{word}", Update(operator), (pointer, value))
    for strength in ("strong", "weak"):
        name = f"atomic_compare_exchange_{strength}"
        yield from _atomic(name, Exchange(strength == "weak"), (pointer, Argument.EXPECTED, value), orders=2)
    yield from _atomic("atomic_flag_test_and_set", Update(UpdateOperator.EXCHANGE, fixed=1), (pointer,))
    yield from _atomic("atomic_flag_clear", Store(fixed=0), (pointer,))


def _legacy() -> Iterator[Signature]:
    pointer, value = Argument.OBJECT, Argument.VALUE
    updates = {"xchg": UpdateOperator.EXCHANGE, **_FETCH}
    for prefix in ("atomic_", "atom_"):
        for word, operator in updates.items():
            yield _old(f"{prefix}{word}", Update(operator), pointer, value)
        yield _old(f"{prefix}inc", Update(UpdateOperator.ADD, fixed=1), pointer)
        yield _old(f"{prefix}dec", Update(UpdateOperator.SUB, fixed=1), pointer)
        yield _old(f"{prefix}cmpxchg", LegacyExchange(), pointer, value, value)


def _old(name: str, operation: Operation, *parameters: Argument) -> Signature:
    return Signature(name, operation, parameters, len(parameters), Where.DEVICE, Order.RELAXED, is_legacy=True)


def _fences() -> Iterator[Signature]:
    flags, order, scope = Argument.FLAGS, Argument.ORDER, Argument.SCOPE
    for name in ("atomic_work_item_fence", "fence"):
        yield Signature(name, MemoryFence(takes_image=True), (flags, order, scope), 2, Where.DEVICE)
    yield Signature("atomic_thread_fence", MemoryFence(takes_image=False), (order,), 1, Where.C | Where.HOST)
    old = {"mem_fence": Order.ACQ_REL, "read_mem_fence": Order.ACQUIRE, "write_mem_fence": Order.RELEASE}
    for name, fixed in old.items():
        yield Signature(name, MemoryFence(takes_image=False), (flags,), 1, Where.DEVICE, fixed, is_legacy=True)


def _group_operations() -> Iterator[Signature]:
    flags, scope, value = Argument.FLAGS, Argument.SCOPE, Argument.VALUE
    yield Signature("barrier", GroupBarrier(Level.WORK_GROUP), (flags,), 1, Where.DEVICE)
    for level in Level:
        name = level.value
        yield Signature(f"{name}_barrier", GroupBarrier(level), (flags, scope), 1, Where.DEVICE)
        for operator in CollectiveOperator:
            if operator in OF_ACTIVE_ONLY or operator is CollectiveOperator.DETERMINED:
                continue
            function = GroupFunction(operator, level)
            called = f"{name}_{operator.value}"
            if operator is CollectiveOperator.BROADCAST and level is Level.WORK_GROUP:
                # The local id of each dimension.
                yield Signature(called, function, (value,) * 4, 2, Where.DEVICE)
            elif operator is CollectiveOperator.BROADCAST or operator in SHUFFLES:
                if level is Level.SUB_GROUP:
                    yield Signature(called, function, (value, value), 2, Where.DEVICE)
            else:
                yield Signature(called, function, (value,), 1, Where.DEVICE)
    yield from _of_active()


def _of_active() -> Iterator[Signature]:
    """The functions of sub-groups that take together the work-items that come to the same call."""
    all_, any_, broadcast = CollectiveOperator.ALL, CollectiveOperator.ANY, CollectiveOperator.BROADCAST
    yield _active("elect", CollectiveOperator.ELECT, 0)
    for operator in (all_, any_, CollectiveOperator.ALL_EQUAL, *REDUCTIONS, *INCLUSIVE_SCANS, *EXCLUSIVE_SCANS):
        yield _active(f"non_uniform_{operator.value}", operator, 1)
    yield _active("non_uniform_broadcast", broadcast, 2)
    yield _active("broadcast_first", CollectiveOperator.BROADCAST_FIRST, 1)
    yield _active(BALLOT_WORD.removeprefix("sub_group_"), CollectiveOperator.BALLOT, 1)
    # The components of the vector that it takes.
    yield _active("inverse_ballot", CollectiveOperator.INVERSE_BALLOT, 4)
    yield _active("rotate", CollectiveOperator.ROTATE, 2)
    yield _active("clustered_rotate", CollectiveOperator.ROTATE, 3, has_clusters=True)
    for operator, is_of_pairs in INTEL_SHUFFLES.items():
        function = GroupFunction(operator, Level.SUB_GROUP, of_active=True, of_pairs=is_of_pairs)
        count = 3 if is_of_pairs else 2
        yield Signature(f"intel_sub_group_{operator.value}", function, (Argument.VALUE,) * count, count, Where.DEVICE)
    for operator in REDUCTIONS:
        yield _active(f"clustered_{operator.value}", operator, 2, has_clusters=True)


def _active(name: str, operator: CollectiveOperator, count: int, *, has_clusters: bool = False) -> Signature:
    function = GroupFunction(operator, Level.SUB_GROUP, of_active=True, has_clusters=has_clusters)
    return Signature(f"sub_group_{name}", function, (Argument.VALUE,) * count, count, Where.DEVICE)


SIGNATURES: Final[dict[str, Signature]] = {
    signature.name: signature for signature in (*_atomics(), *_legacy(), *_fences(), *_group_operations())
}
