"""Why a race is one: the order that comes nearest to preventing it, and the condition that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.execution import Execution
from mcm.answer.explanation import How, Sentence, Story
from mcm.catalogue.evaluate import structure_of
from mcm.explain.conditions import Conditions
from mcm.explain.derivation import marks_of, why
from mcm.explain.derivation_check import holds
from mcm.explain.naming import Names
from mcm.explain.nearest import Nearest, gaps
from mcm.explain.readings import readings_of
from mcm.explain.telling import Teller
from mcm.explain.violation import edges_of, main_part
from mcm.relation.term import RelationTerm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.explanation import Derivation, Edge
    from mcm.cat.model import Flag, Model
    from mcm.execution.candidate import Candidate

# In executions of more events, only those of the two units are looked at.
_FEW_EVENTS: Final = 40


class NearMiss(Struct, frozen=True):
    """What comes nearest to keeping a pair out of a flag, with its gaps: `None` where nothing comes near."""

    flagged: Derivation
    nearest: Derivation | None


def near_miss(candidate: Candidate, flag: Flag, pair: tuple[int, int], model: Model) -> NearMiss | None:
    """Why a pair raises a flag; None if it does not, or if the flag is about no order that is missing."""
    structure, marks = structure_of(candidate), marks_of(model)
    if not isinstance(flag.term, RelationTerm):
        return None
    flagged = why(flag.term, *pair, structure, marks)
    if flagged is None:
        return None
    search = Nearest(candidate, structure, marks, _events_near(candidate, pair), may_read_otherwise=True)
    subtracted = list(_subtracted(flagged))
    if not subtracted:
        return None
    found: tuple[int, Derivation] | None = None
    for absent in subtracted:
        assert isinstance(absent.term, RelationTerm)
        cost = search.cost(absent.term, absent.first, absent.last)
        if cost is not None and (found is None or cost < found[0]):
            found = cost, search.derivation(absent.term, absent.first, absent.last)
    nearest = None if found is None else found[1]
    if not holds(flagged, structure) or (nearest is not None and not holds(nearest, structure, with_gaps=True)):
        raise AssertionError("the derivation of a race does not hold")
    return NearMiss(flagged, nearest)


def _subtracted(derivation: Derivation) -> Iterator[Derivation]:
    """What a flag takes out, none of which has the pair."""
    if derivation.how is How.ABSENT:
        if not derivation.is_of_set:
            yield derivation
        return
    for part in derivation.parts if derivation.how is not How.COMPOSITION else ():
        yield from _subtracted(part)


def _edges(derivation: Derivation) -> tuple[Edge, ...]:
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
    places = {candidate.locations.get(event) for event in pair}
    near = [
        event
        for event in candidate.executed
        if events[event].thread in threads or (events[event].thread is None and candidate.locations[event] in places)
    ]
    return sum(1 << event for event in near)


def race_story(candidate: Candidate, miss: NearMiss, model: Model) -> Story:
    """A race told: how the execution comes to it, what is nearest to ordering the pair, and what that lacks."""
    names = Names(candidate)
    teller = Teller(names, None)
    about = {miss.flagged.first, miss.flagged.last}
    sentences: list[Sentence] = []
    if miss.nearest is None:
        sentences.append(Sentence("no operation of these units comes near to ordering the two accesses"))
    else:
        edges = _edges(miss.nearest)
        lacking = gaps(miss.nearest)
        if len(edges) > 1:
            text, path = "what comes nearest to ordering them", teller.path(edges)
        else:
            text, path = f"what comes nearest is that they are {miss.nearest.name}", ""
        sentences.append(Sentence(text, path=path, derivation=miss.nearest))
        sentences += Conditions(candidate, names).of(miss.nearest)
        about |= {event for edge in edges for event in (edge.first, edge.last)}
        count = "one condition fails" if len(lacking) == 1 else f"{len(lacking)} conditions fail"
        sentences.append(Sentence(f"{count}: without that there would be no race between these two"))
    return Story(readings_of(candidate, None, names, about), tuple(sentences), None, Execution(candidate, model))
