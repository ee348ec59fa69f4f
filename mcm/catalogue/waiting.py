"""Whether a model lets an iteration in which a loop only waits be left out of an execution (ADR 0018 and 0019).

What is left out are reads, fences, and read-modify-writes that write back what they read. The execution without them
must still be consistent, and raise every flag that it raised among the events that are left.
"""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import permutations
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.bits import members
from mcm.catalogue import event_kinds
from mcm.catalogue.evaluate import is_linearised, is_met
from mcm.catalogue.event_kinds import Kinds
from mcm.catalogue.fewer_events import FAILED_READS, Changes
from mcm.catalogue.survival import keeps_executions
from mcm.execution.event import EventKind
from mcm.execution.sequencing import mask
from mcm.execution.skeleton import StopKind
from mcm.execution.vocabulary import RELATIONS, SETS
from mcm.program.types import Order
from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.occurrence import depth
from mcm.relation.term import SetTerm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcm.cat.model import Linearisation, Model
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import Term


@lru_cache(maxsize=64)
def drops_failed_reads(model: Model) -> bool:
    """Whether consistency and flags of a model survive that iterations in which a loop only waits are left out.

    Derived from its terms: checks must not be broken by removing events, and flags must not be lost; a
    read-modify-write must have to read the write just before it, so that who reads from one that is left out can read
    from its source instead.
    """
    return keeps_executions(model, _changes(model, FAILED_READS)) and _demands_atomicity(model)


def _changes(model: Model, removable: Kinds) -> Changes:
    return Changes({order.name: event_kinds.members(order.events) for order in model.linearisations}, removable)


@lru_cache(maxsize=64)
def _drops_plain_writes(model: Model) -> bool:
    """Whether consistency and flags survive as well that plain writes are left out where all accesses are plain.

    Others must have no right to read them.
    """
    changes = _changes(model, FAILED_READS | Kinds.PLAIN_WRITE)
    return keeps_executions(model, changes) and _hides_what_is_overwritten(model)


def drops_stores(model: Model, skeleton: Skeleton) -> bool:
    """Whether an iteration in which a loop waits can be left out though it writes, as each further one does anew.

    Nobody may access what it writes atomically, nor may the unit itself read it then (ADR 0129).
    """
    stores = {place for stop in skeleton.stops for place in stop.stores}
    if not stores:
        return True
    is_plain = not any(event.atomic and not stores.isdisjoint(event.locations) for event in skeleton.events)
    if not (is_plain and _drops_plain_writes(model)):
        return False
    memories = {
        tuple(sorted(name for name, members in skeleton.sets.items() if place in members.locations)) for place in stores
    }
    return all(_hides_what_it_overwrites(model, _Near(memory=names)) for names in memories)


def mixes_orders(skeleton: Skeleton) -> bool:
    """Whether a loop waits with updates of a location on which an SC load may meet SC writes and others.

    NOTE(mixed-orders): the rules for S speak of the last SC write before a read in S. An update that writes back what
    it read and is left out is replaced there by its source, which says the same if both are SC or neither is, and
    matters to loads only. Where it may be otherwise, waiting loops are unrolled up to the bound like any other.
    """
    locations = {
        location
        for stop in skeleton.stops
        if stop.kind is StopKind.WAIT
        for read in stop.reads
        if skeleton.events[read].kind is EventKind.UPDATE
        for location in skeleton.events[read].locations
    }
    for location in locations:
        accesses = [event for event in skeleton.events if location in event.locations]
        orders = {e.order is Order.SEQ_CST for e in accesses if e.kind.writes and e.kind is not EventKind.INITIAL}
        if len(orders) == 2 and any(e.kind is EventKind.READ and e.order is Order.SEQ_CST for e in accesses):
            return True
    return False


# --- read-modify-writes -----------------------------------------------------------------------------------------------


def _demands_atomicity(model: Model) -> bool:
    """Whether some check is broken by a read-modify-write that misses a write, and not by one that reads it."""
    missing, reading = (list(_linearised(model, _update_after_write(source=source))) for source in (0, 1))
    known: dict[Term, int] = {}
    return any(
        not any(is_met(check, evaluator) for evaluator in missing)
        and any(is_met(check, evaluator) for evaluator in reading)
        for check in sorted(model.checks, key=lambda check: depth(check.term, known))
    )


def _linearised(model: Model, structure: Structure) -> Iterator[Evaluator]:
    """Evaluators of a structure, one for each way to order the events of the linearisations."""
    structures = [structure]
    for linearisation in model.linearisations:
        structures = [
            with_order
            for structure in structures
            for order in permutations(members(Evaluator(structure).set(linearisation.events)))
            if is_linearised(
                linearisation, order, Evaluator(with_order := _with_order(structure, linearisation, order))
            )
        ]
    yield from map(Evaluator, structures)


def _with_order(structure: Structure, linearisation: Linearisation, order: tuple[int, ...]) -> Structure:
    rows = [0] * structure.size
    for position, event in enumerate(order):
        rows[event] = sum(1 << later for later in order[position + 1 :])
    return replace(structure, relations={**structure.relations, linearisation.name: tuple(rows)})


