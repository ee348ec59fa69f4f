"""Many results: one line each, and the totals."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mcm.answer.result import Unreadable, Verdict
from mcm.report.align import align
from mcm.report.colour import Palette, Tone
from mcm.report.words import counted, observation_in_words, verdict_with_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.result import Result


def render_summary(results: Sequence[Result], palette: Palette | None = None) -> str:
    """A table with one line a result, then the totals."""
    palette = palette or Palette()
    rows = [_row(result) for result in results]
    return "\n".join([*align(rows), "", _totals(results, palette)])


def _row(result: Result) -> tuple[str, ...]:
    return (
        result.file,
        result.test or "",
        result.model or "",
        verdict_with_cut(result),
        observation_in_words(result),
        _expectation(result),
    )


def _expectation(result: Result) -> str:
    if result.expected is None:
        return ""
    return {True: "as expected", False: "NOT as expected", None: "expectation open"}[result.as_expected]


def _totals(results: Sequence[Result], palette: Palette) -> str:
    tests = len({(result.file, result.test) for result in results})
    head = counted(tests, "test")
    if len(results) != tests:
        head += f", {counted(len(results), 'result')}"
    parts = [f"{head}: {', '.join(_verdicts(results))}"]
    judged = [result for result in results if result.expected is not None]
    if judged:
        parts.append(_expectations(judged, palette))
    return "; ".join(parts)


def _verdicts(results: Iterable[Result]) -> Iterator[str]:
    numbers = Counter(
        "cannot be read" if isinstance(result, Unreadable) else result.verdict.value for result in results
    )
    for word in (*(verdict.value for verdict in Verdict), "cannot be read"):
        if numbers[word]:
            yield f"{numbers[word]} {word}"


def _expectations(judged: Sequence[Result], palette: Palette) -> str:
    numbers = Counter(result.as_expected for result in judged)
    met = f"{numbers[True]} of {len(judged)} as expected"
    if numbers[True] == len(judged):
        return palette.paint(met, Tone.GOOD)
    missing = [f"{numbers[answer]} {word}" for answer, word in ((False, "NOT"), (None, "open")) if numbers[answer]]
    return palette.paint(f"{met} ({', '.join(missing)})", Tone.BAD)
