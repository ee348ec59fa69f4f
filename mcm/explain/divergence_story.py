"""Barrier divergence, told: who came to the barrier, who did not, and what kept them away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Sentence, Story
from mcm.execution.event import EventKind, iteration_numbers
from mcm.execution.groups import named, shown, shown_site
from mcm.execution.skeleton import FAULT_RULES
from mcm.explain.naming import Names, and_more
from mcm.explain.readings import readings_of
from mcm.explain.site import one_line
from mcm.program.instruction import Barrier, Collective, If, Loop, Switch
from mcm.program.walk import parts_of, walk
from mcm.program.words import show_scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.execution import Execution
    from mcm.answer.result import Problem
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import BarrierInstance, Event
    from mcm.program.instruction import Written
    from mcm.program.program import Thread

_RULE: Final = "BAR-DIV"
_ARRIVALS: Final = frozenset({EventKind.ENTRY, EventKind.CALL})
# Of longer executions, only so many readings are told.
_FEW: Final = 12


def divergence_story(problem: Problem, execution: Execution) -> Story | None:
    """Who reaches a barrier and who does not; None where the execution does not show it."""
    candidate = execution.candidate
    spans = {site.span for site in problem.sites}
    for instance, arrivals in _arrivals(candidate).items():
        # A run of the machine names the barrier without the iteration.
        named_so = any(f"{name}:" in problem.why for name in (shown(instance), shown_site(instance.site)))
        if named_so and any(event.span in spans for event in arrivals):
            story = _Divergence(candidate, instance, arrivals)
            if story.diverges():
                names = Names(candidate)
                readings = readings_of(candidate, None, names, story.deciding_reads())
                return Story(readings[:_FEW], tuple(story.sentences()), None, execution)
    return None


def _arrivals(candidate: Candidate) -> dict[BarrierInstance, list[Event]]:
    """Who came to which instance."""
    found: dict[BarrierInstance, list[Event]] = {}
    for number in sorted(candidate.executed):
        event = candidate.skeleton.events[number]
        if event.barrier is not None and event.kind in _ARRIVALS:
            found.setdefault(event.barrier, []).append(event)
    return found


class _Divergence:
    """One instance, and the members of its group."""

    def __init__(self, candidate: Candidate, instance: BarrierInstance, arrivals: list[Event]) -> None:
        self._candidate = candidate
        self._instance = instance
        self._arrivals = arrivals
        here = {event.thread for event in arrivals}
        members = candidate.skeleton.program.members_of_groups()[instance.group]
        self._came: Final = [thread for thread in members if thread.index in here]
        self._missing: Final = [thread for thread in members if thread.index not in here]
        self._what: Final = "barrier" if any(event.kind is EventKind.ENTRY for event in arrivals) else "function"

    def diverges(self) -> bool:
        """Whether somebody is missing, or calls differ."""
        return bool(self._missing) or len(self._calls()) > 1

    def deciding_reads(self) -> set[int]:
        """What was read that decides who comes."""
        events = self._candidate.skeleton.events
        controlled = [event.identifier for event in events if event.barrier == self._instance]
        rows = self._candidate.skeleton.relations["ctrl"]
        return {read for read, row in enumerate(rows) if any(row >> event & 1 for event in controlled)}

    def sentences(self) -> Iterator[Sentence]:
        """Who came, who did not and why, and the rule."""
        if self._missing:
            yield self._of_arrival()
            reasons: dict[str, list[str]] = {}
            for thread in self._missing:
                reasons.setdefault(self._why_missing(thread), []).append(thread.name)
            for why, names in reasons.items():
                yield Sentence(f"{and_more(names)} {'does' if len(names) == 1 else 'do'} not: {why}")
        else:
            for (line, called), names in self._calls().items():
                yield Sentence(f"{and_more(names)} {_verb(names, 'call')} it at line {line} with {called}")
        yield Sentence(f"{FAULT_RULES[_RULE][:-1].lower()}", (_RULE,), breaks=True)

    def _of_arrival(self) -> Sentence:
        names = [thread.name for thread in self._came]
        lines = sorted({event.span.line for event in self._arrivals})
        place = f"line{'' if len(lines) == 1 else 's'} {and_more([str(line) for line in lines])}"
        group = named(self._instance.level)
        turns = self._instance.iteration
        turn = f" in iteration {iteration_numbers(turns)}" if turns else ""
        text = f"{and_more(names)} {_verb(names, 'reach')} the {group} {self._what} of {place}{turn}"
        return Sentence(text, events=tuple(event.identifier for event in self._arrivals[:_FEW]))

    def _calls(self) -> dict[tuple[int, str], list[str]]:
        """How it is called, and by whom."""
        program = self._candidate.skeleton.program
        found: dict[tuple[int, str], list[str]] = {}
        for event in self._arrivals:
            flags = " and ".join(sorted(flag.name.lower() for flag in event.flags)) or "no"
            scope = "" if event.scope is None else f", scope {show_scope(event.scope, program.dialect)}"
            called = f"the {flags} flag{'s' if len(event.flags) > 1 else ''}{scope}"
            name = "" if event.thread is None else program.thread(event.thread).name
            found.setdefault((event.span.line, called), []).append(name)
        # Where all call it alike, the line does not matter.
        return found if len({called for _, called in found}) > 1 else {}

    def _why_missing(self, thread: Thread) -> str:
        around = _around(thread.body, self._instance)
        if around is None:
            return f"there is no such {self._what} on its way"
        shared = self._iterations_shared(thread)
        loops = [number for number, node in enumerate(around) if isinstance(node, Loop)]
        # It was in this iteration of the loops around: only what stands inside can be in the way.
        around = around[loops[len(shared) - 1] + 1 :] if shared else around
        passed = self._times_passed(thread, shared)
        inside = f" in iteration {iteration_numbers(shared)}" if shared else ""
        times = "once" if passed == 1 else "never" if passed == 0 else f"{passed} times"
        if len(around) == 1 and isinstance(around[0], Loop):
            return f"its loop of line {around[0].span.line} comes to it {times}{inside}"
        conditions = [_condition(node, _holds_to(node, self._instance)) for node in around]
        if not conditions:
            return "it ends or waits before"
        if len(conditions) == 1:
            return conditions[0]
        passes = f"it comes to it {times}{inside}, and then " if passed else ""
        return f"{passes}one of these is in the way: {'; '.join(conditions)}"

    def _iterations_shared(self, thread: Thread) -> tuple[int, ...]:
        """The iterations of outer loops of the instance, the outermost first, in which it comes to another one."""
        iteration = self._instance.iteration
        met = {other[:depth] for other in self._passed(thread) for depth in range(1, len(iteration))}
        return next((iteration[:depth] for depth in range(len(iteration) - 1, 0, -1) if iteration[:depth] in met), ())

    def _times_passed(self, thread: Thread, iterations: tuple[int, ...]) -> int:
        """How often it comes to other instances of the barrier in some iterations of outer loops."""
        return sum(other[: len(iterations)] == iterations for other in self._passed(thread))

    def _passed(self, thread: Thread) -> list[tuple[int, ...]]:
        """The iterations of the instances of the barrier that it comes to."""
        events = (self._candidate.skeleton.events[number] for number in self._candidate.executed)
        return [
            event.barrier.iteration
            for event in events
            if event.thread == thread.index
            and event.kind in _ARRIVALS
            and event.barrier is not None
            and event.barrier.site == self._instance.site
        ]


def _verb(names: list[str], verb: str) -> str:
    ending = "es" if verb.endswith("ch") else "s"
    return verb + ending if len(names) == 1 else verb


def _around(node: Written, instance: BarrierInstance) -> list[Written] | None:
    """The choices and loops around the call of a barrier, the outermost first; None where there is no such call."""
    if _is_call(node, instance):
        return []
    for part in reversed(parts_of(node)):
        inner = _around(part, instance)
        if inner is not None:
            return [node, *inner] if isinstance(node, If | Loop | Switch) else inner
    return None


def _is_call(node: Written, instance: BarrierInstance) -> bool:
    return isinstance(node, Barrier | Collective) and (node.site, node.level) == (instance.site, instance.level)


def _holds_to(node: Written, instance: BarrierInstance) -> bool:
    """Whether the condition of a node has to hold for its barrier to be reached."""
    return not isinstance(node, If) or not any(_is_call(part, instance) for part in walk(node.otherwise))


def _condition(node: Written, holds: bool) -> str:  # noqa: FBT001 - a fact about the node
    assert isinstance(node, If | Loop | Switch)
    line, text = node.span.line, one_line(node.condition.span)
    if isinstance(node, Loop):
        return f"the loop of line {line} (`{text}`) has ended"
    if isinstance(node, Switch):
        return f"`{text}` of line {line} leads elsewhere"
    return f"`{text}` of line {line} {'does not hold' if holds else 'holds'}"
