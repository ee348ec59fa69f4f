"""Control flow, locations and values of a partial execution, computed as soon as the reads that they need are known.

A read may take its value from a write whose value is not known yet, also around a cycle (values out of thin air). When
only such cycles are left, the conditions and addresses that need their values are decided instead of the values, and
whether there are such values is a question of its own (`circular_results`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.bits import listed, mask_of, members
from mcm.execution.evaluate import evaluate, missing_of
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue, UnaryValue
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.engine.explicit.known_parts import ExpressionGraph, KnownParts
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.execution.event import Event
    from mcm.program.types import Location, Value


class DecideChoice(Struct, frozen=True):
    """Branch on a free choice: it is 1 or 0."""

    choice: int


class DecideCondition(Struct, frozen=True):
    """Branch on a condition that needs values which depend on themselves: it holds or not."""

    condition: Expression


class DecideAddress(Struct, frozen=True):
    """Branch on the address of an event that needs values which depend on themselves: it is one of its locations."""

    event: int


Obstacle = DecideChoice | DecideCondition | DecideAddress


class Valuation:
    """What is known of events, reads and choices; `None` or a missing key is not known.

    As masks of events: `executed` are executed, `skipped` are not, `certain` are executed because their guard says so,
    `incomplete` have a guard, location or value that is not known. An event that a read takes its value from counts as
    executed, with the location of the read, before its guard and address are known; both are checked later.
    `sources[r]` is the write of read `r`, `values[r]` what it returns, `written[w]` the value of write `w`, `waiting`
    are the reads whose write has no known value. As masks of indices of `packed.requirements`: `required` must hold and
    are not known to, `stale` are to be evaluated again. `supposed` are conditions and addresses that were decided
    before the values that they need. `parts` are the values of parts of expressions, where there is much to evaluate.
    """

    __slots__ = (
        "certain",
        "choices",
        "executed",
        "incomplete",
        "locations",
        "packed",
        "parts",
        "required",
        "skipped",
        "sources",
        "stale",
        "supposed",
        "values",
        "waiting",
        "written",
    )

    def __init__(self, packed: PackedSkeleton) -> None:
        self.packed = packed
        self.values: dict[int, Value] = {}
        self.sources: dict[int, int] = {}
        self.supposed: dict[Expression, Value] = {}
        self.choices: list[bool | None] = [None] * packed.skeleton.choices
        self.parts = None if packed.graph is None else _known_parts(packed.graph)
        everything, left = (1 << len(packed.events)) - 1, [event.identifier for event in packed.open_events]
        self.incomplete = mask_of(left)
        self.executed = self.certain = everything & ~self.incomplete
        self.skipped = 0
        self.locations: dict[int, Location] = dict(packed.static_locations)
        self.written: dict[int, Value] = dict(packed.written)
        self.waiting: tuple[int, ...] = ()
        self.required = self.stale = (1 << len(packed.skeleton.constraints)) - 1
        self._propagate(left)

    def copy(self) -> Valuation:
        """A copy that can be changed independently."""
        twin = object.__new__(Valuation)
        twin.packed = self.packed
        twin.values = self.values.copy()
        twin.sources = self.sources.copy()
        twin.supposed = self.supposed.copy()
        twin.choices = self.choices.copy()
        twin.parts = None if self.parts is None else self.parts.copy()
        twin.executed = self.executed
        twin.certain = self.certain
        twin.skipped = self.skipped
        twin.locations = self.locations.copy()
        twin.written = self.written.copy()
        twin.waiting = self.waiting
        twin.required = self.required
        twin.stale = self.stale
        twin.incomplete = self.incomplete
        return twin

    # --- decisions ----------------------------------------------------------------------------------------------------

    def assign(self, read: int, write: int) -> bool:
        """Let a read take its value from a write; false if their locations differ or the write is not executed."""
        location = self.locations[read]
        if self.locations.setdefault(write, location) != location or self.skipped >> write & 1:
            return False
        if not self.executed >> write & 1:
            self.executed |= 1 << write
            guard = 1 << len(self.packed.skeleton.constraints) + write
            self.required |= guard
            self.stale |= guard
        self.sources[read] = write
        agenda = [write]
        if write in self.written:
            self._return(read, self.written[write], agenda)
        else:
            self.waiting = (*self.waiting, read)
        return self._propagate(agenda)

    def decide(self, choice: int, *, taken: bool) -> bool:
        """Set a free choice; false if that contradicts what is known."""
        self.choices[choice] = taken
        if self.parts is not None:
            return self._propagate(self._concerned(self.parts.learn_choice(choice, taken=taken)))
        self.stale |= self.packed.choice_requirements.get(choice, 0)
        return self._propagate(list(self.packed.choice_dependents.get(choice, ())))

    def suppose(self, expression: Expression, value: Value) -> bool:
        """Set a condition, or an address, whose value is not known; false if that contradicts what is known."""
        self.supposed[expression] = value
        self.stale |= self.required
        return self._propagate(list(members(self.incomplete)))

    def with_values(self, values: Mapping[int, Value]) -> Valuation | None:
        """A copy in which reads that depend on themselves have these values; None if a requirement fails then."""
        twin = self.copy()
        for read, value in values.items():
            if read not in twin.values:
                agenda: list[int] = []
                twin._return(read, value, agenda)  # noqa: SLF001 - another object of this class
                if not twin._propagate(agenda):  # noqa: SLF001
                    return None
        return twin if twin.meet_requirements() else None

    def require(self, requirements: int) -> None:
        """Require more of `packed.requirements`, given as a mask."""
        self.required |= requirements
        self.stale |= requirements

    # --- propagation --------------------------------------------------------------------------------------------------

    def meet_requirements(self) -> bool:
        """Evaluate the requirements, and set the choices that they determine; false if one cannot hold.

        Required are the constraints of the program, the guards of events that reads take their values from, that
        certain loops are cut or not, and that what was supposed is so where its value is known by now.
        """
        while stale := self.stale & self.required:
            self.stale = 0
            for number in members(stale):
                requirement = self.packed.requirements[number]
                value = self.evaluate(requirement)
                if value is None:
                    if not self._decide_implied(requirement):
                        return False
                elif is_true(value):
                    self.required &= ~(1 << number)
                else:
                    return False
        return all(self._may_be(expression, value) for expression, value in self.supposed.items())

    def _may_be(self, expression: Expression, supposed: Value) -> bool:
        """Whether the value of a condition, or an address, is not known to be another one than was supposed."""
        value = self._computed(expression)
        return value is None or value == supposed or (isinstance(supposed, int) and is_true(value) is bool(supposed))

    def _decide_implied(self, requirement: Expression) -> bool:
        """Set the choices that a requirement implies; false if they are set otherwise."""
        if not self.packed.skeleton.choices:
            return True
        for choice, taken in list(self._implied(requirement)):
            if self.choices[choice] is None:
                if not self.decide(choice, taken=taken):
                    return False
            elif self.choices[choice] is not taken:
                return False
        return True

    def _implied(self, condition: Expression) -> Iterator[tuple[int, bool]]:
        """The choices, each with its value, that follow if a condition that is not known yet holds."""
        if self.parts is not None and not self.supposed and self.parts.has(condition):
            yield from self.parts.implied(condition)
            return
        waiting = [(condition, True)]
        while waiting:
            part, holds = waiting.pop()
            match part:
                case Choice(index):
                    yield index, holds
                case UnaryValue("!", operand, _):
                    waiting.append((operand, not holds))
                case BinaryValue("&&" | "||" as symbol, left, right, _):
                    # One operand of a disjunction that holds must be true only if the other one is known to be false.
                    needs_both = (symbol == "&&") is holds
                    known = self.evaluate(left), self.evaluate(right)
                    for side, value, other in ((right, known[1], known[0]), (left, known[0], known[1])):
                        if value is None and (needs_both or other is not None):
                            waiting.append((side, holds))
                case _:
                    pass

    def _propagate(self, agenda: list[int]) -> bool:
        """Compute guards, locations and values; false if one contradicts what was supposed.

        The agenda (a work list) has the events of which more may be known.
        """
        while agenda:
            identifier = agenda.pop()
            if self.incomplete >> identifier & 1:
                event = self.packed.events[identifier]
                was_written = identifier in self.written
                if not self._propagate_event(event):
                    return False
                if self._is_complete(event):
                    self.incomplete &= ~(1 << identifier)
                if identifier in self.written and not was_written and not self._deliver(identifier, agenda):
                    return False
        return True

    def _deliver(self, write: int, agenda: list[int]) -> bool:
        """Give the value of a write, if it is known, to the reads that wait for it; false if a guess was wrong."""
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
        """Set the value of a read, and add the events that depend on it to the agenda."""
        self.values[read] = value
        if self.parts is not None:
            agenda.extend(self._concerned(self.parts.learn_read(read, value)))
            return
        self.stale |= self.packed.read_requirements.get(read, 0)
        agenda.extend(self.packed.read_dependents.get(read, ()))

    def _concerned(self, known: Iterable[int]) -> list[int]:
        """The events of which more is known by parts whose values are known now; requirements are to be looked at."""
        packed = self.packed
        found: list[int] = []
        for part in known:
            found += packed.part_dependents.get(part, ())
            self.stale |= packed.part_requirements.get(part, 0)
        return found

    def _is_complete(self, event: Event) -> bool:
        identifier = event.identifier
        if self.skipped >> identifier & 1:
            return True
        return bool(
            self.certain >> identifier & 1
            and (event.address is None or (identifier in self.locations and self._is_confirmed(event)))
            and (event.value is None or identifier in self.written)
        )

    def _is_confirmed(self, event: Event) -> bool:
        """Whether the location of an event is computed from its address, not only supposed by a read."""
        assert event.address is not None
        return isinstance(event.address, Constant) or self.evaluate(event.address) is not None

    def _propagate_event(self, event: Event) -> bool:
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
            reached = self.evaluate(event.address)
            # Where an address has a value that is no location, the guard is false too.
            if reached is not None and self.locations.setdefault(identifier, reached) != reached:  # type: ignore[arg-type]
                return False
        if event.value is not None and identifier not in self.written:
            value = self.evaluate(event.value)
            if value is not None:
                self.written[identifier] = value
        return True

    def evaluate(self, expression: Expression) -> Value | None:
        """The value of an expression, None if it is not known yet."""
        if type(expression) is Constant:
            return expression.value
        if self.supposed and expression in self.supposed:
            return self.supposed[expression]
        return self._computed(expression)

    def _computed(self, expression: Expression) -> Value | None:
        """The value of an expression as computed, whatever was supposed of it; None if it is not known yet."""
        if self.parts is not None and self.parts.has(expression):
            return self.parts.value(expression)
        return evaluate(expression, self.values, self.choices)

    def holds(self, condition: Expression) -> bool:
        """Whether a condition is known to be true; one that needs a read that is not executed never is."""
        value = self.evaluate(condition)
        return value is not None and is_true(value)

    def may_hold(self, condition: Expression) -> bool:
        """Whether a condition is not known to be false."""
        value = self.evaluate(condition)
        return value is None or is_true(value)

    @property
    def is_settled(self) -> bool:
        """Whether all is known of events, whatever the reads return that are left, and all requirements hold."""
        return not (self.incomplete or self.waiting or self.supposed or self.required or None in self.choices)

    # --- what can be decided ------------------------------------------------------------------------------------------

    def readable(self) -> list[int]:
        """The executed reads whose location is known and that have no write yet."""
        locations, sources = self.locations, self.sources
        reads = listed(self.executed & self.packed.readers)
        return [read for read in reads if read in locations and read not in sources]

    @property
    def circular(self) -> list[int]:
        """The reads that have a write and no value; when nothing else can be decided, their values need themselves."""
        return [read for read in self.waiting if read not in self.values]

    def obstacle(self) -> Obstacle | None:
        """The decision to make when no read can be assigned; None if everything but values is known."""
        choice = self.choice_of_event()
        if choice is not None:
            return choice
        circular = frozenset(self.circular)
        return self._circular_obstacle(circular) if circular else None

    def choice_of_event(self) -> DecideChoice | None:
        """A free choice that is open and that some event needs; None if there is none."""
        for event in members(self.incomplete):
            part = self.unknown_part(event)
            if isinstance(part, Choice):
                return DecideChoice(part.index)
        return None

    def _circular_obstacle(self, circular: frozenset[int]) -> Obstacle | None:
        for expression, decision in self._undecided():
            missing = tuple(blockers((expression,), self)) if self.evaluate(expression) is None else ()
            if any(isinstance(part, ReadValue) and part.event in circular for part in missing):
                # What is supposed of a condition leaves the choices in it open, on which others may depend.
                return next((DecideChoice(part.index) for part in missing if isinstance(part, Choice)), decision)
        return None

    def _undecided(self) -> Iterator[tuple[Expression, DecideCondition | DecideAddress]]:
        """Conditions and addresses that may not be known, each with the decision that supposes what it is."""
        for identifier in members(self.incomplete):
            event, bit = self.packed.events[identifier], 1 << identifier
            if not self.certain & bit:
                yield event.guard, DecideCondition(event.guard)
            if self.executed & bit and event.address is not None:
                yield event.address, DecideAddress(identifier)
        for stop in self.packed.skeleton.stops:
            for condition in (stop.condition, stop.persists):
                yield condition, DecideCondition(condition)

    def unknown_part(self, identifier: int) -> ReadValue | Choice | None:
        """A read or choice that the guard, address or value of an event needs; None if all three are known."""
        event = self.packed.events[identifier]
        for expression in (event.guard, event.address, event.value):
            part = None if expression is None else blocker(expression, self)
            if part is not None:
                return part
        return None


def _known_parts(graph: ExpressionGraph) -> KnownParts:
    # Imported here: small tests need none of it.
    from mcm.engine.explicit.known_parts import KnownParts  # noqa: PLC0415

    return KnownParts(graph)


def blocker(expression: Expression, valuation: Valuation) -> ReadValue | Choice | None:
    """A read or choice that is not known and that an expression needs; None if the value of the expression is known."""
    if valuation.parts is not None and valuation.parts.has(expression):
        return valuation.parts.first_missing(expression)
    return next(iter(missing_of(expression, valuation.values, valuation.choices)), None)


def blockers(expressions: Iterable[Expression], valuation: Valuation) -> Iterator[ReadValue | Choice]:
    """The reads and choices that are not known and that expressions need, as far as these can be evaluated.

    What parts of large expressions need that several of them share comes once.
    """
    seen: set[Expression] = set()
    for expression in expressions:
        if valuation.parts is not None and valuation.parts.has(expression):
            yield from valuation.parts.missing(expression, seen)
        else:
            yield from missing_of(expression, valuation.values, valuation.choices)
