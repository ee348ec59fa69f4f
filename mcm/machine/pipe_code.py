"""Calls about pipes to code: each is one step, which changes the state of the pipe and moves a packet.

The state of a pipe is a number: how many packets have been reserved for writing and for reading, and which have been
committed by those who write and by those who read. Every call sees the latest state; models allow others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.machine.builder import slot_value
from mcm.machine.code import Branch, Jump, Load, PacketMove, Require, Store, Update
from mcm.program.operators import PipeEnd, PipeOperator
from mcm.program.pipe_state import (
    FREED,
    HEAD,
    MOST_PACKETS,
    NO_SUCH_PACKET,
    NUMBER,
    RESERVATION_MISUSE,
    TAIL,
    WRITTEN,
)
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.machine.builder import CodeBuilder
    from mcm.machine.code import Operand, Slots
    from mcm.machine.lvalues import Lvalues
    from mcm.machine.operand_order import Evaluate
    from mcm.program import instruction as hir
    from mcm.program.program import MemoryObject
    from mcm.program.types import Value

_ONE_NUMBER: Final = (1 << NUMBER) - 1
_ALL_PACKETS: Final = (1 << MOST_PACKETS) - 1


class PipeState(NamedTuple):
    """The state of a pipe; the last two are masks of packets, by their numbers in the pipe."""

    written: int
    read: int
    filled: int
    freed: int

    @staticmethod
    def of(number: Value) -> PipeState:
        """The state that a number stands for."""
        assert isinstance(number, int), "the state of a pipe is a number"
        return PipeState(
            number >> TAIL & _ONE_NUMBER,
            number >> HEAD & _ONE_NUMBER,
            number >> WRITTEN & _ALL_PACKETS,
            number >> FREED & _ALL_PACKETS,
        )

    @property
    def number(self) -> int:
        """The number that stands for the state."""
        return self.written << TAIL | self.read << HEAD | self.filled << WRITTEN | self.freed << FREED

    @property
    def available(self) -> int:
        """How many packets can be reserved for reading: those that have been committed, as all before them have."""
        return _run(self.filled) - self.read

    def room(self, capacity: int) -> int:
        """How many packets more fit into the pipe: those that are not freed, or behind such a one, take room."""
        return capacity - (self.written - _run(self.freed))


def _run(packets: int) -> int:
    """How many packets from the first on are in a mask."""
    return (~packets & packets + 1).bit_length() - 1


def _mask(first: int, count: int) -> int:
    return (1 << count) - 1 << first


def _reserved(reservation: Value) -> tuple[int, int] | None:
    """The first packet of a reservation, and how many it has; None if there is none."""
    if not isinstance(reservation, int) or reservation <= 0:
        return None
    return reservation - 1 & _ONE_NUMBER, reservation >> NUMBER


class PipeCode:
    """Compiles the calls of one thread about pipes."""

    def __init__(self, code: CodeBuilder, lvalues: Lvalues, evaluate: Evaluate) -> None:
        self._code: Final = code
        self._lvalues: Final = lvalues
        self._evaluate: Final = evaluate
        self._objects: Final = code.objects

    def call(self, node: hir.PipeAction) -> Operand:
        """The value of a call."""
        code = self._code
        given, where = self._lvalues.arguments(node.arguments, node.place)
        address, *others = map(code.held, given)
        match node.operator:
            case PipeOperator.COUNT:
                state = code.load(address, None, None, node.span)
                return lambda slots: PipeState.of(state(slots)).available
            case PipeOperator.WRITE:
                old = self._step(node, address, address, self._writing(1), PacketMove(_next_written, others[0], None))
                return self._status(old, address, self._can_write(1))
            case PipeOperator.READ:
                packet = code.slot()
                old = self._step(node, address, address, self._reading(1), PacketMove(_next_read, None, packet))
                status = self._status(old, address, _can_read(1))
                self._receive(node, where, status, packet)
                return status
            case PipeOperator.RESERVE_WRITE:
                old = self._step(node, address, address, self._reserving(node.count, writes=True), None)
                return self._reservation(old, address, self._can_write(node.count), node.count, PipeEnd.WRITE)
            case PipeOperator.RESERVE_READ:
                old = self._step(node, address, address, self._reserving(node.count, writes=False), None)
                return self._reservation(old, address, _can_read(node.count), node.count, PipeEnd.READ)
            case PipeOperator.COMMIT_WRITE | PipeOperator.COMMIT_READ:
                self._step(node, address, others[0], _committed(writes=node.operator.writes), None)
                return lambda _: 0
            case PipeOperator.WRITE_RESERVED | PipeOperator.READ_RESERVED:
                return self._of_reserved(node, address, others, where)

    def _step(
        self,
        node: hir.PipeAction,
        address: Operand,
        given: Operand,
        change: Callable[[Value, Value], Value],
        move: PacketMove | None,
    ) -> Operand:
        """The step of a call; its value is the state before it."""
        target = self._code.slot()
        end = PipeEnd.WRITE if node.operator.writes else PipeEnd.READ
        self._code.emit(Update(target, address, given, change, None, None, node.span, end, move))
        return slot_value(target)

    def _status(self, old: Operand, address: Operand, succeeds: Callable[[PipeState, MemoryObject], bool]) -> Operand:
        """0, or -1 where a call has failed."""
        return self._code.held(lambda slots: 0 if succeeds(PipeState.of(old(slots)), self._at(address(slots))) else -1)

    def _reservation(
        self,
        old: Operand,
        address: Operand,
        succeeds: Callable[[PipeState, MemoryObject], bool],
        count: int,
        end: PipeEnd,
    ) -> Operand:
        """A reservation, or 0 where a call has failed."""

        def value(slots: Slots) -> Value:
            state = PipeState.of(old(slots))
            first = state.written if end is PipeEnd.WRITE else state.read
            return 1 + first + (count << NUMBER) if succeeds(state, self._at(address(slots))) else 0

        return self._code.held(value)

    def _receive(self, node: hir.PipeAction, where: Operand | None, status: Operand, packet: int) -> None:
        """Write a packet that has been read to the place that the call names."""
        place, code = node.place, self._code
        assert place is not None
        failed = code.emit(Branch(lambda slots: status(slots) == 0, -1))
        self._lvalues.write_back(place, where, slot_value(packet), node.span)
        code.code[failed] = Branch(lambda slots: status(slots) == 0, len(code.code))

    def _of_reserved(
        self, node: hir.PipeAction, address: Operand, others: list[Operand], where: Operand | None
    ) -> Operand:
        """A packet of a reservation is read or written where there is such a packet."""
        code = self._code
        reservation, index, *packet = others

        def number(slots: Slots) -> int | None:
            found, at = _reserved(reservation(slots)), index(slots)
            return found[0] + at if found is not None and isinstance(at, int) and 0 <= at < found[1] else None

        def place(slots: Slots) -> Value:
            start, at = address(slots), number(slots)
            assert isinstance(start, Location)
            return 0 if at is None else Location(start.object, 1 + at)

        code.emit(
            Require(lambda slots: number(slots) is not None, RESERVATION_MISUSE, "PIPE-3", NO_SUCH_PACKET, node.span)
        )
        test: Operand = lambda slots: int(number(slots) is not None)  # noqa: E731
        status = code.held(lambda slots: 0 if number(slots) is not None else -1)
        left = code.emit(Branch(test, -1))
        if packet:
            code.emit(Store(place, packet[0], None, None, node.span, is_call=True))
        else:
            target = code.slot()
            code.emit(Load(target, place, None, None, node.span))
            self._receive(node, where, status, target)
        jump = code.emit(Jump(-1))
        code.code[left] = Branch(test, len(code.code))
        code.code[jump] = Jump(len(code.code))
        return status

    # --- states -------------------------------------------------------------------------------------------------------

    def _at(self, address: Value) -> MemoryObject:
        assert isinstance(address, Location), "pipes are only passed on"
        return self._objects[address.object]

    def _can_write(self, count: int) -> Callable[[PipeState, MemoryObject], bool]:
        def can(state: PipeState, pipe: MemoryObject) -> bool:
            fits = state.room(pipe.capacity) >= count
            if fits and state.written + count >= len(pipe.initial):
                message = f"more than {len(pipe.initial) - 1} packets are written to the pipe '{pipe.name}' in one run"
                raise InputError(Diagnostic("E153", message, pipe.span))
            return fits

        return can

    def _writing(self, count: int) -> Callable[[Value, Value], Value]:
        can = self._can_write(count)

        def change(old: Value, address: Value) -> Value:
            state = PipeState.of(old)
            if not can(state, self._at(address)):
                return old
            return state._replace(
                written=state.written + count, filled=state.filled | _mask(state.written, count)
            ).number

        return change

    def _reading(self, count: int) -> Callable[[Value, Value], Value]:
        def change(old: Value, _: Value) -> Value:
            state = PipeState.of(old)
            if state.available < count:
                return old
            return state._replace(read=state.read + count, freed=state.freed | _mask(state.read, count)).number

        return change

    def _reserving(self, count: int, *, writes: bool) -> Callable[[Value, Value], Value]:
        can = self._can_write(count) if writes else _can_read(count)

        def change(old: Value, address: Value) -> Value:
            state = PipeState.of(old)
            if not can(state, self._at(address)):
                return old
            if writes:
                return state._replace(written=state.written + count).number
            return state._replace(read=state.read + count).number

        return change


def _can_read(count: int) -> Callable[[PipeState, MemoryObject], bool]:
    return lambda state, _: state.available >= count


def _committed(*, writes: bool) -> Callable[[Value, Value], Value]:
    def change(old: Value, reservation: Value) -> Value:
        found = _reserved(reservation)
        if found is None:
            return old
        state = PipeState.of(old)
        if writes:
            return state._replace(filled=state.filled | _mask(*found)).number
        return state._replace(freed=state.freed | _mask(*found)).number

    return change


def _next_written(old: Value, new: Value) -> int | None:
    """The number of the packet that a step writes."""
    return None if old == new else PipeState.of(old).written


def _next_read(old: Value, new: Value) -> int | None:
    """The number of the packet that a step reads."""
    return None if old == new else PipeState.of(old).read
