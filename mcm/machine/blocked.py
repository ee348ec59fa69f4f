"""Threads that never finish: they wait for a group or for a value for ever, or go round a loop for ever."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

from mcm.machine.code import Barrier, ChooseOrder, Collective, CompareExchange, Fence, Jump, Load, Update
from mcm.machine.computation import ComputationLimitError
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.machine.configuration import Configuration
    from mcm.machine.finding import Site
    from mcm.machine.machine import Machine
    from mcm.program.types import Value

# A loop that waits for a value has few configurations. With more, of one thread or of all together, no answer is given.
_MOST_ALONE: Final = 50
_MOST_TOGETHER: Final = 50


# For each configuration those after its steps.
_Graph: TypeAlias = "dict[Configuration[Any], list[Configuration[Any]]]"


class Obstacle(Enum):
    """Why a thread never finishes: it waits for its group, for a value in memory, or its loop never ends."""

    GROUP = "group"
    VALUE = "value"
    LOOP = "loop"


class BlockedThread(Struct, frozen=True):
    """A thread that never finishes. `site` is the group function, or the jump that repeats the loop.

    `reads` are the locations that the loop reads, each with its value; None if it reads several values there.
    """

    site: Site
    obstacle: Obstacle
    reads: tuple[tuple[Location, Value | None], ...] = ()


class Blocked(Struct, frozen=True):
    """The threads that never finish, in the order of the program; all others have finished."""

    threads: tuple[BlockedThread, ...]


def blocked_in(machine: Machine[Any], component: Collection[Configuration[Any]]) -> Blocked:
    """The threads that have not finished in configurations that lead to each other, and to no others."""
    first = next(iter(component))
    unfinished = [thread for thread in range(len(machine.threads)) if not first.is_finished(thread)]
    return Blocked(tuple(_blocked(machine, thread, component) for thread in unfinished))


def all_wait(machine: Machine[Any], now: Configuration[Any]) -> Blocked | None:
    """The threads that never finish, if every runnable thread waits in a loop that leaves memory as it is.

    Then no thread changes what another one reads, so that each is looked at alone. None if some thread may do something
    else, which does not mean that it will.
    """
    found = []
    for thread in range(len(machine.threads)):
        if now.is_finished(thread):
            continue
        component: Collection[Configuration[Any]] = [now]
        if machine.ready(now) >> thread & 1:
            graph = _steps_alone(machine, now, thread)
            if graph is None:
                return None
            component = _recurrent(graph)
        found.append(_blocked(machine, thread, component))
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
        if any(after.memory != now.memory or not machine.ready(after) >> thread & 1 for after in following):
            return None
        graph[before] = following
        to_visit += following
    return graph


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
    if isinstance(node, (Barrier, Collective)) and all(now.is_waiting(thread) for now in component):
        return BlockedThread(machine.site(thread, first.counters[thread]), Obstacle.GROUP)
    counters = {now.counters[thread] for now in component}
    site = machine.site(thread, _loop_around(machine, thread, counters))
    if first.endless >> thread & 1:
        return BlockedThread(site, Obstacle.LOOP)
    values: dict[Location, set[Value]] = {}
    waits = True
    for now in component:
        if isinstance(machine.instruction(now, thread), (ChooseOrder, Fence)):
            continue
        read = _read(machine, now, thread)
        if read is None:
            waits = False
        else:
            values.setdefault(read[0], set()).update(read[1])
    reads = tuple((at, next(iter(found)) if len(found) == 1 else None) for at, found in sorted(values.items()))
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
    if isinstance(node, Update) and any(node.combine(value, node.operand(slots)) != value for value in values):
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
