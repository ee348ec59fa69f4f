"""Units of which nothing is left but that they wait for others: what they pass on, others pass on as well.

`docs/search.md` has the argument, and what it asks of a model.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mcm.cat.model import Shape
from mcm.engine.explicit.settled.footprint import WAITING, Footprints
from mcm.engine.explicit.settled.kinds import Kinds, LocalSteps, empty_bases
from mcm.engine.explicit.settled.rules import irreflexive_parts
from mcm.engine.explicit.settled.shapes import is_local
from mcm.execution.event import EventKind
from mcm.program.topology import WorkItem
from mcm.relation.parts import bare, unions
from mcm.relation.term import Closure, Intersection, Product, SetTerm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.cat.model import Check, Flag, Model
    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import RelationTerm

AT_BARRIERS: Final = frozenset({EventKind.ENTRY, EventKind.EXIT})
# Kinds of events with which a unit does nothing but wait for others.
IDLE: Final = AT_BARRIERS | {EventKind.CALL}


def idle_units(
    skeleton: Skeleton, model: Model, kept: Iterable[Event], busy: frozenset[int | None] = frozenset()
) -> frozenset[int]:
    """The units that do nothing in what is kept but wait, and that may be left out, too; not those `busy`.

    They wait at barriers, or in group functions, which relate nothing.

    All barriers are passed in phases.
    """
    by_unit: dict[int, list[Event]] = {}
    for event in kept:
        if event.thread is not None:
            by_unit.setdefault(event.thread, []).append(event)
    busy |= {stop.thread for stop in skeleton.stops} | {fault.thread for fault in skeleton.faults}
    busy |= {skeleton.events[event].thread for fault in skeleton.faults for event in fault.events}
    idle = {unit for unit, events in by_unit.items() if unit not in busy and all(e.kind in IDLE for e in events)}
    if not idle:
        return frozenset()
    kinds = Kinds(skeleton, WAITING)
    meetings = _meetings(event for events in by_unit.values() for event in events if event.kind in AT_BARRIERS)
    if not all(_alternates(events) for events in by_unit.values()) or not _all_meet(skeleton, meetings, kinds):
        return frozenset()
    rules = _idle_rules(model, empty_bases(skeleton))
    of_idle = sum({1 << kinds.of(event) for unit in idle for event in by_unit[unit]})
    if rules is None or any(of_idle >> kind & 1 and not names <= WAITING for kind, names in enumerate(kinds.names)):
        return frozenset()
    return frozenset(idle) if _leads_past(kinds, rules, of_idle) else frozenset()


def says_nothing_of_barriers(model: Model, empty: frozenset[str]) -> bool:
    """Whether no check and no flag depends on barriers that all pass, where there is nothing that they order."""
    return _idle_rules(model, empty) is not None


class _Meeting:
    """Who enters one barrier and who leaves it, with the kinds of the entries and exits."""

    def __init__(self) -> None:
        self.entries: Final[dict[int | None, Event]] = {}
        self.exits: Final[dict[int | None, Event]] = {}
        self.is_once = True

    def add(self, event: Event) -> None:
        side = self.entries if event.kind is EventKind.ENTRY else self.exits
        self.is_once &= event.thread not in side
        side[event.thread] = event


def _meetings(events: Iterable[Event]) -> dict[BarrierInstance, _Meeting]:
    found: dict[BarrierInstance, _Meeting] = {}
    for event in events:
        if event.barrier is not None:
            found.setdefault(event.barrier, _Meeting()).add(event)
    return found


def _alternates(events: Sequence[Event]) -> bool:
    """Whether a unit leaves each barrier that it enters, but perhaps the last one, before it enters another one."""
    barriers = [event for event in events if event.kind in AT_BARRIERS]
    entries, exits = barriers[::2], barriers[1::2]
    return (
        all(event.kind is EventKind.ENTRY and event.barrier is not None for event in entries)
        and all(event.kind is EventKind.EXIT for event in exits)
        and all(entry.barrier == exit_.barrier for entry, exit_ in zip(entries, exits, strict=False))
    )


def _all_meet(skeleton: Skeleton, meetings: Mapping[BarrierInstance, _Meeting], kinds: Kinds) -> bool:
    """Whether each barrier that anybody leaves was entered by all members of its group, in the same way."""
    inside: dict[object, set[int]] = {}
    for unit in skeleton.program.threads:
        if isinstance(unit.placement, WorkItem):
            for group in unit.placement.enclosing:
                inside.setdefault(group, set()).add(unit.index)
    return all(
        meeting.is_once
        and (not meeting.exits or inside.get(instance.group, set()) <= meeting.entries.keys())
        and len({kinds.of(event) for event in meeting.entries.values()}) == 1
        and len({kinds.of(event) for event in meeting.exits.values()}) <= 1
        for instance, meeting in meetings.items()
    )


def _leads_past(kinds: Kinds, rules: Mapping[Closure, Sequence[RelationTerm]], removed: int) -> bool:
    """Whether what a closure relates through such units it relates without them, for each of the closures."""
    fixed = LocalSteps(kinds)
    waiting = sum(1 << kind for kind, names in enumerate(kinds.names) if names & {"EF", "XF", "COLL"})
    for local in rules.values():
        steps = fixed.steps(local, removed)
        if steps is None or not fixed.meet_alike(local, steps, waiting):
            return False
    return True


@lru_cache(maxsize=64)
def _idle_rules(model: Model, empty: frozenset[str]) -> dict[Closure, tuple[RelationTerm, ...]] | None:
    """The closures of a model that may lead through entries and exits of idle units, each with its local parts.

    None if anything else in the model may depend on such units; `empty` are base sets and relations without members.
    """
    orders = {order.name: order.events for order in model.linearisations}
    footprints = Footprints(empty, orders, WAITING, of_units=True)
    if any(footprints.set(events).some for events in orders.values()):
        return None
    irreflexive = {bare(part) for check in model.checks for part in irreflexive_parts(check)}
    inside = (Intersection(order.order, Product(order.events, order.events)) for order in model.linearisations)
    if not all(map(footprints.is_untouched, inside)):
        return None
    said: list[Check | Flag] = [*model.checks, *model.flags]
    if not all(_is_harmless(one, footprints) for one in said):
        return None
    carried = footprints.carried
    if not irreflexive.issuperset(carried):
        return None
    for part in (part for closure in carried for part in unions(closure.body)):
        if not is_local(part) and not footprints.is_untouched(part):
            return None
    return {closure: tuple(filter(is_local, unions(closure.body))) for closure in carried}


def _is_harmless(check: Check | Flag, footprints: Footprints) -> bool:
    """Whether a check or flag speaks of other events only, or says that a closure has no cycle."""
    term = check.term
    if isinstance(term, SetTerm):
        return footprints.is_untouched(term)
    match check.shape:
        case Shape.ACYCLIC:
            return footprints.is_untouched(Closure(term))
        case Shape.EMPTY:
            return all(map(footprints.is_untouched, unions(term)))
        case _:
            parts = [bare(part) for part in unions(term) if not footprints.is_untouched(part)]
            return not parts or (not check.negated and all(part in footprints.carried for part in parts))
