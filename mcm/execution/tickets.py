"""Numbers that work-groups take from a counter, one each, where it makes no difference which group takes which.

A group takes the number of the tile that it works on: `if (l == 0) tile = atomic_fetch_add(next, 1);`. If groups that
execute one kernel differ in nothing else, an exchange of two groups makes of each execution another one, with the same
memory in the end. So one assignment of numbers to groups stands for all; `docs/search.md` has the argument.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.execution.expression import Constant
from mcm.execution.outcome import observables
from mcm.program import instruction as hir
from mcm.program.condition import RegisterName
from mcm.program.difference import different_literals
from mcm.program.operators import UpdateOperator
from mcm.program.topology import WorkItem
from mcm.program.types import Location, Region, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.program.instruction import Expression, Written
    from mcm.program.program import Program, Thread
    from mcm.program.topology import WorkGroup
    from mcm.program.types import Value

# So many groups, at least: of two there are only two assignments.
_FEWEST: Final = 3
# Groups of so many kinds are compared with others, at most.
_MOST_KINDS: Final = 4


class Tickets(Struct, frozen=True):
    """The number that each thread takes from a counter, if it is the one of its group that does, and the groups."""

    counter: Location
    by_thread: Mapping[int, Constant]
    groups: tuple[frozenset[int], ...]

    def are_taken(self, events: Iterable[Event]) -> bool:
        """Whether one thread of each group takes its number in any case, and nothing else accesses the counter."""
        takers = [event for event in events if self.counter in event.locations and event.thread is not None]
        return all(isinstance(event.guard, Constant) and isinstance(event.address, Constant) for event in takers) and [
            sum(event.thread in group for event in takers) for group in self.groups
        ] == [1] * len(self.groups)


def tickets_of(program: Program) -> Tickets | None:
    """The numbers that groups take from a counter, one each in any order; None where there is no such counter.

    That each group takes one is to be asked of the events (`are_taken`). Nothing that a state has may be of a thread.
    """
    if program.needs_whole_model or any(thread.has_copies for thread in program.threads) or _names_threads(program):
        return None
    groups = _groups(program)
    if len(groups) < _FEWEST or not any(_may_take(members[0]) for members in groups):
        return None
    groups = _alike(groups, program)
    if len(groups) < _FEWEST:
        return None
    for update in walk(groups[0][0].body):
        if isinstance(update, hir.AtomicUpdate) and (found := _tickets(update, groups, program)) is not None:
            return found
    return None


def _names_threads(program: Program) -> bool:
    """Whether the condition, the filter or what is listed in the end names a variable of a thread."""
    propositions = [program.filter, None if program.condition is None else program.condition.proposition]
    named = [*program.locations, *(what for each in propositions if each is not None for what in observables(each))]
    return any(isinstance(what, RegisterName) for what in named)


# --- groups -----------------------------------------------------------------------------------------------------------


def _groups(program: Program) -> list[list[Thread]]:
    """The work-groups, each in the order of ids."""
    groups: dict[WorkGroup, list[Thread]] = {}
    for thread in program.threads:
        if isinstance(thread.placement, WorkItem):
            groups.setdefault(thread.placement.work_group, []).append(thread)
    return [sorted(members, key=_local_id) for members in groups.values()]


def _alike(groups: Iterable[list[Thread]], program: Program) -> list[list[Thread]]:
    """Groups that execute the same, with their own local memory: as many as any, of the first kinds of groups."""
    found: list[list[list[Thread]]] = []
    for group in groups:
        alike = next((each for each in found if _are_alike(each[0], group, program)), None)
        if alike is not None:
            alike.append(group)
        elif len(found) < _MOST_KINDS:
            found.append([group])
    return max(found, key=len, default=[])


def _may_take(thread: Thread) -> bool:
    """Whether a thread adds to what is at a constant address, or where a parameter points."""
    updates = (node for node in walk(thread.body) if isinstance(node, hir.AtomicUpdate))
    return any(
        update.operator is UpdateOperator.ADD and _pointed(update.address, thread) is not None for update in updates
    )


def _local_id(thread: Thread) -> int:
    assert isinstance(thread.placement, WorkItem), "a work-item is in a group"
    return thread.placement.local_id


def _are_alike(one: Sequence[Thread], other: Sequence[Thread], program: Program) -> bool:
    """Whether two groups differ in nothing but which copies of local variables are theirs."""
    if len(one) != len(other):
        return False
    copies: dict[int, int] = {}
    for first, second in zip(one, other, strict=True):
        different = _different_values(first, second)
        if different is None:
            return False
        for left, right in different:
            if not (isinstance(left, Location) and isinstance(right, Location) and left.offset == right.offset):
                return False
            if copies.setdefault(left.object, right.object) != right.object:
                return False
    local = (program.objects[number].region is Region.LOCAL for pair in copies.items() for number in pair)
    return len({*copies.values()}) == len(copies) and all(local)


def _different_values(one: Thread, other: Thread) -> list[tuple[Value | None, Value | None]] | None:
    """The values in which two work-items differ, in their texts and parameters; None where they do in anything else."""
    literals = different_literals(one.body, other.body) if _standing(one) == _standing(other) else None
    if literals is None or len(one.registers) != len(other.registers):
        return None
    found: list[tuple[Value | None, Value | None]] = []
    if literals:
        values = {id(node): node.value for node in walk(one.body) if isinstance(node, hir.Literal)}
        found += ((values[literal], value) for literal, value in literals.items())
    for mine, yours in zip(one.registers, other.registers, strict=True):
        if mine.initial != yours.initial:
            found.append((mine.initial, yours.initial))
        if mine != yours and replace(mine, initial=None) != replace(yours, initial=None):
            return None
    return found


def _standing(thread: Thread) -> tuple[object, ...]:
    """Where a work-item stands in its group, and which launch that is of."""
    placement = thread.placement
    assert isinstance(placement, WorkItem), "a work-item is in a group"
    return (
        thread.started_by,
        placement.kernel_instance,
        placement.local_id,
        placement.local_size,
        placement.sub_group.number,
        placement.sub_group_local_id,
    )


# --- counters ---------------------------------------------------------------------------------------------------------


def _tickets(update: hir.AtomicUpdate, groups: Sequence[Sequence[Thread]], program: Program) -> Tickets | None:
    """The numbers that an update takes; None where its object is mentioned anywhere else, or it may do so twice."""
    counter = _pointed(update.address, groups[0][0])
    step = update.operand.value if isinstance(update.operand, hir.Literal) else None
    if update.operator is not UpdateOperator.ADD or not isinstance(step, int) or counter is None or step <= 0:
        return None
    item = program.objects[counter.object]
    first = item.initial[counter.offset] if 0 <= counter.offset < len(item.initial) else None
    last = step * (len(groups) - 1)
    if not isinstance(first, int) or not isinstance(update.type, Scalar) or first + last + step > update.type.high:
        return None
    taking = {thread.index for group in groups for thread in group}
    for thread in program.threads:
        if not (_takes_once(thread, update, counter) if thread.index in taking else _never(thread, counter)):
            return None
    by_thread = {
        thread.index: Constant(first + step * number) for number, group in enumerate(groups) for thread in group
    }
    return Tickets(counter, by_thread, tuple(frozenset(thread.index for thread in group) for group in groups))


def _pointed(address: Expression, thread: Thread) -> Location | None:
    """The location of an address that is a constant, or a parameter of the kernel; None for others."""
    while isinstance(address, hir.Convert):
        address = address.operand
    match address:
        case hir.Literal(Location() as place):
            return place
        case hir.Read(hir.RegisterPlace(name)):
            initial = next((register.initial for register in thread.registers if register.name == name), None)
            return initial if isinstance(initial, Location) else None
        case _:
            return None


def _takes_once(thread: Thread, update: hir.AtomicUpdate, counter: Location) -> bool:
    """Whether a thread mentions the counter in one update only, before any loop: where loops are cut, nothing lacks."""
    nodes = walk(thread.body)
    before = list(takewhile(lambda node: not isinstance(node, hir.Loop), nodes))
    updates = [each for each in before if isinstance(each, hir.AtomicUpdate) and each.span == update.span]
    is_there = len(updates) == 1 and _pointed(updates[0].address, thread) == counter
    return is_there and sum(1 for _ in _mentions(thread, nodes, counter)) == 1


def _never(thread: Thread, counter: Location) -> bool:
    """Whether a thread does not mention a counter."""
    return not any(_mentions(thread, walk(thread.body), counter))


def _mentions(thread: Thread, nodes: Iterable[Written], counter: Location) -> Iterator[Written]:
    """The places of the text that name the object of a counter."""
    names = {
        register.name
        for register in thread.registers
        if isinstance(register.initial, Location) and register.initial.object == counter.object
    }
    for node in nodes:
        match node:
            case hir.Literal(Location(number, _)) if number == counter.object:
                yield node
            case hir.RegisterPlace(name) | hir.ElementPlace(name) if name in names:
                yield node
            case _:
                pass
