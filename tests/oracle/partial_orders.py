"""The seq_cst axioms of the variants that have no S (section 5): POPL'16, RC11 and plain sequential consistency."""

from oracle.candidates import Event
from oracle.model import Consistency
from oracle.program import Order
from oracle.relations import Execution, Pairs, closure, inclusive, sequenced_before


def compose(first: Pairs, *rest: Pairs) -> Pairs:
    for second in rest:
        after: dict[int, list[int]] = {}
        for b, c in second:
            after.setdefault(b, []).append(c)
        first = {(a, c) for a, b in first for c in after.get(b, ())}
    return first


def acyclic(pairs: Pairs) -> bool:
    return not any(a == b for a, b in closure(pairs))


def _identity(events: list[Event]) -> Pairs:
    return {(event.number, event.number) for event in events}


def _sb(x: Execution) -> Pairs:
    return {(a.number, b.number) for a in x.events for b in x.events if sequenced_before(a, b)}


def _mo(x: Execution) -> Pairs:
    return {(a, b) for order in x.order.values() for i, a in enumerate(order) for b in order[i + 1 :]}


def _rf(x: Execution) -> Pairs:
    return {(write, read) for read, write in x.source.items()}


def _fr(x: Execution) -> Pairs:
    # fr = rf^-1 ; mo \ id
    return {(a, b) for a, b in compose({(read, write) for read, write in x.source.items()}, _mo(x)) if a != b}


def _same_location(x: Execution, pairs: Pairs) -> Pairs:
    return {
        (a, b) for a, b in pairs if x.events[a].location is not None and x.events[a].location == x.events[b].location
    }


def popl_sc(x: Execution) -> bool:
    # acyclic [SC];([F];sb)?;(mo|fr|ghb|lhb);(sb;[F])?;[SC] & incl (no S)
    sc = _identity([e for e in x.events if e.order is Order.SEQ_CST])
    fences = _identity([e for e in x.events if e.fence])
    everything = _identity(list(x.events))
    sb = _sb(x)
    inner = set(_mo(x) | _fr(x)).union(*x.hb.values())
    chain = compose(sc, everything | compose(fences, sb), inner, everything | compose(sb, fences), sc)
    if x.model.consistency is Consistency.SCOPED:
        somewhere = x.program.locations[0]  # the inclusion of POPL'16 does not look at the location
        chain = {(a, b) for a, b in chain if inclusive(x, x.events[a], x.events[b], somewhere)}
    return acyclic(chain)


def psc(x: Execution) -> bool:
    # RC11: psc_base | psc_F is acyclic
    sb, mo, rf, fr = _sb(x), _mo(x), _rf(x), _fr(x)
    hb = x.hb[None]
    everything = _identity(list(x.events))
    accesses = _identity([e for e in x.events if e.order is Order.SEQ_CST and not e.fence])
    fences = _identity([e for e in x.events if e.order is Order.SEQ_CST and e.fence])
    elsewhere = sb - _same_location(x, sb)
    scb = sb | compose(elsewhere, hb, elsewhere) | _same_location(x, hb) | mo | fr
    base = compose(accesses | compose(fences, everything | hb), scb, accesses | compose(everything | hb, fences))
    eco = closure(rf | mo | fr)
    between_fences = compose(fences, hb | compose(hb, eco, hb), fences)
    return acyclic(base | between_fences)


def no_load_buffering(x: Execution) -> bool:
    # RC11: acyclic sb|rf
    return acyclic(_sb(x) | _rf(x))


def interleaving(x: Execution) -> bool:
    # sc: acyclic sb|rf|mo|fr
    return acyclic(_sb(x) | _rf(x) | _mo(x) | _fr(x))
