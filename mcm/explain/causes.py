"""Which of several problems is told first: the one to repair first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import RACES
from mcm.explain.faults import fault_of, rests_on

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mcm.answer.result import Problem

# Where a race may have put a value: the unit, and the beginning of the operation.
_Place = tuple[str | None, int]


def by_cause(flags: Iterable[Problem], faults: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems in the order in which they are to be repaired: faults, then flags of the model, then what these lead to.

    A fault of the program's values (an index that leads outside, a divergence) has to go whatever is ordered; the races
    that come with it may go with it. But a fault that rests on what a racing operation reads may be gone once the race
    is.
    """
    raised = tuple(flags)
    racing = {(site.thread, site.span.start) for one in raised if one.kind in RACES for site in one.sites}
    causes: list[Problem] = []
    consequences: list[Problem] = []
    for fault in faults:
        (consequences if racing and _rests_on_some(fault, racing) else causes).append(fault)
    return (*causes, *raised, *consequences)


def _rests_on_some(problem: Problem, racing: Collection[_Place]) -> bool:
    """Whether a fault's index, or the way to it, is computed from what is read at one of some places."""
    if problem.execution is None:
        return False
    candidate = problem.execution.candidate
    fault = fault_of(problem, candidate)
    if fault is None:
        return False
    program, events = candidate.skeleton.program, candidate.skeleton.events
    read = (events[number] for number in rests_on(fault, candidate))
    return any(
        event.thread is not None and (program.thread(event.thread).name, event.span.start) in racing for event in read
    )
