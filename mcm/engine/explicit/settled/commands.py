"""What commands order, where each of them surely runs or surely does not: in which order a run performs their events.

`docs/search.md`, *Commands of the host*, says what is asked of a program for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.bits import members
from mcm.execution.event import EventKind
from mcm.execution.vocabulary import SETS
from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.parts import spread, unions
from mcm.relation.term import (
    Base,
    Closure,
    Domain,
    Empty,
    Range,
    RecursionVariable,
    Recursive,
    Union,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.engine.explicit.settled.conditions import Conditions
    from mcm.engine.explicit.settled.kinds import Kinds
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import RelationTerm, Term

# What the program fixes of who waits for whom, whatever threads do between calls.
RELATIONS: Final = frozenset({"enqueue", "run", "same-command", "awaits", "before-in-queue"})
# What is not looked at: programs with such are left as they are.
_OTHER_RELATIONS: Final = ("callback", "child", "status", "unmap", "overlapping-buffers")
_OTHER_SETS: Final = ("QUERY", "SETTER", "ABNORMAL", "MAP", "CHILD", "PIPES", "COPIED")
# Events that no unit performs.
_OF_NO_UNIT: Final = (EventKind.START, EventKind.END, EventKind.COMPLETE)


class Commands:
    """The events of commands, and what each of them waits for, as base relations say.

    `are_sure`: each is executed in any case or in none, and there is nothing but commands that run kernels or access
    memory, and calls that enqueue them and wait. `start_of` has the start that all events of a unit wait for.
    """

    def __init__(self, skeleton: Skeleton, conditions: Conditions) -> None:
        self.events: Final = tuple(
            event
            for event in skeleton.events
            if event.kind.is_of_commands and conditions.of[event.identifier] is not None
        )
        self._of: Final = {(e.kind, e.command): e.identifier for e in self.events if e.kind in _OF_NO_UNIT}
        self.are_sure: Final = (
            all(map(conditions.is_always, self.events))
            # What has a start has an end.
            and {(kind, command) for kind in _OF_NO_UNIT for _, command in self._of} == self._of.keys()
            and not any(any(skeleton.relations.get(name, ())) for name in _OTHER_RELATIONS)
            and not any(skeleton.sets[name].events or skeleton.sets[name].locations for name in _OTHER_SETS)
        )
        self.units: Final[dict[int, tuple[int, ...]]] = {
            command.number: command.units
            for command in skeleton.program.commands
            if self.are_sure and (EventKind.START, command.number) in self._of
        }
        self.start_of: Final = {
            unit: self._of[EventKind.START, command] for command, units in self.units.items() for unit in units
        }
        self.waits: Final = dict(self._waits(skeleton)) if self.are_sure and self.events else {}

    def _waits(self, skeleton: Skeleton) -> Iterator[tuple[int, frozenset[int]]]:
        """For events of commands, and for returns, the events that come before them."""
        last = {event.thread: event.identifier for event in skeleton.events if event.thread is not None}
        relations = skeleton.relations
        before: dict[int, set[int]] = {event.identifier: set() for event in self.events}
        for name in ("enqueue", "awaits", "before-in-queue", "queued"):
            for event in self.events:
                for other in members(relations[name][event.identifier]):
                    if other in before:
                        before[other].add(event.identifier)
        for event in self.events:
            found = before[event.identifier]
            if event.kind in _OF_NO_UNIT[1:]:
                found.add(self._of[EventKind.START, event.command])
            if event.kind is EventKind.END and event.command is not None:
                found.update(last[unit] for unit in self.units[event.command] if unit in last)
            if event.kind is EventKind.COMPLETE:
                found.add(self._of[EventKind.END, event.command])
            if found:
                yield event.identifier, frozenset(found)

    def awaited_by(self, event: Event) -> Iterable[int]:
        """What an event that a unit performs waits for."""
        if event.kind.is_of_commands:
            return self.waits.get(event.identifier, ())
        return (self.start_of[event.thread],) if event.thread in self.start_of else ()


class Following:
    """Says in a run which events of commands have come."""

    def __init__(self, commands: Commands) -> None:
        own = {event.identifier for event in commands.events if event.kind in _OF_NO_UNIT}
        self._missing: Final = {event: len(waits) for event, waits in commands.waits.items() if event in own}
        self._first: Final = sorted(own - self._missing.keys())
        self._behind: Final[dict[int, list[int]]] = {}
        for event in self._missing:
            for other in commands.waits[event]:
                self._behind.setdefault(other, []).append(event)

    def begin(self) -> Iterator[int]:
        """The events of commands that come at the beginning: what they wait for is no longer among the events."""
        for event in self._first:
            yield event
            yield from self.follow(event)

    def follow(self, event: int) -> Iterator[int]:
        """The events of commands that come when another event is done, and nothing else is missing."""
        for behind in self._behind.get(event, ()):
            self._missing[behind] -= 1
            if not self._missing[behind]:
                yield behind
                yield from self.follow(behind)


class CommandSteps(Struct, frozen=True):
    """What of a closure commands fix. Masks of kinds are those of all events of a unit for which it holds.

    `before` has, for events of commands and calls, others of these; `started` the kinds that a start is before;
    `ended` for events of commands the commands whose units' events, of these kinds, are before them.
    """

    before: dict[int, tuple[int, ...]]
    started: dict[int, int]
    ended: dict[int, tuple[tuple[int, int], ...]]


def command_steps(skeleton: Skeleton, kinds: Kinds, commands: Commands, order: Closure) -> CommandSteps:
    """The steps of a closure: its parts that relate events by their sets and by commands are evaluated.

    Of the events that one command's units perform, one of each kind stands for all.
    """
    own = [event.identifier for event in commands.events]
    shown = {
        (command, kind): event.identifier
        for event in skeleton.events
        if event.thread in commands.start_of and not event.kind.is_of_commands
        for command in (skeleton.events[commands.start_of[event.thread]].command,)
        if command is not None
        for kind in kinds.all_of(event)
    }
    names = [kinds.names[kinds.of(skeleton.events[event])] for event in own]
    names += [kinds.names[kind] for _, kind in shown]
    events = [*own, *shown.values()]
    size = len(events)
    sets = {name: sum(1 << i for i in range(size) if name in names[i]) for name in SETS}
    number = {event: i for i, event in enumerate(events)}
    mask = sum({1 << event for event in events})
    rows = {
        name: tuple(
            sum(1 << number[other] for other in members(skeleton.relations[name][event] & mask)) for event in events
        )
        for name in RELATIONS
    }
    evaluator = Evaluator(Structure(size, (1 << size) - 1, sets, rows))
    found = evaluator.relation(_body(order))
    of_units = list(enumerate(shown, len(own)))
    before: dict[int, tuple[int, ...]] = {}
    started: dict[int, int] = {}
    ended: dict[int, dict[int, int]] = {}
    for i, event in enumerate(own):
        before[event] = tuple(other for j, other in enumerate(own) if found[j] >> i & 1)
        masks = ended.setdefault(event, {})
        for j, (command, kind) in of_units:
            if skeleton.events[event].command == command and found[i] >> j & 1:
                started[event] = started.get(event, 0) | 1 << kind
            if found[j] >> i & 1:
                masks[command] = masks.get(command, 0) | 1 << kind
    return CommandSteps(before, started, {event: tuple(masks.items()) for event, masks in ended.items()})


def _body(order: Closure) -> RelationTerm:
    """The parts of a closure's body that are about commands."""
    body: RelationTerm = Empty()
    for whole in unions(order.body):
        for part in spread(whole):
            if is_of_commands(part):
                body = Union(body, part)
    return body


