"""Section 2.1 of the table as predicates: one function a rule, named after its ID, the table's words above it."""

from collections.abc import Iterator

from oracle.candidates import Event
from oracle.program import Location, same_sub_group, same_work_group
from oracle.relations import Execution, inclusive, same_barrier, same_unit

# ---- Happens-before --------------------------------------------------------------------------------------------------


def hb_acyc(x: Execution) -> bool:
    # no cycle in ghb, none in lhb
    return not any(a == b for pairs in x.hb.values() for a, b in pairs)


# ---- Reading values --------------------------------------------------------------------------------------------------


def vis_1(x: Execution, a: Event, b: Event) -> bool:
    # visible side effect A of read B: A hb B and no other write X to M with A hb X hb B
    assert a.location is not None
    return x.before(a, b) and not any(
        w.writes and w.number not in (a.number, b.number) and x.before(a, w) and x.before(w, b)
        for w in x.accesses(a.location)
    )


def vis_2(x: Execution) -> bool:
    # the value of a non-atomic object is that of a visible side effect; one of an atomic object may be any in C11's p22
    return all(vis_1(x, x.read_from(b), b) for b in x.events if b.reads and b.location and not b.location.atomic)


def vis_3(x: Execution) -> bool:
    # encodable as irreflexive rf;hb + COH-*
    return not any(x.before(b, x.read_from(b)) for b in x.events if b.reads)


def vis_3_literally(x: Execution) -> bool:
    # atomic read returns some member of the visible sequence
    return all(x.source[b.number] in visible_sequence(x, b) for b in x.events if b.reads and b.atomic)


def visible_sequence(x: Execution, b: Event) -> set[int]:
    # contiguous mo run starting at a visible side effect, excluding writes that the read happens-before
    assert b.location is not None
    order = x.order[b.location.name]
    members: set[int] = set()
    for start, number in enumerate(order):
        if vis_1(x, x.events[number], b):
            for later in order[start:]:
                if x.before(b, x.events[later]):
                    break
                members.add(later)
    return members


def _ordered(x: Execution) -> Iterator[tuple[Event, Event]]:
    """Pairs A hb B of accesses to one object that has a modification order."""
    for location in x.program.locations:
        if location.name in x.order:
            here = x.accesses(location)
            yield from ((a, b) for a in here for b in here if x.before(a, b))


def coh_ww(x: Execution) -> bool:
    # A hb B writes of M -> A before B in mo
    return all(x.mo(a, b) for a, b in _ordered(x) if a.writes and b.writes)


def coh_rr(x: Execution) -> bool:
    # A hb B reads -> B's source not mo-before A's
    return not any(x.mo(x.read_from(b), x.read_from(a)) for a, b in _ordered(x) if a.reads and b.reads)


def coh_rw(x: Execution) -> bool:
    # read hb write -> source mo-before the write
    return all(x.mo(x.read_from(a), b) for a, b in _ordered(x) if a.reads and b.writes)


def coh_wr(x: Execution) -> bool:
    # write hb read -> source is it or mo-later
    return all(
        x.read_from(b).number == a.number or x.mo(a, x.read_from(b)) for a, b in _ordered(x) if a.writes and b.reads
    )


def rmw_1(x: Execution) -> bool:
    # RMW reads the immediate mo predecessor of its own write
    return all(x.place[x.source[e.number]] == x.place[e.number] - 1 for e in x.events if e.reads and e.writes)


# ---- Races -----------------------------------------------------------------------------------------------------------


def races(x: Execution) -> list[tuple[Event, Event]]:
    # DR-1: conflict (same location, >=1 write), different units, (1) not both atomic, or not inclusive, and
    # (2) unordered by the hb of that location's region (DR-7)
    return [
        (a, b)
        for location in x.program.locations
        for a in x.accesses(location)
        for b in x.accesses(location)
        if a.number < b.number
        and (a.writes or b.writes)
        and not a.initial  # DR-4: init writes never race
        and not same_unit(a, b)
        and not (a.atomic and b.atomic and inclusive(x, a, b, location))
        and not x.before(a, b)
        and not x.before(b, a)
    ]


def diverges(x: Execution) -> bool:
    # BAR-DIV: all or none of the group reach the same dynamic instance, with identical flags and scope
    entries = [event for event in x.events if event.entry]
    for entry in entries:
        assert entry.barrier is not None
        group = same_sub_group if entry.barrier.sub_group else same_work_group
        met = [other for other in entries if same_barrier(x, entry, other)]
        members = [number for number, unit in enumerate(x.program.units) if group(unit, x.unit(entry))]
        if {other.unit for other in met} != set(members):
            return True
        if any(other.flags != entry.flags or other.scope is not entry.scope for other in met):
            return True
    return False


def reads_indeterminate(x: Execution) -> bool:
    # INIT-2: private and local objects start indeterminate; reading before writing is not a defined value
    return any(
        x.read_from(b).initial and b.location is not None and b.location.initial is None for b in x.events if b.reads
    )


# ---- Final values ----------------------------------------------------------------------------------------------------


def last_writes(x: Execution, location: Location) -> list[Event]:
    # MO-2: a checker that needs a final value must take any hb-maximal write
    if location.name in x.order:
        return [x.events[x.order[location.name][-1]]]
    writes = [event for event in x.accesses(location) if event.writes]
    return [a for a in writes if not any(x.before(a, b) for b in writes)]
