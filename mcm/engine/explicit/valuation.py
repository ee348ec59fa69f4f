"""Control paths and values of a partial execution: they are known as soon as the reads that they need are.

A read may take its value from a write that is not resolved yet, also around a cycle. When nothing but such a cycle is
left, the value of one of its reads is guessed and confirmed when its write is resolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.bits import members
from mcm.execution.evaluate import evaluate, is_true, probe
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue, UnaryValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.explicit.layout import Layout
    from mcm.execution.event import Event
    from mcm.program.types import Location, Value


class Decide(Struct, frozen=True):
    """Fix a free choice."""

    choice: int


class Guess(Struct, frozen=True):
    """Guess the value of a read whose value depends on itself."""

    read: int


class Valuation:
    """`executed` and `skipped` are the events that surely are and are not executed.

    An event that a read takes its value from is executed even if its guard is not known yet, and has the location of
    the read; both are confirmed later. `unsettled` are the events of which something is still unknown, `required` the
    places in `layout.requirements` of what has to hold and is not known to, `stale` those of which more may be known
    than when they were looked at.
    """

    __slots__ = (
        "certain",
        "choices",
        "executed",
        "layout",
        "places",
        "required",
        "skipped",
        "sources",
        "stale",
        "unsettled",
        "values",
        "waiting",
        "written",
    )

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.values: dict[int, Value] = {}
        self.sources: dict[int, int] = {}
        self.choices: list[bool | None] = [None] * layout.skeleton.choices
        self.executed = 0
        self.certain = 0
        self.skipped = 0
        self.places: dict[int, Location] = dict(layout.fixed)
        self.written: dict[int, Value] = {}
        self.waiting: tuple[int, ...] = ()
        self.required = self.stale = (1 << len(layout.skeleton.constraints)) - 1
        self.unsettled = (1 << len(layout.events)) - 1
        self._settle(list(range(len(layout.events))))

    def copy(self) -> Valuation:
        """The same valuation, to be extended apart."""
        twin = object.__new__(Valuation)
        twin.layout = self.layout
        twin.values = self.values.copy()
        twin.sources = self.sources.copy()
        twin.choices = self.choices.copy()
        twin.executed = self.executed
        twin.certain = self.certain
        twin.skipped = self.skipped
        twin.places = self.places.copy()
        twin.written = self.written.copy()
        twin.waiting = self.waiting
        twin.required = self.required
        twin.stale = self.stale
        twin.unsettled = self.unsettled
        return twin

    # --- decisions ----------------------------------------------------------------------------------------------------

    def assign(self, read: int, write: int) -> bool:
        """Let a read take its value from a write; false if they cannot meet."""
        place = self.places[read]
        if self.places.setdefault(write, place) != place or self.skipped >> write & 1:
            return False
        if not self.executed >> write & 1:
            self.executed |= 1 << write
            guard = 1 << len(self.layout.skeleton.constraints) + write
            self.required |= guard
            self.stale |= guard
        self.sources[read] = write
        agenda = [write]
        if write in self.written:
            self._return(read, self.written[write], agenda)
        else:
            self.waiting = (*self.waiting, read)
        return self._settle(agenda)

    def decide(self, choice: int, *, taken: bool) -> bool:
        """Fix a free choice."""
        self.choices[choice] = taken
        self.stale |= self.layout.choice_requirements.get(choice, 0)
        return self._settle(list(self.layout.choosers.get(choice, ())))

    def guess(self, read: int, value: Value) -> bool:
        """Suppose what a read returns."""
        agenda: list[int] = []
        self._return(read, value, agenda)
        return self._settle(agenda)

    def require(self, requirements: int) -> None:
        """Let some more of the requirements hold."""
        self.required |= requirements
        self.stale |= requirements

    # --- consequences -------------------------------------------------------------------------------------------------

    def meet_requirements(self) -> bool:
        """Fix the choices for which one way only is left; false if something that has to hold does not.

        What has to hold are the constraints of the program and the guards of events that reads take values from.
        """
        while stale := self.stale & self.required:
            self.stale = 0
            for number in members(stale):
                requirement = self.layout.requirements[number]
                value = self.evaluate(requirement)
                if value is None:
                    if not self._decide_implied(requirement):
                        return False
                elif is_true(value):
                    self.required &= ~(1 << number)
                else:
                    return False
        return True

    def _decide_implied(self, requirement: Expression) -> bool:
        """Fix the choices without which a requirement cannot be met; false if they are fixed otherwise."""
        if not self.layout.skeleton.choices:
            return True
        for choice, taken in list(self._implied(requirement, holds=True)):
            if self.choices[choice] is None:
                if not self.decide(choice, taken=taken):
                    return False
            elif self.choices[choice] is not taken:
                return False
        return True

    def _implied(self, condition: Expression, *, holds: bool) -> Iterator[tuple[int, bool]]:
        """Choices, each with the way it must go if a condition that is not known yet holds, or does not."""
        match condition:
            case Choice(index):
                yield index, holds
            case UnaryValue("!", operand, _):
                yield from self._implied(operand, holds=not holds)
            case BinaryValue("&&" | "||" as symbol, left, right, _):
                # One operand of a disjunction that holds must be true only if the other one is known to be false.
                needs_both = (symbol == "&&") is holds
                known = self.evaluate(left), self.evaluate(right)
                for part, value, other in ((left, known[0], known[1]), (right, known[1], known[0])):
                    if value is None and (needs_both or other is not None):
                        yield from self._implied(part, holds=holds)
            case _:
                pass

    def _settle(self, agenda: list[int]) -> bool:
        """Compute everything that is known by now; false if something known contradicts what was supposed.

        The agenda lists the events of which something new may be known.
        """
        while agenda:
            identifier = agenda.pop()
            if self.unsettled >> identifier & 1:
                event = self.layout.events[identifier]
                was_written = identifier in self.written
                if not self._settle_event(event):
                    return False
                if self._is_settled(event):
                    self.unsettled &= ~(1 << identifier)
                if identifier in self.written and not was_written and not self._deliver(identifier, agenda):
                    return False
        return True

    def _deliver(self, write: int, agenda: list[int]) -> bool:
        """Hand the value of a write, if it is known, to the reads that wait for it."""
        if write not in self.written:
            return True
        arrived = [read for read in self.waiting if self.sources[read] == write]
        if arrived:
            value = self.written[write]
            for read in arrived:
                if read not in self.values:
                    self._return(read, value, agenda)
                elif self.values[read] != value:
                    return False
            self.waiting = tuple(read for read in self.waiting if read not in arrived)
        return True

    def _return(self, read: int, value: Value, agenda: list[int]) -> None:
        """Let a read return a value."""
        self.values[read] = value
        self.stale |= self.layout.read_requirements.get(read, 0)
        agenda.extend(self.layout.dependents.get(read, ()))

    def _is_settled(self, event: Event) -> bool:
        identifier = event.identifier
        if self.skipped >> identifier & 1:
            return True
        return bool(
            self.certain >> identifier & 1
            and (event.address is None or (identifier in self.places and self._is_confirmed(event)))
            and (event.value is None or identifier in self.written)
        )

    def _is_confirmed(self, event: Event) -> bool:
        """Whether the location of an event is what its address says, not only what a read supposes."""
        assert event.address is not None
        return isinstance(event.address, Constant) or self.evaluate(event.address) is not None

    def _settle_event(self, event: Event) -> bool:
        identifier = event.identifier
        bit = 1 << identifier
        if not self.certain & bit:
            guard = self.evaluate(event.guard)
            if guard is not None and not is_true(guard):
                self.skipped |= bit
                return not self.executed & bit
            if guard is not None:
                self.certain |= bit
                self.executed |= bit
        if not self.executed & bit:
            return True
        if event.address is not None and not isinstance(event.address, Constant):
            place = self.evaluate(event.address)
            # An address that is supposed to be a location may turn out to be none: then the guard fails too.
            if place is not None and self.places.setdefault(identifier, place) != place:  # type: ignore[arg-type]
                return False
        if event.value is not None and identifier not in self.written:
            value = self.evaluate(event.value)
            if value is not None:
                self.written[identifier] = value
        return True

    def evaluate(self, expression: Expression) -> Value | None:
        """The value of an expression, None if it is not known yet."""
        if isinstance(expression, Constant):
            return expression.value
        return evaluate(expression, self.values, self.choices)

    # --- what to decide next ------------------------------------------------------------------------------------------

    def readable(self) -> list[int]:
        """The reads that have a location and no write yet."""
        pending = self.executed & self.layout.readers
        return [
            e.identifier
            for e in self.layout.events
            if pending >> e.identifier & 1 and e.identifier in self.places and e.identifier not in self.sources
        ]

    def obstacle(self) -> Decide | Guess | None:
        """What must be decided when no read can get a write; None if everything is known."""
        for event in members(self.unsettled):
            part = self.unknown_part(event)
            if isinstance(part, Choice):
                return Decide(part.index)
        open_reads = [read for read in self.waiting if read not in self.values]
        return Guess(self._in_cycle(open_reads[0])) if open_reads else None

    def unknown_part(self, identifier: int) -> ReadValue | Choice | None:
        """What must be known first so that more is known of an event: of its guard, its address, its value."""
        event = self.layout.events[identifier]
        for expression in (event.guard, event.address, event.value):
            part = None if expression is None else blocker(expression, self)
            if part is not None:
                return part
        return None

    def _in_cycle(self, read: int) -> int:
        """The first read on the cycle of dependencies that a waiting read leads to."""
        path: list[int] = []
        while read not in path:
            path.append(read)
            following = self.unknown_part(self.sources.get(read, read))
            assert isinstance(following, ReadValue), "a read that waits needs another read"
            read = following.event
        cycle = path[path.index(read) :]
        return min(member for member in cycle if member in self.sources and member not in self.values)


def blocker(expression: Expression, valuation: Valuation) -> ReadValue | Choice | None:
    """A part of an expression that is not known yet and whose value the expression needs; None if it is known."""
    missing = blockers(expression, valuation)
    return missing[0] if missing else None


def blockers(expression: Expression, valuation: Valuation) -> list[ReadValue | Choice]:
    """The parts of an expression that are not known yet and that it needs, as far as that can be told by now."""
    missing: list[ReadValue | Choice] = []
    value = probe(expression, valuation.values, valuation.choices, missing)
    return missing if value is None else []
