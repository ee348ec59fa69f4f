"""Flags and faults that an execution has, as problems: what, where, and why in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.answer.result import Problem
from mcm.explain.place import place_at, place_of
from mcm.explain.scopes import why_not_inclusive
from mcm.program.types import Region

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.answer import RaisedFault, RaisedFlag
    from mcm.answer.result import Place
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.program.program import MemoryObject

# Flags of models whose name has a meaning for the verdict (`cat.model.Flag`).
UNDEFINED_FLAGS: Final = frozenset({"data_race", "unsequenced_race", "uninitialised_read"})
IMPL_DEFINED_FLAGS: Final = frozenset({"implementation_defined"})

_RULE_IN_WORDS: Final = re.compile(r"\(([A-Z]+-[A-Z0-9]+)\)")


def explain_flags(flags: Iterable[RaisedFlag], names: frozenset[str], model: Model) -> tuple[Problem, ...]:
    """The raised flags of these names as problems, one for each pair of places, in order of position."""
    return _distinct(_explain_flag(flag, model) for flag in flags if flag.name in names)


def explain_other_flags(flags: Iterable[RaisedFlag], model: Model) -> tuple[Problem, ...]:
    """The flags that a model raises under a name of its own."""
    known = UNDEFINED_FLAGS | IMPL_DEFINED_FLAGS
    return _distinct(_explain_flag(flag, model) for flag in flags if flag.name not in known)


def explain_faults(faults: Iterable[RaisedFault]) -> tuple[Problem, ...]:
    """Faults of the program as problems."""
    problems = dict.fromkeys(_explain_fault(raised) for raised in faults)
    return tuple(sorted(problems, key=_position))


def _explain_fault(raised: RaisedFault) -> Problem:
    fault, skeleton = raised.fault, raised.witness.skeleton
    program = skeleton.program
    places = tuple(place_of(skeleton.events[identifier], program) for identifier in fault.events)
    return Problem(
        fault.kind, places or tuple(place_at(span, program) for span in fault.spans), fault.why, (fault.rule,)
    )


def _explain_flag(flag: RaisedFlag, model: Model) -> Problem:
    skeleton = flag.witness.skeleton
    events = [skeleton.events[identifier] for identifier in flag.events]
    events.sort(key=lambda event: (event.thread is None, event.thread, event.span.start))
    why = _why(flag.name, events, flag.witness, model)
    rules = dict.fromkeys([*([flag.rule] if flag.rule else []), *_RULE_IN_WORDS.findall(why)])
    places = tuple(place_of(event, skeleton.program) for event in events)
    return Problem(flag.name.replace("_", "-"), places, why, tuple(rules))


def _why(name: str, events: list[Event], witness: Candidate, model: Model) -> str:
    match name:
        case "data_race":
            return _why_race(events, witness, model)
        case "unsequenced_race":
            return f"the two accesses of {_object_of(events[0], witness)} are unsequenced in one expression"
        case "uninitialised_read":
            return f"{_object_of(events[0], witness)} is read before anything is written to it"
        case "implementation_defined":
            return (
                f"atomic accesses of the buffer {_object_of(events[0], witness)} by kernel instances that no"
                " synchronisation point separates (CC-1)"
            )
        case _:
            return f"the model {model.name} raises its flag {name} here"


def _why_race(events: list[Event], witness: Candidate, model: Model) -> str:
    first, second = events[0], events[-1]
    at = _memory_object(first, witness)
    return f"{_why_conflict(first, second, at, witness)}; {_why_unordered(at, model)}"


def _why_conflict(first: Event, second: Event, at: MemoryObject, witness: Candidate) -> str:
    program = witness.skeleton.program
    if not first.atomic and not second.atomic:
        return "neither access is atomic"
    if not first.atomic or not second.atomic:
        atomic = first if first.atomic else second
        name = program.thread(atomic.thread).name if atomic.thread is not None else "the initial state"
        return f"only the access of {name} is atomic (DR-5)"
    if first.scope is None or second.scope is None or first.thread is None or second.thread is None:
        return "the model does not count the two atomic accesses as inclusive"
    return why_not_inclusive(
        (first.scope, program.thread(first.thread).placement),
        (second.scope, program.thread(second.thread).placement),
        at,
    )


def _why_unordered(at: MemoryObject, model: Model) -> str:
    if not any(definition.name in {"ghb", "lhb"} for definition in model.definitions):
        return "no happens-before orders them"
    match at.region:
        case Region.GLOBAL:
            return "no global-happens-before orders them"
        case Region.LOCAL:
            return "no local-happens-before orders them (DR-7)"
        case Region.NONE:
            return f"{at.name} belongs to no region, so that no happens-before can order them"
        case _:
            return "no happens-before orders them"


def _memory_object(event: Event, witness: Candidate) -> MemoryObject:
    return witness.skeleton.program.object_at(witness.locations[event.identifier])


def _object_of(event: Event, witness: Candidate) -> str:
    return witness.skeleton.program.show_location(witness.locations[event.identifier])


def _distinct(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    found: dict[tuple[str, tuple[tuple[str | None, int], ...]], Problem] = {}
    for problem in problems:
        found.setdefault((problem.kind, tuple(map(_place_key, problem.places))), problem)
    return tuple(sorted(found.values(), key=_position))


def _position(problem: Problem) -> list[int]:
    return [place.span.start for place in problem.places]


def _place_key(place: Place) -> tuple[str | None, int]:
    return place.thread, place.span.start