def is_of_commands(term: Term) -> bool:
    """Whether a term relates two events by their sets and by what commands wait for alone."""
    waiting: list[Term] = [term]
    while waiting:
        part = waiting.pop()
        match part:
            case Closure() | Domain() | Range() | RecursionVariable() | Recursive():
                return False
            case Base(name) if name not in RELATIONS:
                return False
        waiting += children(part)
    return True


def orders_commands(order: Closure) -> bool:
    """Whether a closure relates all that the text of a program relates where one command waits for another one.

    Two commands of an in-order queue, and a third one that waits for the second by name, are looked at, with returns of
    calls that wait.
    """
    events = [(name, command) for command in "abc" for name in ("CALL", "START", "unit", "END", "COMPLETE")]
    events += [(name, "") for name in ("finished", "waited", "blocking")]
    number = {event: i for i, event in enumerate(events)}
    sets = dict.fromkeys(SETS, 0)
    rows = {name: [0] * len(events) for name in RELATIONS}
    required = set[tuple[int, int]]()

    def relate(name: str, first: tuple[str, str], second: tuple[str, str]) -> None:
        rows[name][number[first]] |= 1 << number[second]
        if name in {"enqueue", "awaits", "before-in-queue"}:
            required.add((number[first], number[second]))

    for (name, command), i in number.items():
        sets["G"] |= 1 << i
        for of in {"unit": ("M", "R", "W", "AO", "A", "RLX")}.get(name, (name if name in SETS else "RETURN",)):
            sets[of] |= 1 << i
        if name == "blocking":
            sets["BLOCKING"] |= 1 << i
        if command in {"a", "b"} and name in {"START", "END", "COMPLETE"}:
            sets["IN_ORDER"] |= 1 << i
        if name in {"CALL", "finished", "waited", "blocking"}:
            sets["H"] |= 1 << i
    for command in "abc":
        start, unit, end, complete = ((name, command) for name in ("START", "unit", "END", "COMPLETE"))
        relate("enqueue", ("CALL", command), start)
        relate("run", start, unit)
        for one in (start, end, complete):
            for other in (start, end, complete):
                relate("same-command", one, other)
        pairs = ((start, unit), (unit, end), (end, complete), (start, complete))
        required.update((number[one], number[other]) for one, other in pairs)
        relate("before-in-queue", complete, ("finished", ""))
        relate("awaits", complete, ("waited", ""))
        relate("awaits", complete, ("blocking", ""))
    sets["LISTED"] |= 1 << number["START", "c"]
    relate("before-in-queue", ("COMPLETE", "a"), ("START", "b"))
    relate("awaits", ("COMPLETE", "b"), ("START", "c"))
    structure = Structure(len(events), (1 << len(events)) - 1, sets, {n: tuple(r) for n, r in rows.items()})
    found = Evaluator(structure).relation(_body(order))
    return all(found[first] >> second & 1 for first, second in required)
