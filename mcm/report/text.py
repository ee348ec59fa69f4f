"""The report for people: verdict in one line, then states, races with their source lines, and notes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from mcm.answer.result import Invalid, Judged, Undecided, Unreadable, Verdict
from mcm.answer.shown_states import are_thin_air
from mcm.base.diagnostic import render
from mcm.base.visible import visible
from mcm.report.colour import Palette, Tone
from mcm.report.notes import notes_in_text
from mcm.report.pieces import pieces
from mcm.report.problems import problem_blocks
from mcm.report.state_table import state_table
from mcm.report.summary import Summary
from mcm.report.words import (
    MEANINGLESS,
    answer_in_words,
    expectation_in_words,
    verdict_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.answer.result import Checked, Found, Result

_TONES = {
    Verdict.INVALID: Tone.BAD,
    Verdict.UNDEFINED: Tone.BAD,
    Verdict.IMPL_DEFINED: Tone.DOUBTFUL,
    Verdict.NO_EXECUTION: Tone.DOUBTFUL,
    Verdict.UNDECIDED: Tone.DOUBTFUL,
    Verdict.ALLOWED: Tone.TITLE,
    Verdict.FORBIDDEN: Tone.TITLE,
    Verdict.REQUIRED: Tone.TITLE,
    Verdict.VIOLATED: Tone.TITLE,
}


def render_tests(
    tests: Iterable[Checked], palette: Palette, *, quiet: bool = False, files: Iterable[str] = ()
) -> Iterator[str]:
    """The whole report, piece by piece: a block for each result, and a summary when there are several.

    `quiet` leaves only the summary, whose lines come one by one, aligned with the longest name of `files`.
    """
    summary = Summary(files if quiet else ())
    if quiet:
        yield from (f"{summary.line(result)}\n" for checked in tests for result in checked.results)
        yield from (f"{line}\n" for line in summary.end(palette))
        return
    gap: list[str] = []
    separations = None
    for checked in tests:
        separations = checked.separations
        for result in checked.results:
            summary.note(result)
        for block in _blocks(checked, palette):
            yield from pieces((f"{line}\n" for line in chain(gap, block)), "")
            gap = [""]
    if summary.count > 1 and separations is None:
        yield "".join(f"{line}\n" for line in ("", *summary.end(palette)))


def _blocks(checked: Checked, palette: Palette) -> Iterator[Iterable[str]]:
    """What is told of a test, each in lines."""
    if checked.separations is None:
        yield from (_lines(result, palette) for result in checked.results)
    else:
        # Imported here: the report of one model needs none of it.
        from mcm.report.model_comparison import render_model_comparison  # noqa: PLC0415

        yield [render_model_comparison(checked.results, checked.separations, palette)]


def render_text(result: Result, palette: Palette | None = None) -> str:
    """One result, without a final line end."""
    return "\n".join(_lines(result, palette or Palette()))


def _lines(result: Result, palette: Palette) -> Iterator[str]:
    """The same in lines, of which some have line ends within: there may be a million states."""
    is_first = True
    for section in _sections(result, palette):
        gap = not is_first
        for line in section:
            if gap:
                yield ""
            yield line
            gap = is_first = False


def _sections(result: Result, palette: Palette) -> Iterator[Iterable[str]]:
    """What stands between empty lines, each in lines; some have none."""
    yield [_head(result, palette)]
    if not isinstance(result, Invalid | Unreadable):
        yield _states(result, palette)
        yield from ([block] for block in _problems(result, palette))
        yield _blocked(result, palette)
        yield _notes(result)
    yield map(render, result.diagnostics)
    yield filter(None, [_expectation(result, palette)])


def _head(result: Result, palette: Palette) -> str:
    name = palette.paint(visible(result.test or result.file), Tone.TITLE)
    verdict = palette.paint(visible(verdict_in_words(result)), _TONES[result.verdict])
    if isinstance(result, Unreadable):
        return f"{name}: {verdict}"
    lines = [f"{name} under {visible(result.model)}: {verdict}"]
    if isinstance(result, Judged | Undecided) and result.condition is not None:
        lines.append(f"  {result.condition.quantifier.value} ({visible(result.condition.text)})")
        lines.append(f"  {answer_in_words(result)}")
    if isinstance(result, Judged) and result.because is not None:
        lines.append(f"  because {visible(result.because)}")
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _states(result: Found, palette: Palette) -> Iterator[str]:
    if result.states and result.undefined:
        yield f"  {MEANINGLESS}"
    yield from state_table(result, palette)


def _problems(result: Found, palette: Palette) -> tuple[str, ...]:
    return problem_blocks((*result.undefined, *result.impl_defined, *result.flags), palette)


def _blocked(result: Found, palette: Palette) -> Iterator[str]:
    for number, blocked in enumerate(result.blocked):
        if number:
            yield "  or"
        for unit in blocked.units:
            head = palette.paint(f"{visible(unit.thread)} waits forever at line {unit.span.line}", Tone.BAD)
            yield f"  {head}: for {visible(unit.waits_for)}"


def _notes(result: Found) -> Iterator[str]:
    yield from (f"  {note}" for note in notes_in_text(result))
    if are_thin_air(result.states):
        yield (
            "  note: thin air: in the marked states values depend on themselves;"
            " the specification's text does not exclude them"
        )


def _expectation(result: Result, palette: Palette) -> str:
    if result.expected is None:
        return ""
    stated = f"  expected {expectation_in_words(result.expected)}: "
    match result.as_expected:
        case True:
            return stated + palette.paint("as expected", Tone.GOOD)
        case False:
            return stated + palette.paint("NOT as expected", Tone.BAD)
        case None:
            return stated + palette.paint("cannot be told from this answer", Tone.DOUBTFUL)
