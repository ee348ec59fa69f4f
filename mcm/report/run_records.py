"""The JSON format of `mcm run` as types: what is written, and what `run-schema.json` says, both follow from them.

`python -m mcm.report.run_records` writes the schema anew after a change.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta

from mcm.report.json_records import (
    ConditionRecord,
    Count,
    DiagnosticRecord,
    Ordinal,
    ProblemRecord,
    Record,
    Values,
    WaitingRecord,
    schema_text,
)

SCHEMA_FILE: Final = Path(__file__).parent / "run-schema.json"


class StateCountRecord(Record, frozen=True):
    """A final state, and how many runs ended in it; an exhaustive search counts it once."""

    values: Values
    satisfies: bool
    runs: Count


class BlockedRunsRecord(Record, frozen=True):
    """Runs in which just these units wait for ever."""

    units: tuple[WaitingRecord, ...]
    runs: Count
    schedule: Annotated[str, Meta(description="Of one of the runs, for --replay.")]


class OtherRunsRecord(Record, frozen=True):
    """Runs without a final state, that are not known to be blocked."""

    reason: str
    runs: Count


class TraceLineRecord(Record, frozen=True):
    """One step of a run."""

    thread: Annotated[str | None, Meta(description="Null for a step of the runtime.")]
    what: str
    line: Ordinal | None


class TraceRecord(Record, frozen=True):
    """One run, step by step."""

    lines: tuple[TraceLineRecord, ...]
    schedule: str


class RunResultRecord(Record, frozen=True):
    """The runs of one test."""

    file: str
    test: str
    schedule: Annotated[str, Meta(description="random, round-robin, exhaustive, clover, threads or replay.")]
    memory: Annotated[str, Meta(description="views or interleaving.")]
    seed: Annotated[int | None, Meta(description="Of random runs.")]
    condition: ConditionRecord | None
    complete: Annotated[bool, Meta(description="All schedules were run.")]
    limit: Annotated[str | None, Meta(description="Why a search ended early, or that no run came to an end.")]
    found: Annotated[bool, Meta(description="Ended early with a state that was asked for, as of --until-found.")]
    steps: Annotated[int | None, Meta(description="Of the first run, if the number of runs was chosen by its length.")]
    states: tuple[StateCountRecord, ...]
    excluded: Annotated[int, Meta(ge=0, description="Runs (or states) that the filter of the test leaves out.")]
    blocked: tuple[BlockedRunsRecord, ...]
    others: tuple[OtherRunsRecord, ...]
    problems: tuple[ProblemRecord, ...]
    diagnostics: Annotated[tuple[DiagnosticRecord, ...], Meta(description="Warnings about the test.")]
    trace: Annotated[TraceRecord | None, Meta(description="With --trace.")]
    seconds: Annotated[float, Meta(ge=0)]
    hash: Annotated[str, Meta(description="Stable for the text without comments and white space.")]


class NotRunRecord(Record, frozen=True):
    """A test that was not run."""

    file: str
    reason: Annotated[str | None, Meta(description="A limit, a crash or a defect; null where the text is no program.")]
    diagnostics: tuple[DiagnosticRecord, ...]


class RunDocument(Record, frozen=True):
    """Results of mcm run."""

    tool: Literal["mcm"]
    version: str
    runs: tuple[RunResultRecord, ...]
    not_run: tuple[NotRunRecord, ...]


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(RunDocument), encoding="utf-8")
    sys.exit()
