"""What comes nearest to keeping a pair of accesses out of a flag: an order of the model, and what that lacks.

What is lacking is a fact about the program, or a rule: where the model without it would order the pair by a chain of
steps (a flag in local memory, and a message in global memory), that rule stands in the way.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.explanation import How
from mcm.catalogue.evaluate import structure_of
from mcm.catalogue.rules import rewriter_without, without
from mcm.catalogue.weaken import restricting_rules
from mcm.explain.barrier_flags import with_flags
from mcm.explain.costs import Costs
from mcm.explain.derivation import Mark, marks_of, why
from mcm.explain.derivation_check import holds
from mcm.explain.excuse import excuse
from mcm.explain.nearest import Nearest, gaps
from mcm.explain.other_readings import against_order, are_at_once
from mcm.explain.violation import edges_of, main_part, mentions
from mcm.relation.evaluate import Evaluator
from mcm.relation.term import Base, BaseSet, RelationTerm

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.answer.explanation import Derivation, Edge
    from mcm.cat.model import Flag, Model, Rule
    from mcm.execution.candidate import Candidate
    from mcm.explain.derivation import Marks
    from mcm.explain.other_readings import Reading
    from mcm.relation.evaluate import Structure
    from mcm.relation.term import Term

# In executions of more events, only those of the two units are looked at.
_FEW_EVENTS: Final = 40

# Where readings cannot be together, so many other choices are looked at: without each of them; then without the last.
_MOST_TRIED: Final = 16

# As many conditions that fail are told rather than a rule that is in the way.
_RULE: Final = 2


class NearMiss(Struct, frozen=True):
    """What comes nearest to keeping a pair out of a flag, with its gaps: `None` where nothing comes near.

    `lifted` is the rule without which `nearest` would count, None where it lacks facts alone. Where nothing is near to
    ordering the pair, `excuse` is what would excuse it: None where nothing would.
    """

    flagged: Derivation
    nearest: Derivation | None
    lifted: Rule | None = None
    excuse: Derivation | None = None


class _Found(Struct, frozen=True):
    derivation: Derivation
    lacking: int
    lifted: Rule | None = None

    @property
    def distance(self) -> float:
        """How many conditions fail; a rule that is in the way counts for more than two."""
        return self.lacking + (0 if self.lifted is None else _RULE + 0.5)


_Wanted = tuple[RelationTerm, int, int]


def near_miss(candidate: Candidate, flag: Flag, pair: tuple[int, int], model: Model) -> NearMiss | None:
    """Why a pair raises a flag; None if it does not, or if the flag is about no order that is missing."""
    structure, marks = structure_of(candidate), marks_of(model)
    if not isinstance(flag.term, RelationTerm):
        return None
    flagged = why(flag.term, *pair, structure, marks)
    if flagged is None:
        return None
    wanted = [(term, a, b) for term, a, b in _subtracted(flagged) if isinstance(term, RelationTerm)]
    if not wanted:
        return None
    # Where units stand is what it is; what is near is what could be different.
    wanted = [one for one in wanted if not isinstance(one[0], Base)] or wanted
    kept = {event for _, first, last in wanted for event in (first, last)}
    costs = Costs(candidate, structure, _events_near(candidate, pair), kept)
    search = _Search(candidate, structure, costs, kept)
    found = search.cheapest(wanted, marks, None)
    if found is not None and _asks_for_two(found):
        # To make two accesses atomic, these or others that would then order them, is not what units are near to.
        found = search.cheapest([one for one in wanted if mentions(one[0], {"po"})], marks, None)
        found = None if found is None or _asks_for_two(found) else found
    if not candidate.skeleton.program.dialect.one_happens_before:
        flags = (_Found(one, _lacking(one, candidate)) for one in with_flags(structure, wanted, marks))
        found = min((one for one in (found, *flags) if one is not None), key=lambda one: one.lacking, default=None)
    if found is None or found.distance > _RULE:
        nearby = (one for one in (found, *_lifting(search, wanted, model)) if one is not None)
        found = min(nearby, key=lambda one: one.distance, default=None)
    nearest = None if found is None else found.derivation
    if not holds(flagged, structure) or (nearest is not None and not holds(nearest, structure, with_gaps=True)):
        raise AssertionError("the derivation of a race does not hold")
    if nearest is not None:
        return NearMiss(flagged, nearest, None if found is None else found.lifted)
    excused = excuse(candidate, structure, wanted, marks)
    if excused is not None and not holds(excused, structure, with_gaps=True):
        raise AssertionError("the derivation of an excuse does not hold")
    return NearMiss(flagged, None, excuse=excused)


def _asks_for_two(found: _Found) -> bool:
    """Whether two accesses would have to be atomic."""
    return sum(gap.term == BaseSet("A") for gap in gaps(found.derivation)) > 1


class _Search(Struct, frozen=True):
    """Where the nearest is looked for: in what an execution costs, of which the events `kept` must be executed."""

    candidate: Candidate
    structure: Structure
    costs: Costs
    kept: Collection[int]

    def cheapest(self, wanted: Sequence[_Wanted], marks: Marks, lifted: Rule | None) -> _Found | None:
        """What lacks least of what the model would take out, and what it would read elsewhere can be read at once.

        Where that cannot be, something else is looked for without each one of those readings: what lacks less first.
        """
        po, number = self.structure.relations["po"], count()
        seen: set[frozenset[Reading]] = set()
        waiting: list[tuple[int, int, _Found, frozenset[Reading]]] = []

        def look(barred: frozenset[Reading]) -> None:
            found, barred = self._without(barred, wanted, marks, lifted)
            if found is not None and barred not in seen:
                seen.add(barred)
                heappush(waiting, (found.lacking, next(number), found, barred))

        look(frozenset())
        while waiting:
            _, _, found, barred = heappop(waiting)
            readings = _readings(found.derivation)
            if not readings or are_at_once(self.candidate, readings, self.kept, po):
                return found
            for reading in reversed(readings) if len(seen) < _MOST_TRIED else readings[-1:]:
                look(barred | {reading})
        return None

    def _without(
        self, barred: frozenset[Reading], wanted: Sequence[_Wanted], marks: Marks, lifted: Rule | None
    ) -> tuple[_Found | None, frozenset[Reading]]:
        """What lacks least without some readings, and without all that an order is against: these are barred, too."""
        evaluator, terms = Evaluator(self.structure), [term for term, *_ in wanted]
        while True:
            nearest = Nearest(self.costs.without(barred), self.structure, marks)
            found = _cheapest(nearest, wanted, lifted, self.candidate)
            against = against_order(() if found is None else _readings(found.derivation), terms, evaluator)
            if not against:
                return found, barred
            barred |= against


def _readings(derivation: Derivation) -> tuple[Reading, ...]:
    """What would have to be read elsewhere: the writes and the reads."""
    return tuple((gap.first, gap.last) for gap in gaps(derivation) if gap.term == Base("rf"))


def _cheapest(search: Nearest, wanted: Sequence[_Wanted], lifted: Rule | None, candidate: Candidate) -> _Found | None:
    """What lacks least of what the model would take out.

    A cost counts what several steps lack as often as they do; of the cheapest of each term, it is told once.
    """
    costs = [(search.cost(*one), number) for number, one in enumerate(wanted)]
    known = sorted((cost, number) for cost, number in costs if cost is not None)
    derivations = (search.derivation(*wanted[number]) for _, number in known)
    found = (_Found(one, _lacking(one, candidate), lifted) for one in derivations)
    return min(found, key=lambda one: one.lacking, default=None)


def _lacking(derivation: Derivation, candidate: Candidate) -> int:
    """How much a derivation lacks: what the entry and the exit of a barrier do is written once."""
    events = candidate.skeleton.events

    def place(number: int) -> object:
        event = events[number]
        return event.span if event.kind.is_fence and event.barrier is not None else number

    return len({(gap.term, place(gap.first), place(gap.last)) for gap in gaps(derivation)})


def _lifting(search: _Search, wanted: Sequence[_Wanted], model: Model) -> Iterator[_Found]:
    """What would order the pair by a chain of steps if the model lacked one of its rules."""
    for name in restricting_rules(model):
        rewriter = rewriter_without(model, (name,))
        terms = [(rewriter.relation(term), first, last) for term, first, last in wanted]
        rule = next(d.rule for d in model.definitions if d.rule is not None and d.rule.identifier == name)
        found = search.cheapest(terms, _marks_without(model, rule), rule)
        if found is not None and len(order_edges(found.derivation)) > 1:
            yield found


def _marks_without(model: Model, rule: Rule) -> Marks:
    """What the model without a rule says of its definitions: nothing of that rule."""
    changed = marks_of(without(model, (rule.identifier,)))
    return {
        term: Mark(tuple(one for one in mark.rules if one != rule.identifier), mark.phrase)
        for term, mark in changed.items()
    }


def _subtracted(derivation: Derivation) -> Iterator[tuple[Term, int, int]]:
    """What a flag takes out, none of which has the pair."""
    if derivation.how is How.ABSENT:
        yield derivation.term, derivation.first, derivation.last
        return
    for part in derivation.parts if derivation.how is not How.COMPOSITION else ():
        yield from _subtracted(part)


def order_edges(derivation: Derivation) -> tuple[Edge, ...]:
    """The steps of an order, whichever way round it is: those of its closure, if it is one."""
    inner = main_part(derivation)
    while inner.how in {How.DEFINITION, How.INVERSE}:
        below = main_part(inner.parts[0])
        if inner.how is How.DEFINITION and inner.phrase is not None:
            return edges_of(below) if below.how is How.CLOSURE else edges_of(inner)
        inner = below
    return edges_of(inner)


def _events_near(candidate: Candidate, pair: tuple[int, int]) -> int:
    everything = sum(1 << event for event in candidate.executed)
    if len(candidate.executed) <= _FEW_EVENTS:
        return everything
    events = candidate.skeleton.events
    threads = {events[event].thread for event in pair}
    # Those of commands belong to no thread, and are of no location.
    places = {None, *(candidate.locations.get(event) for event in pair)}
    near = [
        event
        for event in candidate.executed
        if (thread := events[event].thread) in threads or (thread is None and candidate.locations.get(event) in places)
    ]
    return sum(1 << event for event in near)
