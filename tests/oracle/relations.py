"""Section 2 of the table: inclusion, release sequences, synchronizes-with and happens-before of one execution."""

from collections.abc import Iterable, Iterator

from oracle.candidates import Candidate, Event
from oracle.model import Inclusion, Model, Sequence
from oracle.program import (
    GL,
    SVM,
    SVM_WITH_ATOMICS,
    Location,
    Order,
    Region,
    Scope,
    Unit,
    same_device,
    same_kernel,
    same_sub_group,
    same_work_group,
)

Pair = tuple[int, int]
Pairs = set[Pair]

RELEASES = frozenset({Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST})
ACQUIRES = frozenset({Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST})


class Execution:
    """A candidate seen through a model: everything that the rules speak of."""

    def __init__(self, candidate: Candidate, model: Model) -> None:
        self.model = model
        self.program = candidate.program
        self.events = candidate.events
        self.source = candidate.source
        self.order = candidate.modification_order
        self.place = {write: index for order in self.order.values() for index, write in enumerate(order)}
        self.has_regions = model.two_regions or model.one_space_barriers
        self.regions: tuple[Region | None, ...] = tuple(Region) if self.has_regions else (None,)
        synchronised = {
            region: _release_acquire(self, region if model.two_regions else None) for region in self.regions
        }
        self.hb = {region: _happens_before(self, region, synchronised) for region in self.regions}

    def unit(self, event: Event) -> Unit:
        assert event.unit is not None
        return self.program.units[event.unit]

    def hb_of(self, location: Location) -> Pairs:
        """hb(M) = ghb if M global, lhb if M local."""
        return self.hb[location.region if self.has_regions else None]

    def before(self, a: Event, b: Event) -> bool:
        """Tell whether `a` happens before `b` in the relation of the location that `a` accesses."""
        assert a.location is not None
        return (a.number, b.number) in self.hb_of(a.location)

    def mo(self, a: Event, b: Event) -> bool:
        """Tell whether the write `a` is earlier than the write `b` in the modification order of their location."""
        return a.location == b.location and self.place[a.number] < self.place[b.number]

    def read_from(self, read: Event) -> Event:
        return self.events[self.source[read.number]]

    def accesses(self, location: Location) -> list[Event]:
        return [event for event in self.events if event.location == location]

    def in_region(self, event: Event, region: Region | None) -> bool:
        """`G`, `L` = accesses in that region plus fences carrying that flag."""
        if region is None or self.model.one_space_barriers:
            return True
        if event.location is None:
            return region in event.flags
        if self.model.sc_regions_both and event.atomic and event.order is Order.SEQ_CST:
            return True
        return event.location.region is region


def closure(pairs: Iterable[Pair]) -> Pairs:
    """Return the transitive closure."""
    after: dict[int, set[int]] = {}
    for a, b in pairs:
        after.setdefault(a, set()).add(b)
    for middle, beyond in after.items():
        for reached in after.values():
            if middle in reached:
                reached.update(beyond)
    return {(a, b) for a, successors in after.items() for b in successors}


def sequenced_before(a: Event, b: Event) -> bool:
    """SB-1: a strict partial order inside one unit; absent between units."""
    return a.unit is not None and a.unit == b.unit and a.number < b.number


def same_unit(a: Event, b: Event) -> bool:
    """Wi = same unit of execution, includes identity."""
    return a.number == b.number or (a.unit is not None and a.unit == b.unit)


# ---- Scope inclusion -------------------------------------------------------------------------------------------------


def effective_scope(x: Execution, event: Event, mediator: Location) -> Scope:
    """Clip the scope by the location: esc(e), and esc(f, M) for a fence (SCOPE-11)."""
    assert event.scope is not None
    # min(sc(e),WG) if e accesses local
    if mediator.region is Region.LOCAL and x.model.has("SCOPE-8"):
        return min(event.scope, Scope.WORK_GROUP)
    # min(sc(e),DV) if e accesses global with alloc not in SVMA
    if mediator.region is Region.GLOBAL and mediator.allocation not in SVM_WITH_ATOMICS and x.model.has("SCOPE-7"):
        return min(event.scope, Scope.DEVICE)
    return event.scope


