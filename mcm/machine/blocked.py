"""Threads that never finish: they wait for a group or for a value for ever, or go round a loop for ever."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

from mcm.base.bits import listed
from mcm.machine.code import (
    AwaitEvents,
    ChooseOrder,
    CompareExchange,
    EnqueueCommand,
    Fence,
    FinishQueue,
    GroupFunction,
    Jump,
    Load,
    QueryStatus,
    Store,
    Update,
)
from mcm.machine.computation import ComputationLimitError
from mcm.machine.finding import Site
from mcm.program.operators import Level
from mcm.program.types import Location
from mcm.program.value_arithmetic import are_same

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine
    from mcm.program.types import Value

# A loop that waits for a value has few configurations. With more, of one thread or of all together, no answer is given.
_MOST_ALONE: Final = 50
_MOST_TOGETHER: Final = 50


# For each configuration those after its steps.
_Graph: TypeAlias = "dict[Configuration[Any], list[Configuration[Any]]]"


class Obstacle(Enum):
    """Why a thread never finishes: it waits for its group, a value in memory or commands, or its loop never ends."""

    GROUP = "group"
    VALUE = "value"
    COMMANDS = "commands"
    LOOP = "loop"


class BlockedThread(Struct, frozen=True):
    """A thread that never finishes, or never begins because its command does not.

    `site` is the group function, the call, or the jump that repeats the loop; for a command that does not begin, the
    call that enqueues it. `reads` are the locations that the loop reads, each with its value; None if it reads
    several values there. `events` are the names of the commands that it waits for, `level` the kind of its group.
    """

    site: Site
    obstacle: Obstacle
    reads: tuple[tuple[Location, Value | None], ...] = ()
    events: tuple[str, ...] = ()
    level: Level = Level.WORK_GROUP


class Blocked(Struct, frozen=True):
    """The threads that never finish, in the order of the program, and those of commands that never begin.

    All others have finished, or their commands have not been enqueued.
    """

    threads: tuple[BlockedThread, ...]


def blocked_in(machine: Machine[Any], component: Collection[Configuration[Any]]) -> Blocked:
    """The threads that have not finished in configurations that lead to each other, and to no others."""
    first = next(iter(component))
    done = first.finished | first.held
    unfinished = [thread for thread in range(len(machine.threads)) if not done >> thread & 1]
    found = [_blocked(machine, thread, component) for thread in unfinished]
    return Blocked((*found, *_pending(machine, first)))


def _pending(machine: Machine[Any], now: Configuration[Any]) -> list[BlockedThread]:
    """The threads of commands that have been enqueued and have not begun; in a run that is blocked they never will."""
    commands = machine.compiled.commands.commands
    found = []
    for number in machine.host.waiting_to_begin(now):
        events = tuple(commands[other].name for other in machine.host.awaited_by_command(now, number))
        for thread in listed(commands[number].units):
            site = Site(thread, 0, machine.threads[thread].name, commands[number].span)
            found.append(BlockedThread(site, Obstacle.COMMANDS, events=events))
    return found


def all_wait(machine: Machine[Any], now: Configuration[Any]) -> Blocked | None:
    """The threads that never finish, if every runnable thread waits in a loop that leaves memory as it is.

    Then no thread changes what another one reads, so that each is looked at alone. None if some thread may do something
    else, which does not mean that it will.
    """
    found = []
    for thread in range(len(machine.threads)):
        if (now.finished | now.held) >> thread & 1:
            continue
        component: Collection[Configuration[Any]] = [now]
        if machine.ready(now) >> thread & 1:
            graph = _steps_alone(machine, now, thread)
            if graph is None:
                return None
            component = _recurrent(graph)
        found.append(_blocked(machine, thread, component))
    found += _pending(machine, now)
    return Blocked(tuple(found)) if found else None


def never_ends(machine: Machine[Any], now: Configuration[Any]) -> Blocked | None:
    """The threads that never finish, if all schedules from here lead back here; None if that is not known."""
    blocked = all_wait(machine, now)
    if blocked is not None:
        return blocked
    graph: _Graph = {}
    to_visit = [now]
    while to_visit:
        before = to_visit.pop()
        if before in graph:
            continue
        graph[before] = []
        for thread in machine.runnable(before):
            after = _after(machine, before, thread)
            if after is None:
                return None
            graph[before] += after
        if not graph[before] or len(graph) > _MOST_TOGETHER:
            return None
        to_visit += graph[before]
    return blocked_in(machine, graph) if now in _recurrent(graph) else None


def _steps_alone(machine: Machine[Any], now: Configuration[Any], thread: int) -> _Graph | None:
    """The configurations that steps of one thread lead to; None if it changes memory, stops, or has too many."""
    graph: _Graph = {}
    to_visit = [now]
    while to_visit:
        before = to_visit.pop()
        if before in graph:
            continue
        following = _after(machine, before, thread)
        if not following or len(graph) > _MOST_ALONE:
            return None
        if any(_is_changed(now, after) or not machine.ready(after) >> thread & 1 for after in following):
            return None
        graph[before] = following
        to_visit += following
    return graph


def _is_changed(now: Configuration[Any], after: Configuration[Any]) -> bool:
    """Whether there is another configuration of what threads share."""
    return after.memory != now.memory or after.commands != now.commands


def _after(machine: Machine[Any], before: Configuration[Any], thread: int) -> list[Configuration[Any]] | None:
    """The configurations after the next step of a thread, one for each choice; None if a step does not end."""
    try:
        return [machine.step(before, thread, choice).after for choice in machine.choices(before, thread)]
    except ComputationLimitError:
        return None


def _recurrent(graph: _Graph) -> list[Configuration[Any]]:
    """The configurations to which everything that they lead to leads back."""
    reached = {now: _reached(graph, now) for now in graph}
    return [now for now, others in reached.items() if all(now in reached[other] for other in others)]


def _reached(graph: _Graph, now: Configuration[Any]) -> set[Configuration[Any]]:
    """All configurations that one leads to."""
    found: set[Configuration[Any]] = set()
    to_visit = [*graph[now]]
    while to_visit:
        following = to_visit.pop()
        if following not in found:
            found.add(following)
            to_visit += graph[following]
    return found


def _blocked(machine: Machine[Any], thread: int, component: Collection[Configuration[Any]]) -> BlockedThread:
    first = next(iter(component))
    node = machine.instruction(first, thread)
    if isinstance(node, GroupFunction) and all(now.is_waiting(thread) for now in component):
        return BlockedThread(machine.site(thread, first.counters[thread]), Obstacle.GROUP, level=node.level)
    if isinstance(node, (AwaitEvents, FinishQueue, EnqueueCommand)) and first.is_waiting(thread):
        names = tuple(machine.host.names_of_awaited(first, thread))
        return BlockedThread(machine.site(thread, first.counters[thread]), Obstacle.COMMANDS, events=names)
    counters = {now.counters[thread] for now in component}
    site = machine.site(thread, _loop_around(machine, thread, counters))
    if first.endless >> thread & 1:
        return BlockedThread(site, Obstacle.LOOP)
    values: dict[Location, set[Value]] = {}
    events: dict[str, None] = {}
    waits = True
    changes = any(_is_changed(first, now) for now in component)
    for now in component:
        here = machine.instruction(now, thread)
        if isinstance(here, QueryStatus):
            events[machine.compiled.commands.commands[here.event].name] = None
        if isinstance(here, (ChooseOrder, Fence, QueryStatus)):
            continue
        if isinstance(here, Store) and here.order is None and not changes:
            # It writes what is there.
            continue
        read = _read(machine, now, thread)
        if read is None:
            waits = False
        else:
            values.setdefault(read[0], set()).update(read[1])
    reads = tuple((at, next(iter(found)) if len(found) == 1 else None) for at, found in sorted(values.items()))
    if waits and events and not reads:
        return BlockedThread(site, Obstacle.COMMANDS, events=tuple(events))
    return BlockedThread(site, Obstacle.VALUE if waits and reads else Obstacle.LOOP, reads)


def _read(machine: Machine[Any], now: Configuration[Any], thread: int) -> tuple[Location, set[Value]] | None:
    """What the next operation of a thread reads, and the values there; None if it writes another one, or reads none."""
    node, slots = machine.instruction(now, thread), now.slots[thread]
    if not isinstance(node, (Load, Update, CompareExchange)):
        return None
    address = node.address(slots)
    if not isinstance(address, Location) or address not in machine.layout.numbers:
        return None
    found = (machine.step(now, thread, choice).value for choice in machine.choices(now, thread))
    values = {value for value in found if value is not None}
    if isinstance(node, Update) and not all(
        are_same(node.combine(value, node.operand(slots)), value) for value in values
    ):
        return None
    return address, values


def _loop_around(machine: Machine[Any], thread: int, counters: Collection[int]) -> int:
    """The jump that repeats the innermost loop around some instructions of a thread; the first of them without one."""
    return min(
        (
            (jump - node.to, jump)
            for jump, node in enumerate(machine.threads[thread].instructions)
            if isinstance(node, Jump) and node.loop is not None and node.to <= min(counters) and max(counters) <= jump
        ),
        default=(0, min(counters)),
    )[1]
