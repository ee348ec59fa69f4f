"""Pipes: what the calls of one thread do to the state of a pipe, and to its packets.

The state is one number, which every call but those about a packet of a reservation reads and writes at once: how many
packets have been reserved for writing and how many for reading, and for each packet whether it has been committed by
whoever writes it (it may be read) and by whoever reads it (its room is free). A packet is a location of its own, and
its number in the pipe is its address. What a call does depends on the state that it reads, and nothing else:
the order in which calls come is the modification order of the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.algebra import FALSE, TRUE, ZERO, binary, conjunction, disjunction, negation, select
from mcm.execution.call_orders import too_large
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.sequencing import mask
from mcm.program.instruction import PipeAction
from mcm.program.operators import PipeEnd, PipeOperator
from mcm.program.pipe_state import FREED, HEAD, NO_SUCH_PACKET, NUMBER, RESERVATION_MISUSE, TAIL, WRITTEN
from mcm.program.types import Location, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.base.source import Span
    from mcm.execution.accesses import Accesses, Target
    from mcm.execution.expression import Expression
    from mcm.execution.path import Path
    from mcm.execution.recorder import Recorder
    from mcm.execution.sequencing import Effects
    from mcm.execution.shared import Shared

_RESERVES: Final = frozenset({PipeOperator.RESERVE_WRITE, PipeOperator.RESERVE_READ})

_FAILED: Final = Constant(-1)


class _Reservation(Struct):
    """A reservation that the thread has made: `value` is 0 where it failed, `ended` are the conditions of commits."""

    guard: Expression
    value: Expression
    count: int
    span: Span
    ended: list[Expression]


class _Call(Struct, frozen=True):
    """A call of the thread: the number of the pipe's object, what comes before the call, and its path."""

    node: PipeAction
    pipe: int
    path: Path
    begin: int

    @property
    def end(self) -> PipeEnd | None:
        """The end of the pipe that the call is about."""
        if self.node.operator is PipeOperator.COUNT:
            return None
        return PipeEnd.WRITE if self.node.operator.writes else PipeEnd.READ