def inclusive(x: Execution, a: Event, b: Event, mediator: Location) -> bool:
    """incl_M(a, b)."""
    match x.model.inclusion:
        case Inclusion.EVERYTHING:
            return True
        case Inclusion.SCOPED:
            return _inclusive_of_three_scopes(x, a, b)
        case Inclusion.EQUAL | Inclusion.WIDER:
            pass
    scope_a, scope_b = effective_scope(x, a, mediator), effective_scope(x, b, mediator)
    # SCOPE-6: before 3.1 additionally esc a = esc b
    if x.model.inclusion is Inclusion.EQUAL and scope_a is not scope_b:
        return False
    s = min(scope_a, scope_b)
    i, j = x.unit(a), x.unit(b)
    svm = mediator.region is Region.GLOBAL and mediator.allocation in SVM
    svm_with_atomics = mediator.region is Region.GLOBAL and mediator.allocation in SVM_WITH_ATOMICS
    return (
        (s >= Scope.SUB_GROUP and same_sub_group(i, j))  # SCOPE-1
        or (s >= Scope.WORK_GROUP and same_work_group(i, j))  # SCOPE-2
        or (s >= Scope.DEVICE and same_kernel(i, j))  # SCOPE-3
        or (s >= Scope.DEVICE and same_device(i, j) and svm)  # SCOPE-4
        or (s >= Scope.ALL and svm_with_atomics)  # SCOPE-5
    )


def _inclusive_of_three_scopes(x: Execution, a: Event, b: Event) -> bool:
    if a.scope is not b.scope:
        return False
    i, j = x.unit(a), x.unit(b)
    match a.scope:
        case Scope.WORK_GROUP:
            return same_work_group(i, j)
        case Scope.DEVICE:
            return same_device(i, j)
        case Scope.ALL:
            return True
        case _:
            return False


# ---- Release sequences and synchronizes-with -------------------------------------------------------------------------


def release_sequence(x: Execution, head: Event) -> set[int]:
    """RS-1..3: the head and the maximal contiguous run behind it of writes by the same unit or read-modify-writes."""
    assert head.location is not None
    match x.model.sequence:
        case Sequence.C11:
            pass
        case Sequence.RMW:
            return _chain(x, {head.number})
        case Sequence.RC11:
            later = {e.number for e in x.accesses(head.location) if e.writes and sequenced_before(head, e)}
            return _chain(x, {head.number} | {e for e in later if x.events[e].atomic})
    run = {head.number}
    order = x.order[head.location.name]
    for number in order[order.index(head.number) + 1 :]:
        write = x.events[number]
        continues = (same_unit(head, write) and x.model.has("RS-1")) or (write.reads and x.model.has("RS-2"))
        if not continues:
            break
        run.add(number)
    return run


def _chain(x: Execution, run: set[int]) -> set[int]:
    while True:
        longer = run | {read for read, write in x.source.items() if write in run and x.events[read].writes}
        if longer == run:
            return run
        run = longer


def _release_acquire(x: Execution, region: Region | None) -> Pairs:
    """ra(r): SW-1 (operation to operation), SW-2 (fence to fence), SW-3 (fence to operation), SW-4 (to a fence)."""
    found: Pairs = set()
    for w in x.events:
        if not (w.writes and w.atomic and x.in_region(w, region)):
            continue
        assert w.location is not None
        sequence = release_sequence(x, w)
        for y in x.events:
            if not (y.reads and y.atomic and y.location == w.location and x.source[y.number] in sequence):
                continue
            for release in _release_ends(x, w, region):
                for acquire in _acquire_ends(x, y, region):
                    # RS-4: the fence forms use the hypothetical sequence headed by the mediating write.
                    if release.fence and not x.model.has("RS-4") and x.source[y.number] != w.number:
                        continue
                    if (
                        x.model.has(_rule(release, acquire, region))
                        and not same_unit(release, acquire)  # SW-8
                        and inclusive(x, release, acquire, w.location)  # SW-6
                    ):
                        found.add((release.number, acquire.number))
    return found


