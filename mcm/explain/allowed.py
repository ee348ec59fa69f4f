"""Why an outcome is allowed: an execution that is as close to sequential consistency as can be found, and what it lacks
to be forbidden.

An execution deviates by an event if program order, reads-from, modification order and from-reads have a cycle with what
the event reads or overwrites, and have none without. The fewest such events count.
"""

from __future__ import annotations

from itertools import combinations
from operator import or_
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.execution import Execution
from mcm.answer.explanation import Sentence, Story
from mcm.base.source import Source, Span
from mcm.cat.model import Check, Shape
from mcm.catalogue.evaluate import structure_of
from mcm.execution.event import EventKind
from mcm.explain.conditions import Conditions
from mcm.explain.costs import MOST, UNIT, Costs
from mcm.explain.derivation import marks_of
from mcm.explain.derivation_check import holds
from mcm.explain.forbidden import exclusion
from mcm.explain.naming import Names
from mcm.explain.nearest import Nearest, gaps
from mcm.explain.readings import readings_of
from mcm.explain.telling import Teller
from mcm.explain.thin_air import thin_air
from mcm.explain.violation import edges_of, mentions, without_orders
from mcm.explain.waiting_order import WAITING, waiting_order
from mcm.explain.witness_search import OpenError
from mcm.relation.evaluate import is_acyclic
from mcm.relation.term import Base, Compose, Difference, Everything, Identity, Inverse, RelationTerm, Union

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.explanation import Derivation
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.explain.witness_search import WitnessSearch
    from mcm.program.condition import Proposition
    from mcm.relation.evaluate import Rows, Structure

_MOST_WAYS: Final = 6
_MOST_DEVIATIONS: Final = 3
_FEW_EVENTS: Final = 40
# Of longer interleavings, the steps are not listed.
_FEW_STEPS: Final = 100
# What an operation says of itself, as models ask for it.
_ATTRIBUTES: Final = frozenset({"REL", "ACQ", "ACQ_REL", "RLX", "SC", "WI", "SG", "WG", "DV", "ALL", "G", "L", "IMAGE"})


class Closest(Struct, frozen=True):
    """An allowed execution, and the events by which it deviates from every interleaving; None if these are many.

    `left_out` says that others were not looked at, which may deviate by fewer; `is_open`, that one of them may be an
    interleaving.
    """

    candidate: Candidate
    deviations: tuple[int, ...] | None
    left_out: bool = False
    is_open: bool = False


def closest(search: WitnessSearch, model: Model) -> Closest | None:
    """The execution that ends as asked with the fewest deviations among those looked at; None if there is none.

    Raises OpenError.
    """
    found: Closest | None = None
    is_cut = is_open = False
    try:
        interleaved = search.find(replace(model, checks=(*model.checks, _no_cycle())))
    except OpenError:
        # There may be one in which a loop goes round more often; the outcome has executions all the same.
        is_cut = is_open = True
        interleaved = None
    if interleaved is not None:
        return Closest(interleaved, ())
    try:
        for number, way in enumerate(search.ways(model, _MOST_WAYS), start=1):
            is_cut |= number == _MOST_WAYS or search.has_more_arrangements(way)
            for candidate in _allowed_among(search, way, model):
                deviations = deviations_of(candidate)
                if found is None or _rank(Closest(candidate, deviations)) < _rank(found):
                    found = Closest(candidate, deviations)
            if found is not None and found.deviations is not None and len(found.deviations) == 1:
                # None does with fewer: that is an interleaving.
                return replace(found, left_out=is_open, is_open=is_open)
    except OpenError:
        if found is None:
            raise
        is_cut = True
    return None if found is None else replace(found, left_out=is_cut, is_open=is_open)


def _allowed_among(search: WitnessSearch, way: Candidate, model: Model) -> Iterator[Candidate]:
    """The execution itself, and those with its writes in other orders that the model allows too."""
    yield way
    for candidate in search.arrangements(way):
        if candidate.modification_orders != way.modification_orders and exclusion(candidate, model) is None:
            yield candidate


def _rank(one: Closest) -> tuple[int, int]:
    return _MOST_DEVIATIONS + 1 if one.deviations is None else len(one.deviations), len(one.candidate.executed)


