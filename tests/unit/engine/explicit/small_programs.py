"""Skeletons of small programs, built by hand: threads of accesses, without a parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcm.base.dialect import OPENCL
from mcm.base.source import Source, Span
from mcm.execution.evaluate import subexpressions
from mcm.execution.event import Event, EventKind
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue
from mcm.execution.skeleton import Skeleton
from mcm.execution.structure import base_relations, base_sets
from mcm.program.condition import RegisterName
from mcm.program.instruction import Block
from mcm.program.program import MemoryObject, Program, Thread
from mcm.program.topology import WorkItem
from mcm.program.types import AllocationKind, Flag, Location, Order, Region, Scalar, Scope

if TYPE_CHECKING:
    from mcm.program.topology import Placement

SOURCE = Source("small.litmus", " " * 1000)
SPAN = Span(SOURCE, 0, 0)
TRUE = Constant(1)


@dataclass
class Builder:
    """Collects events; every read is also a register of its thread: `r0`, `r1` …."""

    locations: int
    events: list[Event] = field(default_factory=list)
    registers: dict[RegisterName, Expression] = field(default_factory=dict)
    constants: set[int] = field(default_factory=lambda: {0})
    choices: int = 0
    placements: list[Placement] = field(default_factory=list)
    regions: dict[int, Region] = field(default_factory=dict)
    allocations: dict[int, AllocationKind] = field(default_factory=dict)
    scope: Scope = Scope.DEVICE

    def __post_init__(self) -> None:
        for place in range(self.locations):
            self._add(EventKind.INITIAL, None, TRUE, Constant(Location(place)), Constant(0), None)

    def thread(self, placement: Placement | None = None) -> int:
        self.placements.append(placement or WorkItem(global_id=len(self.placements)))
        return len(self.placements) - 1

    def read(self, thread: int, address: int | Expression, order: Order | None = None, guard: Expression = TRUE) -> int:
        event = self._add(EventKind.READ, thread, guard, self._address(address), None, order)
        self._register(thread, event, guard)
        return event

    def write(
        self,
        thread: int,
        address: int | Expression,
        value: int | Expression,
        order: Order | None = None,
        guard: Expression = TRUE,
    ) -> int:
        if isinstance(value, int):
            self.constants.add(value)
            value = Constant(value)
        return self._add(EventKind.WRITE, thread, guard, self._address(address), value, order)

    def update(self, thread: int, address: int, plus: int, order: Order, guard: Expression = TRUE) -> int:
        self.constants.add(plus)
        value = BinaryValue("+", ReadValue(len(self.events)), Constant(plus), Scalar.INT)
        event = self._add(EventKind.UPDATE, thread, guard, self._address(address), value, order)
        self._register(thread, event, guard)
        return event

    def fence(self, thread: int, order: Order, guard: Expression = TRUE) -> int:
        return self._add(EventKind.FENCE, thread, guard, None, None, order)

    def choice(self) -> Expression:
        self.choices += 1
        return Choice(self.choices - 1)

    def _register(self, thread: int, event: int, guard: Expression) -> None:
        value = ReadValue(event)
        chosen = value if guard is TRUE else BinaryValue("&&", guard, value, Scalar.INT)
        number = sum(name.thread == thread for name in self.registers)
        self.registers[RegisterName(thread, f"r{number}")] = chosen

    @staticmethod
    def _address(address: int | Expression) -> Expression:
        return Constant(Location(address)) if isinstance(address, int) else address

    def _add(
        self,
        kind: EventKind,
        thread: int | None,
        guard: Expression,
        address: Expression | None,
        value: Expression | None,
        order: Order | None,
    ) -> int:
        identifier = len(self.events)
        self.events.append(
            Event(
                identifier,
                kind,
                thread,
                guard,
                address,
                tuple(sorted(_locations(address))),
                value,
                order,
                None if order is None else self.scope,
                frozenset({Flag.GLOBAL, Flag.LOCAL}) if kind is EventKind.FENCE else frozenset(),
                kind.is_access and order is not None,
                None,
                Span(SOURCE, identifier, identifier + 1),
            )
        )
        return identifier

    def skeleton(self) -> Skeleton:
        objects = tuple(self._object(place) for place in range(self.locations))
        threads = tuple(
            Thread(index, f"P{index}", placement, (), Block((), span=SPAN), SPAN)
            for index, placement in enumerate(self.placements)
        )
        program = Program(SOURCE, OPENCL, "small", threads, objects, (), None, None, ())
        first = {event.thread: event.identifier for event in reversed(self.events)}
        before = {
            event.identifier: sum(
                1 << other.identifier - first[event.thread] for other in self.events if _precedes(other, event)
            )
            for event in self.events
        }
        return Skeleton(
            program=program,
            events=tuple(self.events),
            sets=base_sets(program, self.events, [Location(place) for place in range(self.locations)]),
            relations=base_relations(program, self.events, before, {}),
            registers=self.registers,
            constraints=(),
            choices=self.choices,
            faults=(),
            stops=(),
            constants=frozenset(self.constants),
        )

    def _object(self, place: int) -> MemoryObject:
        atomic = any(event.atomic and Location(place) in event.locations for event in self.events)
        region = self.regions.get(place, Region.GLOBAL)
        allocation = self.allocations.get(place, AllocationKind.BUFFER)
        return MemoryObject(f"x{place}", Scalar.INT, region, allocation, (0,), atomic, is_array=False, span=SPAN)


def _precedes(first: Event, second: Event) -> bool:
    return first.thread is not None and first.thread == second.thread and first.identifier < second.identifier


def _locations(address: Expression | None) -> set[Location]:
    if address is None:
        return set()
    return {
        part.value
        for part in subexpressions(address)
        if isinstance(part, Constant) and isinstance(part.value, Location)
    }
