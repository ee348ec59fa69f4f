"""The graph: steps, the orders between them that hold in every case, and the conflicts that nothing orders."""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Final

import networkx as nx
from msgspec import Struct

from mcm.base.bits import listed
from mcm.command_graph.orders import SEQUENCED, ordered_pairs
from mcm.command_graph.steps import Step, StepKind, steps_of
from mcm.execution.algebra import FALSE
from mcm.execution.event import EventKind
from mcm.program.types import AllocationKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.cat.model import Model
    from mcm.command_graph.orders import Pairs
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.program import Program
    from mcm.program.types import Location

# The calls of several host threads may come to a queue in many orders, of which so many are looked at.
MOST_ORDERS: Final = 50

_ENDS: Final = frozenset({EventKind.END, EventKind.COMPLETE})

_FINE_GRAIN: Final = frozenset(
    {
        AllocationKind.FINE_SVM,
        AllocationKind.FINE_SVM_ATOMICS,
        AllocationKind.SYSTEM_SVM,
        AllocationKind.SYSTEM_SVM_ATOMICS,
    }
)


class Extent(Enum):
    """How much of two steps an order is about: all of them, or less."""

    WHOLE = ""
    FINE_GRAIN = "of fine-grain SVM only, and of what comes before the call"
    PART = "of what comes before the call, or of the work-group that calls"
    COMPLETION = "of its completion only"


class Order(Struct, frozen=True):
    """One step comes before another, by rules."""

    first: int
    second: int
    rules: tuple[str, ...]
    extent: Extent = Extent.WHOLE


class Access(Struct, frozen=True):
    """An access by its unit, what it does, and where it is written."""

    unit: str
    writes: bool
    text: str
    line: int


class Conflict(Struct, frozen=True):
    """Two steps access a location, one of them writing, and nothing orders them; for each step one of the accesses."""

    first: int
    second: int
    location: str
    accesses: tuple[Access, Access]


class CommandGraph(Struct, frozen=True, dict=True):
    """The steps of a program and what is known of their order under a model.

    `orders` are direct orders that hold whatever order calls of several threads have; `either` are the pairs of
    conflicting steps of which one comes first in every case, but not always the same. `is_whole` is false if not all
    orders of calls were looked at.
    """

    program: Program
    model: str
    steps: tuple[Step, ...]
    orders: tuple[Order, ...]
    conflicts: tuple[Conflict, ...]
    either: tuple[tuple[int, int], ...]
    is_whole: bool

    @cached_property
    def digraph(self) -> nx.DiGraph:
        """The orders of whole steps, as a graph over their numbers; `rules` is an attribute of edges."""
        graph = nx.DiGraph()
        graph.add_nodes_from(step.number for step in self.steps)
        graph.add_edges_from(
            (order.first, order.second, {"rules": order.rules}) for order in self.orders if order.extent is Extent.WHOLE
        )
        return graph

    @cached_property
    def direct(self) -> tuple[Order, ...]:
        """The orders that do not follow from others."""
        if not nx.is_directed_acyclic_graph(self.digraph):
            # Commands that wait for each other.
            return self.orders
        kept = set(nx.transitive_reduction(self.digraph).edges)
        return tuple(
            order for order in self.orders if order.extent is not Extent.WHOLE or (order.first, order.second) in kept
        )

    @cached_property
    def unordered(self) -> tuple[tuple[int, int], ...]:
        """The pairs of commands of which none comes before the other in every case."""
        commands = [step.number for step in self.steps if step.kind is StepKind.COMMAND]
        reached = {number: nx.descendants(self.digraph, number) for number in commands}
        return tuple((a, b) for a, b in combinations(commands, 2) if b not in reached[a] and a not in reached[b])


def command_graph(program: Program, skeletons: Sequence[Skeleton], model: Model) -> CommandGraph:
    """The graph of a program; the skeletons are those of the orders in which calls come to queues."""
    looked_at = skeletons[:MOST_ORDERS]
    steps = steps_of(looked_at[0])
    cases = [_Case(skeleton, model, steps) for skeleton in looked_at]
    cases = [case for case in cases if case.is_possible] or cases[:1]
    orders = [
        order
        for order in cases[0].orders.values()
        if all((order.first, order.second, order.extent) in case.orders for case in cases[1:])
    ]
    conflicts: list[Conflict] = []
    either: list[tuple[int, int]] = []
    for conflict in _conflicting(looked_at[0], steps):
        found = {case.order_of(conflict) for case in cases}
        if 0 in found:
            conflicts.append(conflict)
        elif len(found) > 1:
            either.append((conflict.first, conflict.second))
    return CommandGraph(
        program,
        model.name,
        steps,
        tuple(orders),
        tuple(conflicts),
        tuple(dict.fromkeys(either)),
        is_whole=len(looked_at) == len(skeletons),
    )


