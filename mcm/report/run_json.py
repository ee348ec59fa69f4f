"""Runs as JSON, in the shape that `run_records` states and `docs/json.md` describes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.run_result import NotRun
from mcm.report.json_format import condition_record, diagnostic_record, problem_record, waiting_record
from mcm.report.json_records import encode
from mcm.report.json_values import values_record
from mcm.report.run_records import (
    BlockedRunsRecord,
    NotRunRecord,
    OtherRunsRecord,
    RunDocument,
    RunResultRecord,
    StateCountRecord,
    TraceLineRecord,
    TraceRecord,
)
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.run_result import RunResult, Trace


def render_runs_json(results: Iterable[RunResult | NotRun]) -> str:
    """The whole document, indented, without a line end."""
    runs: list[RunResultRecord] = []
    not_run: list[NotRunRecord] = []
    for result in results:
        if isinstance(result, NotRun):
            diagnostics = tuple(map(diagnostic_record, result.diagnostics))
            not_run.append(NotRunRecord(file=result.file, reason=result.reason, diagnostics=diagnostics))
        else:
            runs.append(_result(result))
    return encode(RunDocument(tool="mcm", version=__version__, runs=tuple(runs), not_run=tuple(not_run)))


def _result(result: RunResult) -> RunResultRecord:
    return RunResultRecord(
        file=result.file,
        test=result.test,
        schedule=result.schedule,
        memory=result.memory,
        seed=result.seed,
        condition=condition_record(result.condition),
        complete=result.schedule == "exhaustive" and result.limit is None and not result.found,
        found=result.found,
        steps=result.steps,
        limit=result.limit,
        states=tuple(
            StateCountRecord(values=values_record(count.state.values), satisfies=count.state.satisfies, runs=count.runs)
            for count in result.states
        ),
        excluded=result.excluded,
        blocked=tuple(
            BlockedRunsRecord(
                units=tuple(map(waiting_record, blocked.units)), runs=blocked.runs, schedule=blocked.schedule
            )
            for blocked in result.blocked
        ),
        others=tuple(OtherRunsRecord(reason=reason, runs=number) for reason, number in result.others),
        problems=tuple(map(problem_record, result.problems)),
        diagnostics=tuple(map(diagnostic_record, result.diagnostics)),
        trace=None if result.trace is None else _trace(result.trace),
        seconds=round(result.seconds, 6),
        hash=result.fingerprint,
    )


def _trace(trace: Trace) -> TraceRecord:
    lines = tuple(
        TraceLineRecord(thread=line.thread, what=line.what, line=None if line.span is None else line.span.line)
        for line in trace.lines
    )
    return TraceRecord(lines=lines, schedule=trace.schedule)
