"""Contests: atomic objects that the first to come changes, and who comes later finds changed.

A leader is chosen so, a node is visited once, and a flag is taken: by compare-exchanges of one value, or by updates
that write one value whatever they find.
"""

from __future__ import annotations

from collections import Counter as Multiset
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.engine.explicit.settled.attempts import comparison
from mcm.execution.algebra import FALSE, TRUE, negation, select
from mcm.execution.evaluate import choices_of, evaluate
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location

    # What reads return, and which way choices go.
    Atoms = dict[Atom, Expression]


class Participant(Struct, frozen=True):
    """A thread that tries to be the first at an object.

    `update` is the number of the event that changes the object, and `written` what it writes. A compare-exchange has a
    `choice`, whether it succeeds, and a `failure`, the read of who comes too late; what they read is `asked`.
    """

    thread: int
    update: int
    written: Constant
    choice: int | None = None
    failure: int | None = None
    asked: frozenset[Expression] = frozenset()

    @property
    def atoms(self) -> Iterator[Atom]:
        """What says how the contest went for it."""
        yield ReadValue(self.update)
        if self.choice is not None and self.failure is not None:
            yield Choice(self.choice)
            yield ReadValue(self.failure)

    def known(self, wins: Expression, first: Expression, found: Expression | None) -> Atoms:
        """What is known of its atoms where it `wins`, and finds the `first` value, and where it has `found` another.

        None: it is not known which.
        """
        if self.choice is None or self.failure is None:
            assert found is not None, "updates all write one value"
            return {ReadValue(self.update): select(wins, first, found)}
        atoms: Atoms = {Choice(self.choice): wins}
        # What is not executed returns nothing.
        if wins is not FALSE:
            atoms[ReadValue(self.update)] = first
        if wins is not TRUE and found is not None:
            atoms[ReadValue(self.failure)] = found
        return atoms


class Contest(Struct, frozen=True):
    """An object that all `participants` try to change in any case, and nothing else accesses.

    It has the value `first` in the beginning. Exactly one participant finds that, in each execution in which updates
    read the last write before them; all others find what this one has written, which is `found` if it is the same for
    all.
    """

    location: Location
    first: Constant
    participants: tuple[Participant, ...]
    found: Constant | None


# Of fewer participants all orders are soon looked at.
_FEW: Final = 6


def contenders_of(skeleton: Skeleton) -> int:
    """How many updates may be tries to be the first, by their shape alone, at objects where there are many of them."""
    tries = Multiset(
        event.locations[0]
        for event in skeleton.events
        if event.kind is EventKind.UPDATE and isinstance(event.value, Constant) and isinstance(event.address, Constant)
    )
    return sum(number for number in tries.values() if number >= _FEW)


def contests_of(skeleton: Skeleton) -> tuple[Contest, ...] | None:
    """The contests of a skeleton; None if it has none, or choices or constraints that are about something else."""
    found: list[Contest] = []
    constraints = frozenset(skeleton.constraints) - {TRUE}
    atomic = skeleton.sets["AO"].locations
    for location, (initial, *others) in skeleton.accesses_by_location().items():
        if location in atomic and others and initial.kind is EventKind.INITIAL and isinstance(initial.value, Constant):
            contest, besides = contest_at(location, initial.value, others, constraints)
            if contest is not None and not besides:
                found.append(contest)
    participants = [one for contest in found for one in contest.participants]
    chosen = {one.choice for one in participants} - {None}
    asked = {constraint for one in participants for constraint in one.asked}
    return tuple(found) if found and chosen == set(range(skeleton.choices)) and asked == constraints else None


def contest_at(
    location: Location, first: Constant, events: Sequence[Event], constraints: frozenset[Expression]
) -> tuple[Contest | None, list[Event]]:
    """The contest that all updates of a location are, and its other accesses, of all of them in order.

    None if they are no contest of who finds the `first` value there; the initial write is not among the accesses.
    """
    if not all(isinstance(event.address, Constant) for event in events):
        return None, []
    participants: list[Participant] = []
    besides: list[Event] = []
    waiting = iter(events)
    for update in waiting:
        if update.kind is not EventKind.UPDATE:
            besides.append(update)
            continue
        if isinstance(update.guard, Choice):
            one = _exchange(update, next(waiting, None), first, constraints)
        else:
            one = _update(update, first)
        if one is None:
            return None, []
        participants.append(one)
    written = {one.written for one in participants}
    always = any(one.choice is None for one in participants)
    if not participants or first in written or (always and len(written) > 1):
        return None, []
    found = next(iter(written)) if len(written) == 1 else None
    return Contest(location, first, tuple(participants), found), besides


def _exchange(
    success: Event, failure: Event | None, first: Constant, constraints: frozenset[Expression]
) -> Participant | None:
    """A compare-exchange that is tried in any case, and succeeds if and only if it reads the first value."""
    if success.thread is None or failure is None or not isinstance(success.guard, Choice):
        return None
    if not isinstance(success.value, Constant):
        return None
    if failure.kind is not EventKind.READ or failure.thread != success.thread:
        return None
    if failure.guard is not negation(success.guard):
        return None
    succeeds, fails = comparison("==", success, first, constraints), comparison("!=", failure, first, constraints)
    if succeeds is None or fails is None:
        return None
    asked = frozenset({succeeds, fails})
    choice = success.guard.index
    return Participant(success.thread, success.identifier, success.value, choice, failure.identifier, asked)


def _update(update: Event, first: Constant) -> Participant | None:
    """An update that is executed in any case, and writes one value where it finds the first one, or this value."""
    value, read = update.value, update.identifier
    if update.thread is None or update.guard is not TRUE or value is None:
        return None
    if choices_of(value):
        return None
    written = evaluate(value, {read: first.value}, ())
    if written is None:
        return None
    again = evaluate(value, {read: written}, ())
    if again is None or Constant(again) is not Constant(written):
        return None
    return Participant(update.thread, read, Constant(written))