class _Case:
    """What is ordered in one skeleton. Keys of `orders` are two steps and the extent."""

    def __init__(self, skeleton: Skeleton, model: Model, steps: Sequence[Step]) -> None:
        everywhere, fine_grain = ordered_pairs(skeleton, model)
        self._skeleton = skeleton
        self._steps = steps
        self._of_event = {event: step.number for step in steps for event in step.events}
        self.orders: dict[tuple[int, int, Extent], Order] = {}
        self._add(everywhere, None)
        self._add(fine_grain, Extent.FINE_GRAIN)
        self._everywhere = nx.DiGraph(list(everywhere))
        self._in_fine_grain = nx.DiGraph([*everywhere, *fine_grain])
        queued = skeleton.relations.get("queued", ())
        calls = nx.DiGraph([*everywhere, *((a, b) for a, row in enumerate(queued) for b in listed(row))])
        # Calls that come to one queue in this order may have to come to another one in an order that goes round.
        self.is_possible: bool = nx.is_directed_acyclic_graph(calls)
        self._reached: dict[tuple[int, bool], set[int]] = {}
        self._locations = _locations(skeleton)

    def _add(self, pairs: Pairs, extent: Extent | None) -> None:
        for (first, second), rules in pairs.items():
            one, other = self._of_event.get(first), self._of_event.get(second)
            if one is None or other is None or one == other:
                continue
            key = one, other, extent or self._extent(first, second)
            before = self.orders[key].rules if key in self.orders else ()
            self.orders[key] = Order(one, other, tuple(dict.fromkeys((*before, *rules))), key[2])

    def _extent(self, first: int, second: int) -> Extent:
        """How much of their steps an order of two events is about."""
        one, other = self._skeleton.events[first], self._skeleton.events[second]
        if other.kind in _ENDS:
            return Extent.COMPLETION
        if self._steps[self._of_event[first]].kind is StepKind.COMMAND and one.kind not in _ENDS:
            return Extent.PART
        return Extent.WHOLE

    def order_of(self, conflict: Conflict) -> int:
        """1 if the first step comes before the second in this conflict, -1 if after, 0 if neither."""
        location, is_fine = self._locations[conflict.location]
        one = [event for event, step in self._of_event.items() if step == conflict.first]
        other = [event for event, step in self._of_event.items() if step == conflict.second]
        pairs = [(a, b) for a in one for b in other if self._conflict(a, b, location)]
        forwards = all(b in self._after(a, is_fine=is_fine) for a, b in pairs)
        backwards = all(a in self._after(b, is_fine=is_fine) for a, b in pairs)
        return 1 if forwards else -1 if backwards else 0

    def _conflict(self, one: int, other: int, location: Location) -> bool:
        events = self._skeleton.events
        return conflict_at(events[one], events[other], location)

    def _after(self, event: int, *, is_fine: bool) -> set[int]:
        found = self._reached.get((event, is_fine))
        if found is None:
            graph = self._in_fine_grain if is_fine else self._everywhere
            found = nx.descendants(graph, event) if event in graph else set()
            self._reached[event, is_fine] = found
        return found


def conflict_at(one: Event, other: Event, location: Location) -> bool:
    """Whether two events may access a location, one of them writing and not both atomic.

    What a command does that fails in every execution (HOST-18) is never executed.
    """
    if one.guard is FALSE or other.guard is FALSE or location not in one.locations or location not in other.locations:
        return False
    if one.pipe is not None or other.pipe is not None:
        # PIPE-1: one kernel instance writes at a time, and one reads.
        return one.pipe is other.pipe
    return (one.kind.writes or other.kind.writes) and not (one.atomic and other.atomic)


def _locations(skeleton: Skeleton) -> dict[str, tuple[Location, bool]]:
    """The locations by the names that are shown, and whether they are in fine-grain SVM; a pipe is one as a whole."""
    program = skeleton.program
    found = {location for event in skeleton.events for location in event.locations}
    return {
        program.show_location(location): (location, program.object_at(location).allocation in _FINE_GRAIN)
        for location in sorted(found)
        if not (location.offset and program.object_at(location).capacity)
    }


def _conflicting(skeleton: Skeleton, steps: Sequence[Step]) -> list[Conflict]:
    """The conflicts of any two steps, whether they are ordered or not, one for each location."""
    events, found = skeleton.events, []
    for name, (location, _) in _locations(skeleton).items():
        there = [
            (step, [events[number] for number in step.events if location in events[number].locations]) for step in steps
        ]
        there = [(step, accesses) for step, accesses in there if accesses]
        for (one, first), (other, second) in combinations(there, 2):
            pair = next(((a, b) for a in first for b in second if conflict_at(a, b, location)), None)
            if pair is not None:
                shown = (_access(pair[0], skeleton.program), _access(pair[1], skeleton.program))
                found.append(Conflict(one.number, other.number, name, shown))
    return found


def _access(event: Event, program: Program) -> Access:
    assert event.thread is not None
    text = " ".join(event.span.text.split())
    return Access(program.thread(event.thread).name, event.kind.writes, text, event.span.line)


def is_sequenced(order: Order) -> bool:
    """Whether an order is that of a thread's own steps."""
    return order.rules == (SEQUENCED,)
