"""Calls of the functions for pipes; and what follows from all of them for the objects that pipes are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.instruction import (
    AddressOfRegister,
    Binary,
    Collective,
    Conditional,
    Convert,
    Literal,
    Loop,
    MemoryPlace,
    PipeAction,
    Read,
    Sequence,
)
from mcm.program.operators import CollectiveOperator, Level, PipeOperator
from mcm.program.pipe_state import MOST_PACKETS
from mcm.program.resolve.accessed import Reach
from mcm.program.resolve.checks import check_available, check_count, check_target_writable
from mcm.program.resolve.complaints import Attempts
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.signatures import Where
from mcm.program.resolve.type_names import show_type
from mcm.program.topology import WorkItem
from mcm.program.types import AllocationKind, Location, PointerType, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Sequence as Several

    from mcm.program.instruction import Expression, Place, Written
    from mcm.program.program import MemoryObject, Thread
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.topology import KernelInstance
    from mcm.program.types import Type
    from mcm.syntax import ast

_RESERVATION: Final = re.compile(
    r"(?:(?P<level>work_group|sub_group)_)?(?P<what>reserve|commit)_(?P<end>read|write)_pipe"
)
_LEVELS: Final = {level.value: level for level in Level}

_VALID: Final = "is_valid_reserve_id"
_PLAIN: Final = {"read_pipe": (2, 4), "write_pipe": (2, 4), "get_pipe_num_packets": (1,), "get_pipe_max_packets": (1,)}


def pipe_function(
    node: ast.Call, evaluate: Callable[[ast.Expression, ThreadContext], Expression], context: ThreadContext
) -> Expression:
    """The expression for a call of one of PIPE_FUNCTIONS; `evaluate` resolves an argument."""
    name = node.function.text
    check_available(name, Where.DEVICE, node, context)
    counts = _PLAIN.get(name, (1,) if name == _VALID else (2,))
    if len(node.arguments) not in counts:
        wanted = " or ".join(map(str, counts))
        check_count(node, counts[0], f"{wanted} argument{'s' * (counts != (1,))}", context)
    attempts, arguments = Attempts(), []
    for argument in node.arguments:
        with attempts:
            arguments.append(evaluate(argument, context))
    attempts.finish()
    if name == _VALID:
        _check_reservation(arguments[0], context)
        zero = converted(Literal(0, Scalar.INT, span=node.span), Scalar.RESERVATION)
        return Binary("!=", arguments[0], zero, Scalar.RESERVATION, Scalar.INT, span=node.span)
    _check_pipe(arguments[0], name, context)
    match = _RESERVATION.fullmatch(name)
    if match is not None:
        call = _Reserving(node, context, PipeOperator(f"{match['what']}_{match['end']}_pipe"))
        one = call.reserve(arguments) if match["what"] == "reserve" else call.commit(arguments)
        level = match["level"]
        return one if level is None else _by_group(one, _LEVELS[level], node, context)
    if name == "get_pipe_max_packets":
        return _capacity(arguments[0], node, context)
    if name == "get_pipe_num_packets":
        return PipeAction(PipeOperator.COUNT, (arguments[0],), 0, None, Scalar.UINT, span=node.span)
    return _transfer(PipeOperator(name), arguments, node, context)


def _transfer(
    operator: PipeOperator, arguments: list[Expression], node: ast.Call, context: ThreadContext
) -> Expression:
    """`read_pipe` and `write_pipe`, of the next packet or of one of a reservation."""
    pipe, *of, pointer = arguments
    given = [pipe]
    if of:
        reservation, index = of
        _check_reservation(reservation, context)
        given += (reservation, _number(index, context))
        operator = PipeOperator.WRITE_RESERVED if operator is PipeOperator.WRITE else PipeOperator.READ_RESERVED
    place = _place(pipe, pointer, context)
    assert isinstance(pipe.type, PointerType)
    if operator.writes:
        given.append(converted(Read(place, place.type, span=pointer.span), pipe.type.target))
    else:
        check_target_writable(pointer, pointer.span, context)
        if isinstance(pointer, AddressOfRegister):
            context.reassigned.add(_register(pointer))
    target = None if operator.writes else place
    return PipeAction(operator, tuple(given), 1, target, Scalar.INT, span=node.span)


def _register(pointer: AddressOfRegister) -> str:
    place = pointer.place
    return getattr(place, "register", "") or getattr(place, "array", "")


def _place(pipe: Expression, pointer: Expression, context: ThreadContext) -> Place:
    """What the last argument of a read or write points at."""
    assert isinstance(pipe.type, PointerType)
    text = pointer.span.text
    if not isinstance(pointer.type, PointerType):
        message = f"expected a pointer to a packet, found '{text}' of type '{show_type(pointer.type)}'"
        hint = f"; did you mean '&{text}'?" if text.isidentifier() else ""
        context.complaints.fail("E121", pointer.span, message + hint)
    if pointer.type.target != pipe.type.target or pointer.type.atomic:
        message = f"'{text}' points at '{show_type(pointer.type.target)}', but the packets of '{pipe.span.text}' are "
        context.complaints.fail("E168", pointer.span, f"{message}'{show_type(pipe.type.target)}'")
    if isinstance(pointer, AddressOfRegister):
        return pointer.place
    return MemoryPlace(pointer, pointer.type.target, span=pointer.span)


class _Reserving:
    """A call that reserves packets, or commits a reservation."""

    def __init__(self, node: ast.Call, context: ThreadContext, operator: PipeOperator) -> None:
        self._node: Final = node
        self._context: Final = context
        self._operator: Final = operator

    def reserve(self, arguments: list[Expression]) -> Expression:
        """A reservation of a number of packets that the text says."""
        pipe, number = arguments[0], _folded(arguments[1])
        if not isinstance(number, Literal) or not isinstance(number.value, int):
            text = arguments[1].span.text
            message = f"not yet supported: a number of packets that the text does not say; '{text}' is no constant"
            self._context.complaints.fail("E100", arguments[1].span, message)
        if not 0 < number.value <= MOST_PACKETS:
            message = f"expected 1 to {MOST_PACKETS} packets, found {number.value}"
            self._context.complaints.fail("E168", number.span, message)
        return self._action((pipe,), number.value, Scalar.RESERVATION)

    def commit(self, arguments: list[Expression]) -> Expression:
        """The end of a reservation."""
        pipe, reservation = arguments
        _check_reservation(reservation, self._context)
        return self._action((pipe, reservation), 0, Scalar.INT)

    def _action(self, arguments: tuple[Expression, ...], count: int, type_: Type) -> Expression:
        return PipeAction(self._operator, arguments, count, None, type_, span=self._node.span)


def _folded(number: Expression) -> Expression:
    """A number without the conversions around it."""
    while isinstance(number, Convert):
        number = number.operand
    return number


def _by_group(action: Expression, level: Level, node: ast.Call, context: ThreadContext) -> Expression:
    """What a group does together: its first member does it, when all have come, and tells the others.

    All of the group come to the call before a commit, and learn of a reservation behind it.
    """
    item, span = context.placement, node.span
    context.asked.is_all = False
    assert isinstance(item, WorkItem)
    assert isinstance(action, PipeAction)
    rank = item.local_id if level is Level.WORK_GROUP else item.sub_group_local_id
    nothing: Expression = converted(Literal(0, Scalar.INT, span=span), action.type)
    done = action if rank == 0 else nothing
    first = Literal(0, Scalar.ULONG, span=span)
    site = context.site(node.function.text)
    context.has_fences = True
    if len(action.arguments) == 1:
        return Collective(CollectiveOperator.BROADCAST, level, done, first, site, action.type, span=span)
    given = action.arguments[1]
    meet = Collective(CollectiveOperator.BROADCAST, level, given, first, site, given.type, span=span)
    return Sequence(meet, done, action.type, span=span)


def _capacity(pipe: Expression, node: ast.Call, context: ThreadContext) -> Expression:
    """`get_pipe_max_packets`: what the declaration says; each pipe that it may be is asked for."""
    objects = context.memory.objects
    pipes = [number for number, item in enumerate(objects) if item.allocation is AllocationKind.PIPE]
    found: Expression = Literal(0, Scalar.UINT, span=node.span)
    for number in pipes:
        address = Literal(Location(number), pipe.type, span=node.span)
        here = Binary("==", pipe, address, pipe.type, Scalar.INT, span=node.span)
        room = Literal(len(objects[number].initial), Scalar.UINT, span=node.span)
        found = Conditional(here, room, found, Scalar.UINT, span=node.span)
    return found


def _check_pipe(pipe: Expression, name: str, context: ThreadContext) -> None:
    objects = context.memory.objects
    targets = {item.type for item in objects if item.allocation is AllocationKind.PIPE}
    if not isinstance(pipe.type, PointerType) or pipe.type.target not in targets or not isinstance(pipe, Read):
        message = f"'{name}' takes a pipe, found '{pipe.span.text}' of type '{show_type(pipe.type)}'"
        context.complaints.fail("E168", pipe.span, message)


def _check_reservation(reservation: Expression, context: ThreadContext) -> None:
    if reservation.type is not Scalar.RESERVATION:
        text, type_ = reservation.span.text, show_type(reservation.type)
        message = f"'{text}' has type '{type_}', expected a reservation ('reserve_id_t')"
        context.complaints.fail("E168", reservation.span, message)


def _number(index: Expression, context: ThreadContext) -> Expression:
    if not isinstance(index.type, Scalar) or index.type.is_floating:
        message = f"'{index.span.text}' has type '{show_type(index.type)}', expected an integer"
        context.complaints.fail("E119", index.span, message)
    return converted(index, Scalar.UINT)


# --- what follows from all calls --------------------------------------------------------------------------------------


def with_packets(
    objects: Several[MemoryObject], threads: Several[Thread], complaints: Complaints
) -> tuple[MemoryObject, ...]:
    """The objects, where pipes have an element for their state and one for each packet that may come to be in them."""
    written = dict.fromkeys((n for n, item in enumerate(objects) if item.allocation is AllocationKind.PIPE), 0)
    ends: dict[tuple[KernelInstance, int], PipeAction] = {}
    users: dict[tuple[int, bool], set[int]] = {}
    for thread in threads:
        nodes = tuple(walk(thread.body))
        actions = [node for node in nodes if isinstance(node, PipeAction)]
        reach = Reach(thread, nodes, objects)
        repeated = {id(node) for node in _in_loops(nodes)}
        for action in actions:
            for number in reach.of(action.arguments[0]):
                if number not in written:
                    span = action.arguments[0].span
                    complaints.error("E168", span, f"'{span.text}' is no pipe")
                    continue
                if action.operator in {PipeOperator.WRITE, PipeOperator.RESERVE_WRITE}:
                    written[number] += MOST_PACKETS if id(action) in repeated else action.count
                if action.operator is not PipeOperator.COUNT:
                    users.setdefault((number, action.operator.writes), set()).add(thread.index)
                _check_ends(thread, number, action, ends, objects[number].name, complaints)
    return tuple(
        replace(
            item,
            initial=(0, *[None] * min(written[number], MOST_PACKETS)),
            capacity=len(item.initial),
            atomic=True,
            is_array=True,
            writers=frozenset(users.get((number, True), ())),
            readers=frozenset(users.get((number, False), ())),
        )
        if number in written
        else item
        for number, item in enumerate(objects)
    )


def _in_loops(nodes: Several[Written]) -> Iterator[Written]:
    for node in nodes:
        if isinstance(node, Loop):
            yield from walk(node)


def _check_ends(
    thread: Thread,
    number: int,
    action: PipeAction,
    ends: dict[tuple[KernelInstance, int], PipeAction],
    name: str,
    complaints: Complaints,
) -> None:
    """A kernel does not read and write one pipe."""
    if action.operator is PipeOperator.COUNT or not isinstance(thread.placement, WorkItem):
        return
    other = ends.setdefault((thread.placement.kernel_instance, number), action)
    if other.operator.writes is not action.operator.writes and complaints.is_new("E168", name, thread.placement):
        note = Note("the other end here", other.span)
        message = f"one kernel instance reads and writes the pipe '{name}' (PIPE-1)"
        complaints.error("E168", action.span, message, note)
