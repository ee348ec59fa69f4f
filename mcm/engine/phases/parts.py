"""What is before a point of a skeleton, as a skeleton of its own, and what is behind it for each of the results."""

from __future__ import annotations

from enum import Flag, auto
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.engine.explicit.settled.inputs import values_of_inputs
from mcm.engine.explicit.settled.reduction import reduced
from mcm.execution.algebra import FALSE, TRUE, binary, conjunction, disjunction, is_truth, select
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Choice, Constant, ReadValue, Select, UnaryValue, operands, parts
from mcm.execution.skeleton import StopKind
from mcm.execution.substitution import Substitution
from mcm.program.condition import RegisterName
from mcm.program.types import Location, PointerType, Region, Scalar
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Fault, Skeleton, Stop
    from mcm.program.condition import Observable
    from mcm.program.types import Value

# The thread of the registers that stand for what the rest needs to know of a part: threads are numbered from 0.
_NOBODY: Final = -1
_NOTHING: Final = Constant(0)
# The type in which addresses are compared.
_ADDRESS: Final = PointerType(Scalar.INT, Region.NONE)


class Atoms(Flag):
    """What an expression mentions, by the sides of a point."""

    READ_BEFORE = auto()
    READ_BEHIND = auto()
    CHOICE_BEFORE = auto()
    CHOICE_BEHIND = auto()


_NO_ATOMS: Final = Atoms(0)


