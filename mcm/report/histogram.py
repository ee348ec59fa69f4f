"""Runs in the form of litmus7, so that mcompare7 and scripts read ours; and the rest of what runs showed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import Observation
from mcm.base.visible import visible
from mcm.program.condition import Quantifier
from mcm.report.blocked import blocked_in_words
from mcm.report.words import counted, kind_in_words

if TYPE_CHECKING:
    from mcm.answer.run_result import BlockedRuns, RunResult, StateCount

_KINDS = {Quantifier.EXISTS: "Allowed", Quantifier.NOT_EXISTS: "Forbidden", Quantifier.FORALL: "Required"}


def render_histogram(result: RunResult) -> str:
    """The block of litmus7 for one test, with the empty line that ends it."""
    quantifier = result.condition.quantifier if result.condition else Quantifier.FORALL
    text = result.condition.text if result.condition else "true"
    positive = result.positive if result.condition else result.runs
    negative = result.runs - positive
    holds = {
        Quantifier.EXISTS: positive > 0,
        Quantifier.NOT_EXISTS: positive == 0,
        Quantifier.FORALL: negative == 0,
    }[quantifier]
    ending = f" is {'' if holds else 'NOT '}validated" if result.has_ended else ""
    # litmus7 counts as witnesses what speaks for the quantified condition.
    first, second = (negative, positive) if quantifier is Quantifier.NOT_EXISTS else (positive, negative)
    lines = [
        f"Test {result.test} {_KINDS[quantifier]}",
        # litmus7 and mcompare7 know no singular.
        f"Histogram ({len(result.states)} states)",
        *map(_line, result.states),
        # What mcompare7 reads as not known: of runs that did not end nothing can be said.
        ("Ok" if holds else "No") if result.has_ended else "??",
        "",
        "Witnesses",
        f"Positive: {first}, Negative: {second}",
        f"Condition {quantifier.value} ({text}){ending}",
        f"Hash={result.fingerprint}",
        f"Observation {result.test} {_observation(positive, negative).value} {positive} {negative}",
        f"Time {result.test} {result.seconds:.2f}",
    ]
    return "\n".join(map(visible, lines)) + "\n\n"


def _line(counted_state: StateCount) -> str:
    mark = "*" if counted_state.state.satisfies else ":"
    values = (f"{_bracketed(name)}={value};" for name, value in counted_state.state.values.items())
    return f"{counted_state.runs:<6}{mark}>{' '.join(values)}"


def _bracketed(name: str) -> str:
    return name if ":" in name else f"[{name}]"


def _observation(positive: int, negative: int) -> Observation:
    if positive and negative:
        return Observation.SOMETIMES
    return Observation.ALWAYS if positive else Observation.NEVER


def render_remarks(result: RunResult) -> str:
    """What litmus7's form has no room for: how was run, how fast, what was found, and what is missing."""
    lines = [f"{result.test}: {_manner(result)}"]
    if result.steps is not None:
        lines.append(f"  the number of runs was chosen by the {result.steps} steps of the first one; see --runs")
    if result.excluded:
        lines.append(f"  {_excluded(result)}")
    if not result.has_ended:
        lines.append("  no final state, so that nothing is said of the condition")
    lines += [f"  {_blocked(blocked, result)}" for blocked in result.blocked]
    lines += [f"  {counted(number, 'run')} without a final state: {reason}" for reason, number in result.others]
    if result.limit is not None:
        lines.append(f"  {'not all schedules' if result.schedule == 'exhaustive' else 'undecided'}: {result.limit}")
    for problem in result.problems:
        lines.append(f"  {kind_in_words(problem)} ({', '.join(problem.rules)}): {problem.why}")
        lines += [f"    {site.thread} {site.span}: {site.text}" for site in problem.sites]
    return "\n".join(map(visible, lines)) + "\n"


def _excluded(result: RunResult) -> str:
    """What the filter of the test leaves out: runs, or states of an exhaustive search."""
    if result.schedule == "exhaustive":
        return f"{counted(result.excluded, 'final state')} left out by the filter of the test"
    return f"{counted(result.excluded, 'run')} left out by the filter of the test"


def _blocked(blocked: BlockedRuns, result: RunResult) -> str:
    """The units that never finish; how often, unless the search was exhaustive."""
    where = blocked_in_words(blocked.units)
    return (
        f"blocked: {where}" if result.schedule == "exhaustive" else f"{counted(blocked.runs, 'run')} blocked: {where}"
    )


def _manner(result: RunResult) -> str:
    up_to = ", up to the first state that is asked for" if result.found else ""
    if result.schedule == "exhaustive":
        return f"all schedules on {result.memory}{up_to}"
    unfinished = sum(blocked.runs for blocked in result.blocked) + sum(number for _, number in result.others)
    total = result.runs + result.excluded + unfinished
    seed = "" if result.seed is None else f" with seed {result.seed}"
    speed = f", {total / result.seconds:.0f} a second" if total > 1 and result.seconds else ""
    return f"{counted(total, 'run')}{seed}, {result.schedule} on {result.memory}{speed}{up_to}"
