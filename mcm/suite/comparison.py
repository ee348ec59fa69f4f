"""Two logs, or two models, compared test by test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.compared_logs import Log, LogComparison, LogDifference, LogDifferenceKind

if TYPE_CHECKING:
    from mcm.answer.compared_logs import LoggedTest, State

_ORDER: Final = tuple(LogDifferenceKind)


def compare_logs(first: Log, second: Log) -> LogComparison:
    """The tests that differ, what matters most first; of states only what both sides speak of is compared."""
    differences: list[LogDifference] = []
    unobserved = alike = 0
    for name in sorted({*first.tests, *second.tests}):
        one, other = first.tests.get(name), second.tests.get(name)
        if one is None or other is None:
            side = second.name if one is None else first.name
            differences.append(LogDifference(LogDifferenceKind.MISSING, name, why=f"only {side} has this test"))
            continue
        difference, unseen = _compare(first, second, one, other)
        unobserved += unseen
        if difference is None:
            alike += 1
        else:
            differences.append(difference)
    differences.sort(key=lambda one: _ORDER.index(one.kind))
    return LogComparison(first, second, alike, tuple(differences), unobserved)


def _compare(first: Log, second: Log, one: LoggedTest, other: LoggedTest) -> tuple[LogDifference | None, int]:
    """How a test differs, and how many states are allowed on one side and were not observed on the other."""
    both = one.states and other.states
    names = _names(one) & _names(other) if both else _names(one) | _names(other)
    if both and not names and (_names(one) or _names(other)):
        return LogDifference(
            LogDifferenceKind.OPEN, one.name, why="the sides show no location or register that both name"
        ), 0
    here, there = _projected(one, names), _projected(other, names)
    only_first = {state: count for state, count in here.items() if state not in there}
    only_second = {state: count for state, count in there.items() if state not in here}
    if first.is_observed is second.is_observed:
        return _of_equals((first, one), (second, other), only_first, only_second), 0
    seen, allowed = (only_first, other) if first.is_observed else (only_second, one)
    unseen = len(only_second if first.is_observed else only_first)
    if not seen:
        return None, unseen
    if allowed.is_undefined:
        return LogDifference(
            LogDifferenceKind.UNDEFINED, one.name, why="the program is undefined: nothing is forbidden"
        ), unseen
    if allowed.open is not None:
        why = f"not known to be forbidden: {allowed.open}"
        return LogDifference(LogDifferenceKind.OPEN, one.name, *_sides(first, seen), why=why), unseen
    return LogDifference(LogDifferenceKind.OBSERVED_BUT_FORBIDDEN, one.name, *_sides(first, seen)), unseen


_Counted = dict["State", "int | None"]


def _sides(first: Log, seen: _Counted) -> tuple[_Counted, _Counted]:
    return (seen, {}) if first.is_observed else ({}, seen)


def _of_equals(
    left: tuple[Log, LoggedTest], right: tuple[Log, LoggedTest], only_first: _Counted, only_second: _Counted
) -> LogDifference | None:
    """How two that both were observed, or both are allowed, differ."""
    (first, one), (second, other) = left, right
    if one.is_undefined is not other.is_undefined:
        side = first.name if one.is_undefined else second.name
        return LogDifference(LogDifferenceKind.UNDEFINED, one.name, why=f"undefined under {side} only")
    if one.is_undefined:
        return None  # the states of a program without meaning mean nothing
    reason = one.open or other.open
    if reason is not None:
        return LogDifference(LogDifferenceKind.OPEN, one.name, only_first, only_second, reason)
    if only_first or only_second:
        return LogDifference(LogDifferenceKind.STATES, one.name, only_first, only_second)
    return None


def _names(test: LoggedTest) -> frozenset[str]:
    return frozenset(name for state in test.states for name, _ in state.values)


def _projected(test: LoggedTest, names: frozenset[str]) -> _Counted:
    found: _Counted = {}
    for state, count in sorted(test.states.items()):
        part = state.of(names)
        before = found.get(part)
        found[part] = count if before is None else before + (count or 0)
    return found
