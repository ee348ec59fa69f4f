"""Many results: one line each, and the totals."""

from __future__ import annotations

from collections import Counter
from os import sep
from typing import TYPE_CHECKING, Final

from mcm.answer.result import Unreadable, Verdict
from mcm.base.visible import visible
from mcm.report.align import Columns
from mcm.report.colour import Palette, Tone
from mcm.report.words import counted, observation_in_words, verdict_with_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.answer.result import Result


# What most verdicts and observations take, where lines are shown at once.
_VERDICT: Final = len("undefined (data race)")
_OBSERVATION: Final = len("Sometimes, in 1 of 16 states")


def render_summary(results: Iterable[Result], palette: Palette | None = None) -> str:
    """A table with one line a result, then the totals."""
    summary = Summary()
    for result in results:
        summary.note(result)
    return "\n".join(summary.end(palette or Palette()))


class Summary:
    """The same of results as they come; none of them is kept.

    Lines that are shown at once are aligned with the longest of `files` and with the lines before them, so that they do
    not depend on when others come.
    """

    def __init__(self, files: Iterable[str] = ()) -> None:
        self.count = 0
        self._columns = Columns(_widths(files))
        self._rows: list[tuple[str, ...]] = []
        self._tests: set[tuple[str, str | None]] = set()
        self._verdicts = Counter[str]()
        self._expectations = Counter[bool | None]()

    def line(self, result: Result) -> str:
        """The line of a result, to be shown now."""
        self.note(result)
        (line,) = self._lines()
        return line

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


def _widths(files: Iterable[str]) -> tuple[int, ...]:
    """What the columns have at least, where these files are tested; most tests are called as their files are."""
    names = [visible(name) for name in files]
    if not names:
        return ()
    stems = [name.rpartition(sep)[2].removesuffix(".litmus") for name in names]
    return max(map(len, names)), max(map(len, stems)), 0, _VERDICT, _OBSERVATION


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
        _remark(result),
    )


def _remark(result: Result) -> str:
    """What became of the expectation; where there is none, or none that is met, why there is no verdict."""
    errors = (one for one in result.diagnostics if one.is_error)
    why = next((f"{one.span.line}:{one.span.column}: {one.message}" for one in errors), "")
    if result.expected is None:
        return why
    remark = {True: "as expected", False: "NOT as expected", None: "expectation open"}[result.as_expected]
    return f"{remark}: {why}" if why and not result.as_expected else remark
