"""Two logs or models compared, for people and as JSON."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from mcm.answer.compared_logs import LogDifferenceKind
from mcm.base.visible import visible
from mcm.report.json_records import Record, encode
from mcm.report.words import counted
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.answer.compared_logs import LogComparison, LogDifference, State

_HEADINGS: Final = {
    LogDifferenceKind.OBSERVED_BUT_FORBIDDEN: "Observed but forbidden:",
    LogDifferenceKind.STATES: "Other states:",
    LogDifferenceKind.UNDEFINED: "Undefined on one side:",
    LogDifferenceKind.OPEN: "Not known to be alike:",
    LogDifferenceKind.MISSING: "On one side only:",
}


def render_log_comparison(comparison: LogComparison) -> str:
    """The tests that differ, by kind, and the totals."""
    lines: list[str] = []
    for kind, members in groupby(comparison.differences, key=lambda one: one.kind):
        lines.append(_HEADINGS[kind])
        for difference in members:
            lines += _difference(comparison, difference)
        lines.append("")
    lines.append(_totals(comparison))
    return "\n".join(lines)


def _difference(comparison: LogComparison, difference: LogDifference) -> Iterator[str]:
    yield visible(f"  {difference.test}" + (f": {difference.why}" if difference.why else ""))
    for log, states in ((comparison.first, difference.only_first), (comparison.second, difference.only_second)):
        for state, count in states.items():
            often = "" if count is None else f" ({counted(count, 'time')})"
            yield visible(f"    only {log.name}: {state}{often}")


def _totals(comparison: LogComparison) -> str:
    number = comparison.alike + len(comparison.differences)
    parts = [f"{counted(number, 'test')}: {comparison.alike} alike"]
    for kind, heading in _HEADINGS.items():
        several = sum(difference.kind is kind for difference in comparison.differences)
        if several:
            parts.append(f"{several} {heading.rstrip(':').lower()}")
    text = ", ".join(parts)
    if comparison.unobserved:
        text += f"\n{counted(comparison.unobserved, 'state')} allowed, but not observed"
    return text


class DifferingStateRecord(Record, frozen=True):
    """A state that one side has; `count`: how often it was observed."""

    values: dict[str, str]
    count: int | None


class DifferenceRecord(Record, frozen=True):
    """A test that differs."""

    kind: LogDifferenceKind
    test: str
    why: str
    only_first: tuple[DifferingStateRecord, ...]
    only_second: tuple[DifferingStateRecord, ...]


class ComparisonDocument(Record, frozen=True):
    """Results of mcm compare."""

    tool: Literal["mcm"]
    version: str
    first: str
    second: str
    alike: int
    unobserved: int
    differences: tuple[DifferenceRecord, ...]


def render_log_comparison_json(comparison: LogComparison) -> str:
    """The same as JSON, indented, without a line end."""
    differences = tuple(
        DifferenceRecord(
            kind=one.kind,
            test=one.test,
            why=one.why,
            only_first=_records(one.only_first),
            only_second=_records(one.only_second),
        )
        for one in comparison.differences
    )
    return encode(
        ComparisonDocument(
            tool="mcm",
            version=__version__,
            first=comparison.first.name,
            second=comparison.second.name,
            alike=comparison.alike,
            unobserved=comparison.unobserved,
            differences=differences,
        )
    )


def _records(states: Mapping[State, int | None]) -> tuple[DifferingStateRecord, ...]:
    return tuple(DifferingStateRecord(values=dict(state.values), count=count) for state, count in states.items())
