"""The explicit engine's answer to a query: the skeletons are searched one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.recent import Recent
from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.engine.explicit.budget import ExhaustedError, NodeBudget
from mcm.engine.explicit.combinations import MANY_WAYS
from mcm.engine.explicit.compile import compile_model
from mcm.engine.explicit.findings import Findings, watched
from mcm.engine.explicit.search import Search, SymmetricCircleError
from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mcm.answer.answer import Answer
    from mcm.answer.query import Query
    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.synchronising import Synchronisation
    from mcm.execution.skeleton import Skeleton


# From this many events on it pays to take settled accesses out first. A read-modify-write that commutes with others
# counts as several: all orders would be looked at.
MANY_EVENTS: Final = 64
_EVENTS_OF_UPDATE: Final = 16
# More events than there ever are: nothing is taken out.
_ALREADY: Final = 1 << 60


def decide(query: Query, *, many_events: int = MANY_EVENTS, many_ways: int = MANY_WAYS) -> Answer:
    """Everything that the query asks for, or what was found until a limit was exceeded.

    Where executions are not asked for, settled accesses are taken out of skeletons of `many_events` or more, and the
    states of independent reads are combined where these can be assigned in `many_ways` or more.
    """
    findings = Findings(query)
    budget = NodeBudget(query.limits)
    try:
        for whole in query.skeletons:
            skeleton = open_skeleton(whole, query, many_events)
            if _is_opened(whole, query, many_events):
                _OPEN.forget(_key(whole, query, many_events))
            assert not skeleton.supposed, "no answer rests on what is not shown"
            for stop in skeleton.waiting:
                findings.add_stop(stop)
            plan = compile_model(query.model)
            try:
                Search(skeleton, plan, findings, budget, many_ways=many_ways).run()
            except SymmetricCircleError:
                Search(skeleton, plan, findings, budget, uses_symmetry=False, many_ways=many_ways).run()
        findings.count_circular()
    except UndecidedEquationsError as undecided:
        return findings.answer(undecided.reason)
    except ExhaustedError as exhausted:
        return findings.answer(exhausted.reason)
    return findings.answer(None)


def decide_rest(query: Query) -> Answer:
    """As `decide`, where settled accesses were taken out of the skeletons already (`open_skeleton`)."""
    return decide(query, many_events=_ALREADY)


# What is left of the skeletons that were looked at before the engine is asked: one is kept, as long as it takes to ask.
_OPEN: Final[Recent[tuple[Skeleton, Skeleton, Model]]] = Recent(1)


def _key(skeleton: Skeleton, query: Query, many_events: int) -> Hashable:
    options = query.wants_witnesses or query.counts, query.filter is not None
    return id(skeleton), id(query.model), many_events, *options, watched(query)


def open_skeleton(skeleton: Skeleton, query: Query, many_events: int = MANY_EVENTS) -> Skeleton:
    """The skeleton that is searched: without settled accesses, if it is large and executions are not asked for.

    What is supposed about it is looked at whatever its size.
    """
    if not _is_opened(skeleton, query, many_events):
        return skeleton
    # Imported here, and below: small tests need none of it.
    from mcm.engine.explicit.settled.reduction import without_settled  # noqa: PLC0415

    def left() -> tuple[Skeleton, Skeleton, Model]:
        filtered = query.filter is not None
        found = without_settled(skeleton, query.model, watched(query), filtered=filtered)
        if not found.supposed and _is_large(found, many_events):
            from mcm.engine.explicit.settled.jobs import one_distribution  # noqa: PLC0415
            from mcm.engine.explicit.settled.phase_winners import where_winners_are_chosen  # noqa: PLC0415
            from mcm.engine.explicit.settled.ranges import without_private  # noqa: PLC0415
            from mcm.engine.explicit.settled.sure_waits import with_sure_waits  # noqa: PLC0415
            from mcm.engine.explicit.settled.winners import with_winners  # noqa: PLC0415

            found = with_sure_waits(found, query.model, watched(query))
            found = without_private(found, query.model, watched(query), filtered=filtered)
            decided = one_distribution(found, query.model, watched(query))
            decided = decided or with_winners(found, query.model, watched(query))
            found = decided or where_winners_are_chosen(skeleton, query.model, watched(query)) or found
        return found, skeleton, query.model

    # It is kept with what it is known by, so that nothing else can have the identities of these.
    return _OPEN.get(_key(skeleton, query, many_events), left)[0]


def _is_opened(skeleton: Skeleton, query: Query, many_events: int) -> bool:
    """Whether settled accesses are looked for."""
    if skeleton.supposed:
        return True
    return not (query.wants_witnesses or query.counts) and _is_large(skeleton, many_events)


def synchronising(skeleton: Skeleton, query: Query) -> Synchronisation | None:
    """The part of what is left of a skeleton that synchronises, where something may be settled by what it says."""
    if not _is_opened(skeleton, query, MANY_EVENTS):
        return None
    from mcm.engine.explicit.settled.synchronising import synchronisation  # noqa: PLC0415 - see `open_skeleton`

    return synchronisation(skeleton, query.model)


def _is_large(skeleton: Skeleton, many_events: int) -> bool:
    """Whether it pays to look for settled accesses."""
    number = len(skeleton.events)
    if number >= many_events:
        return True
    if number + (_EVENTS_OF_UPDATE - 1) * skeleton.sets["RMW"].events.bit_count() < many_events:
        return False
    # Imported here: see `open_skeleton`.
    from mcm.engine.explicit.settled.commuting import is_summand  # noqa: PLC0415
    from mcm.engine.explicit.settled.contests import contenders_of  # noqa: PLC0415
    from mcm.engine.explicit.settled.locks import takes_of  # noqa: PLC0415
    from mcm.engine.explicit.settled.retries import is_tried  # noqa: PLC0415

    updates = [event for event in skeleton.events if event.kind is EventKind.UPDATE]
    counted = sum(is_summand(event) or is_tried(event, skeleton.events) for event in updates)
    counted += takes_of(skeleton) + contenders_of(skeleton)
    return number + (_EVENTS_OF_UPDATE - 1) * counted >= many_events
