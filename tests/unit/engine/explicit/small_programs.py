"""Skeletons of small programs, built by hand: threads of accesses, without a parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcm.base.source import Source, Span
from mcm.execution.event import Event, EventKind
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue
from mcm.execution.evaluate import reads_of, subexpressions
from mcm.execution.skeleton import SetMembers, Skeleton
from mcm.program.condition import RegisterName
from mcm.program.program import Program
from mcm.program.types import Location, Order, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable

SOURCE = Source("small.litmus", " " * 1000)
TRUE = Constant(1)


@dataclass
class Builder:
    """Collects events; every read is also a register `r<event>` of its thread."""

    locations: int
    events: list[Event] = field(default_factory=list)
    registers: dict[RegisterName, Expression] = field(default_factory=dict)
    constants: set[int] = field(default_factory=lambda: {0})
    choices: int = 0
    threads: int = 0

    def __post_init__(self) -> None:
        for place in range(self.locations):
            self._add(EventKind.INITIAL, None, TRUE, Constant(Location(place)), Constant(0), None)

    def thread(self) -> int:
        self.threads += 1
        return self.threads - 1

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
        self.registers[RegisterName(thread, f"r{event}")] = chosen

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
                None,
                frozenset(),
                kind.is_access and order is not None,
                None,
                Span(SOURCE, identifier, identifier + 1),
            )
        )
        return identifier

    def skeleton(self) -> Skeleton:
        return Skeleton(
            program=Program(SOURCE, "C", "small", (), (), (), (), (), (), (), None, None, ()),
            events=tuple(self.events),
            sets={name: SetMembers(members) for name, members in self._sets().items()},
            relations=self._relations(),
            registers=self.registers,
            constraints=(),
            choices=self.choices,
            faults=(),
            cuts=(),
            constants=frozenset(self.constants),
        )

    def _sets(self) -> dict[str, int]:
        def of(events: Iterable[Event]) -> int:
            return sum(1 << e.identifier for e in events)

        events = self.events
        return {
            "R": of(e for e in events if e.kind.reads),
            "W": of(e for e in events if e.kind.writes),
            "RMW": of(e for e in events if e.kind is EventKind.UPDATE),
            "F": of(e for e in events if e.kind is EventKind.FENCE),
            "A": of(e for e in events if e.atomic),
            "IW": of(e for e in events if e.kind is EventKind.INITIAL),
            "ACQ": of(e for e in events if e.order and e.order.acquires and e.kind is not EventKind.WRITE),
            "REL": of(e for e in events if e.order and e.order.releases and e.kind is not EventKind.READ),
            "SC": of(e for e in events if e.order is Order.SEQ_CST),
        }

    def _relations(self) -> dict[str, tuple[int, ...]]:
        events = self.events

        def rows(related: object) -> tuple[int, ...]:
            return tuple(sum(1 << b.identifier for b in events if related(a, b)) for a in events)  # type: ignore[operator]

        def same(a: Event, b: Event) -> bool:
            return a is b or (a.thread is not None and a.thread == b.thread)

        return {
            "po": rows(lambda a, b: a is not b and same(a, b) and a.identifier < b.identifier),
            "int": rows(same),
            "ext": rows(lambda a, b: not same(a, b)),
            "data": rows(lambda a, b: a is not b and _needs(b.value, a)),
            "addr": rows(lambda a, b: a is not b and _needs(b.address, a)),
            "ctrl": rows(lambda a, b: a is not b and _needs(b.guard, a)),
        }


def _needs(expression: Expression | None, read: Event) -> bool:
    return expression is not None and read.identifier in reads_of(expression)


def _locations(address: Expression | None) -> set[Location]:
    if address is None:
        return set()
    return {
        part.value
        for part in subexpressions(address)
        if isinstance(part, Constant) and isinstance(part.value, Location)
    }