class _Access(Struct, frozen=True):
    """An access of a location by a unit (an initial write: by none), and the base sets in which it is."""

    unit: int | None
    location: str
    sets: tuple[str, ...]


_INITIAL: Final = ("W", "IW")
_RELAXED: Final = ("A", "RLX", "ALL")


class _Near(Struct, frozen=True):
    """How near to each other work-items are, and the memory that they access."""

    together: tuple[str, ...] = ("ski", "family", "sdv")
    memory: tuple[str, ...] = ("G", "FINE_ATOMICS")


_KERNEL: Final = _Near()
_IN_GROUP: Final = (*_KERNEL.together, "swg")
# Models may say of some of them that they do not race, and of some memory.
_NEARNESS: Final = (
    _Near(()),
    _Near(("sdv",)),
    _KERNEL,
    *(_Near(of, memory) for of in (_IN_GROUP, (*_IN_GROUP, "ssg")) for memory in (_KERNEL.memory, ("L",))),
)
_MEMORIES: Final = tuple(
    _Near(memory=("G", of)) for of in ("BUFFER", "COARSE", "PROG", "FINE", "SYSTEM", "SYSTEM_ATOMICS")
)


def _structure(accesses: Sequence[_Access], reads_from: Mapping[int, int], near: _Near = _KERNEL) -> Structure:
    """Accesses by work-items; writes come in modification order."""

    def related(relates: Callable[[int, int], bool]) -> tuple[int, ...]:
        return tuple(mask(b for b in numbers if relates(a, b)) for a in numbers)

    def are_of_one_unit(a: int, b: int) -> bool:
        return a == b or (accesses[a].unit is not None and accesses[a].unit == accesses[b].unit)

    def are_of_one_location(a: int, b: int) -> bool:
        return accesses[a].location == accesses[b].location

    numbers = range(len(accesses))
    everything = mask(numbers)
    atomic = {access.location for access in accesses if "A" in access.sets}
    sets = {name: mask(i for i in numbers if name in accesses[i].sets) for name in SETS}
    sets["AO"] = mask(i for i in numbers if accesses[i].location in atomic)
    sets |= dict.fromkeys(("M", *near.memory), everything)
    writes = {i for i in numbers if "W" in accesses[i].sets}
    of_units = {i for i in numbers if accesses[i].unit is not None}
    relations = dict.fromkeys(RELATIONS, (0,) * len(accesses))
    relations |= dict.fromkeys(near.together, related(lambda a, b: {a, b} <= of_units))
    relations |= {"int": related(are_of_one_unit), "ext": related(lambda a, b: not are_of_one_unit(a, b))}
    relations |= {"po": related(lambda a, b: a < b and are_of_one_unit(a, b)), "loc": related(are_of_one_location)}
    relations["rf"] = related(lambda a, b: reads_from.get(b) == a)
    relations["mo"] = related(lambda a, b: a < b and {a, b} <= writes and are_of_one_location(a, b))
    return Structure(len(accesses), everything, sets, relations)


def _update_after_write(*, source: int) -> Structure:
    """An initial write (0), a relaxed write (1) and a relaxed update (2) by two units, in this modification order.

    The update reads from `source`.
    """
    update = _Access(2, "x", ("R", "W", "RMW", *_RELAXED))
    return _structure((_Access(None, "x", _INITIAL), _Access(1, "x", ("W", *_RELAXED)), update), {2: source})


# --- what is overwritten ----------------------------------------------------------------------------------------------


def _hides_what_is_overwritten(model: Model) -> bool:
    """Whether who reads what its writer has overwritten races, whether that has been told or not.

    Tried out on two plain writes by one unit and a read of the first by another one, alone and behind a message, by
    units that are near to each other or far away, and in all kinds of memory.
    """
    before, first, second = _Access(None, "d", _INITIAL), _Access(1, "d", ("W",)), _Access(1, "d", ("W",))
    told = _Access(1, "x", ("W", "A", "REL", "ALL")), _Access(2, "x", ("R", "A", "ACQ", "ALL"))
    read = _Access(2, "d", ("R",))
    alone = partial(_structure, (before, first, second, read), {3: 1})
    behind = partial(_structure, (before, first, second, _Access(None, "x", _INITIAL), *told, read), {5: 4, 6: 1})
    races = [
        flag.term
        for flag in model.flags
        if flag.name == "data_race" and flag.negated and not isinstance(flag.term, SetTerm)
    ]
    return not any(
        all(is_met(check, evaluator) for check in model.checks)
        # Nobody races with an initial write, though some models say so.
        and not any(row >> structure.size - 1 & 1 for term in races for row in evaluator.relation(term)[1:])
        for structure in (*map(alone, (*_NEARNESS, *_MEMORIES)), *map(behind, _NEARNESS))
        for evaluator in _linearised(model, structure)
    )


@lru_cache(maxsize=256)
def _hides_what_it_overwrites(model: Model, near: _Near) -> bool:
    """Whether a unit cannot read in some memory what it has overwritten itself."""
    accesses = (_Access(None, "d", _INITIAL), *(_Access(1, "d", (kind,)) for kind in ("W", "W", "R")))
    return not any(
        all(is_met(check, evaluator) for check in model.checks)
        for evaluator in _linearised(model, _structure(accesses, {3: 1}, near))
    )
