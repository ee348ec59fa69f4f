"""The static base sets and relations of a skeleton, under the names of the vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.evaluate import subexpressions
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, ReadValue
from mcm.execution.sequencing import mask, members
from mcm.execution.skeleton import SetMembers
from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind, Flag, Order, Region, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.program.program import MemoryObject, Program
    from mcm.program.types import Location

_FENCES = frozenset({EventKind.FENCE, EventKind.ENTRY, EventKind.EXIT})
_SCOPES = {
    "WI": Scope.WORK_ITEM,
    "SG": Scope.SUB_GROUP,
    "WG": Scope.WORK_GROUP,
    "DV": Scope.DEVICE,
    "ALL": Scope.ALL_SVM_DEVICES,
}
_ALLOCATIONS = {
    "BUFFER": AllocationKind.BUFFER,
    "COARSE": AllocationKind.COARSE_SVM,
    "PROG": AllocationKind.PROGRAM_SCOPE,
    "FINE": AllocationKind.FINE_SVM,
    "FINE_ATOMICS": AllocationKind.FINE_SVM_ATOMICS,
    "SYSTEM": AllocationKind.SYSTEM_SVM,
    "SYSTEM_ATOMICS": AllocationKind.SYSTEM_SVM_ATOMICS,
}


def base_sets(program: Program, events: Sequence[Event], locations: Sequence[Location]) -> dict[str, SetMembers]:
    """The members of every base set."""
    hosts = {t.index for t in program.threads if isinstance(t.placement, HostThread)}

    def chosen(accepts: Callable[[Event], bool]) -> SetMembers:
        return SetMembers(mask([e.identifier for e in events if accepts(e)]))

    def at(accepts: Callable[[MemoryObject], bool], fences: Flag | None = None) -> SetMembers:
        flagged = [e.identifier for e in events if fences is not None and fences in e.flags]
        return SetMembers(mask(flagged), frozenset(x for x in locations if accepts(program.object_at(x))))

    sets = {
        "R": chosen(lambda e: e.kind.reads),
        "W": chosen(lambda e: e.kind.writes),
        "M": chosen(lambda e: e.kind.is_access),
        "RMW": chosen(lambda e: e.kind is EventKind.UPDATE),
        "F": chosen(lambda e: e.kind in _FENCES),
        "IW": chosen(lambda e: e.kind is EventKind.INITIAL),
        "A": chosen(lambda e: e.atomic),
        "AO": at(lambda o: o.atomic),
        "RLX": chosen(lambda e: e.order is Order.RELAXED),
        "ACQ": chosen(lambda e: e.order is not None and e.order.acquires and (e.kind.reads or e.kind in _FENCES)),
        "REL": chosen(lambda e: e.order is not None and e.order.releases and (e.kind.writes or e.kind in _FENCES)),
        "ACQ_REL": chosen(lambda e: e.order is Order.ACQ_REL),
        "SC": chosen(lambda e: e.order is Order.SEQ_CST),
        "G": at(lambda o: o.region is Region.GLOBAL, Flag.GLOBAL),
        "L": at(lambda o: o.region is Region.LOCAL, Flag.LOCAL),
        "C": at(lambda o: o.region is Region.CONSTANT),
        "I": chosen(lambda e: Flag.IMAGE in e.flags),
        "EF": chosen(lambda e: e.kind is EventKind.ENTRY),
        "XF": chosen(lambda e: e.kind is EventKind.EXIT),
        "INDETERMINATE": chosen(lambda e: e.kind is EventKind.INITIAL and _starts_indeterminate(program, e)),
        "H": chosen(lambda e: e.thread in hosts),
    }
    for name, scope in _SCOPES.items():
        sets[name] = chosen(lambda e, scope=scope: e.scope is scope)  # type: ignore[misc]
    for name, kind in _ALLOCATIONS.items():
        sets[name] = at(lambda o, kind=kind: o.region is Region.GLOBAL and o.allocation is kind)  # type: ignore[misc]
    return sets


def _starts_indeterminate(program: Program, event: Event) -> bool:
    (location,) = event.locations
    return program.object_at(location).initial[location.offset] is None


def base_relations(
    program: Program, events: Sequence[Event], before: Mapping[int, int], choice_reads: Mapping[int, frozenset[int]]
) -> dict[str, tuple[int, ...]]:
    """The rows of every static base relation."""
    places = {t.index: t.placement for t in program.threads}

    def place(event: Event) -> WorkItem | None:
        found = None if event.thread is None else places[event.thread]
        return found if isinstance(found, WorkItem) else None

    def same(key: Callable[[Event], Hashable | None]) -> tuple[int, ...]:
        classes: dict[Hashable, int] = {}
        keys = [key(e) for e in events]
        for event, value in zip(events, keys, strict=True):
            if value is not None:
                classes[value] = classes.get(value, 0) | 1 << event.identifier
        return tuple(0 if value is None else classes[value] for value in keys)

    def of_place(key: Callable[[WorkItem], Hashable]) -> tuple[int, ...]:
        return same(lambda e: None if (p := place(e)) is None else key(p))

    everything = (1 << len(events)) - 1
    internal = same(lambda e: ("initial", e.identifier) if e.thread is None else e.thread)
    kernel = of_place(lambda p: (p.device, p.kernel_instance))
    return {
        "po": _sequenced(events, before),
        "int": internal,
        "ext": tuple(everything & ~row for row in internal),
        "ssg": of_place(lambda p: p.sub_group_key),
        "swg": of_place(lambda p: p.group_key),
        "ski": kernel,
        # Until device-side enqueue gives kernel instances parents, a family is one kernel instance.
        "family": kernel,
        "sdv": of_place(lambda p: p.device),
        "syncbar": same(lambda e: e.barrier),
        **_dependencies(events, choice_reads),
    }


def _sequenced(events: Sequence[Event], before: Mapping[int, int]) -> tuple[int, ...]:
    rows = [0] * len(events)
    for later in events:
        for earlier in members(before.get(later.identifier, 0)):
            rows[earlier] |= 1 << later.identifier
    return tuple(rows)


def _dependencies(events: Sequence[Event], choice_reads: Mapping[int, frozenset[int]]) -> dict[str, tuple[int, ...]]:
    def rows(part: Callable[[Event], Expression | None]) -> tuple[int, ...]:
        result = [0] * len(events)
        for event in events:
            expression = part(event)
            if expression is not None:
                for read in mentioned(expression, choice_reads):
                    if read != event.identifier:
                        result[read] |= 1 << event.identifier
        return tuple(result)

    return {
        "data": rows(lambda e: e.value),
        "addr": rows(lambda e: e.address),
        "ctrl": rows(lambda e: e.guard),
    }


def mentioned(expression: Expression, choice_reads: Mapping[int, Iterable[int]]) -> frozenset[int]:
    """The reads that an expression depends on, also through the choice of a compare-exchange."""
    found: set[int] = set()
    for part in subexpressions(expression):
        match part:
            case ReadValue(event):
                found.add(event)
            case Choice(index):
                found.update(choice_reads.get(index, ()))
            case _:
                pass
    return frozenset(found)
