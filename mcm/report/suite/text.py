"""Differences between what a suite expects and what was found, and the totals, for people."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mcm.answer.suite import Standing
from mcm.base.visible import visible
from mcm.report.colour import Palette, Tone
from mcm.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.suite import Finding, JudgedTest, Judgement, Place

# More states say no more.
_MOST_STATES: Final = 8

_PLAIN: Final = Palette()

_TONES: Final = {
    Standing.MET: Tone.GOOD,
    Standing.NOT_MET: Tone.BAD,
    Standing.OPEN: Tone.DOUBTFUL,
    Standing.INVALID: Tone.BAD,
    Standing.UNSTATED: Tone.DOUBTFUL,
    Standing.DEFECT: Tone.BAD,
}

# How many there are of each standing, in the order of the totals.
_NAMES: Final = {
    Standing.MET: "met",
    Standing.NOT_MET: "NOT met",
    Standing.OPEN: "open",
    Standing.INVALID: "invalid",
    Standing.DEFECT: "lost by a defect of mcm",
}


def headline(judgement: Judgement) -> str:
    """What differs, in one line without the file: `c11: expected Never, found Sometimes`."""
    subject = f"{judgement.subject}: " if judgement.model else ""
    match judgement.standing:
        case Standing.UNSTATED:
            line = judgement.reason
        case Standing.OPEN | Standing.DEFECT if not judgement.stated:
            line = f"open ({judgement.reason})"
        case Standing.OPEN | Standing.DEFECT:
            line = f"expected {judgement.stated}, open ({judgement.reason})"
        case Standing.INVALID if not judgement.stated:
            line = f"{judgement.found}: {judgement.reason}"
        case Standing.INVALID:
            line = f"expected {judgement.stated}, cannot be judged: {judgement.reason}"
        case Standing.MET:
            line = f"{judgement.stated}, as expected"
        case _:
            line = f"expected {judgement.stated}, found {judgement.found}"
    return visible(subject + line)


def render_judgement(judgement: Judgement, palette: Palette = _PLAIN) -> str:
    """An expectation that is not met, or not known to be: where it stands, what was found, why, and which states."""
    place = judgement.place
    where = f"{place.file}:{place.line}:{place.column}" if place else judgement.file
    lines = [f"{visible(where)}: {palette.paint(headline(judgement), _TONES[judgement.standing])}"]
    if place is not None:
        if place.file != judgement.file:
            lines.append(f"  test {visible(judgement.file)}")
        lines += _excerpt(place)
    lines += [f"  {line}" for line in details(judgement)]
    return "\n".join(lines)


def details(judgement: Judgement) -> Iterator[str]:
    """Why, and which states, one line each."""
    for complaint in judgement.complaints:
        at = complaint.place
        if at == judgement.place:
            continue  # the headline says it
        yield visible(f"{at.file}:{at.line}:{at.column}: error[{complaint.code}]: {complaint.message}")
        yield from _excerpt(at)
    if judgement.standing is not Standing.NOT_MET:
        return
    reason = judgement.reason
    cited = ", ".join(judgement.rules)
    yield visible(f"{reason} [{cited}]" if cited and not reason.startswith(judgement.rules[0]) else reason)
    if judgement.changed_rules:
        yield visible(f"met before the model changed: {', '.join(judgement.changed_rules)}")
    for finding in judgement.findings:
        if not finding.stated:
            yield from _steps(finding)
    shown = judgement.states[:_MOST_STATES]
    for state in shown:
        yield visible(f"state {state}")
    if len(judgement.states) > len(shown):
        yield f"and {counted(len(judgement.states) - len(shown), 'more state')}"


def _steps(finding: Finding) -> Iterator[str]:
    for step in finding.steps:
        thread = f"{step.thread}: " if step.thread else ""
        yield visible(f"{step.place.file}:{step.place.line}:{step.place.column}: {thread}{step.text}")
        yield from _excerpt(step.place)


def _excerpt(place: Place) -> Iterator[str]:
    """The line, and carets under the characters."""
    if not place.excerpt.strip():
        return
    before = place.excerpt[: place.column - 1]
    padding = "".join("\t" if character == "\t" else " " for character in before)
    yield f"  {visible(place.excerpt, kept=chr(9))}"
    yield f"  {padding}{'^' * place.length}"


def render_totals(tests: Sequence[JudgedTest], notes: Iterable[str] = (), palette: Palette = _PLAIN) -> str:
    """How many expectations there are, and how many of each standing; `notes` say what else is to be known."""
    judgements = [judgement for test in tests for judgement in test.judgements]
    numbers = Counter(judgement.standing for judgement in judgements)
    stated = [one for one in judgements if one.standing is not Standing.UNSTATED]
    head = f"{counted(len(stated), 'expectation')} of {counted(len(tests), 'test')}"
    parts = [
        palette.paint(f"{numbers[standing]} {name}", _TONES[standing])
        for standing, name in _NAMES.items()
        if numbers[standing] or standing is Standing.MET
    ]
    lines = [f"{head}: {', '.join(parts)}"]
    if numbers[Standing.UNSTATED]:
        unstated = numbers[Standing.UNSTATED]
        lines.append(f"{counted(unstated, 'test states', 'tests state')} no expectation")
    taken_over = sum(test.taken_over for test in tests)
    if taken_over:
        lines.append(f"{taken_over} of the tests unchanged: judged by an earlier run")
    return "\n".join([*lines, *notes])
