from __future__ import annotations

import pytest

from mcm.base.diagnostic import MOST_DIAGNOSTICS, Diagnostic, InputError, Severity, listed, render
from mcm.base.source import Source, Span

SOURCE = Source("t", "x" * 1000)


def complaint(at: int, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic("E101", f"problem {at}", Span(SOURCE, at, at + 1), severity)


def test_a_hundred_are_listed_as_they_are() -> None:
    diagnostics = [complaint(at) for at in reversed(range(MOST_DIAGNOSTICS))]
    assert InputError(*diagnostics).diagnostics == tuple(reversed(diagnostics))


@pytest.mark.parametrize("times", [1, 2])
def test_of_more_the_first_are_listed_and_it_is_said_once(times: int) -> None:
    found = tuple(complaint(at) for at in range(500))
    for _ in range(times):
        found = InputError(*found, complaint(900)).diagnostics
    assert found[:-1] == tuple(complaint(at) for at in range(MOST_DIAGNOSTICS - 1))
    assert render(found[-1]).count("further problems are not listed") == 1


def test_errors_come_before_warnings_where_not_all_are_listed() -> None:
    warnings = [complaint(at, Severity.WARNING) for at in range(200)]
    found = listed([*warnings, complaint(700)])
    assert len(found) == MOST_DIAGNOSTICS
    assert found[-1].is_error
    assert found[:-1] == tuple(warnings[: MOST_DIAGNOSTICS - 1])