class Pipes:
    """The calls of one thread about pipes."""

    def __init__(self, recorder: Recorder, accesses: Accesses) -> None:
        self._recorder: Final = recorder
        self._shared: Final = recorder.shared
        self._accesses: Final = accesses
        self._reservations: Final[list[_Reservation]] = []
        if not self._shared.packets:
            self._shared.reserved_counts = _reserved_counts(self._shared)

    def act(
        self,
        node: PipeAction,
        arguments: Sequence[Expression],
        target: Target | None,
        effects: Effects,
        path: Path,
        after: int,
    ) -> tuple[Expression, Effects]:
        """A call with these arguments, and the place where a packet is read to."""
        address, *others = arguments
        assert isinstance(address, Constant), "pipes are only passed on"
        assert isinstance(address.value, Location)
        call = _Call(node, address.value.object, path, after | effects.values | effects.pending)
        match node.operator:
            case PipeOperator.WRITE:
                value, events = self._write(call, others[0])
            case PipeOperator.READ:
                return self._read(call, target, effects)
            case PipeOperator.RESERVE_WRITE | PipeOperator.RESERVE_READ:
                value, events = self._reserve(call)
            case PipeOperator.COMMIT_WRITE | PipeOperator.COMMIT_READ:
                value, events = self._commit(call, others[0])
            case PipeOperator.WRITE_RESERVED:
                value, events = self._write_reserved(call, *others)
            case PipeOperator.READ_RESERVED:
                return self._read_reserved(call, others[0], others[1], target, effects)
            case PipeOperator.COUNT:
                value, events = self._count(call)
        return value, self._recorder.called(events, effects)

    def finish(self, ends: Expression) -> None:
        """PIPE-4: no work-item ends before it has committed its reservations; `ends` is the condition that it does."""
        for one in self._reservations:
            left = conjunction(ends, one.guard, _not_zero(one.value), negation(disjunction(*one.ended)))
            why = "the work-item ends without having committed this reservation"
            self._recorder.fault(RESERVATION_MISUSE, "PIPE-4", left, why, one.span)

    # --- one packet ---------------------------------------------------------------------------------------------------

    def _write(self, call: _Call, packet: Expression) -> tuple[Expression, list[int]]:
        """The packet is there before the state says so."""
        self._count_written(call, 1)
        old = ReadValue(len(self._shared.events) + 1)
        tail = _field(old, TAIL)
        room = self._has_room(call, old, 1)
        guard = call.path.guarded(room)
        written = self._recorder.event(
            EventKind.WRITE, guard, call.begin, call.node.span, address=self._packet(call, tail), value=packet
        )
        steps = (1 + (1 << WRITTEN + place) for place in range(self._slots(call)))
        state = self._update(call, old, room, _picked(tail, steps), 1 << written)
        return select(room, ZERO, _FAILED), [written, state]

    def _read(self, call: _Call, target: Target | None, effects: Effects) -> tuple[Expression, Effects]:
        old = ReadValue(len(self._shared.events))
        head = _field(old, HEAD)
        there = self._are_there(call, old, 1)
        steps = ((1 << HEAD) + (1 << FREED + place) for place in range(self._slots(call)))
        state = self._update(call, old, there, _picked(head, steps), 0)
        return self._received(call, self._packet(call, head), there, [state], target, effects)

    def _received(
        self,
        call: _Call,
        address: Expression,
        there: Expression,
        events: list[int],
        target: Target | None,
        effects: Effects,
    ) -> tuple[Expression, Effects]:
        """Read a packet, and write it to the place that the call names."""
        assert target is not None
        recorder, node, path = self._recorder, call.node, call.path
        result = select(there, ZERO, _FAILED)
        guard = path.guarded(there)
        if guard is FALSE:
            return result, recorder.called(events, effects)
        read = recorder.event(EventKind.READ, guard, call.begin | mask(events), node.span, address=address)
        events.append(read)
        first = len(self._shared.events)
        last = call.begin | mask(events)
        stored = self._accesses.write(target, ReadValue(read), path, last, node.span, there)
        events += range(first, len(self._shared.events))
        # What belongs to the call is not sequenced as an access of its own.
        full = recorder.full
        full.plain = [event for event in full.plain if event not in events]
        return result, recorder.called(events, effects) | stored.by_call()

    # --- reservations -------------------------------------------------------------------------------------------------

    def _reserve(self, call: _Call) -> tuple[Expression, list[int]]:
        node = call.node
        old = ReadValue(len(self._shared.events))
        if node.operator.writes:
            self._count_written(call, node.count)
            succeeds, place, shift = self._has_room(call, old, node.count), _field(old, TAIL), TAIL
        else:
            succeeds, place, shift = self._are_there(call, old, node.count), _field(old, HEAD), HEAD
        state = self._update(call, old, succeeds, Constant(node.count << shift), 0)
        number = binary("+", place, Constant(_reservation(0, node.count)), Scalar.ULONG)
        value = select(succeeds, number, ZERO)
        self._reservations.append(_Reservation(call.path.guard, value, node.count, node.span, []))
        return value, [state]

    def _commit(self, call: _Call, given: Expression) -> tuple[Expression, list[int]]:
        """The packets of a reservation are committed; PIPE-3 where it is none, or has been committed."""
        node, path = call.node, call.path
        old = ReadValue(len(self._shared.events))
        first = WRITTEN if node.operator.writes else FREED
        cases = []
        for place, count in self._numbers(call):
            bits = Constant((1 << count) - 1 << first + place)
            is_new = negation(_has_bits(old, bits))
            cases.append((conjunction(_is(given, _reservation(place, count)), is_new), bits))
        valid = disjunction(*(case for case, _ in cases))
        step: Expression = ZERO
        for case, bits in cases:
            step = select(case, bits, step)
        why = "this is no reservation that is still to be committed"
        self._recorder.fault(RESERVATION_MISUSE, "PIPE-3", path.guarded(negation(valid)), why, node.span)
        state = self._update(call, old, valid, step, 0)
        for one in self._reservations:
            one.ended.append(conjunction(path.guard, binary("==", given, one.value, Scalar.ULONG)))
        return ZERO, [state]

    def _write_reserved(
        self, call: _Call, given: Expression, index: Expression, packet: Expression
    ) -> tuple[Expression, list[int]]:
        address, valid = self._reserved(call, given, index)
        guard = call.path.guarded(valid)
        if guard is FALSE:
            return _FAILED, []
        event = self._recorder.event(EventKind.WRITE, guard, call.begin, call.node.span, address=address, value=packet)
        call.path.state.have_effect(valid)
        return select(valid, ZERO, _FAILED), [event]

    def _read_reserved(
        self, call: _Call, given: Expression, index: Expression, target: Target | None, effects: Effects
    ) -> tuple[Expression, Effects]:
        address, valid = self._reserved(call, given, index)
        return self._received(call, address, valid, [], target, effects)

    def _reserved(self, call: _Call, given: Expression, index: Expression) -> tuple[Expression, Expression]:
        """The address of a packet of a reservation, and the condition that there is such a packet (PIPE-3)."""
        node, path = call.node, call.path
        valid: list[Expression] = []
        address: Expression | None = None
        for place, count in self._numbers(call):
            for number in range(count):
                case = conjunction(_is(given, _reservation(place, count)), _is(index, number))
                location = Constant(Location(call.pipe, 1 + place + number))
                address = location if address is None else select(case, location, address)
                valid.append(case)
        committed = [
            conjunction(condition, binary("==", given, one.value, Scalar.ULONG))
            for one in self._reservations
            for condition in one.ended
        ]
        right = path.simplified(conjunction(disjunction(*valid), negation(disjunction(*committed))))
        self._recorder.fault(RESERVATION_MISUSE, "PIPE-3", path.guarded(negation(right)), NO_SUCH_PACKET, node.span)
        return address if address is not None else ZERO, right

    def _numbers(self, call: _Call) -> Iterator[tuple[int, int]]:
        """The first packet and the number of packets of each reservation that there may be."""
        slots = self._slots(call)
        for count in sorted(self._shared.reserved_counts):
            yield from ((place, count) for place in range(slots - count + 1))

    # --- the state ----------------------------------------------------------------------------------------------------

    def _count(self, call: _Call) -> tuple[Expression, list[int]]:
        """How many packets may be read, at some time."""
        state = self._recorder.event(
            EventKind.READ, call.path.guard, call.begin, call.node.span, address=self._state(call)
        )
        old = ReadValue(state)
        ready: Expression = ZERO
        for place in range(self._slots(call)):
            all_before = Constant((2 << place) - 1 << WRITTEN)
            ready = binary("+", ready, _has_bits(old, all_before), Scalar.UINT)
        return binary("-", ready, _field(old, HEAD), Scalar.UINT), [state]

    def _update(self, call: _Call, old: Expression, succeeds: Expression, step: Expression, before: int) -> int:
        """The event in which a call reads and writes the state; a call that fails leaves it as it was."""
        new = select(succeeds, binary("+", old, step, Scalar.ULONG), old)
        path = call.path
        event = self._recorder.event(
            EventKind.UPDATE,
            path.guard,
            call.begin | before,
            call.node.span,
            address=self._state(call),
            value=new,
            pipe=call.end,
        )
        path.state.have_effect(succeeds)
        return event

    def _has_room(self, call: _Call, old: Expression, count: int) -> Expression:
        """Whether packets fit in: those that are so many places before them in the pipe have been read."""
        capacity = self._shared.program.objects[call.pipe].capacity
        if count > capacity:
            return FALSE
        tail = _field(old, TAIL)
        conditions = []
        for place in range(max(0, capacity - count + 1), self._slots(call) - count + 1):
            freed = Constant((1 << place + count - capacity) - 1 << FREED)
            conditions.append(disjunction(negation(_is(tail, place)), _has_bits(old, freed)))
        return conjunction(TRUE, *conditions)

    def _are_there(self, call: _Call, old: Expression, count: int) -> Expression:
        """Whether packets can be read: they have been committed, as all before them have."""
        head = _field(old, HEAD)
        cases = []
        for place in range(self._slots(call) - count + 1):
            committed = Constant((1 << place + count) - 1 << WRITTEN)
            cases.append(conjunction(_is(head, place), _has_bits(old, committed)))
        return disjunction(*cases)

    def _packet(self, call: _Call, number: Expression) -> Expression:
        """The address of a packet."""
        places = [Constant(Location(call.pipe, 1 + place)) for place in range(self._slots(call))]
        found: Expression = places[0] if places else self._state(call)
        for place, location in enumerate(places[1:], 1):
            found = select(_is(number, place), location, found)
        return found

    def _state(self, call: _Call) -> Expression:
        return Constant(Location(call.pipe))

    def _slots(self, call: _Call) -> int:
        return len(self._shared.program.objects[call.pipe].initial) - 1

    def _count_written(self, call: _Call, count: int) -> None:
        """Note that a call may write packets; there are not more places than the state tells apart."""
        written = self._shared.packets.get(call.pipe, 0) + count
        self._shared.packets[call.pipe] = written
        if written > self._slots(call):
            name = self._shared.program.objects[call.pipe].name
            message = f"more than {self._slots(call)} packets may be written to the pipe '{name}' in one run"
            raise too_large(message, call.node.span)


