"""Problems, told: races with what they lack, divergence with who came and who did not, others with what led there."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Story
from mcm.explain.divergence_story import divergence_story
from mcm.explain.naming import Names
from mcm.explain.near_miss import near_miss
from mcm.explain.race_story import race_story
from mcm.explain.readings import readings_of
from mcm.explain.site import site_of

if TYPE_CHECKING:
    from mcm.answer.execution import Execution
    from mcm.answer.result import Problem
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate

# Of longer executions, only what concerns the problem is told.
_FEW: Final = 12


def problem_story(problem: Problem, model: Model) -> Story | None:
    """What leads to a problem; None where no execution of it is known."""
    if problem.execution is None:
        return None
    candidate = problem.execution.candidate
    events = events_of(problem, candidate)
    for flag in model.flags:
        if flag.name.replace("_", "-") == problem.kind and flag.negated:
            for pair in permutations(events, 2):
                miss = near_miss(candidate, flag, pair, model)
                if miss is not None:
                    return race_story(candidate, miss, model)
    if problem.kind == "barrier-divergence":
        story = divergence_story(problem, problem.execution)
        if story is not None:
            return story
    return plain_story(problem.execution, events)


def events_of(problem: Problem, candidate: Candidate) -> tuple[int, ...]:
    """The events at the sites of a problem, in the order of these."""
    found: list[int] = []
    for site in problem.sites:
        for number in sorted(candidate.executed):
            event = candidate.skeleton.events[number]
            if number not in found and event.span == site.span and site_of(event, candidate) == site:
                found.append(number)
                break
    return tuple(found)


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
