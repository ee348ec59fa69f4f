"""Asynchronous copies between global and local memory, and waiting for them; `prefetch`, which does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from mcm.program.instruction import AddressOfRegister, AsyncCopy, AwaitCopies, ElementPlace, Literal, MemoryPlace, Read
from mcm.program.resolve.arithmetic import binary
from mcm.program.resolve.checks import check_available, check_count, check_target_writable
from mcm.program.resolve.complaints import Attempts, UnresolvedError
from mcm.program.resolve.conversions import converted, is_null
from mcm.program.resolve.signatures import Where
from mcm.program.resolve.type_names import show_type
from mcm.program.types import PointerType, Region, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.program.instruction import Expression, Place
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.types import Type
    from mcm.syntax import ast

COPY: Final = "async_work_group_copy"
STRIDED: Final = "async_work_group_strided_copy"
WAIT: Final = "wait_group_events"
PREFETCH: Final = "prefetch"

_ARGUMENTS: Final = {
    COPY: "4 arguments: where to, where from, how many elements, an event or 0",
    STRIDED: "5 arguments: where to, where from, how many elements, the stride in global memory, an event or 0",
    WAIT: "2 arguments: how many events, and a pointer to them",
    PREFETCH: "2 arguments: a pointer, and how many elements",
}


def copy_function(
    node: ast.Call, evaluate: Callable[[ast.Expression, ThreadContext], Expression], context: ThreadContext
) -> Expression:
    """The instruction of a call of one of COPY_FUNCTIONS; `evaluate` resolves an expression."""
    name = node.function.text
    check_available(name, Where.DEVICE, node, context)
    check_count(node, {COPY: 4, STRIDED: 5}.get(name, 2), _ARGUMENTS[name], context)
    attempts, found = Attempts(), []
    for argument in node.arguments:
        with attempts:
            found.append(evaluate(argument, context))
    attempts.finish()
    match name:
        case "wait_group_events":
            return _wait(node, found, context)
        case "prefetch":
            _check_pointer(found[0], context)
            _check_number(found[1], context)
            return Literal(0, Scalar.INT, span=node.span)
        case _:
            return _copy(node, found, context)


def _copy(node: ast.Call, arguments: list[Expression], context: ThreadContext) -> Expression:
    target, source, count, *stride, event = arguments
    element, regions = _check_pointer(target, context), []
    if _check_pointer(source, context) != element:
        message = f"'{source.span.text}' has type '{show_type(source.type)}', '{target.span.text}' has type "
        context.complaints.fail("E170", source.span, f"{message}'{show_type(target.type)}': expected the same elements")
    for pointer in (target, source):
        assert isinstance(pointer.type, PointerType)
        regions.append(pointer.type.region)
    if sorted(region.value for region in regions) not in (["global", "local"], ["constant", "local"]):
        found = f"found '{show_type(target.type)}' and '{show_type(source.type)}'"
        message = f"'{node.function.text}' copies between global and local memory, {found}"
        context.complaints.fail("E170", node.span, message)
    check_target_writable(target, target.span, context)
    context.has_copies = True
    for number in (count, *stride):
        _check_number(number, context)
    if event.type is not Scalar.EVENT and not is_null(event):
        message = f"'{event.span.text}' has type '{show_type(event.type)}', expected an event ('event_t') or 0"
        context.complaints.fail("E170", event.span, message)
    strides: list[Expression | None] = [converted(number, Scalar.ULONG) for number in stride] or [None]
    to_global = regions[0] is Region.GLOBAL
    return AsyncCopy(
        target,
        source,
        converted(count, Scalar.ULONG),
        strides[0] if to_global else None,
        None if to_global else strides[0],
        converted(event, Scalar.EVENT),
        element,
        context.site(node.function.text),
        Scalar.EVENT,
        span=node.span,
    )


def _wait(node: ast.Call, arguments: list[Expression], context: ThreadContext) -> Expression:
    """`wait_group_events(n, &e)`: the number is a constant, the events are variables of the work-item."""
    number, pointer = arguments
    complaints = context.complaints
    if not isinstance(number, Literal) or not isinstance(number.value, int) or number.value < 1:
        message = f"'{number.span.text}' is no number of events that the text says: expected a constant, 1 or more"
        _refuse_number(number, message, complaints)
    if not isinstance(pointer.type, PointerType) or pointer.type.target is not Scalar.EVENT:
        message = f"'{pointer.span.text}' does not point at event variables of this work-item"
        hint = f"; did you mean '&{pointer.span.text}'?" if pointer.type is Scalar.EVENT else ""
        complaints.fail("E170", pointer.span, message + hint)
    places = _places(pointer, number, number.value, context)
    events = tuple([Read(one, one.type, span=pointer.span) for one in places])
    return AwaitCopies(events, context.site(WAIT), Scalar.INT, span=node.span)


def _refuse_number(number: Expression, message: str, complaints: Complaints) -> NoReturn:
    """Refuse a number of events: once, whatever it is in which work-item."""
    if complaints.is_new("E170", number.span.source.name, number.span.start):
        complaints.error("E170", number.span, message)
    raise UnresolvedError


def _places(pointer: Expression, number: Expression, count: int, context: ThreadContext) -> Iterator[Place]:
    """The variables that so many events are in, from where a pointer points on."""
    complaints = context.complaints
    if not isinstance(pointer, AddressOfRegister):
        for i in range(count):
            offset = Literal(i, Scalar.INT, span=pointer.span)
            moved = binary("+", pointer, offset, pointer.span, complaints) if i else pointer
            yield MemoryPlace(moved, Scalar.EVENT, span=pointer.span)
        return
    place = pointer.place
    length = place.length if isinstance(place, ElementPlace) else 1
    if count > length:
        message = f"{count} events are waited for, '{pointer.span.text}' has {length}"
        _refuse_number(number, message, complaints)
    for i in range(count):
        if isinstance(place, ElementPlace) and i:
            offset = Literal(i, Scalar.INT, span=place.span)
            index = binary("+", place.index, offset, place.span, complaints)
            yield ElementPlace(place.array, place.length, index, place.type, span=place.span)
        else:
            yield place


def _check_pointer(pointer: Expression, context: ThreadContext) -> Type:
    """The type of the elements that a pointer leads to."""
    if not isinstance(pointer.type, PointerType):
        message = f"'{pointer.span.text}' has type '{show_type(pointer.type)}', expected a pointer"
        context.complaints.fail("E121", pointer.span, message)
    return pointer.type.target


def _check_number(number: Expression, context: ThreadContext) -> None:
    if not isinstance(number.type, Scalar) or number.type.is_floating:
        message = f"'{number.span.text}' has type '{show_type(number.type)}', expected an integer"
        context.complaints.fail("E119", number.span, message)