def _release_ends(x: Execution, w: Event, region: Region | None) -> Iterator[Event]:
    if w.order in RELEASES:
        yield w
    for f in x.events:
        # SW-5: a fence only participates for the regions in its flags.
        if f.fence and f.order in RELEASES and x.in_region(f, region) and sequenced_before(f, w):
            yield f


def _acquire_ends(x: Execution, y: Event, region: Region | None) -> Iterator[Event]:
    if y.order in ACQUIRES:
        yield y
    for f in x.events:
        if f.fence and f.order in ACQUIRES and x.in_region(f, region) and sequenced_before(y, f):
            yield f


def _rule(release: Event, acquire: Event, region: Region | None) -> str:
    letter = "L" if region is Region.LOCAL else "G"
    number = {(False, False): 1, (True, True): 2, (True, False): 3, (False, True): 4}[release.fence, acquire.fence]
    return f"SW-{letter}-{number}"


def _barrier(x: Execution, region: Region | None) -> Pairs:
    """bar(r): BAR-2 and BAR-3, entry of each unit of the group to the exit of every other."""
    if not x.model.has("BAR-3" if region is Region.LOCAL and x.model.two_regions else "BAR-2"):
        return set()
    return {
        (a.number, b.number)
        for a in x.events
        for b in x.events
        if a.entry
        and b.exit
        and x.in_region(a, region)
        and x.in_region(b, region)
        and not same_unit(a, b)
        and same_barrier(x, a, b)
        and not (x.model.one_space_barriers and _of_other_space(a, region) and _of_other_space(b, region))
    }


def _of_other_space(event: Event, region: Region | None) -> bool:
    """Tell whether a barrier event is of one address space alone, which is not this one."""
    return len(event.flags) == 1 and region not in event.flags


def same_barrier(x: Execution, a: Event, b: Event) -> bool:
    """Tell whether two barrier events belong to one dynamic barrier of one group (BAR-5, SGB-1)."""
    assert a.barrier is not None
    assert b.barrier is not None
    if a.barrier.label != b.barrier.label or a.barrier.sub_group != b.barrier.sub_group:
        return False
    group = same_sub_group if a.barrier.sub_group else same_work_group
    return group(x.unit(a), x.unit(b))


def _both_regions(x: Execution, a: Event, b: Event) -> bool:
    """xreg: SW-SC and SW-DUAL."""
    sc = a.order is Order.SEQ_CST and b.order is Order.SEQ_CST and x.model.has("SW-SC")
    dual = a.fence and b.fence and a.flags == GL and b.flags == GL and x.model.has("SW-DUAL")
    return sc or dual


# ---- Happens-before --------------------------------------------------------------------------------------------------


def _happens_before(x: Execution, region: Region | None, synchronised: dict[Region | None, Pairs]) -> Pairs:
    """HB-G, HB-L, HB-SEP."""
    inside = [event for event in x.events if x.in_region(event, region)]
    # [G];sb;[G]
    edges = {(a.number, b.number) for a in inside for b in inside if sequenced_before(a, b)}
    # gsw = ra(G) | bar(G) | (xreg & ra(L))
    edges |= synchronised[region] | _barrier(x, region)
    for other, pairs in synchronised.items():
        if other is not region:
            edges |= {(a, b) for a, b in pairs if _both_regions(x, x.events[a], x.events[b])}
    # INIT-1: [IW&G];(_*~IW);[G]
    edges |= {(a.number, b.number) for a in inside for b in inside if a.initial and not b.initial}
    return closure(edges)
