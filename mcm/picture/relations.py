"""The pairs of an execution that are drawn as edges: as few as show the order of all."""

from __future__ import annotations

from itertools import pairwise
from operator import or_
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.bits import members
from mcm.base.style import OTHER, STYLES, Style, style_of
from mcm.catalogue.evaluate import structure_of
from mcm.execution.event import EventKind
from mcm.relation.evaluate import closure, compose, is_irreflexive

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.relation.evaluate import Rows

Pair = tuple[int, int]

# A relation with more pairs than these is left out of a picture, with a note: it would hide everything else.
MOST_PAIRS: Final = 160


class Drawn(Struct, frozen=True):
    """The pairs of a relation that are drawn, and how."""

    name: str
    style: Style
    pairs: tuple[Pair, ...]


def base_relations(candidate: Candidate) -> list[Drawn]:
    """`po`, `rf`, `mo` (`co` for objects that are not atomic) and `fr`, each without what follows from the rest."""
    program = candidate.skeleton.program
    threads = [event.thread for event in candidate.skeleton.events]
    orders: dict[str, list[Pair]] = {"mo": [], "co": []}
    reads: list[Pair] = []
    readers: dict[int, list[int]] = {}
    for read, write in sorted(candidate.reads_from.items()):
        readers.setdefault(write, []).append(read)
    for location, order in sorted(candidate.modification_orders.items()):
        name = "mo" if program.object_at(location).atomic else "co"
        for first, second in pairwise(order):
            later = [(first, second), *((read, second) for read in readers.get(first, ()) if read != second)]
            # What a unit does to a location it does in its own order, which is drawn already.
            apart = [pair for pair in later if threads[pair[0]] != threads[pair[1]]]
            orders[name] += [pair for pair in apart if pair == (first, second)]
            reads += [pair for pair in apart if pair != (first, second)]
    written = [(write, read) for read, write in sorted(candidate.reads_from.items())]
    found = {"po": _sequence(candidate), "rf": written, **orders, "fr": reads}
    return [Drawn(name, STYLES[name], tuple(pairs)) for name, pairs in found.items()]


def other_relation(name: str, style: Style | None, rows: Rows, candidate: Candidate) -> Drawn:
    """Another relation: without what follows by transitivity, and without the pairs that a barrier's bar stands for.

    Of commands, that also leaves out what follows from others together with sequenced-before: each is before all that
    come after it, which would hide the order in which they do.
    """
    events = candidate.skeleton.events
    follows = _following(rows, candidate)
    pairs = tuple(
        (first, second)
        for first, second in pairs_of(reduced(rows))
        if not follows[first] >> second & 1 and not _is_one_barrier(events[first], events[second])
    )
    return Drawn(name, style or style_of(name) or OTHER, pairs)


def _is_one_barrier(first: Event, second: Event) -> bool:
    is_passed = (first.kind, second.kind) == (EventKind.ENTRY, EventKind.EXIT)
    return is_passed and first.barrier == second.barrier


def _following(rows: Rows, candidate: Candidate) -> Rows:
    """The pairs with an event of a command that follow from others and from sequenced-before, which have no cycle."""
    events = candidate.skeleton.events
    commands = sum(1 << number for number in candidate.executed if events[number].kind.is_of_commands)
    nothing = (0,) * len(rows)
    if not commands:
        return nothing
    steps = tuple(map(or_, rows, structure_of(candidate).relations["po"]))
    beyond = compose(steps, closure(steps))
    if not is_irreflexive(beyond):
        return nothing
    return tuple(row if commands >> number & 1 else row & commands for number, row in enumerate(beyond))


def pairs_of(rows: Rows) -> Iterable[Pair]:
    """The pairs of a relation that is given as masks of successors."""
    return ((first, second) for first, row in enumerate(rows) for second in members(row))


def reduced(rows: Rows) -> Rows:
    """A relation without the pairs that follow from others, if it is transitive and has no cycle; else as it is.

    >>> reduced((0b110, 0b100, 0))
    (2, 4, 0)
    """
    beyond = [_union(rows, row) for row in rows]
    is_strict_order = all(
        not behind & ~row and not row >> number & 1
        for number, (row, behind) in enumerate(zip(rows, beyond, strict=True))
    )
    return tuple(row & ~behind for row, behind in zip(rows, beyond, strict=True)) if is_strict_order else rows


def _union(rows: Sequence[int], numbers: int) -> int:
    found = 0
    for number in members(numbers):
        found |= rows[number]
    return found


def _sequence(candidate: Candidate) -> list[Pair]:
    """Sequenced-before, less what follows by transitivity."""
    mask = sum(1 << number for number in candidate.executed)
    rows = candidate.skeleton.relations["po"]
    found: list[Pair] = []
    for first in sorted(candidate.executed):
        later = rows[first] & mask
        found += [(first, second) for second in members(later & ~_union(rows, later))]
    return found
