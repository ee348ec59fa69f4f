"""Reads of objects that have no value yet, told: who writes to them, and why the read does not see that."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Sentence, Story
from mcm.catalogue.evaluate import structure_of
from mcm.explain.naming import Names, and_more
from mcm.explain.near_miss import near_miss
from mcm.explain.race_story import what_is_nearest
from mcm.explain.readings import readings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.execution import Execution
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate

# So many writes are told of.
_FEW: Final = 3


def initial_story(execution: Execution, read: int, model: Model) -> Story:
    """A read of what was never written, and for each write of the same place what is in the way."""
    candidate = execution.candidate
    names = Names(candidate)
    sentences = tuple(_sentences(candidate, read, names, model))
    about = {read, *(event for sentence in sentences for event in sentence.events)}
    readings = tuple(one for one in readings_of(candidate, None, names, about) if one.read in about)
    return Story(readings, sentences, None, execution)


def _sentences(candidate: Candidate, read: int, names: Names, model: Model) -> Iterator[Sentence]:
    place = names.location(read)
    order = candidate.modification_orders[candidate.locations[read]]
    events = candidate.skeleton.events
    source = candidate.reads_from[read]
    is_given_up = events[source].thread is not None and candidate.lacks_value(source)
    if is_given_up:
        # What is written before that is of no use to the read.
        yield Sentence(f"{names.full(source)} leaves {place} without a value", events=(source, read))
        order = order[order.index(source) + 1 :]
    writes = [event for event in order if events[event].thread is not None and event != read]
    if not writes and not is_given_up:
        yield from _nothing_written(candidate, read, names)
    for write in writes[:_FEW]:
        yield from _in_the_way(candidate, write, read, names, model)
    if len(writes) > _FEW:
        yield Sentence(f"{len(writes) - _FEW} more writes of {place} do not come before the read either")


def _nothing_written(candidate: Candidate, read: int, names: Names) -> Iterator[Sentence]:
    """That nothing is written to the place: who could, and what is written nearby."""
    place, location = names.location(read), candidate.locations[read]
    events = candidate.skeleton.events
    could = [e for e in events if e.kind.writes and e.thread is not None and location in e.locations]
    could = [event for event in could if event.identifier not in candidate.executed]
    if could:
        lines = dict.fromkeys(f"{names.thread(event.identifier)} line {event.span.line}" for event in could)
        yield Sentence(f"{and_more(list(lines))} could write to {place}, and does not come to that here")
    else:
        yield Sentence(f"nothing writes to {place}")
    near = [
        write
        for other, order in sorted(candidate.modification_orders.items())
        if other.object == location.object and other != location
        for write in order
        if events[write].thread is not None and events[write].pipe is None
    ]
    if near:
        shown = and_more([f"{names.location(write)} by {names.full(write)}" for write in near])
        yield Sentence(f"what is written of the same object: {shown}", events=tuple(near[:1]))


def _in_the_way(candidate: Candidate, write: int, read: int, names: Names, model: Model) -> Iterator[Sentence]:
    """Why a write does not come before the read."""
    rows = structure_of(candidate).relations["po"]
    text = f"{names.full(write)} writes to {names.location(read)}"
    if rows[read] >> write & 1:
        yield Sentence(f"{text}, but only after the read", path=f"{names.short(read)} →sb {names.short(write)}")
        return
    for flag in model.flags:
        if flag.name != "data_race":
            continue
        for pair in permutations((write, read), 2):
            miss = near_miss(candidate, flag, pair, model)
            if miss is not None:
                yield Sentence(f"{text}, but nothing orders it before the read", events=(write, read))
                yield from what_is_nearest(
                    candidate, miss, names, model, "the write would come before the read in this execution"
                )
                return
    yield Sentence(f"{text}, but nothing makes that happen before the read", events=(write, read))