def _no_cycle() -> Check:
    rf, mo = Base("rf"), Base("mo")
    fr = Difference(Compose(Inverse(rf), mo), Identity(Everything()))
    term = Union(Union(Union(Union(Base("po"), WAITING), rf), mo), fr)
    nowhere = Span(Source("interleaving", ""), 0, 0)
    return Check("interleaving", Shape.ACYCLIC, negated=False, term=term, rule=None, span=nowhere)


def deviations_of(candidate: Candidate) -> tuple[int, ...] | None:
    """The least set of events by which an execution is no interleaving; None if there are more than a few."""
    fixed = _fixed_order(structure_of(candidate))
    events = candidate.skeleton.events
    accesses = [event for event in sorted(candidate.locations) if events[event].thread is not None]
    # A read that sees something else is easier to imagine than a write at another time.
    accesses.sort(key=lambda event: not events[event].kind.reads)
    for number in range(_MOST_DEVIATIONS + 1):
        for chosen in combinations(accesses, number):
            if is_acyclic(_order_without(candidate, fixed, chosen)):
                return chosen
    return None


def _fixed_order(structure: Structure) -> Rows:
    """What takes place before what in every interleaving: program order, and what waits behind what it waits for."""
    return tuple(map(or_, structure.relations["po"], waiting_order(structure)))


def _order_without(candidate: Candidate, fixed: Rows, events: tuple[int, ...]) -> Rows:
    """A fixed order and communication, without that of some events."""
    rows = list(fixed)
    for order in candidate.modification_orders.values():
        kept = [event for event in order if event not in events]
        for place, event in enumerate(kept):
            for later in kept[place + 1 :]:
                rows[event] |= 1 << later
    for read, write in candidate.reads_from.items():
        if read in events:
            continue
        rows[write] |= 1 << read
        order = candidate.modification_orders[candidate.locations[read]]
        for later in order[order.index(write) + 1 :]:
            if later != read and later not in events:
                rows[read] |= 1 << later
    return tuple(rows)


def allowed_story(found: Closest, model: Model, proposition: Proposition | None) -> Story:
    """The execution told: what it reads, how it deviates, and what would forbid it."""
    candidate = found.candidate
    names = Names(candidate)
    sentences: list[Sentence] = []
    if found.deviations == ():
        sentences.append(_interleaving(candidate, names))
    else:
        sentences += _deviations(found, names)
        sentences += thin_air(candidate, names)
        sentences += _what_is_missing(candidate, model, names)
        if found.left_out:
            sentences.append(Sentence("not all executions were looked at: one may be nearer to an interleaving"))
    about = set(found.deviations or ()) | {event for sentence in sentences for event in sentence.events}
    readings = readings_of(candidate, proposition, names, about)
    return Story(readings, tuple(sentences), None, Execution(candidate, model))


def _interleaving(candidate: Candidate, names: Names) -> Sentence:
    units = [event for event in candidate.executed if candidate.skeleton.events[event].thread is not None]
    if len(units) > _FEW_STEPS:
        return Sentence(f"an interleaving shows it, of {len(units)} steps")
    rows = _order_without(candidate, _fixed_order(structure_of(candidate)), ())
    before = {event: sum(1 for row in rows if row >> event & 1) for event in candidate.executed}
    ordered = _topological(rows, sorted(before))
    shown = [event for event in ordered if candidate.skeleton.events[event].thread is not None]
    steps = ", ".join(names.full(event) for event in shown)
    return Sentence(f"an interleaving shows it: {steps}", events=tuple(shown))


def _topological(rows: Rows, events: list[int]) -> list[int]:
    """The events in an order that agrees with an acyclic relation; those of one thread together where they can be."""
    left, found = list(events), []
    while left:
        ready = next(e for e in left if not any(rows[other] >> e & 1 for other in left if other != e))
        found.append(ready)
        left.remove(ready)
    return found


def _deviations(found: Closest, names: Names) -> Iterator[Sentence]:
    candidate = found.candidate
    yield Sentence(
        "no execution that was looked at is an interleaving of the units"
        if found.is_open
        else "no interleaving of the units shows it"
    )
    if found.deviations is None:
        yield Sentence(f"more than {_MOST_DEVIATIONS} of its accesses are in the way of one")
    for event in found.deviations or ():
        yield _deviation(event, candidate, names)


