"""Whether a model lets an iteration in which a loop only waits be left out of an execution (ADR 0018 and 0019).

What is left out are reads, fences, and read-modify-writes that write back what they read. The execution without them
must still be consistent, and raise every flag that it raised among the events that are left.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.base.bits import members
from mcm.catalogue.evaluate import is_linearised, is_met
from mcm.catalogue.fewer_events import Changes
from mcm.catalogue.survival import keeps_executions
from mcm.execution.event import EventKind
from mcm.execution.skeleton import StopKind
from mcm.execution.vocabulary import RELATIONS, SETS
from mcm.program.types import Order
from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.occurrence import depth

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    changes = Changes(frozenset(order.name for order in model.linearisations))
    return keeps_executions(model, changes) and _demands_atomicity(model)


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


def _update_after_write(*, source: int) -> Structure:
    """An initial write (0), a relaxed write (1) and a relaxed update (2) by two units, in this modification order.

    The update reads from `source`.
    """
    units, everything = 0b110, 0b111
    sets = dict.fromkeys(SETS, 0)
    sets |= {"R": 0b100, "W": everything, "M": everything, "RMW": 0b100, "IW": 0b001, "A": units, "AO": everything}
    sets |= {"RLX": units, "ALL": units, "G": everything, "FINE_ATOMICS": everything}
    nothing = (0, 0, 0)
    relations = dict.fromkeys(RELATIONS, nothing)
    relations |= dict.fromkeys(("ski", "family", "sdv"), (0, units, units))
    relations |= {"loc": (everything,) * 3, "int": (0b001, 0b010, 0b100), "ext": (0b110, 0b101, 0b011)}
    relations |= {"mo": (0b110, 0b100, 0), "rf": (0b100, 0, 0) if source == 0 else (0, 0b100, 0)}
    return Structure(3, everything, sets, relations)
