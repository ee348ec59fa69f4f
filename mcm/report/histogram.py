"""Runs in the form of litmus7, so that mcompare7 and scripts read ours; and the rest of what runs showed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import Observation
from mcm.program.condition import Quantifier
from mcm.report.words import counted, kind_in_words

if TYPE_CHECKING:
    from mcm.answer.ran import Counted, Ran

_KINDS = {Quantifier.EXISTS: "Allowed", Quantifier.NOT_EXISTS: "Forbidden", Quantifier.FORALL: "Required"}


def render_histogram(ran: Ran) -> str:
    """The block of litmus7 for one test, with the empty line that ends it."""
    quantifier = ran.condition.quantifier if ran.condition else Quantifier.FORALL
    text = ran.condition.text if ran.condition else "true"
    positive = ran.positive if ran.condition else ran.runs
    negative = ran.runs - positive
    holds = {
        Quantifier.EXISTS: positive > 0,
        Quantifier.NOT_EXISTS: positive == 0,
        Quantifier.FORALL: negative == 0,
    }[quantifier]
    # litmus7 counts as witnesses what speaks for the quantified condition.
    first, second = (negative, positive) if quantifier is Quantifier.NOT_EXISTS else (positive, negative)
    lines = [
        f"Test {ran.test} {_KINDS[quantifier]}",
        f"Histogram ({counted(len(ran.states), 'state')})",
        *map(_line, ran.states),
        "Ok" if holds else "No",
        "",
        "Witnesses",
        f"Positive: {first}, Negative: {second}",
        f"Condition {quantifier.value} ({text}) is {'' if holds else 'NOT '}validated",
        f"Hash={ran.fingerprint}",
        f"Observation {ran.test} {_observation(positive, negative).value} {positive} {negative}",
        f"Time {ran.test} {ran.seconds:.2f}",
    ]
    return "\n".join(lines) + "\n\n"


def _line(counted_state: Counted) -> str:
    mark = "*" if counted_state.state.satisfies else ":"
    values = (f"{_bracketed(name)}={value};" for name, value in counted_state.state.values.items())
    return f"{counted_state.runs:<6}{mark}>{' '.join(values)}"


def _bracketed(name: str) -> str:
    return name if ":" in name else f"[{name}]"


def _observation(positive: int, negative: int) -> Observation:
    if positive and negative:
        return Observation.SOMETIMES
    return Observation.ALWAYS if positive else Observation.NEVER


def render_remarks(ran: Ran) -> str:
    """What litmus7's form has no place for: how was run, how fast, what was found, and what is missing."""
    lines = [f"{ran.test}: {_manner(ran)}"]
    lines += [f"  {counted(number, 'run')} without a final state: {reason}" for reason, number in ran.others]
    if ran.limit is not None:
        lines.append(f"  not all {'schedules' if ran.schedule == 'exhaustive' else 'runs'}: {ran.limit}")
    for problem in ran.problems:
        lines.append(f"  {kind_in_words(problem)} ({', '.join(problem.rules)}): {problem.why}")
        lines += [f"    {place.thread} {place.span}: {place.text}" for place in problem.places]
    return "\n".join(lines) + "\n"


def _manner(ran: Ran) -> str:
    if ran.schedule == "exhaustive":
        return f"all schedules on {ran.memory}"
    total = ran.runs + sum(number for _, number in ran.others)
    seed = "" if ran.seed is None else f" with seed {ran.seed}"
    speed = f", {total / ran.seconds:.0f} a second" if total > 1 and ran.seconds else ""
    return f"{counted(total, 'run')}{seed}, {ran.schedule} on {ran.memory}{speed}"
