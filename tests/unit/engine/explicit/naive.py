"""Every execution of a small skeleton, listed without any thought, and what a model says about each."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations, product
from typing import TYPE_CHECKING

from mcm.base.bits import members
from mcm.catalogue.evaluate import evaluate_model, structure_of
from mcm.execution.candidate import Candidate
from mcm.execution.evaluate import evaluate
from mcm.program.condition import RegisterName
from mcm.program.value_arithmetic import is_true
from mcm.relation.evaluate import Evaluator, closure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Value


@dataclass
class Expected:
    """States with whether all their executions are thin air and with their number; places of flags."""

    states: dict[tuple[Value, ...], bool] = field(default_factory=dict)
    counts: dict[tuple[Value, ...], int] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    pairs: set[tuple[str, frozenset[int]]] = field(default_factory=set)


def expected(skeleton: Skeleton, model: Model, observed: tuple[Observable, ...], domain: frozenset[Value]) -> Expected:
    """What an engine must answer. `domain` holds every value that a read can return."""
    result = Expected()
    for candidate in candidates(skeleton, domain):
        raised = None
        for complete in linearised(candidate, model):
            evaluation = evaluate_model(complete, model)
            if evaluation.is_consistent:
                raised = raised or set()
                raised |= {(flag, pair) for flag in evaluation.raised for pair in pairs(flag, complete, model)}
                result.flags |= set(evaluation.raised)
        if raised is not None:
            state = tuple(final(candidate, what) for what in observed)
            result.states[state] = result.states.get(state, True) and is_thin(candidate)
            result.counts[state] = result.counts.get(state, 0) + 1
            result.pairs |= raised
    return result


def candidates(skeleton: Skeleton, domain: frozenset[Value]) -> Iterator[Candidate]:
    """All ways to give values to reads and choices, writes to reads and orders to writes that fit the program."""
    readers = [e.identifier for e in skeleton.events if e.kind.reads]
    for choices in product((False, True), repeat=skeleton.choices):
        seen = set()
        for guess in product(sorted(domain), repeat=len(readers)):
            values = dict(zip(readers, guess, strict=True))
            executed = {e.identifier for e in skeleton.events if is_true(evaluate(e.guard, values, choices))}
            values = {read: value for read, value in values.items() if read in executed}
            key = tuple(values.items())
            if key not in seen:
                seen.add(key)
                yield from _with_values(skeleton, frozenset(executed), values, choices)


def _with_values(
    skeleton: Skeleton, executed: frozenset[int], values: dict[int, Value], choices: tuple[bool, ...]
) -> Iterator[Candidate]:
    events = [e for e in skeleton.events if e.identifier in executed]
    if any(evaluate(e.guard, values, choices) is None for e in skeleton.events):
        return
    places: dict[int, Location] = {e.identifier: evaluate(e.address, values, choices) for e in events if e.address}
    written = {e.identifier: evaluate(e.value, values, choices) for e in events if e.kind.writes}
    sources = [
        [w for w in written if w != read and places[w] == places[read] and written[w] == value]
        for read, value in values.items()
    ]
    by_place: dict[Location, list[int]] = {}
    for write in written:
        by_place.setdefault(places[write], []).append(write)
    for chosen in product(*sources):
        for orders in product(*(permutations(writes[1:]) for writes in by_place.values())):
            total = {place: (by_place[place][0], *order) for place, order in zip(by_place, orders, strict=True)}
            sourced = dict(zip(values, chosen, strict=True))
            yield Candidate(skeleton, executed, sourced, total, places, values, written, choices, {})


def linearised(candidate: Candidate, model: Model) -> Iterator[Candidate]:
    """The candidate with every linearisation."""
    evaluator = Evaluator(structure_of(candidate))
    ranges = [permutations(members(evaluator.set(order.events))) for order in model.linearisations]
    for orders in product(*ranges):
        named = {order.name: chosen for order, chosen in zip(model.linearisations, orders, strict=True)}
        yield Candidate(
            candidate.skeleton,
            candidate.executed,
            candidate.reads_from,
            candidate.modification_orders,
            candidate.locations,
            candidate.read_values,
            candidate.written_values,
            candidate.choices,
            named,
        )


def pairs(name: str, candidate: Candidate, model: Model) -> Iterator[frozenset[int]]:
    """The events that raise a flag of emptiness."""
    flag = next(flag for flag in model.flags if flag.name == name)
    if not flag.negated or flag.shape.value != "empty":
        return
    evaluator = Evaluator(structure_of(candidate))
    if name == "reads":
        yield from (frozenset({event}) for event in members(evaluator.set(flag.term)))
    else:
        for a, row in enumerate(evaluator.relation(flag.term)):
            yield from (frozenset({a, b}) for b in members(row))


def final(candidate: Candidate, what: Observable) -> Value:
    if isinstance(what, RegisterName):
        return evaluate(candidate.skeleton.registers[what], candidate.read_values, candidate.choices)
    return candidate.written_values[candidate.modification_orders[what][-1]]


def is_thin(candidate: Candidate) -> bool:
    structure = structure_of(candidate)
    rows = list(structure.relations["rf"])
    for name in ("data", "addr", "ctrl"):
        rows = [a | b for a, b in zip(rows, structure.relations[name], strict=True)]
    return any(row >> i & 1 for i, row in enumerate(closure(tuple(rows))))
