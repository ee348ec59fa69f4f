"""S, the total order on all SC operations and fences: SC-0..5 and SC-F1..4."""

from itertools import permutations

from oracle.candidates import Event
from oracle.model import Consistency
from oracle.program import SVM_WITH_ATOMICS, Order, Region, Scope
from oracle.relations import Execution, effective_scope, sequenced_before


def sc_0(x: Execution) -> bool:
    """Tell whether S is required at all."""
    if x.model.consistency is Consistency.TOTAL:
        return True
    sc = _operations(x)
    # (c1) all SC ops have scope ALL and only touch SVMA locations
    c1 = all(e.scope is Scope.ALL and (e.fence or _has_svm_atomics(e)) for e in sc)
    # (c2) all have scope DV and none touches SVMA
    c2 = all(_scope(x, e) is Scope.DEVICE and not _has_svm_atomics(e) for e in sc)
    return c1 or c2


def _scope(x: Execution, e: Event) -> Scope | None:
    """The scope after SCOPE-7 and SCOPE-8; a fence accesses no memory that could narrow it."""
    return e.scope if e.fence or e.location is None else effective_scope(x, e, e.location)


def _has_svm_atomics(e: Event) -> bool:
    return e.location is not None and e.location.region is Region.GLOBAL and e.location.allocation in SVM_WITH_ATOMICS


def _operations(x: Execution) -> list[Event]:
    return [event for event in x.events if event.order is Order.SEQ_CST]


def s_exists(x: Execution) -> bool:
    """Tell whether some S satisfies every rule, building it from its beginning and giving up a prefix once it fails.

    Whether a prefix can be completed depends on which events it holds and on its last SC write of each location.
    """
    operations = _operations(x)
    earlier = {b.number: [a for a in operations if _must_precede(x, a, b)] for b in operations}
    failed: set[tuple[frozenset[int], tuple[tuple[str, int], ...]]] = set()

    def complete(prefix: tuple[Event, ...]) -> bool:
        if len(prefix) == len(operations):
            return True
        held = frozenset(event.number for event in prefix)
        lasts = {e.location.name: e.number for e in prefix if e.writes and e.location is not None}
        state = (held, tuple(sorted(lasts.items())))
        if state in failed:
            return False
        for event in operations:
            ready = event.number not in held and all(a.number in held for a in earlier[event.number])
            if ready and may_follow(x, prefix, event) and complete((*prefix, event)):
                return True
        failed.add(state)
        return False

    return complete(())


def s_exists_by_permutations(x: Execution) -> bool:
    """Answer the same by trying every permutation, to check the search above."""
    operations = _operations(x)
    for order in permutations(operations):
        place = {event.number: index for index, event in enumerate(order)}
        if any(_must_precede(x, a, b) and place[a.number] >= place[b.number] for a in order for b in order):
            continue
        if all(may_follow(x, order[:index], event) for index, event in enumerate(order)):
            return True
    return False


def _must_precede(x: Execution, a: Event, b: Event) -> bool:
    # SC-1: S total on all SC ops and fences, consistent with mo
    if x.model.has("SC-1") and a.writes and b.writes and x.mo(a, b):
        return True
    # SC-2: S consistent with ghb and lhb
    return x.model.has("SC-2") and any((a.number, b.number) in pairs for pairs in x.hb.values())


def may_follow(x: Execution, prefix: tuple[Event, ...], event: Event) -> bool:
    """Tell whether the rules about what stands before `event` in S hold; each rule speaks of nothing else."""
    return (
        sc_3_4_5(x, prefix, event)
        and sc_f1(x, prefix, event)
        and sc_f2(x, prefix, event)
        and sc_f3(x, prefix, event)
        and sc_f4(x, prefix, event)
    )


def _last_write(prefix: tuple[Event, ...], like: Event) -> Event | None:
    return next((e for e in reversed(prefix) if e.writes and e.location == like.location), None)


def sc_3_4_5(x: Execution, prefix: tuple[Event, ...], b: Event) -> bool:
    if not b.reads:
        return True
    a = _last_write(prefix, b)
    source = x.read_from(b)
    if source.order is Order.SEQ_CST and source.writes:
        # SC-3: if A = last SC write of M before B in S exists, it may read A ...
        return not x.model.has("SC-3") or (a is not None and source.number == a.number)
    # SC-4: ... or a non-SC write in the visible sequence that does not happen-before A
    # SC-5: if no such A: any non-SC write in the visible sequence
    return not x.model.has("SC-4") or a is None or not x.before(source, a)


def _atomic_reads_after(x: Execution, fence: Event) -> list[Event]:
    return [e for e in x.events if e.reads and e.atomic and sequenced_before(fence, e)]


def _atomic_writes_after(x: Execution, fence: Event) -> list[Event]:
    return [e for e in x.events if e.writes and e.atomic and sequenced_before(fence, e)]


def _atomic_writes_before(x: Execution, fence: Event) -> list[Event]:
    return [e for e in x.events if e.writes and e.atomic and sequenced_before(e, fence)]


def _sees(x: Execution, b: Event, a: Event) -> bool:
    """B sees A or later; what a read-modify-write itself writes is nothing that it could see."""
    return a.number == b.number or a.location != b.location or not x.mo(x.read_from(b), a)


def sc_f1(x: Execution, prefix: tuple[Event, ...], fence: Event) -> bool:
    # SC fence X sb read B: B sees the last SC write of M before X in S, or later
    if not fence.fence or not x.model.has("SC-F1"):
        return True
    for b in _atomic_reads_after(x, fence):
        a = _last_write(prefix, b)
        if a is not None and not _sees(x, b, a):
            return False
    return True


def sc_f2(x: Execution, prefix: tuple[Event, ...], b: Event) -> bool:
    # write A sb SC fence X, SC read B after X in S: B sees A or later
    if not b.reads or not x.model.has("SC-F2"):
        return True
    return all(_sees(x, b, a) for fence in prefix if fence.fence for a in _atomic_writes_before(x, fence))


def sc_f3(x: Execution, prefix: tuple[Event, ...], y: Event) -> bool:
    # A sb X, Y sb B, X before Y in S: B sees A or later
    if not y.fence or not x.model.has("SC-F3"):
        return True
    return all(
        _sees(x, b, a)
        for fence in prefix
        if fence.fence
        for a in _atomic_writes_before(x, fence)
        for b in _atomic_reads_after(x, y)
    )


def sc_f4(x: Execution, prefix: tuple[Event, ...], y: Event) -> bool:
    # same for two writes: A before B in mo
    if not y.fence or not x.model.has("SC-F4"):
        return True
    return all(
        a.number == b.number or a.location != b.location or x.mo(a, b)
        for fence in prefix
        if fence.fence
        for a in _atomic_writes_before(x, fence)
        for b in _atomic_writes_after(x, y)
    )