def _reserved_counts(shared: Shared) -> frozenset[int]:
    """How many packets the calls of a program reserve."""
    nodes = (node for thread in shared.program.threads for node in walk(thread.body))
    return frozenset(node.count for node in nodes if isinstance(node, PipeAction) and node.operator in _RESERVES)


def _reservation(first: int, count: int) -> int:
    """The value of a reservation: which packets it is of. None is 0."""
    return 1 + first + (count << NUMBER)


def _field(state: Expression, shift: int) -> Expression:
    """One of the two numbers of the state."""
    shifted = state if shift == 0 else binary(">>", state, Constant(shift), Scalar.ULONG)
    return binary("&", shifted, Constant((1 << NUMBER) - 1), Scalar.ULONG)


def _is(value: Expression, number: int) -> Expression:
    return binary("==", value, Constant(number), Scalar.ULONG)


def _not_zero(value: Expression) -> Expression:
    return binary("!=", value, ZERO, Scalar.ULONG)


def _has_bits(state: Expression, bits: Constant) -> Expression:
    return binary("==", binary("&", state, bits, Scalar.ULONG), bits, Scalar.ULONG)


def _picked(number: Expression, values: Iterable[int]) -> Expression:
    """The value at a number."""
    found: Expression = ZERO
    for place, value in enumerate(values):
        found = select(_is(number, place), Constant(value), found) if place else Constant(value)
    return found