class Situation(Struct, frozen=True):
    """What is left of a program when a run has come to a point: a skeleton that begins with the memory of then.

    `numbers` are the identifiers of its events in the skeleton of the whole program.
    """

    skeleton: Skeleton
    numbers: tuple[int, ...]

    @property
    def outline(self) -> tuple[object, ...]:
        """Equal for situations that differ in values alone: what may be executed, and where."""
        skeleton = self.skeleton
        return (
            self.numbers,
            tuple((event.guard, event.address) for event in skeleton.events),
            skeleton.constraints,
            tuple(fault.condition for fault in skeleton.faults),
            tuple((stop.condition, stop.persists) for stop in skeleton.stops),
        )

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for situations with the same executions."""
        skeleton = self.skeleton
        return (
            self.numbers,
            tuple(event.expressions for event in skeleton.events),
            skeleton.sets["INDETERMINATE"].events,
            skeleton.constraints,
            skeleton.choices,
            tuple((fault.condition, fault.reported) for fault in skeleton.faults),
            tuple((stop.condition, stop.persists) for stop in skeleton.stops),
            tuple(skeleton.registers.items()),
            tuple(skeleton.finals.items()),
        )


class Parts:
    """A situation in two parts: the events `before` a point, and the rest, which is observed in the end.

    `is_possible`: each constraint, fault and stop belongs to one of the parts.
    """

    def __init__(self, situation: Situation, before: frozenset[int], watched: Collection[Observable]) -> None:
        skeleton = situation.skeleton
        self._situation: Final = situation
        self._watched: Final = watched
        self._initial: Final = [event for event in skeleton.events if event.kind is EventKind.INITIAL]
        self._before: Final = [event for event in skeleton.events if event.identifier in before]
        self._behind: Final = [
            event for event in skeleton.events if event.identifier not in before and event.kind is not EventKind.INITIAL
        ]
        self._reads: Final = frozenset(event.identifier for event in self._before if event.kind.reads)
        self._choices: Final = frozenset(
            part.index
            for event in self._before
            for expression in event.expressions
            for part in parts(expression)
            if isinstance(part, Choice)
        )
        self._atoms: Final[dict[Expression, Atoms]] = {}
        self.is_possible: Final = self._is_possible()

    # --- what belongs where -------------------------------------------------------------------------------------------

    def _atoms_of(self, expression: Expression) -> Atoms:
        """What an expression mentions."""
        known = self._atoms
        for part in parts(expression, lambda each: each not in known):
            if part not in known:
                match part:
                    case ReadValue(event):
                        known[part] = Atoms.READ_BEFORE if event in self._reads else Atoms.READ_BEHIND
                    case Choice(index):
                        known[part] = Atoms.CHOICE_BEFORE if index in self._choices else Atoms.CHOICE_BEHIND
                    case _:
                        known[part] = reduce(or_, (known[each] for each in operands(part)), _NO_ATOMS)
        return known[expression]

    def _is_closed(self, expression: Expression) -> bool:
        """Whether an expression is about what is before the point alone."""
        return not self._atoms_of(expression) & (Atoms.READ_BEHIND | Atoms.CHOICE_BEHIND)

    def _is_of_rest(self, constraint: Expression) -> bool:
        """Whether a constraint excludes nothing before the point: it says what becomes of choices behind it, if any."""
        atoms = self._atoms_of(constraint)
        if atoms & (Atoms.CHOICE_BEFORE | Atoms.CHOICE_BEHIND):
            return not atoms & Atoms.CHOICE_BEFORE
        return not atoms & Atoms.READ_BEFORE

    def _is_possible(self) -> bool:
        behind = frozenset(event.identifier for event in self._behind)
        named = (
            *(event for fault in self._faults(is_before=False) for event in fault.events),
            *(read for stop in self._stops(is_before=False) for read in stop.reads),
        )
        return (
            all(self._is_closed(each) or self._is_of_rest(each) for each in self._situation.skeleton.constraints)
            and behind.issuperset(named)
            and behind.isdisjoint(event for fault in self._faults(is_before=True) for event in fault.events)
            and behind.isdisjoint(read for stop in self._stops(is_before=True) for read in stop.reads)
        )

    def _faults(self, *, is_before: bool) -> tuple[Fault, ...]:
        return tuple(each for each in self._situation.skeleton.faults if self._is_closed(each.condition) is is_before)

    def _stops(self, *, is_before: bool) -> tuple[Stop, ...]:
        """The stops of a part: most belong to the rest, as others go on there when a thread has stopped."""
        return tuple(
            each
            for each in self._situation.skeleton.stops
            if (
                each.kind is StopKind.WAIT
                and bool(each.reads)
                and self._is_closed(each.condition)
                and self._is_closed(each.persists)
            )
            is is_before
        )

    def _constraints(self, *, is_before: bool) -> tuple[Expression, ...]:
        return tuple(each for each in self._situation.skeleton.constraints if self._is_closed(each) is is_before)

    # --- before -------------------------------------------------------------------------------------------------------

    @cached_property
    def _needed(self) -> tuple[Expression, ...]:
        """What the rest needs to know: the largest parts of its expressions that are about what is before."""
        found: dict[Expression, None] = {}
        seen: set[Expression] = set()
        waiting = list(self._expressions_behind())
        while waiting:
            part = waiting.pop()
            if part in seen or isinstance(part, Constant):
                continue
            seen.add(part)
            if self._is_closed(part):
                found[part] = None
            else:
                waiting += operands(part)
        return tuple(found)

    def _expressions_behind(self) -> Iterator[Expression]:
        for event in self._behind:
            yield from event.expressions
        yield from self._expressions_beside()

    def _expressions_beside(self) -> Iterator[Expression]:
        """Those of the rest that are not of its events."""
        rest = replace(
            self._situation.skeleton,
            constraints=self._constraints(is_before=False),
            faults=self._faults(is_before=False),
            stops=self._stops(is_before=False),
        )
        return _beside(rest, self._watched)

    @cached_property
    def _changed(self) -> tuple[Location, ...]:
        """The locations whose contents the rest, or who watches it, finds as the part has left them."""
        written = {location for event in self._before if event.kind.writes for location in event.locations}
        found = {location for event in self._behind if event.kind.is_access for location in event.locations}
        found.update(what for what in self._watched if isinstance(what, Location))
        return tuple(sorted(written & found - self._situation.skeleton.finals.keys()))

    @cached_property
    def _maybe_written(self) -> dict[Location, Expression]:
        """The conditions under which locations are written that have no value in the beginning."""
        indeterminate = self._situation.skeleton.sets["INDETERMINATE"].events
        begun = {event.locations[0] for event in self._initial if indeterminate >> event.identifier & 1}
        return {place: disjunction(*self._writes_of(place)) for place in self._changed if place in begun}

    def _writes_of(self, place: Location) -> Iterator[Expression]:
        for event in self._before:
            if event.kind.writes and event.address is not None and place in event.locations:
                yield conjunction(event.guard, binary("==", event.address, Constant(place), _ADDRESS))

    @cached_property
    def _registers(self) -> dict[RegisterName, Expression]:
        """What the rest needs to know besides what memory holds, under names: whether it was written, and values."""
        parts_ = (*self._maybe_written.values(), *self._needed)
        return {RegisterName(_NOBODY, str(number)): part for number, part in enumerate(parts_)}

    @property
    def observed(self) -> tuple[Observable, ...]:
        """What is to be observed of the part before the point."""
        return (*self._changed, *self._registers)

    @cached_property
    def before(self) -> Skeleton:
        """The part before the point; its registers are what the rest needs to know."""
        skeleton = self._situation.skeleton
        # What an event that is not executed reads is nothing that anybody asks for.
        executed = Substitution(
            {
                ReadValue(event.identifier): select(event.guard, ReadValue(event.identifier), _NOTHING)
                for event in self._before
                if event.kind.reads and event.guard is not TRUE
            }
        )
        part = replace(
            skeleton,
            constraints=self._constraints(is_before=True),
            faults=self._faults(is_before=True),
            stops=self._stops(is_before=True),
            registers={name: executed.apply(value) for name, value in self._registers.items()},
            finals={},
        )
        used = {location for event in self._before for location in event.locations}
        initial = [event for event in self._initial if not used.isdisjoint(event.locations)]
        others: dict[Atom, Expression] = {Choice(n): FALSE for n in range(skeleton.choices) if n not in self._choices}
        return reduced(part, Substitution(others), [*initial, *self._before], self.observed)

    # --- behind -------------------------------------------------------------------------------------------------------

    def behind(self, values: Sequence[Value]) -> Situation:
        """What is left when the part has ended with these values of what is observed."""
        skeleton, indeterminate = self._situation.skeleton, self._situation.skeleton.sets["INDETERMINATE"]
        left = iter(values)
        memory = dict(zip(self._changed, left, strict=False))
        written = {place for place, is_written in zip(self._maybe_written, left, strict=False) if is_true(is_written)}
        known = Substitution(
            {}, {part: self._constant(part, value) for part, value in zip(self._needed, left, strict=True)}
        )
        begun = [
            replace(event, value=Constant(memory[event.locations[0]])) if event.locations[0] in memory else event
            for event in self._initial
        ]
        have_values = sum(1 << event.identifier for event in begun if event.locations[0] in written)
        rest = replace(
            skeleton,
            sets={**skeleton.sets, "INDETERMINATE": replace(indeterminate, events=indeterminate.events & ~have_values)},
            constraints=self._constraints(is_before=False),
            faults=self._faults(is_before=False),
            stops=self._stops(is_before=False),
        )
        kept = [*begun, *self._left(known)]
        numbers = tuple(self._situation.numbers[event.identifier] for event in kept)
        return _with_inputs(Situation(reduced(rest, known, kept, self._watched), numbers), self._watched)

    def _constant(self, part: Expression, value: Value) -> Constant:
        """The value of an expression, in its type: engines may know a floating number by an equal integer."""
        return Constant(float(value) if isinstance(value, int) and self._is_floating(part) else value)

    def _is_floating(self, part: Expression) -> bool:
        match part:
            case ReadValue(event):
                objects = self._situation.skeleton.program.objects
                types = {objects[place.object].type for place in self._situation.skeleton.events[event].locations}
                return any(isinstance(each, Scalar) and each.is_floating for each in types)
            case Select(_, then, otherwise):
                return self._is_floating(then) or self._is_floating(otherwise)
            case UnaryValue(_, _, type_) | BinaryValue(_, _, _, type_):
                return type_.is_floating and not is_truth(part)
            case _:
                return False

    def _left(self, known: Substitution) -> Iterator[Event]:
        """The events behind the point that may be executed still, and what else is spoken of."""
        left = {event.identifier for event in self._behind if known.apply(event.guard) is not FALSE}
        for fault in self._faults(is_before=False):
            left.update(fault.events)
        for stop in self._stops(is_before=False):
            left.update(stop.reads)
        skeleton = self._situation.skeleton
        mentioned = _with_mentioned(left, skeleton, known, self._expressions_beside())
        return (event for event in self._behind if event.identifier in mentioned)


def _with_mentioned(
    events: set[int], skeleton: Skeleton, known: Substitution, beside: Iterable[Expression]
) -> frozenset[int]:
    """Some events, and all reads that their expressions, and those beside them, mention when some are known."""
    found = set(events)
    seen: set[Expression] = set()
    waiting = [each for event in events for each in skeleton.events[event].expressions]
    waiting += beside
    while waiting:
        part = known.apply(waiting.pop())
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, ReadValue) and part.event not in found:
            found.add(part.event)
            waiting += skeleton.events[part.event].expressions
        waiting += operands(part)
    return frozenset(found)


def _with_inputs(situation: Situation, watched: Collection[Observable]) -> Situation:
    """The situation where plain reads of what nobody writes any more have their values, and are left out.

    A read of the host that needs a map stays: it has its value, and may lack the map.
    """
    skeleton = situation.skeleton
    host, mapped = skeleton.sets["H"].events, skeleton.sets["NEEDS_MAP"].locations
    found = values_of_inputs(skeleton)
    known = Substitution({read: value for read, value in found.items() if isinstance(read, ReadValue)})
    if not found:
        return situation
    left = {
        event.identifier
        for event in skeleton.events
        if known.apply(event.guard) is not FALSE
        and (
            event.atomic
            or ReadValue(event.identifier) not in found
            or (host >> event.identifier & 1 and not mapped.isdisjoint(event.locations))
        )
    }
    left.update(event for fault in skeleton.faults for event in fault.events)
    left.update(read for stop in skeleton.stops for read in stop.reads)
    mentioned = _with_mentioned(left, skeleton, known, _beside(skeleton, watched))
    kept = [event for event in skeleton.events if event.identifier in mentioned]
    numbers = tuple(situation.numbers[event.identifier] for event in kept)
    return Situation(reduced(skeleton, known, kept, watched), numbers)


def _beside(skeleton: Skeleton, watched: Collection[Observable]) -> Iterator[Expression]:
    """The expressions of a skeleton that are not of its events, but for what nobody watches."""
    yield from skeleton.constraints
    yield from (fault.condition for fault in skeleton.faults)
    for stop in skeleton.stops:
        yield stop.condition
        yield stop.persists
    known = set(watched)
    yield from (value for register, value in skeleton.registers.items() if register in known)
    yield from (value for place, value in skeleton.finals.items() if place in known)