def _deviation(event: int, candidate: Candidate, names: Names) -> Sentence:
    """What is out of order about one access; of a read-modify-write of the newest value only that it is so."""
    write = candidate.reads_from.get(event)
    order = candidate.modification_orders[candidate.locations[event]]
    later = () if write is None else [w for w in order[order.index(write) + 1 :] if w != event]
    if write is None or (event in order and not later):
        place = names.location(event)
        text = f"{names.full(event)} takes effect on {place} at another time than in any interleaving of the rest"
        return Sentence(text, events=(event,))
    source = names.full(write)
    if later:
        text = f"{names.full(event)} still sees {source}, which {names.full(later[0])} has replaced by then"
    else:
        text = f"{names.full(event)} already sees {source}, which is executed later in every interleaving of the rest"
    return Sentence(text, events=(event, *later[:1]))


def _what_is_missing(candidate: Candidate, model: Model, names: Names) -> Iterator[Sentence]:
    """The rule that comes nearest to forbidding the execution, and what it lacks."""
    if len(candidate.executed) > _FEW_EVENTS:
        text = f"what comes nearest to forbidding it is looked for among {_FEW_EVENTS} events at most: it has"
        yield Sentence(f"{text} {len(candidate.executed)}")
        return
    found = nearest_violation(candidate, model)
    if found is None:
        yield _nothing_near(candidate, model)
        return
    check, derivation = found
    rules = () if check.rule is None else (check.rule.identifier,)
    path = Teller(names, None).path(edges_of(derivation))
    yield Sentence(f"what comes nearest to forbidding it is {check.name}", rules, path, derivation=derivation)
    yield from Conditions(candidate, names).of(derivation)


def _nothing_near(candidate: Candidate, model: Model) -> Sentence:
    """That no few changes would forbid it; where rules were not looked at that others could break, that is said."""
    has_seq_cst = any(structure_of(candidate).sets["SC"] >> event & 1 for event in candidate.executed)
    orders = {order.name for order in model.linearisations}
    left = set(model.checks).difference(_looked_at(model))
    # Where no operation is seq_cst, what is about those could only be broken if some were.
    of_others = [check for check in left if has_seq_cst or not mentions(check.term, {"SC", *orders})]
    aside = any(mentions(check.term, {*_ATTRIBUTES, *orders}) for check in of_others)
    changes = sum(_changes(candidate.skeleton.events[event]) for event in candidate.executed)
    which = "these operations" if changes * UNIT < MOST else "a few of these operations"
    text = f"no other memory order (but seq_cst), scope or flag of {which} would forbid it"
    return Sentence(f"rules about circles, and about the order of seq_cst operations, aside, {text}" if aside else text)


def _changes(event: Event) -> int:
    """How much of what an event says could be otherwise: whether it releases and acquires, its scope, its flags."""
    if event.kind is EventKind.INITIAL:
        return 0
    return 4 if event.kind.is_fence else 1 + event.kind.reads + event.kind.writes


def _looked_at(model: Model) -> Iterator[Check]:
    """The checks that an execution may come near to breaking by one chain of steps."""
    for check in without_orders(model):
        if not check.negated and isinstance(check.term, RelationTerm) and check.shape is not Shape.ACYCLIC:
            yield check


def nearest_violation(candidate: Candidate, model: Model) -> tuple[Check, Derivation] | None:
    """The check that is violated with the fewest changes of what the operations say, and how."""
    structure, marks = structure_of(candidate), marks_of(model)
    everything = sum(1 << event for event in candidate.executed)
    search = Nearest(Costs(candidate, structure, everything, None), structure, marks)
    best: tuple[int, int, Check, RelationTerm, int, int] | None = None
    for number, check in enumerate(_looked_at(model)):
        assert isinstance(check.term, RelationTerm)
        found = search.cheapest(check.term, on_diagonal=check.shape is Shape.IRREFLEXIVE)
        if found is not None and (best is None or found[0] < best[0]):
            best = (found[0], number, check, check.term, found[1], found[2])
    if best is None:
        return None
    _, _, check, term, first, last = best
    derivation = search.derivation(term, first, last)
    if not gaps(derivation) or not holds(derivation, structure, with_gaps=True):
        raise AssertionError(f"what {check.name} lacks does not hold")
    return check, derivation
