"""What reads return in an execution, in words, and which part of the condition rests on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Reading
from mcm.execution.evaluate import evaluate, reads_of
from mcm.execution.outcome import observables
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mcm.execution.candidate import Candidate
    from mcm.explain.naming import Names
    from mcm.program.condition import Observable, Proposition

# Of executions with more reads, only those are told that the condition or the reason is about.
_FEW_READS: Final = 8


def readings_of(
    candidate: Candidate, proposition: Proposition | None, names: Names, about: Collection[int]
) -> tuple[Reading, ...]:
    """The reads by which the condition comes true, those whose events are in `about`, and all where they are few."""
    observed = dict.fromkeys(observables(proposition)) if proposition is not None else {}
    found: dict[int, Reading] = {}
    for what in observed:
        for read in _reads_behind(what, candidate):
            if read not in found:
                found[read] = _reading(read, candidate, names, _observed(what, candidate, names))
    # Of a part of an execution that ends as asked, those that are there by chance say little.
    is_part = proposition is not None and candidate.skeleton.is_part
    some = is_part or len(candidate.reads_from) > _FEW_READS
    for read in sorted(candidate.reads_from):
        if read not in found and (not some or read in about):
            found[read] = _reading(read, candidate, names, None)
    return (*found.values(), *_last_writes(observed, candidate, names))


def _reads_behind(what: Observable, candidate: Candidate) -> list[int]:
    """The reads that the final value of a register is computed from."""
    if not isinstance(what, RegisterName):
        return []
    expression = candidate.skeleton.registers.get(what)
    return [] if expression is None else sorted(reads_of(expression) & candidate.reads_from.keys())


def _observed(what: Observable, candidate: Candidate, names: Names) -> str | None:
    """`1:r0=1`, where the register is what one read returns."""
    if not isinstance(what, RegisterName):
        return None
    expression = candidate.skeleton.registers[what]
    value = evaluate(expression, candidate.read_values, candidate.choices)
    shown = "" if value is None else f"={names.shown(value)}"
    return f"{candidate.skeleton.program.show_register(what)}{shown}"


def _reading(read: int, candidate: Candidate, names: Names, observed: str | None) -> Reading:
    write = candidate.reads_from[read]
    order = candidate.modification_orders[candidate.locations[read]]
    later = order[order.index(write) + 1 :]
    # What an update reads it replaces itself, where nothing comes between.
    later = () if later[:1] == (read,) else tuple(event for event in later if event != read)
    subject = f"{names.full(read)} reads {names.location(read)}"
    is_initial = candidate.skeleton.events[write].thread is None
    lacks_value = is_initial and candidate.lacks_value(write)
    if lacks_value:
        text = f"{subject}, which has no value"
    elif is_initial:
        text = f"{subject} from its initial value"
    else:
        value = candidate.written_values[write]
        alike = [other for other in order if candidate.written_values[other] == value]
        is_only = len(alike) == 1 and not candidate.lacks_value(write)
        only = f", the only write of {names.value(write, written=True)}" if is_only else ""
        if candidate.skeleton.events[write].pipe is not None:
            only = f": {names.value(write, written=True)}"
        text = f"{subject} from {names.full(write)}{only}"
    if not later:
        return Reading(read, write, text, observed)
    if lacks_value:
        return Reading(read, write, f"{text} before {names.full(later[0])} writes it", observed, "fr")
    return Reading(read, write, f"{text}, which {names.full(later[0])} replaces", observed, "fr")


def _last_writes(observed: Collection[Observable], candidate: Candidate, names: Names) -> Iterator[Reading]:
    """The last writes of the locations that the condition names."""
    for what in observed:
        if isinstance(what, RegisterName) or what not in candidate.modification_orders:
            continue
        last = candidate.modification_orders[what][-1]
        value = names.value(last, written=True)
        shown = f"{names.location(last)}={value}"
        yield Reading(last, last, f"{names.full(last)} is the last write of {names.location(last)}", shown, "mo")
