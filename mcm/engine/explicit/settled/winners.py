"""Who wins a contest is a choice, where nothing else is in the way of anything: all else is known then.

A work-item of many is the first to change an atomic object, and does what only one is to do. What each does depends on
whether it has won, so of n participants there are n ways and not n! orders: `docs/search.md` has the argument.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from itertools import combinations, compress, product
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.catalogue.updates import reads_write_before
from mcm.engine.explicit.settled.chains import TAKEN
from mcm.engine.explicit.settled.commuting import commuting
from mcm.engine.explicit.settled.contests import contests_of
from mcm.engine.explicit.settled.interleavings import allows_interleavings
from mcm.engine.explicit.settled.kinds import empty_bases
from mcm.engine.explicit.settled.reduction import reduced
from mcm.engine.explicit.settled.standings import may_raise_flags
from mcm.engine.explicit.settled.winning import Winning
from mcm.execution.algebra import FALSE, TRUE, conjunction, disjunction, negation, select
from mcm.execution.evaluate import choices_of, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.contests import Atoms, Contest, Participant
    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable

# So many contests it may depend on whether something is done.
_MOST_CONTESTS: Final = 4
# In a contest of fewer all orders are soon looked at.
_FEWEST: Final = 3


class Access(Struct, frozen=True):
    """An access of one location. It depends on the participants it is `about`, and is executed if some `ways` win.

    `won` and `lost` are those of them who have won, and lost, wherever it is executed.
    """

    event: Event
    location: Location
    about: frozenset[Participant]
    ways: tuple[frozenset[Participant], ...]

    @property
    def won(self) -> frozenset[Participant]:
        """Who has won in all ways."""
        return frozenset.intersection(*self.ways)

    @property
    def lost(self) -> frozenset[Participant]:
        """Who has lost in all ways."""
        return self.about.difference(*self.ways)


def with_winners(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Skeleton | None:
    """A skeleton without accesses that ends as the given one does; None where its contests do not decide everything.

    It has the same final states of what is `watched`; no execution of either has a flag, a fault or a stop.
    """
    if not reads_write_before(model) or model.splits_updates:
        return None
    contests = contests_of(skeleton)
    if contests is None or max(len(contest.participants) for contest in contests) < _FEWEST:
        return None
    if not allows_interleavings(model, empty_bases(skeleton)) or not have_one_order(skeleton, contests):
        return None
    outcomes = _Outcomes(contests)
    if not all(map(outcomes.is_never, skeleton.problems)):
        return None
    accesses = _accesses(skeleton, outcomes)
    met = None if accesses is None else _met(accesses, skeleton, outcomes)
    if accesses is None or met is None:
        return None
    if may_raise_flags(skeleton, model, {contest.location.object for contest in contests} | met):
        return None
    return _Decided(skeleton, contests, watched).result(accesses)


def have_one_order(skeleton: Skeleton, contests: Sequence[Contest]) -> bool:
    """Whether one contest may come after the other, whoever wins: threads come to them in one order, and once."""
    by_thread: dict[int, list[tuple[int, int]]] = {}
    for number, contest in enumerate(contests):
        for one in contest.participants:
            by_thread.setdefault(one.thread, []).append((number, one.update))
    sequenced = skeleton.relations["po"]
    later: dict[int, set[int]] = {}
    for its in by_thread.values():
        for (number, before), (next_number, after) in product(its, its):
            if sequenced[before] >> after & 1:
                later.setdefault(number, set()).add(next_number)
    try:
        TopologicalSorter(later).prepare()
    except CycleError:
        return False
    return True


class _Outcomes:
    """What is known of expressions by who has won which contest."""

    def __init__(self, contests: Iterable[Contest]) -> None:
        self._of: Final[dict[Atom, Participant]] = {}
        self._won: Final[dict[Participant, Atoms]] = {}
        self._lost: Final[dict[Participant, Atoms]] = {}
        self.contest: Final[dict[Participant, Location]] = {}
        for contest in contests:
            for one in contest.participants:
                self._of.update(dict.fromkeys(one.atoms, one))
                self.contest[one] = contest.location
                self._won[one] = one.known(TRUE, contest.first, contest.first)
                self._lost[one] = one.known(FALSE, contest.first, contest.found)

    def participants(self, *expressions: Expression) -> frozenset[Participant] | None:
        """Those on whose success expressions depend; None where they depend on anything else."""
        atoms: set[Atom] = {ReadValue(read) for each in expressions for read in reads_of(each)}
        atoms.update(Choice(choice) for each in expressions for choice in choices_of(each))
        return frozenset(self._of[atom] for atom in atoms) if atoms <= self._of.keys() else None

    def cases(self, *expressions: Expression) -> list[tuple[frozenset[Participant], Substitution]] | None:
        """Who of those that expressions depend on wins, and what is known then; None if they depend on too much."""
        about = self.participants(*expressions)
        if about is None or len(about) > _MOST_CONTESTS:
            return None
        found: list[tuple[frozenset[Participant], Substitution]] = []
        ordered = sorted(about, key=lambda one: one.update)
        for went in product((True, False), repeat=len(ordered)):
            known = [self._won[one] if wins else self._lost[one] for one, wins in zip(ordered, went, strict=True)]
            atoms = {atom: value for its in known for atom, value in its.items()}
            found.append((frozenset(compress(ordered, went)), Substitution(atoms)))
        return found

    def is_never(self, condition: Expression) -> bool:
        """Whether a condition holds whoever wins: it does in no case."""
        cases = self.cases(condition)
        return cases is not None and all(known.apply(condition) is FALSE for _, known in cases)

    def exclude_each_other(self, one: Access, other: Access) -> bool:
        """Whether two accesses are executed in no execution both."""
        if not (one.won.isdisjoint(other.lost) and one.lost.isdisjoint(other.won)):
            return True
        return any(a != b and self.contest[a] == self.contest[b] for a, b in product(one.won, other.won))


def _accesses(skeleton: Skeleton, outcomes: _Outcomes) -> dict[Location, list[Access]] | None:
    """What is accessed beside the contests, by location; None where something else decides about that."""
    found: dict[Location, list[Access]] = {}
    participants = {number for one in outcomes.contest for number in (one.update, one.failure)}
    for event in skeleton.events:
        if event.kind in {EventKind.INITIAL, EventKind.FENCE} or event.identifier in participants:
            continue
        its = _accesses_of(event, outcomes)
        if its is None:
            return None
        for access in its:
            found.setdefault(access.location, []).append(access)
    return found


def _accesses_of(event: Event, outcomes: _Outcomes) -> list[Access] | None:
    """The accesses that an event may be; None where it is not decided by contests whether and where it is one."""
    if not event.kind.is_access or event.address is None:
        return None
    cases = outcomes.cases(event.guard, event.address)
    if cases is None:
        return None
    about = outcomes.participants(event.guard, event.address) or frozenset()
    places: dict[Location, list[frozenset[Participant]]] = {}
    for won, known in cases:
        guard = known.apply(event.guard)
        if guard is FALSE:
            continue
        address = known.apply(event.address)
        if guard is not TRUE or not isinstance(address, Constant) or not isinstance(address.value, Location):
            return None
        places.setdefault(address.value, []).append(won)
    return [Access(event, location, about, tuple(ways)) for location, ways in places.items()]


def _met(accesses: Mapping[Location, Sequence[Access]], skeleton: Skeleton, outcomes: _Outcomes) -> set[int] | None:
    """The objects of which an element may be accessed twice in an execution; None where it matters which is first.

    It does not for reads of what nobody writes, and for updates that commute and whose results are not used.
    """
    atomic = skeleton.sets["AO"].locations
    met: set[int] = set()
    for location, its in accesses.items():
        if all(outcomes.exclude_each_other(one, other) for one, other in combinations(its, 2)):
            continue
        met.add(location.object)
        classes = {commuting(access.event) for access in its}
        commute = location in atomic and len(classes) == 1 and None not in classes
        if not commute and not all(access.event.kind is EventKind.READ for access in its):
            return None
    return met


class _Decided:
    """What a skeleton ends with, by choices that say who wins its contests."""

    def __init__(self, skeleton: Skeleton, contests: Sequence[Contest], watched: Collection[Observable]) -> None:
        self._skeleton: Final = skeleton
        self._watched: Final = watched
        self._contests: Final = len(contests)
        self._winning: Final = Winning(contests, 0)

    def result(self, accesses: Mapping[Location, Sequence[Access]]) -> Skeleton | None:
        """A skeleton of nothing but initial writes and choices; None if what is watched depends on anything else."""
        skeleton, watched, apply = self._skeleton, self._watched, self._winning.known.apply
        initial = {event.locations[0]: event for event in skeleton.events if event.kind is EventKind.INITIAL}
        finals = {place: apply(value) for place, value in skeleton.finals.items() if place in watched}
        finals.update((place, value) for place, value in self._winning.written.items() if place in watched)
        for location, its in accesses.items():
            before = initial[location].value if location in initial else None
            if before is None:
                return None
            if location in watched:
                finals[location] = self._final(its, before)
        registers = {name: apply(value) for name, value in skeleton.registers.items() if name in watched}
        if any(map(reads_of, (*finals.values(), *registers.values()))):
            return None
        bare = replace(skeleton, registers={}, finals={}, constraints=(), choices=0, faults=(), stops=())
        left = reduced(bare, Substitution({}), tuple(initial.values()), watched)
        return replace(left, registers=registers, finals=finals, choices=self._winning.choices)

    def _final(self, accesses: Sequence[Access], initial: Expression) -> Expression:
        """What a location ends with: who writes it does so alone, or the order does not matter.

        Where it is the same whoever wins a contest, that is no choice.
        """
        value = initial
        winners: list[dict[int, Access]] = [{} for _ in range(self._contests)]
        losers: list[dict[int, Access]] = [{} for _ in range(self._contests)]
        others: list[Access] = []
        for access in accesses:
            number, place = self._winning.places[next(iter(access.about))] if access.about else (0, 0)
            its = (winners if access.won else losers)[number]
            if len(access.about) == len(access.ways) == 1 and place not in its:
                its[place] = access
            else:
                others.append(access)
        for number, its in enumerate(winners):
            written = {place: self._written(access, value) for place, access in its.items()}
            value = self._winning.by_winner(number, written, value)
        for number, its in enumerate(losers):
            all_but_one = self._of_all_losers(number, its, value)
            if all_but_one is None:
                others += its.values()
            else:
                value = all_but_one
        for access in others:
            value = select(self._is_executed(access), self._written(access, value), value)
        return value

    def _of_all_losers(self, number: int, accesses: Mapping[int, Access], before: Expression) -> Expression | None:
        """What a location has when all have accessed it who lose a contest; None where they do not do the same."""
        shapes = {self._written(access, TAKEN) for access in accesses.values()}
        if len(shapes) != 1:
            return None
        (shape,) = shapes
        fewer, every = before, Substitution({TAKEN: before}).apply(shape)
        for _ in range(len(accesses) - 1):
            fewer, every = every, Substitution({TAKEN: every}).apply(shape)
        return self._winning.by_winner(number, dict.fromkeys(accesses, fewer), every)

    def _is_executed(self, access: Access) -> Expression:
        wins = self._winning.wins
        return disjunction(
            *(conjunction(*(wins[p] if p in won else negation(wins[p]) for p in access.about)) for won in access.ways)
        )

    def _written(self, access: Access, before: Expression) -> Expression:
        """What a location has after an access, which has found another value before."""
        event = access.event
        if event.value is None:
            return before
        return Substitution({ReadValue(event.identifier): before}).apply(self._winning.known.apply(event.value))
