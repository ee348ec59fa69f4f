"""Every execution of a program without branches and dependencies, and what a model says of each."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.base.bits import members
from mcm.catalogue.evaluate import Evaluation, evaluate_model, structure_of
from mcm.execution.candidate import Candidate
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.relation.evaluate import Evaluator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.query import Query
    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton


def candidates(skeleton: Skeleton) -> Iterator[Candidate]:
    """All choices of reads-from and modification orders."""
    events = skeleton.events
    assert all(event.guard == Constant(1) for event in events)
    places = {e.identifier: e.address.value for e in events if e.address is not None}
    written = {e.identifier: e.value.value for e in events if e.kind.writes}
    reads = [e.identifier for e in events if e.kind.reads]
    sources = [[w for w in written if places[w] == places[r] and w != r] for r in reads]
    by_place = {}
    for write in written:
        by_place.setdefault(places[write], []).append(write)
    for chosen in product(*sources):
        reads_from = dict(zip(reads, chosen, strict=True))
        for orders in product(*(permutations(writes[1:]) for writes in by_place.values())):
            yield Candidate(
                skeleton=skeleton,
                executed=frozenset(e.identifier for e in events),
                reads_from=reads_from,
                modification_orders={
                    place: (writes[0], *order) for (place, writes), order in zip(by_place.items(), orders, strict=True)
                },
                locations=places,
                read_values={read: written[write] for read, write in reads_from.items()},
                written_values=written,
                choices=(),
                linearisations={},
            )


def judged(skeleton: Skeleton, model: Model) -> Iterator[tuple[Candidate, Evaluation]]:
    """Consistent executions, with every linearisation, and what flags they raise."""
    assert all(event.kind is not EventKind.UPDATE for event in skeleton.events)
    for candidate in candidates(skeleton):
        evaluator = Evaluator(structure_of(candidate))
        ranges = [permutations(members(evaluator.set(each.events))) for each in model.linearisations]
        for orders in product(*ranges):
            named = {each.name: order for each, order in zip(model.linearisations, orders, strict=True)}
            complete = replace(candidate, linearisations=named)
            evaluation = evaluate_model(complete, model)
            if evaluation.is_consistent:
                yield complete, evaluation


def expected(asked: Query) -> tuple[dict[tuple[object, ...], int], set[str]]:
    """The states with their numbers of executions, and the names of the raised flags."""
    from mcm.engine.smt.decode import final_state  # noqa: PLC0415 - only the comparison is by the engine's own means

    executions = {}
    flags = set()
    for skeleton in asked.skeletons:
        for candidate, evaluation in judged(skeleton, asked.model):
            state = final_state(candidate, asked.observed)
            identity = (tuple(candidate.reads_from.items()), tuple(candidate.modification_orders.items()))
            executions.setdefault(state, set()).add(identity)
            flags.update(evaluation.raised)
    return {state: len(found) for state, found in executions.items()}, flags
