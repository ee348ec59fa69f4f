"""Problems, told: races with what they lack, divergence with who came and who did not, others with what led there."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Story
from mcm.explain.divergence_story import divergence_story
from mcm.explain.fault_story import fault_story
from mcm.explain.initial_story import initial_story
from mcm.explain.naming import Names
from mcm.explain.near_miss import near_miss
from mcm.explain.race_story import NO_PROBLEM, NO_RACE, race_story
from mcm.explain.readings import readings_of
from mcm.explain.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.execution import Execution
    from mcm.answer.result import Problem, Site
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate

# Of longer executions, only what concerns the problem is told.
_FEW: Final = 12
_TWO: Final = 2


def problem_story(problem: Problem, model: Model) -> Story | None:
    """What leads to a problem; None where no execution of it is known."""
    if problem.execution is None:
        return None
    candidate = problem.execution.candidate
    events = events_of(problem, candidate)
    if problem.kind == "map-misuse" and len(events) == _TWO:
        story = _mapping_story(problem.execution, events, model)
        if story is not None:
            return story
    if problem.kind == "abnormal-event" and events:
        return _failure_story(problem.execution, events[0], model)
    for flag in model.flags:
        if flag.name.replace("_", "-") == problem.kind and flag.negated:
            for pair in _pairs(problem, candidate, events):
                miss = near_miss(candidate, flag, pair, model)
                if miss is not None:
                    otherwise = NO_RACE if problem.kind.endswith("race") else NO_PROBLEM
                    return race_story(candidate, miss, model, otherwise)
    if problem.kind == "barrier-divergence":
        story = divergence_story(problem, problem.execution)
        if story is not None:
            return story
    if problem.kind == "uninitialised-read" and events and candidate.skeleton.events[events[0]].kind.reads:
        return initial_story(problem.execution, events[0], model)
    return fault_story(problem, problem.execution) or plain_story(problem.execution, events)


def _mapping_story(execution: Execution, events: tuple[int, ...], model: Model) -> Story | None:
    """The story of a use of mapped memory by a command."""
    # Imported here: most programs have no commands.
    from mcm.explain.mapping_story import mapping_story  # noqa: PLC0415

    candidate = execution.candidate
    sentences = mapping_story(candidate, events[0], events[1], model)
    if not sentences:
        return None
    return Story(readings_of(candidate, None, Names(candidate), set(events)), sentences, None, execution)


def _failure_story(execution: Execution, call: int, model: Model) -> Story:
    """The story of a user event that is set to an error."""
    # Imported here: most programs have no commands.
    from mcm.explain.failure_story import failure_story  # noqa: PLC0415

    return Story((), failure_story(execution.candidate, call, model), None, execution)


def events_of(problem: Problem, candidate: Candidate) -> tuple[int, ...]:
    """The events at the sites of a problem, in the order of these: those that access its location, if any do."""
    names = Names(candidate)
    found: list[int] = []
    for site in problem.sites:
        here = [number for number in _events_at(site, candidate) if number not in found]
        there = (n for n in here if n in candidate.locations and names.location(n) == problem.location)
        found += [next(there, here[0])] if here else []
    return tuple(found)


def _events_at(site: Site, candidate: Candidate) -> list[int]:
    """The events at a site: several where a command on memory is about several elements."""
    executed = ((number, candidate.skeleton.events[number]) for number in sorted(candidate.executed))
    return [number for number, event in executed if event.span == site.span and site_of(event, candidate) == site]


def _pairs(problem: Problem, candidate: Candidate, events: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The pairs of events at two sites of a problem, those first that are the first ones there."""
    yield from permutations(events, 2)
    if len(problem.sites) == _TWO:
        one, other = (_events_at(site, candidate)[:_FEW] for site in problem.sites)
        yield from product(one, other)
        yield from product(other, one)


def plain_story(execution: Execution, events: tuple[int, ...]) -> Story:
    """What the execution reads until it comes to some events."""
    candidate = execution.candidate
    names = Names(candidate)
    about = set(events)
    relations = candidate.skeleton.relations
    for name in ("data", "addr", "ctrl"):
        for read, row in enumerate(relations[name]):
            if any(row >> event & 1 for event in events):
                about.add(read)
    readings = readings_of(candidate, None, names, about)
    return Story(readings[:_FEW], (), None, execution)
