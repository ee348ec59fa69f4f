"""Races of commands with what their explanation says repaired: the one edge that a rule would have, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.execution.event import EventKind
from mcm.execution.skeleton import SetMembers
from mcm.explain.commands_story import commands_story
from mcm.program.command import CommandKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.answer import RaisedFlag
    from mcm.answer.query import Query
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton


class Repair(Struct, frozen=True):
    """What a rule asks for: an edge of a relation, and sets that one of its events is in."""

    rule: str
    relation: str
    first: int
    last: int
    sets: tuple[str, ...] = ()
    # Where another condition is told that has to hold too: memory that carries what comes before an enqueue call.
    is_not_enough: bool = False


def command_repairs(raised: RaisedFlag, query: Query) -> tuple[Repair, ...]:
    """A repair for each rule that the explanation of a race names, where one edge is all that it asks for."""
    first, last = raised.events[0], raised.events[-1]
    for pair in ((first, last), (last, first)):
        told = commands_story(raised.witness, *pair, query.model)
        if told:
            rules = dict.fromkeys(rule for sentence in told for rule in sentence.rules)
            if not rules:
                # The model has no rules of commands: what it knows is the order of a thread.
                return (Repair("sequenced-before", "po", *pair),)
            return tuple(_Repairs(raised.witness.skeleton, *pair).of(tuple(rules)))
    return ()


def repaired_by(query: Query, skeleton: Skeleton, repair: Repair) -> Query:
    """The same question with one edge more in one of its skeletons."""
    rows = list(skeleton.relations[repair.relation])
    rows[repair.first] |= 1 << repair.last
    sets = dict(skeleton.sets)
    for name in repair.sets:
        sets[name] = SetMembers(sets[name].events | 1 << repair.last, sets[name].locations)
    changed = replace(skeleton, sets=sets, relations={**skeleton.relations, repair.relation: tuple(rows)})
    skeletons = tuple(changed if one.events is skeleton.events else one for one in query.skeletons)
    return replace(query, skeletons=skeletons)


class _Repairs:
    def __init__(self, skeleton: Skeleton, first: int, last: int) -> None:
        self._events = skeleton.events
        self._program = skeleton.program
        self._pair = (skeleton.events[first], skeleton.events[last])

    def of(self, rules: tuple[str, ...]) -> Iterator[Repair]:
        commands = [self._command(event) for event in self._pair]
        if None in commands:
            (of_command,) = {*commands} - {None}
            access = self._pair[commands.index(None)]
            yield from self._with_host(of_command, access.identifier, rules)
            return
        pair = [number for number in commands if number is not None]
        earlier, later = sorted(self._above(pair))
        also = "HOST-1" in rules
        complete, start = self._event(earlier, EventKind.COMPLETE), self._event(later, EventKind.START)
        for rule in rules:
            match rule:
                case "HOST-2" | "SYCL-CMD-2":
                    yield Repair(rule, "awaits", complete, start, is_not_enough=also)
                case "HOST-5":
                    yield Repair(rule, "before-in-queue", complete, start, ("IN_ORDER",), is_not_enough=also)
                case "HOST-13":
                    yield from self._with_child(earlier, later)
                case _:
                    pass

    def _with_host(self, command: int, access: int, rules: tuple[str, ...]) -> Iterator[Repair]:
        start, complete = self._event(command, EventKind.START), self._event(command, EventKind.COMPLETE)
        for rule in rules:
            match rule:
                case "HOST-4" | "SYCL-CMD-1":
                    yield Repair(rule, "awaits", complete, access, ("RETURN",))
                case "HOST-8":
                    yield Repair(rule, "before-in-queue", complete, access, ("RETURN",))
                case "HOST-1" | "SYCL-CMD-4":
                    yield Repair(rule, "enqueue", access, start)
                case "HOST-11":
                    yield Repair(rule, "callback", complete, access)
                case _:
                    pass

    def _with_child(self, one: int, other: int) -> Iterator[Repair]:
        """A child starts when its parent has ended: the flag, beside the edge of the call that is there."""
        child = other if self._program.commands[other].caller in self._program.commands[one].units else one
        start = self._event(child, EventKind.START)
        (call,) = (e.identifier for e in self._events if e.kind is EventKind.API_CALL and e.command == child)
        yield Repair("HOST-13", "enqueue", call, start, ("WAIT_KERNEL",))

    def _command(self, event: Event) -> int | None:
        return None if event.thread is None else self._program.thread(event.thread).started_by

    def _above(self, pair: list[int]) -> list[int]:
        """The commands that are told of: a kernel and its child, siblings, or what the host enqueues."""
        commands = [self._program.commands[number] for number in pair]
        parents = [
            None if one.caller is None else self._program.thread(one.caller).started_by
            for one in commands
            if one.kind is CommandKind.CHILD
        ]
        if set(parents) & {*pair} or (len(parents) == len(pair) and len({*parents}) == 1):
            return pair
        return [self._of_the_host(number) for number in pair]

    def _of_the_host(self, number: int) -> int:
        """The command that the host enqueues, for one that a kernel enqueues."""
        command = self._program.commands[number]
        while command.kind is CommandKind.CHILD:
            command = next(one for one in self._program.commands if command.caller in one.units)
        return command.number

    def _event(self, command: int, kind: EventKind) -> int:
        (found,) = (event.identifier for event in self._events if event.command == command and event.kind is kind)
        return found
