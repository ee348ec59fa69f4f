"""Loads, stores and read-modify-writes: what they ask of memory, what they leave in the slots, what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, assert_never

from mcm.execution.event import EventKind
from mcm.machine.code import CompareExchange, Load, Store, Update
from mcm.machine.configuration import MemoryT
from mcm.machine.finding import Finding, Outside, place_of
from mcm.machine.memory import CompareRequest, Effect, ReadRequest, UpdateRequest, WriteRequest
from mcm.program.lacking_value import why_lacking_behind_pointer
from mcm.program.types import NO_VALUE, Location, RegisterPointer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.code import Access, PacketMove, Slots
    from mcm.machine.compiled import CompiledProgram
    from mcm.machine.configuration import Configuration
    from mcm.machine.finding import Site
    from mcm.machine.memory import Choice, MemorySubsystem, Race, Request
    from mcm.machine.memory_layout import MemoryLayout
    from mcm.program.types import Value


class Accessed(NamedTuple, Generic[MemoryT]):
    """The effect of an access: the memory and the thread's slots after it, and the value read, if it read."""

    memory: MemoryT
    slots: list[Value]
    findings: tuple[Finding, ...]
    value: Value | None


class MemoryAccess(Generic[MemoryT]):
    """Performs the accesses of threads on a memory."""

    def __init__(self, compiled: CompiledProgram, layout: MemoryLayout, memory: MemorySubsystem[MemoryT]) -> None:
        self._compiled = compiled
        self._layout = layout
        self._memory = memory

    def choices(self, now: Configuration[MemoryT], thread: int, node: Access) -> Sequence[Choice] | None:
        """The ways in which memory may perform an access; None where its address is not in a memory object."""
        request = self._request(now, thread, node)
        return None if request is None else self._memory.choices(now.memory, self._layout.actor(thread, node), request)

    def perform(self, now: Configuration[MemoryT], thread: int, node: Access, choice: Choice) -> Accessed[MemoryT]:
        """Perform an access."""
        request, slots, site = self._request(now, thread, node), list(now.slots[thread]), now.counters[thread]
        if request is None:
            findings = self._outside_memory(thread, site, node, slots)
            return Accessed(now.memory, slots, findings, None)
        effect = self._memory.perform(now.memory, self._layout.actor(thread, node), request, choice)
        if isinstance(node, Update) and node.move is not None:
            effect = self._moved(effect, now, thread, node, node.move, slots)
        match node:
            case Load(target) | Update(target):
                slots[target] = effect.value
            case CompareExchange(succeeded, found):
                slots[succeeded], slots[found] = int(effect.succeeded), effect.value
            case Store():
                pass
            case _:
                assert_never(node)
        findings = (*map(self._race, effect.races), *map(self._compiled.finding, effect.misuses))
        lacks_value = effect.indeterminate or (effect.value == NO_VALUE and not isinstance(node, Store))
        if isinstance(node, Load) and node.defined is not None:
            slots[node.defined] = int(not lacks_value)
        elif lacks_value:
            why = "a memory object is read before it has been given a value"
            findings += (Finding("uninitialised-read", "INIT-2", why, (self._compiled.site(thread, site),)),)
        return Accessed(effect.state, slots, findings, None if isinstance(node, Store) else effect.value)

    def _moved(
        self,
        effect: Effect[MemoryT],
        now: Configuration[MemoryT],
        thread: int,
        node: Update,
        move: PacketMove,
        slots: list[Value],
    ) -> Effect[MemoryT]:
        """The effect of a step on the state of a pipe, with that on the packet which it moves; changes `slots`."""
        packet = moved_packet(node, move, now.slots[thread], effect.value)
        if packet is None:
            return effect
        location, site = self._layout.numbers[packet], now.counters[thread]
        request: Request = ReadRequest(site, location, None, None)
        if move.packet is not None:
            request = WriteRequest(site, location, move.packet(now.slots[thread]), None, None)
        (choice,) = self._memory.choices(effect.state, thread, request)
        moved = self._memory.perform(effect.state, thread, request, choice)
        if move.target is not None:
            slots[move.target] = moved.value
        indeterminate = effect.indeterminate or (move.target is not None and moved.indeterminate)
        misuses = (*effect.misuses, *moved.misuses)
        return Effect(moved.state, effect.value, effect.succeeded, effect.races, indeterminate, misuses)

    def _request(self, now: Configuration[MemoryT], thread: int, node: Access) -> Request | None:
        """What an access asks of memory; None where its address is not in a memory object."""
        slots, site = now.slots[thread], now.counters[thread]
        address = node.address(slots)
        location = self._layout.numbers.get(address) if isinstance(address, Location) else None
        if location is None:
            return None
        match node:
            case Load(_, _, order, scope):
                return ReadRequest(site, location, order, scope)
            case Store(_, value, order, scope):
                is_value = node.defined is None or node.defined(slots)
                return WriteRequest(site, location, value(slots) if is_value else NO_VALUE, order, scope)
            case Update(_, _, operand, combine, order, scope, _):
                given = operand(slots)
                return UpdateRequest(site, location, lambda old: combine(old, given), order, scope)
            case CompareExchange(_, _, _, expected, desired, success, failure, scope, weak, _):
                return CompareRequest(site, location, expected(slots), desired(slots), success, failure, scope, weak)
            case _:
                assert_never(node)

    def _race(self, race: Race) -> Finding:
        reason = "their scopes do not include each other" if race.both_atomic else "they are not both atomic"
        why = f"{reason}, and neither happens before the other"
        sites = sorted((self._compiled.site(*race.earlier), self._compiled.site(*race.later)), key=place_of)
        return Finding("data-race", "DR-1", why, tuple(sites))

    def _outside_memory(self, thread: int, counter: int, node: Access, slots: list[Value]) -> tuple[Finding, ...]:
        """Perform an access whose address is that of a private variable, or of nothing; changes `slots`."""
        address = node.address(slots)
        site = (self._compiled.site(thread, counter),)
        is_plain = (isinstance(node, Load) and node.order is None) or (isinstance(node, Store) and not node.is_call)
        if isinstance(address, RegisterPointer):
            if is_plain:
                return self._private(thread, node, address, slots, site)
            rule = self._compiled.program.dialect.private_atomic_rule
            return (Finding("private-atomic", rule, "an atomic operation on private memory is undefined", site),)
        _read_zero(node, slots)
        why = self._compiled.program.outside(address)
        access = EventKind.UPDATE
        if isinstance(node, Load | Store):
            access = EventKind.READ if isinstance(node, Load) else EventKind.WRITE
        return (Finding("out-of-bounds", "MEM-BOUNDS", why, site, Outside(access, address)),)

    def _private(
        self, thread: int, node: Access, pointer: RegisterPointer, slots: list[Value], site: tuple[Site, ...]
    ) -> tuple[Finding, ...]:
        """Read or write a private variable through a pointer; changes `slots`."""
        code = self._compiled.threads[thread]
        name = self._compiled.register_at(thread, pointer)
        if name is None:
            _read_zero(node, slots)
            return (Finding("out-of-bounds", "MEM-BOUNDS", f"the address is outside '{pointer.register}'", site),)
        slot, defined = code.registers[name], code.defined.get(name)
        if isinstance(node, Store):
            slots[slot] = node.value(slots)
            if defined is not None:
                slots[defined] = 1 if node.defined is None else node.defined(slots)
            return ()
        assert isinstance(node, Load)
        slots[node.target] = slots[slot]
        if node.defined is not None:
            slots[node.defined] = 1 if defined is None else slots[defined]
        elif defined is not None and not slots[defined]:
            why = why_lacking_behind_pointer(name)
            return (Finding("uninitialised-read", "INIT-2", why, site),)
        return ()


def moved_packet(node: Update, move: PacketMove, slots: Slots, old: Value) -> Location | None:
    """The packet that a step on the state of a pipe moves, which was `old` before; None if it moves none."""
    address = node.address(slots)
    number = move.number(old, node.combine(old, node.operand(slots)))
    return None if number is None or not isinstance(address, Location) else Location(address.object, 1 + number)


def _read_zero(node: Access, slots: list[Value]) -> None:
    """Leave 0 where an access that is not performed would leave what it read."""
    if isinstance(node, (Load, Update)):
        slots[node.target] = 0
        if isinstance(node, Load) and node.defined is not None:
            slots[node.defined] = 1
    elif isinstance(node, CompareExchange):
        slots[node.succeeded] = 0
        slots[node.found] = 0
