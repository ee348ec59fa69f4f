"""The optional features of an OpenCL device that a program needs (CAP-1, CAP-2, CAP-4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program import instruction as hir
from mcm.program.command import CommandKind
from mcm.program.operators import CollectiveOperator, Level, UpdateOperator
from mcm.program.requirement import Requirement
from mcm.program.resolve.signatures import SIGNATURES
from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind, Flag, Order, PointerType, Region, Scalar, Scope
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.instruction import Written
    from mcm.program.program import Program
    from mcm.program.types import Type

_ACQ_REL: Final = "__opencl_c_atomic_order_acq_rel"
_SEQ_CST: Final = "__opencl_c_atomic_order_seq_cst"
_DEVICE: Final = "__opencl_c_atomic_scope_device"
_ALL_DEVICES: Final = "__opencl_c_atomic_scope_all_devices"
_SUBGROUPS: Final = "__opencl_c_subgroups"
_GENERIC: Final = "__opencl_c_generic_address_space"
_PROGRAM_SCOPE: Final = "__opencl_c_program_scope_global_variables"
_COLLECTIVES: Final = "__opencl_c_work_group_collective_functions"
_IMAGES: Final = "__opencl_c_read_write_images"
_PIPES: Final = "__opencl_c_pipes"
_DEVICE_ENQUEUE: Final = "__opencl_c_device_enqueue"
_NON_UNIFORM: Final = "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT"
_OUT_OF_ORDER: Final = "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE"
_FP64: Final = "__opencl_c_fp64"
_FP16: Final = "cl_khr_fp16"
_INT64: Final = ("cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics")

_OF_ALLOCATION: Final[dict[AllocationKind, tuple[str, ...]]] = {
    AllocationKind.BUFFER: (),
    AllocationKind.IMAGE: (),
    AllocationKind.PIPE: (_PIPES,),
    AllocationKind.COARSE_SVM: ("CL_DEVICE_SVM_COARSE_GRAIN_BUFFER",),
    AllocationKind.PROGRAM_SCOPE: (_PROGRAM_SCOPE,),
    AllocationKind.FINE_SVM: ("CL_DEVICE_SVM_FINE_GRAIN_BUFFER",),
    AllocationKind.FINE_SVM_ATOMICS: ("CL_DEVICE_SVM_FINE_GRAIN_BUFFER", "CL_DEVICE_SVM_ATOMICS"),
    AllocationKind.SYSTEM_SVM: ("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM",),
    AllocationKind.SYSTEM_SVM_ATOMICS: ("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM", "CL_DEVICE_SVM_ATOMICS"),
}

# A device that offers an order or a scope also offers the weaker ones (CAP-1).
IMPLIED: Final[dict[str, tuple[str, ...]]] = {
    _SEQ_CST: (_ACQ_REL,),
    _ALL_DEVICES: (_DEVICE,),
    _DEVICE_ENQUEUE: (_GENERIC, _PROGRAM_SCOPE),
    "cl_khr_int64_extended_atomics": ("cl_khr_int64_base_atomics",),
    "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM": ("CL_DEVICE_SVM_FINE_GRAIN_BUFFER", "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER"),
    "CL_DEVICE_SVM_FINE_GRAIN_BUFFER": ("CL_DEVICE_SVM_COARSE_GRAIN_BUFFER",),
}

# The extensions of sub-groups, without what the names of all begin with.
_EXTENSIONS: Final[dict[CollectiveOperator, str]] = {
    **dict.fromkeys(
        (
            CollectiveOperator.BALLOT,
            CollectiveOperator.INVERSE_BALLOT,
            CollectiveOperator.BROADCAST,
            CollectiveOperator.BROADCAST_FIRST,
            CollectiveOperator.DETERMINED,
        ),
        "ballot",
    ),
    **dict.fromkeys(
        (CollectiveOperator.ELECT, CollectiveOperator.ALL, CollectiveOperator.ANY, CollectiveOperator.ALL_EQUAL),
        "non_uniform_vote",
    ),
    **dict.fromkeys((CollectiveOperator.SHUFFLE, CollectiveOperator.SHUFFLE_XOR), "shuffle"),
    **dict.fromkeys((CollectiveOperator.SHUFFLE_UP, CollectiveOperator.SHUFFLE_DOWN), "shuffle_relative"),
    CollectiveOperator.ROTATE: "rotate",
}

FEATURES: Final[tuple[str, ...]] = (
    _ACQ_REL,
    _SEQ_CST,
    _DEVICE,
    _ALL_DEVICES,
    _SUBGROUPS,
    _GENERIC,
    _PROGRAM_SCOPE,
    _COLLECTIVES,
    _IMAGES,
    _PIPES,
    _DEVICE_ENQUEUE,
    *_INT64,
    *(
        f"__opencl_c_ext_fp{bits}_{region}_atomic_{kind}"
        for bits in (32, 64)
        for region in ("global", "local")
        for kind in ("add", "min_max")
    ),
    *(f"cl_khr_subgroup_{one}" for one in dict.fromkeys(_EXTENSIONS.values())),
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_non_uniform_arithmetic",
    _FP64,
    _FP16,
    "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER",
    "CL_DEVICE_SVM_FINE_GRAIN_BUFFER",
    "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM",
    "CL_DEVICE_SVM_ATOMICS",
    _OUT_OF_ORDER,
    _NON_UNIFORM,
)

# What a device needs to have for values of a floating type.
_OF_FLOATING: Final[dict[Type, str]] = {Scalar.DOUBLE: _FP64, Scalar.HALF: _FP16}


def requirements(program: Program) -> Iterator[Requirement]:
    """What a program needs of a device, each time that it needs it."""
    for item in program.objects:
        for feature in _OF_ALLOCATION[item.allocation]:
            yield Requirement(feature, f"allocation '{item.allocation.value}'", item.span)
        yield from _of_floating(item.type, item.span)
    yield from _of_commands(program)
    for thread in program.threads:
        if isinstance(thread.placement, HostThread):
            continue
        if isinstance(thread.placement, WorkItem) and thread.placement.is_in_remainder:
            span = thread.span if thread.started_by is None else program.commands[thread.started_by].span
            yield Requirement(_NON_UNIFORM, "a launch whose work-groups have several sizes", span)
        for register in thread.registers:
            yield from _of_floating(register.type, thread.span)
        if any(r.is_parameter and _is_generic(r.type) for r in thread.registers):
            yield Requirement(_GENERIC, "a generic pointer", thread.span)
        for node in walk(thread.body):
            yield from _of_node(node)


def _of_floating(type_: Type, span: Span) -> Iterator[Requirement]:
    """Doubles and halves are optional."""
    if type_ in _OF_FLOATING:
        assert isinstance(type_, Scalar)
        yield Requirement(_OF_FLOATING[type_], f"the type '{type_.spelling}'", span)


def _of_commands(program: Program) -> Iterator[Requirement]:
    """Queues on devices, kernels that enqueue kernels, and out-of-order queues of the host are optional."""
    for queue in program.queues:
        if queue.on_device:
            yield Requirement(_DEVICE_ENQUEUE, "a queue on a device", queue.span)
        elif not queue.in_order:
            yield Requirement(_OUT_OF_ORDER, "an out-of-order queue", queue.span)
    for command in program.commands:
        if command.kind is CommandKind.CHILD:
            yield Requirement(_DEVICE_ENQUEUE, f"'{command.function}'", command.span)


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
            yield from _of_order(failure, node.span)
        case hir.LegacyCompareExchange(_, _, _, _, type_):
            yield from _of_type(type_, node.span)
        case hir.Fence(flags, order, scope):
            # Acquire and release fences at work-group scope belong to the minimum.
            if order is Order.SEQ_CST:
                yield from _of_order(order, node.span)
            yield from _of_scope(scope, node.span)
            yield from _of_flags(flags, node.span)
        case hir.Barrier(level, flags, scope):
            yield from _of_level(level, _SUBGROUPS if level is Level.SUB_GROUP else None, node.span)
            yield from _of_scope(scope, node.span)
            yield from _of_flags(flags, node.span)
        case hir.Collective(operator, level):
            yield from _of_level(level, _SUBGROUPS if level is Level.SUB_GROUP else _COLLECTIVES, node.span)
            if node.of_active or operator is CollectiveOperator.DETERMINED:
                name = node.span.text.partition("(")[0].strip()
                yield Requirement(_extension(node), f"'{name}'", node.span)
        case hir.Convert(operand, type_) if _is_generic(type_) and not _is_private(operand.type):
            yield Requirement(_GENERIC, "a generic pointer", node.span)
        case _:
            pass
    if isinstance(node, hir.AtomicUpdate) and isinstance(node.type, Scalar) and node.type.is_floating:
        yield from _of_float(node, node.type)


def _extension(node: hir.Collective) -> str:
    """The extension that has a function of sub-groups that those call who come."""
    if node.operator in _EXTENSIONS:
        return f"cl_khr_subgroup_{_EXTENSIONS[node.operator]}"
    return f"cl_khr_subgroup_{'clustered_reduce' if node.cluster else 'non_uniform_arithmetic'}"


def _of_atomic(order: Order, scope: Scope, type_: Type, span: Span) -> Iterator[Requirement]:
    if not _is_legacy(span):
        yield from _of_order(order, span)
        yield from _of_scope(scope, span)
    yield from _of_type(type_, span)


def _is_legacy(span: Span) -> bool:
    """Whether this is an operation of OpenCL 1.x, which every device has whatever scopes it offers.

    Its instruction is that of any other operation, so the name in the source is looked at.
    """
    signature = SIGNATURES.get(span.text.partition("(")[0].strip())
    return signature is not None and signature.is_legacy


def _of_order(order: Order, span: Span) -> Iterator[Requirement]:
    if order is Order.SEQ_CST:
        yield Requirement(_SEQ_CST, f"'{order.value}'", span)
    elif order is not Order.RELAXED:
        yield Requirement(_ACQ_REL, f"'{order.value}'", span)


def _of_scope(scope: Scope, span: Span) -> Iterator[Requirement]:
    features = {Scope.SUB_GROUP: _SUBGROUPS, Scope.DEVICE: _DEVICE, Scope.ALL_SVM_DEVICES: _ALL_DEVICES}
    if scope in features:
        yield Requirement(features[scope], f"scope {scope.name.lower()}", span)


def _of_flags(flags: frozenset[Flag], span: Span) -> Iterator[Requirement]:
    if Flag.IMAGE in flags:
        yield Requirement(_IMAGES, f"'{Flag.IMAGE.value}'", span)


def _of_level(level: Level, feature: str | None, span: Span) -> Iterator[Requirement]:
    if feature is not None:
        yield Requirement(feature, f"a {level.value.replace('_', '-')} function", span)


def _of_type(type_: Type, span: Span) -> Iterator[Requirement]:
    if type_ in {Scalar.LONG, Scalar.ULONG, Scalar.DOUBLE}:
        yield from (Requirement(feature, "a 64-bit atomic operation", span) for feature in _INT64)


def _of_float(node: hir.AtomicUpdate, type_: Scalar) -> Iterator[Requirement]:
    kinds = {
        UpdateOperator.ADD: "add",
        UpdateOperator.SUB: "add",
        UpdateOperator.MIN: "min_max",
        UpdateOperator.MAX: "min_max",
    }
    if node.operator in kinds:
        pointer = node.address.type
        is_local = isinstance(pointer, PointerType) and pointer.region is Region.LOCAL
        region = "local" if is_local else "global"
        feature = f"__opencl_c_ext_fp{type_.bits}_{region}_atomic_{kinds[node.operator]}"
        yield Requirement(feature, f"arithmetic on an atomic {type_.spelling}", node.span)


def _is_generic(type_: Type) -> bool:
    return isinstance(type_, PointerType) and type_.region is Region.GENERIC


def _is_private(type_: Type) -> bool:
    return isinstance(type_, PointerType) and type_.region is Region.PRIVATE
