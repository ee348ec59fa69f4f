"""Spans, problems and diagnostics as the plain data of judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.suite import Complaint, Finding, Place, Step
from mcm.suite.describe import is_stated

if TYPE_CHECKING:
    from mcm.answer.result import Problem
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Span
    from mcm.program.header import Expectation


def place_of(span: Span) -> Place:
    """The first line of a span."""
    line, column = span.source.position(span.start)
    excerpt = span.source.line(line)
    length = min(span.end - span.start, len(excerpt) - column + 1)
    return Place(span.source.name, line, column, max(length, 1), excerpt)


def finding_of(problem: Problem, expectation: Expectation) -> Finding:
    """A problem of a result, for which the test is judged by an expectation."""
    steps = tuple(Step(site.thread, site.text, place_of(site.span)) for site in problem.sites)
    stated = is_stated(problem.kind, expectation)
    return Finding(problem.kind, problem.location, problem.why, problem.rules, steps, stated)


def complaint_of(diagnostic: Diagnostic) -> Complaint:
    """A diagnostic."""
    return Complaint(diagnostic.code, diagnostic.message, place_of(diagnostic.span))
