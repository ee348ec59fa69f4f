"""Whether reads could take their values elsewhere, all of them in one execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.evaluate import evaluate
from mcm.execution.vocabulary import SYMMETRIC
from mcm.explain.violation import mentions
from mcm.relation.evaluate import closure
from mcm.relation.parts import unions
from mcm.relation.symmetry import is_symmetric
from mcm.relation.term import Inverse

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mcm.execution.candidate import Candidate
    from mcm.program.types import Value
    from mcm.relation.evaluate import Evaluator, Rows
    from mcm.relation.term import RelationTerm

# A write, and the read that would take its value from there.
Reading = tuple[int, int]


def against_order(
    readings: Sequence[Reading], terms: Sequence[RelationTerm], evaluator: Evaluator
) -> frozenset[Reading]:
    """Those whose read comes before the write by an order among the terms: nothing reads what comes later."""
    found: set[Reading] = set()
    for term in terms if readings else ():
        for part in unions(term):
            # What excuses a race is no order, and leads as much to a read as away from it.
            if isinstance(part, Inverse) or is_symmetric(part, SYMMETRIC) or not mentions(part, {"po"}):
                continue
            rows = evaluator.relation(part)
            found.update((write, read) for write, read in readings if rows[read] >> write & 1)
    return frozenset(found)


def are_at_once(candidate: Candidate, readings: Sequence[Reading], kept: Collection[int], po: Rows) -> bool:
    """Whether all of some readings can be in one execution.

    The events `kept` have to be executed then, where they are, and so have the writes and the reads themselves.
    """
    return _are_possible(candidate, readings, {*kept, *(event for one in readings for event in one)}, po)


def _are_possible(candidate: Candidate, readings: Sequence[Reading], kept: Collection[int], po: Rows) -> bool:
    elsewhere = {read: write for write, read in readings}
    if len(elsewhere) < len(readings):
        return False
    reads_from = {**candidate.reads_from, **elsewhere}
    steps = list(po)
    for read, write in reads_from.items():
        steps[write] |= 1 << read
    later = closure(tuple(steps))
    if any(later[read] >> write & 1 for write, read in readings):
        return False
    values = _read_values(candidate, reads_from)
    return all(stays(candidate, event, values) for event in kept)


def _read_values(candidate: Candidate, reads_from: Mapping[int, int]) -> Mapping[int, Value]:
    """What reads return then, as far as it is known: what is written follows from what is read."""
    events = candidate.skeleton.events
    values = dict(candidate.read_values)
    # No way from value to value is longer; those that go round are left as they come.
    for _ in reads_from:
        before = dict(values)
        for read, write in reads_from.items():
            value = events[write].value
            written = candidate.written_values[write] if value is None else evaluate(value, before, candidate.choices)
            if written is None:
                values.pop(read, None)
            else:
                values[read] = written
        if values == before:
            break
    return values


def stays(candidate: Candidate, number: int, values: Mapping[int, Value]) -> bool:
    """Whether an event is executed, where it is, if reads return these values."""
    event = candidate.skeleton.events[number]
    if not evaluate(event.guard, values, candidate.choices):
        return False
    return event.address is None or evaluate(event.address, values, candidate.choices) == candidate.locations[number]
