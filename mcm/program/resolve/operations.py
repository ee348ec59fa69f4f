"""Calls with resolved arguments to instructions: atomics, fences, barriers, collectives."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import TYPE_CHECKING, NoReturn, assert_never

from msgspec import Struct, field

from mcm.program.collectives import BITWISE, LOGICAL, UNIFORM_ARITHMETIC
from mcm.program.instruction import (
    AddressOfRegister,
    AtomicInit,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Barrier,
    Collective,
    CompareExchange,
    Fence,
    LegacyCompareExchange,
    Literal,
    MemoryPlace,
    Read,
    Unary,
)
from mcm.program.operators import RELATIVE_SHUFFLES, SHUFFLES, CollectiveOperator, Level, UpdateOperator
from mcm.program.resolve import signatures as op
from mcm.program.resolve.arithmetic import binary
from mcm.program.resolve.checks import check_target_writable
from mcm.program.resolve.conversions import coerced, converted, promoted
from mcm.program.resolve.type_names import show_type
from mcm.program.resolve.validity import (
    check_atomic_scope,
    check_barrier,
    check_failure_order,
    check_fence,
    check_order,
)
from mcm.program.topology import WorkItem
from mcm.program.types import Flag, PointerType, Region, Scalar, Scope

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.instruction import Expression, Place
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.types import Order, Type


class Arguments(Struct):
    """The arguments of one call by kind; orders, scope and flags with their spans."""

    pointer: Expression | None = None
    values: list[Expression] = field(default_factory=list)
    expected: Expression | None = None
    orders: list[tuple[Order, Span]] = field(default_factory=list)
    scope: tuple[Scope, Span] | None = None
    flags: tuple[frozenset[Flag], Span] | None = None


def atomic_or_collective(
    signature: op.Signature, arguments: Arguments, span: Span, context: ThreadContext
) -> Expression:
    """The expression for a call of an atomic operation or a group function."""
    match signature.operation:
        case op.GroupFunction() as function:
            return _collective(function, arguments, span, context)
        case op.MemoryFence() | op.GroupBarrier():
            message = f"'{signature.name}' has no value: it must stand as a statement of its own"
            return context.complaints.fail("E139", span, message)
        case _:
            return _atomic(signature, arguments, span, context)


def _atomic(signature: op.Signature, arguments: Arguments, span: Span, context: ThreadContext) -> Expression:
    assert arguments.pointer is not None
    address = arguments.pointer
    object_type = _atomic_object(signature, address, context)
    if not isinstance(signature.operation, op.Load):
        check_target_writable(address, address.span, context)
    order = _order(signature, arguments, context)
    scope = _scope(arguments, context, span)
    values = [coerced(value, object_type, context.complaints) for value in arguments.values]
    match signature.operation:
        case op.Load():
            return AtomicLoad(address, order, scope, object_type, span=span)
        case op.Store(fixed):
            stored = values[0] if fixed is None else _number(fixed, object_type, span)
            return AtomicStore(address, stored, order, scope, object_type, span=span)
        case op.Init():
            return AtomicInit(address, values[0], object_type, span=span)
        case op.Update(operator, fixed):
            operand = values[0] if fixed is None else _number(fixed, object_type, span)
            _check_update(signature, operator, object_type, address.span, context)
            return AtomicUpdate(operator, address, operand, order, scope, object_type, span=span)
        case op.LegacyExchange():
            if object_type.is_floating:
                _refuse_floats(signature, object_type, address.span, context)
            return LegacyCompareExchange(address, values[0], values[1], scope, object_type, span=span)
        case op.Exchange(weak):
            failure, failure_span = arguments.orders[1] if len(arguments.orders) > 1 else (order, span)
            check_failure_order(order, failure, failure_span, context.complaints)
            expected = _expected_place(arguments, object_type, context)
            return CompareExchange(
                address, expected, values[0], order, failure, scope, weak, object_type, Scalar.INT, span=span
            )
        case op.MemoryFence() | op.GroupBarrier() | op.GroupFunction():
            raise AssertionError
        case _:
            assert_never(signature.operation)


def _number(value: int, type_: Type, span: Span) -> Expression:
    return converted(Literal(value, Scalar.INT, span=span), type_)


def _atomic_object(signature: op.Signature, address: Expression, context: ThreadContext) -> Type:
    """The type of the object that an atomic operation acts on, after checking that it can."""
    complaints, text = context.complaints, address.span.text
    pointer = address.type
    if not isinstance(pointer, PointerType):
        message = f"'{signature.name}' needs a pointer to an atomic object, found '{text}' of type "
        hint = f"; did you mean '{text[1:].lstrip()}'?" if text.startswith("*") else ""
        if text.endswith("]") and isinstance(address, Read):
            hint = f"; did you mean '&{text}'?"
        complaints.fail("E121", address.span, f"{message}'{show_type(pointer)}'{hint}")
    is_private = isinstance(address, AddressOfRegister) or pointer.region is Region.PRIVATE
    if is_private and context.dialect.has_atomic_types:
        if not context.dialect.has_address_spaces:
            message = "not yet supported: atomic operations on a thread's own variables"
            complaints.fail("E100", address.span, message)
        message = f"'{text}' is private memory: atomic operations act on global or local memory"
        # `&x` where `x` is a pointer is a common mistake.
        hint = f"; did you mean '{text.removeprefix('&')}'?" if isinstance(pointer.target, PointerType) else ""
        complaints.fail("E126", address.span, message + hint)
    if pointer.region is Region.CONSTANT:
        complaints.fail("E125", address.span, f"'{text}' is constant memory: atomic operations need to write (AS-4)")
    if isinstance(pointer.target, PointerType) and isinstance(address.type, PointerType):
        return pointer.target
    # OpenCL 1.x operations act on plain integers; the others on atomic types.
    is_unfit = context.dialect.has_atomic_types and pointer.atomic is signature.is_legacy
    if is_unfit and complaints.is_new("W107", text, pointer):
        kind = "an atomic type" if pointer.atomic else "no atomic type"
        message = f"'{signature.name}' on '{text}', which is declared with {kind} ('{show_type(pointer)}')"
        complaints.warning("W107", address.span, message)
    return pointer.target


def _check_update(
    signature: op.Signature, operator: UpdateOperator, type_: Type, span: Span, context: ThreadContext
) -> None:
    arithmetic = {UpdateOperator.ADD, UpdateOperator.SUB, UpdateOperator.MIN, UpdateOperator.MAX}
    allowed = operator is UpdateOperator.EXCHANGE or (
        operator in arithmetic if type_.is_floating else not isinstance(type_, PointerType)
    )
    if not allowed:
        message = f"'{signature.name}' does not apply to an object of type '{show_type(type_)}'"
        context.complaints.fail("E119", span, message)
    if signature.is_legacy and (type_.is_floating and operator is not UpdateOperator.EXCHANGE):
        _refuse_floats(signature, type_, span, context)


def _refuse_floats(signature: op.Signature, type_: Type, span: Span, context: ThreadContext) -> NoReturn:
    message = f"'{signature.name}' of OpenCL 1.x takes integers, and this is of type '{show_type(type_)}'"
    hint = "; exchange its bits in a loop of 'atomic_cmpxchg', or declare it 'atomic_float' for 'atomic_fetch_add'"
    context.complaints.fail("E119", span, message + hint)


def _order(signature: op.Signature, arguments: Arguments, context: ThreadContext) -> Order:
    if not arguments.orders:
        return signature.order
    order, span = arguments.orders[0]
    check_order(signature, order, span, context.complaints)
    return order


def _scope(arguments: Arguments, context: ThreadContext, span: Span) -> Scope:
    scope, scope_span = arguments.scope or (context.default_scope, span)
    if context.dialect.has_atomic_types:
        check_atomic_scope(scope, scope_span, context.complaints)
    if context.is_host and scope is not Scope.ALL_SVM_DEVICES:
        message = "atomic operations of the host act at 'memory_scope_all_svm_devices', whatever is written"
        context.complaints.warning("W114", scope_span, message)
        return Scope.ALL_SVM_DEVICES
    return scope


def _expected_place(arguments: Arguments, object_type: Type, context: ThreadContext) -> Place:
    """What the second argument of a compare-exchange points at."""
    expected = arguments.expected
    assert expected is not None
    text = expected.span.text
    if not isinstance(expected.type, PointerType):
        message = f"expected a pointer to the expected value, found '{text}' of type '{show_type(expected.type)}'"
        hint = f"; did you mean '&{text}'?" if text.isidentifier() else ""
        context.complaints.fail("E121", expected.span, message + hint)
    if expected.type.region is Region.CONSTANT:
        context.complaints.fail("E124", expected.span, f"'{text}' is constant memory and cannot be written (AS-4)")
    if _kind(expected.type.target) != _kind(object_type):
        found, wanted = show_type(expected.type.target), show_type(object_type)
        message = f"'{text}' points at type '{found}', but the atomic object has type '{wanted}'"
        context.complaints.fail("E122", expected.span, message)
    if isinstance(expected, AddressOfRegister):
        return expected.place
    return MemoryPlace(expected, expected.type.target, span=expected.span)


def _kind(type_: Type) -> Scalar | None:
    return type_ if isinstance(type_, Scalar) else None


def _collective(function: op.GroupFunction, arguments: Arguments, span: Span, context: ThreadContext) -> Expression:
    is_of_sycl = not context.dialect.has_atomic_types
    if function.of_active or (function.operator in SHUFFLES and not is_of_sycl):
        # Imported here: few programs ask those only that come.
        from mcm.program.resolve.sub_group_functions import of_active  # noqa: PLC0415

        return of_active(function, arguments.values, span, context)
    value, *rest = arguments.values
    complaints = context.complaints
    if isinstance(value.type, PointerType):
        message = f"'{value.span.text}' has type '{show_type(value.type)}', expected a number"
        complaints.fail("E119", value.span, message)
    lane = _lane(rest, context) if rest else None
    if lane is not None and function.operator in RELATIVE_SHUFFLES:
        lane = at_distance(RELATIVE_SHUFFLES[function.operator], lane, context)
    # The result of `all` and `any` is an int; that of the others has the type of the value.
    is_question = function.operator in {CollectiveOperator.ALL, CollectiveOperator.ANY}
    operand: Expression = value
    if (is_question or function.operator in LOGICAL) and not is_of_sycl:
        # A predicate is an int in OpenCL C, which 0.5 is not as such, and a bool in SYCL.
        operand = converted(value, Scalar.INT)
    if function.operator in LOGICAL:
        operand = Unary("!", Unary("!", operand, Scalar.INT, span=value.span), Scalar.INT, span=value.span)
    if function.operator in BITWISE:
        check_integer(value, context)
    # OpenCL C has no functions of work-groups of types smaller than int. Those of SYCL return the type of the value.
    is_narrow = is_of_sycl or (function.level is Level.SUB_GROUP and value.type is not Scalar.BOOL)
    own = value.type if is_narrow else promoted(value.type)
    type_ = Scalar.INT if is_question or function.operator in LOGICAL else own
    operand = operand if is_question else converted(operand, type_)
    site = context.site(function.operator.value, function.level)
    context.has_fences = True
    if function.operator in UNIFORM_ARITHMETIC and function.level is Level.SUB_GROUP and not is_of_sycl:
        word = function.operator.value
        message = f"{context.dialect.standard} has no 'sub_group_{word}', but 'work_group_{word}'"
        complaints.fail("E140", span, message)
    return Collective(function.operator, function.level, operand, lane, site, type_, span=span)


def _lane(ids: list[Expression], context: ThreadContext) -> Expression:
    """The number in the group of the work-item with these local ids, one for each dimension."""
    place = context.placement
    for number in ids:
        check_integer(number, context)
    dimensions = place.dimensions if isinstance(place, WorkItem) else ()
    if len(ids) > max(1, len(dimensions)):
        message = f"{len(ids)} local ids for an ND-range of {max(1, len(dimensions))} dimensions"
        context.complaints.fail("E104", ids[-1].span, message)
    lane = converted(ids[0], Scalar.ULONG)
    for dimension, number in enumerate(ids[1:], start=1):
        assert isinstance(place, WorkItem)
        # Work-groups need not have the same sizes.
        scale = context.asked.literal(place, partial(_stride, dimension), Scalar.ULONG, number.span)
        part = binary("*", converted(number, Scalar.ULONG), scale, number.span, context.complaints)
        lane = binary("+", lane, part, number.span, context.complaints)
    return lane


def _stride(dimension: int, item: WorkItem) -> int:
    """By how much the number in the group is larger of the next work-item in a dimension."""
    return prod(one.local_size for one in item.dimensions[:dimension])


def check_integer(value: Expression, context: ThreadContext) -> None:
    """Refuse what is no integer."""
    if not isinstance(value.type, Scalar) or value.type.is_floating:
        message = f"'{value.span.text}' has type '{show_type(value.type)}', expected an integer"
        context.complaints.fail("E119", value.span, message)


def at_distance(symbol: str, distance: Expression, context: ThreadContext) -> Expression:
    """The number in the sub-group of the work-item at a distance from this one; a large number where there is none."""
    place = context.placement
    assert isinstance(place, WorkItem)
    own = context.asked.literal(place, lambda other: other.sub_group_local_id, Scalar.ULONG, distance.span)
    return binary(symbol, own, distance, distance.span, context.complaints)


# --- statements -----------------------------------------------------------------------------------------------------


def fence(
    signature: op.Signature, operation: op.MemoryFence, arguments: Arguments, span: Span, context: ThreadContext
) -> Fence:
    """A fence; where the language has no flags it covers all memory."""
    order = _order(signature, arguments, context)
    context.has_fences = True
    if arguments.flags is None:
        return Fence(frozenset({Flag.GLOBAL, Flag.LOCAL}), order, Scope.ALL_SVM_DEVICES, span=span)
    flags, flags_span = arguments.flags
    default = Scope.WORK_GROUP if signature.is_legacy else Scope.DEVICE
    scope, scope_span = arguments.scope or (default, span)
    if context.dialect.has_atomic_types:
        check_fence(operation, flags, scope, flags_span, scope_span, context.complaints)
    return Fence(flags, order, scope, span=span)


def barrier(level: Level, arguments: Arguments, span: Span, context: ThreadContext) -> Barrier:
    """A barrier, at the call site that its label or its place in the thread names."""
    assert arguments.flags is not None
    flags, _ = arguments.flags
    default = Scope.WORK_GROUP if level is Level.WORK_GROUP else Scope.SUB_GROUP
    scope, scope_span = arguments.scope or (default, span)
    check_barrier(level, flags, scope, scope_span, context.complaints)
    context.has_fences = True
    return Barrier(level, flags, scope, context.site("", level), span=span)
