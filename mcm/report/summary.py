"""Many results: one line each, and the totals."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mcm.answer.result import Unreadable, Verdict
from mcm.report.align import Columns
from mcm.report.colour import Palette, Tone
from mcm.report.words import counted, observation_in_words, verdict_with_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.answer.result import Result


# So many lines are aligned with each other; those of larger suites are shown as they come.
_LINES: Final = 100


def render_summary(results: Iterable[Result], palette: Palette | None = None) -> str:
    """A table with one line a result, then the totals."""
    summary = Summary()
    lines = [line for result in results for line in summary.add(result)]
    return "\n".join([*lines, *summary.end(palette or Palette())])


class Summary:
    """The same of results as they come; none of them is kept."""

    def __init__(self) -> None:
        self.count = 0
        self._columns = Columns()
        self._rows: list[tuple[str, ...]] = []
        self._tests: set[tuple[str, str | None]] = set()
        self._verdicts = Counter[str]()
        self._expectations = Counter[bool | None]()

    def add(self, result: Result) -> Iterator[str]:
        """Note a result; the lines that can be shown now."""
        self.note(result)
        if len(self._rows) == _LINES:
            yield from self._lines()

    def note(self, result: Result) -> None:
        """Note a result that is shown in the end."""
        self.count += 1
        self._rows.append(_row(result))
        self._tests.add((result.file, result.test))
        self._verdicts["cannot be read" if isinstance(result, Unreadable) else result.verdict.value] += 1
        if result.expected is not None:
            self._expectations[result.as_expected] += 1

    def end(self, palette: Palette) -> Iterator[str]:
        """The lines that are left, and the totals."""
        yield from self._lines()
        yield ""
        yield self._totals(palette)

    def _lines(self) -> Iterator[str]:
        rows, self._rows = self._rows, []
        yield from self._columns.align(rows)

    def _totals(self, palette: Palette) -> str:
        tests = len(self._tests)
        head = counted(tests, "test")
        if self.count != tests:
            head += f", {counted(self.count, 'result')}"
        words = (*(verdict.value for verdict in Verdict), "cannot be read")
        verdicts = (f"{self._verdicts[word]} {word}" for word in words if self._verdicts[word])
        parts = [f"{head}: {', '.join(verdicts)}"]
        if self._expectations:
            parts.append(_expectations(self._expectations, palette))
        return "; ".join(parts)


def _expectations(numbers: Counter[bool | None], palette: Palette) -> str:
    judged = numbers.total()
    met = f"{numbers[True]} of {judged} as expected"
    if numbers[True] == judged:
        return palette.paint(met, Tone.GOOD)
    missing = [f"{numbers[answer]} {word}" for answer, word in ((False, "NOT"), (None, "open")) if numbers[answer]]
    return palette.paint(f"{met} ({', '.join(missing)})", Tone.BAD)


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
