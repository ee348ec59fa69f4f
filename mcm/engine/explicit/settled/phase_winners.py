"""Who wins a contest between barriers is a choice, if nothing that is open can come before anybody takes part in it.

A work-item of a group is the first to change an object in local memory, which another one has set before a barrier, and
what only the first one does is read behind the next barrier. With choices that say who wins, all of that is settled:
`docs/search.md` has the argument. Where there are no barriers, `winners.py` is enough.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.catalogue.dependencies import mentions_dependencies
from mcm.catalogue.updates import reads_write_before
from mcm.engine.explicit.settled.contests import contest_at
from mcm.engine.explicit.settled.reduction import reduced, what_is_open
from mcm.engine.explicit.settled.settling import look_at_any_order
from mcm.engine.explicit.settled.winners import have_one_order
from mcm.engine.explicit.settled.winning import Winning
from mcm.execution.algebra import TRUE
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.contests import Contest
    from mcm.engine.explicit.settled.found import Settled
    from mcm.engine.explicit.settled.settling import Look
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable

# In a contest of fewer all orders are soon looked at.
_FEWEST: Final = 3


def where_winners_are_chosen(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Skeleton | None:
    """What is left to be decided where choices say who wins contests; None where they do not.

    It has the same final states of what is `watched`, the same flags, faults and stops.
    """
    if skeleton.supposed or skeleton.shown is not None or skeleton.paired:
        return None
    if mentions_dependencies(model) or model.splits_updates or not reads_write_before(model):
        return None
    contests = [*_contests(skeleton)]
    while contests:
        if not have_one_order(skeleton, contests):
            return None
        chosen = _Chosen(skeleton, contests, watched)
        looked = look_at_any_order(chosen.skeleton, model, watched)
        if looked is None:
            return None
        decided = chosen.decided(*looked)
        if len(decided) == len(contests):
            return chosen.left(model, looked[0])
        contests = decided
    return None


def _contests(skeleton: Skeleton) -> Iterator[Contest]:
    """What may be contests, of what is written before by those who take no part, or is there in the beginning."""
    constraints = frozenset(skeleton.constraints) - {TRUE}
    named = skeleton.named
    for location, events in skeleton.accesses_by_location().items():
        first = _written_before(events)
        if first is None:
            continue
        initial = events[0].kind is EventKind.INITIAL
        contest, _ = contest_at(location, first, events[1:] if initial else events, constraints)
        if contest is not None and len(contest.participants) >= _FEWEST and named.isdisjoint(_events(contest)):
            yield contest


def _written_before(events: Sequence[Event]) -> Constant | None:
    """The one value that is written to an object besides by updates; the initial one if nobody does."""
    if sum(event.kind is EventKind.UPDATE for event in events) < _FEWEST:
        return None
    written = {event.value for event in events if event.kind is EventKind.WRITE}
    first = written or {event.value for event in events if event.kind is EventKind.INITIAL}
    (value,) = first if len(first) == 1 else (None,)
    return value if isinstance(value, Constant) else None


def _events(contest: Contest) -> Iterator[int]:
    for one in contest.participants:
        yield one.update
        if one.failure is not None:
            yield one.failure


class _Chosen:
    """A skeleton in which choices say who wins contests: all who take part write what the winner writes."""

    def __init__(self, skeleton: Skeleton, contests: Sequence[Contest], watched: Collection[Observable]) -> None:
        winning = Winning(contests, skeleton.choices)
        tries = {one.update: winning.written[each.location] for each in contests for one in each.participants}
        failures = {one.failure for each in contests for one in each.participants}
        asked = {constraint for each in contests for one in each.participants for constraint in one.asked}
        whole = replace(
            skeleton,
            events=tuple(
                replace(event, guard=TRUE, value=tries[event.identifier]) if event.identifier in tries else event
                for event in skeleton.events
            ),
            constraints=tuple(each for each in skeleton.constraints if each not in asked),
            choices=winning.choices,
        )
        kept = [event for event in whole.events if event.identifier not in failures]
        numbers = {event.identifier: number for number, event in enumerate(kept)}
        self.skeleton: Final = reduced(whole, winning.known, kept, watched)
        self._watched: Final = watched
        # For each contest the events that are the tries.
        self._tries: Final = [(each, {numbers[one.update] for one in each.participants}) for each in contests]

    def decided(self, look: Look, found: Settled) -> list[Contest]:
        """The contests of who is the first after one value has been written, where nothing orders those who try."""
        return [contest for contest, tries in self._tries if _is_decided(contest, tries, look, found)]

    def left(self, model: Model, look: Look) -> Skeleton | None:
        """What is left to be decided; None where some of it can come before a try, or is one."""
        left, open_ = what_is_open(self.skeleton, model, self._watched)
        numbers = {number for _, its in self._tries for number in its}
        tries = [event for event in self.skeleton.events if event.identifier in numbers]
        events = [event for event in open_ if event.kind.is_access and event.thread is not None]
        # What stays may have another order there: it is told by its number.
        if not numbers.isdisjoint(event.identifier for event in events) or _some_come_before(events, tries, look):
            return None
        return left


def _is_decided(contest: Contest, tries: Collection[int], look: Look, found: Settled) -> bool:
    layers = found.layers.get(contest.location, ())
    for base, layer in pairwise(layers):
        if tries == {event.identifier for event in layer.writes}:
            values = {found.substitution.apply(event.value) for event in base.writes if event.value is not None}
            is_written = all(found.substitution.apply(event.guard) is TRUE for event in base.writes)
            return is_written and values == {contest.first} and not _are_ordered(layer.writes, look)
    return False


def _are_ordered(events: Iterable[Event], look: Look) -> bool:
    """Whether any of some events surely comes before another one."""
    return any(_is_before(one, other, look) or _is_before(other, one, look) for one, other in combinations(events, 2))


def _some_come_before(events: Sequence[Event], others: Sequence[Event], look: Look) -> bool:
    """Whether any of some events surely comes before one of the others."""
    return any(_is_before(one, other, look) for one in events for other in others)


def _is_before(first: Event, second: Event, look: Look) -> bool:
    ordering = look.ordering
    if ordering.sequenced[first.identifier] >> second.identifier & 1:
        return True
    return any(clocks.is_before(first, second, ordering.sequenced) for clocks in ordering.closures)
