"""The orders, scopes and aspects of a SYCL device that a program needs beyond the minimum (CAP-3, SYCL-CAP-1).

Every device has relaxed atomics at sub_group and work_group scope, and fences up to acq_rel at these scopes. The names
are those of the queries `atomic_memory_order_capabilities`, `atomic_fence_order_capabilities`,
`atomic_memory_scope_capabilities` and `atomic_fence_scope_capabilities`, and of aspects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program import instruction as hir
from mcm.program.requirement import Requirement
from mcm.program.topology import HostThread
from mcm.program.types import AllocationKind, Order, Scalar, Scope
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.instruction import Written
    from mcm.program.program import Program
    from mcm.program.types import Type

_ATOMIC_ORDER: Final = "atomic_memory_order"
_FENCE_ORDER: Final = "atomic_fence_order"
_ATOMIC_SCOPE: Final = "atomic_memory_scope"
_FENCE_SCOPE: Final = "atomic_fence_scope"
_ATOMIC64: Final = "aspect::atomic64"
_HOST_ATOMICS: Final = "aspect::usm_atomic_shared_allocations"

_OF_ALLOCATION: Final[dict[AllocationKind, str]] = {
    AllocationKind.COARSE_SVM: "aspect::usm_device_allocations",
    AllocationKind.SYSTEM_SVM: "aspect::usm_system_allocations",
    AllocationKind.SYSTEM_SVM_ATOMICS: "aspect::usm_system_allocations",
}
_OF_FLOATING: Final[dict[Type, str]] = {Scalar.DOUBLE: "aspect::fp64", Scalar.HALF: "aspect::fp16"}

FEATURES: Final[tuple[str, ...]] = (
    f"{_ATOMIC_ORDER}::acq_rel",
    f"{_ATOMIC_ORDER}::seq_cst",
    f"{_FENCE_ORDER}::seq_cst",
    f"{_ATOMIC_SCOPE}::device",
    f"{_ATOMIC_SCOPE}::system",
    f"{_FENCE_SCOPE}::device",
    f"{_FENCE_SCOPE}::system",
    _ATOMIC64,
    *_OF_FLOATING.values(),
    "aspect::usm_device_allocations",
    _HOST_ATOMICS,
    "aspect::usm_system_allocations",
)

# A device that offers an order or a scope also offers the weaker ones.
IMPLIED: Final[dict[str, tuple[str, ...]]] = {
    f"{_ATOMIC_ORDER}::seq_cst": (f"{_ATOMIC_ORDER}::acq_rel",),
    f"{_ATOMIC_SCOPE}::system": (f"{_ATOMIC_SCOPE}::device",),
    f"{_FENCE_SCOPE}::system": (f"{_FENCE_SCOPE}::device",),
    "aspect::usm_system_allocations": (_HOST_ATOMICS,),
}

# What users write for atomics and fences together; acquire, release and acq_rel come together, fences have them anyway.
SHORT: Final[dict[str, tuple[str, ...]]] = {
    **{
        f"{prefix}::{order}": (f"{_ATOMIC_ORDER}::acq_rel",)
        for prefix in ("memory_order", _ATOMIC_ORDER)
        for order in ("acquire", "release", "acq_rel")
    },
    "memory_order::seq_cst": (f"{_ATOMIC_ORDER}::seq_cst", f"{_FENCE_ORDER}::seq_cst"),
    **{
        f"memory_scope::{scope}": (f"{_ATOMIC_SCOPE}::{scope}", f"{_FENCE_SCOPE}::{scope}")
        for scope in ("device", "system")
    },
}


def requirements(program: Program) -> Iterator[Requirement]:
    """What a program needs of a device, each time that it needs it."""
    for item in program.objects:
        if item.allocation in _OF_ALLOCATION:
            yield Requirement(_OF_ALLOCATION[item.allocation], f"the allocation of '{item.name}'", item.span)
        yield from _of_floating(item.type, item.span)
    for thread in program.threads:
        for register in thread.registers:
            if not isinstance(thread.placement, HostThread):
                yield from _of_floating(register.type, thread.span)
        for node in walk(thread.body):
            yield from _of_host(node) if isinstance(thread.placement, HostThread) else _of_node(node)


def _of_floating(type_: Type, span: Span) -> Iterator[Requirement]:
    """Doubles and halves are optional on devices."""
    if type_ in _OF_FLOATING:
        assert isinstance(type_, Scalar)
        yield Requirement(_OF_FLOATING[type_], f"the type '{type_.spelling}'", span)


def _of_host(node: Written) -> Iterator[Requirement]:
    """SYCL-HOST-1: the host and a device share an object atomically."""
    if isinstance(node, hir.AtomicLoad | hir.AtomicStore | hir.AtomicUpdate | hir.CompareExchange):
        yield Requirement(_HOST_ATOMICS, "an atomic operation of the host", node.span)


def _of_node(node: Written) -> Iterator[Requirement]:
    match node:
        case (
            hir.AtomicLoad(_, order, scope, type_)
            | hir.AtomicStore(_, _, order, scope, type_)
            | hir.AtomicUpdate(_, _, _, order, scope, type_)
        ):
            yield from _of_atomic(order, scope, type_, node.span)
        case hir.CompareExchange(_, _, _, success, failure, scope, _, type_):
            yield from _of_atomic(success, scope, type_, node.span)
            yield from _of_atomic(failure, scope, type_, node.span)
        case hir.Fence(_, order, scope):
            if order is Order.SEQ_CST:
                yield Requirement(f"{_FENCE_ORDER}::seq_cst", f"a fence with {_shown(order)}", node.span)
            yield from _of_scope(_FENCE_SCOPE, scope, "a fence", node.span)
        case hir.Barrier(_, _, scope):
            yield from _of_scope(_FENCE_SCOPE, scope, "a barrier", node.span)
        case _:
            pass


def _of_atomic(order: Order, scope: Scope, type_: Type, span: Span) -> Iterator[Requirement]:
    if order is not Order.RELAXED:
        feature = "seq_cst" if order is Order.SEQ_CST else "acq_rel"
        yield Requirement(f"{_ATOMIC_ORDER}::{feature}", f"an atomic operation with {_shown(order)}", span)
    yield from _of_scope(_ATOMIC_SCOPE, scope, "an atomic operation", span)
    if type_ in {Scalar.LONG, Scalar.ULONG, Scalar.DOUBLE}:
        yield Requirement(_ATOMIC64, "a 64-bit atomic operation", span)


def _of_scope(query: str, scope: Scope, what: str, span: Span) -> Iterator[Requirement]:
    """A scope wider than those of every device."""
    name = {Scope.DEVICE: "device", Scope.ALL_SVM_DEVICES: "system"}.get(scope)
    if name is not None:
        yield Requirement(f"{query}::{name}", f"{what} at {name} scope", span)


def _shown(order: Order) -> str:
    return f"memory_order::{order.value.removeprefix('memory_order_')}"
