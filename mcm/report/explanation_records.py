"""The JSON format of `mcm explain` as types; what is written and what `explanation-schema.json` says follow from them.

`python -m mcm.report.explanation_records` writes the schema anew after a change.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta

from mcm.answer.explanation import How, Kind
from mcm.answer.result import Verdict
from mcm.report.json_records import ConditionRecord, Count, Ordinal, ProblemRecord, Record, schema_text

SCHEMA_FILE: Final = Path(__file__).parent / "explanation-schema.json"

EventNumber = Annotated[int, Meta(ge=0, description="An event of the story, by its number.")]
Rules = Annotated[tuple[str, ...], Meta(description="IDs of the rules, as `mcm rules` lists them.")]


class ExecutedEventRecord(Record, frozen=True):
    """An event of an execution."""

    number: EventNumber
    kind: str
    thread: Annotated[str | None, Meta(description="Null for initial writes.")]
    line: Ordinal
    col: Ordinal
    location: str | None
    read: int | float | str | None
    written: int | float | str | None
    order: str | None
    scope: str | None


class DerivationRecord(Record, frozen=True):
    """Why a pair of events is in a relation, or an event (first = last) in a set: a proof, as a tree."""

    term: Annotated[str, Meta(description="As cat text; of a definition the name.")]
    first: EventNumber
    last: EventNumber
    how: Annotated[How, Meta(description="base, absent, missing and excess are leaves; missing and excess are gaps.")]
    rules: Rules
    parts: tuple[DerivationRecord, ...]


class EdgeRecord(Record, frozen=True):
    """A step of a cycle."""

    name: str
    first: EventNumber
    last: EventNumber
    reason: Annotated[str | None, Meta(description="The check by which an order of the model must have this step.")]


class SentenceRecord(Record, frozen=True):
    """A line of an explanation."""

    text: str
    path: str
    rules: Rules
    events: tuple[EventNumber, ...]
    holds: Annotated[bool | None, Meta(description="Of a condition: whether it holds.")]
    breaks: Annotated[bool, Meta(description="This line contradicts a rule.")]
    derivation: DerivationRecord | None


class ReadingRecord(Record, frozen=True):
    """What a read returns."""

    read: EventNumber
    write: EventNumber
    relation: Annotated[str, Meta(description="rf, fr where the value has been replaced, mo for a final value.")]
    text: str
    observed: Annotated[str | None, Meta(description="The part of the condition that rests on it.")]


class BrokenRecord(Record, frozen=True):
    """How the model excludes an execution."""

    check: str
    rules: Rules
    edges: tuple[EdgeRecord, ...]


class StoryRecord(Record, frozen=True):
    """One way in which the outcome comes about, or would."""

    events: tuple[ExecutedEventRecord, ...]
    readings: tuple[ReadingRecord, ...]
    sentences: tuple[SentenceRecord, ...]
    broken: Annotated[BrokenRecord | None, Meta(description="Null where the model allows it.")]
    others: Annotated[Count, Meta(description="How many more executions have the same story.")]


class RuleSetRecord(Record, frozen=True):
    """Rules that together exclude the outcome, with none to spare."""

    rules: Rules
    alone: Annotated[tuple[str, ...], Meta(description="Those without which the model excludes it no more.")]
    permitting: Annotated[
        tuple[str, ...], Meta(description="Those that also permit what it needs: --without them it stays excluded.")
    ]


class ScheduleRecord(Record, frozen=True):
    """How the machine shows it: for `mcm run --memory … --replay …`."""

    memory: str
    schedule: str


class ExplanationRecord(Record, frozen=True):
    """Why a test has a result under a model."""

    file: str
    test: str
    model: str
    kind: Kind
    subject: str
    verdict: Verdict
    condition: ConditionRecord | None
    problem: ProblemRecord | None
    stories: tuple[StoryRecord, ...]
    rule_sets: Annotated[
        tuple[RuleSetRecord, ...],
        Meta(description="The smallest first; none where the program's values exclude the outcome, or nothing does."),
    ]
    sentences: tuple[SentenceRecord, ...]
    schedule: ScheduleRecord | None
    looked_at_all: Annotated[bool, Meta(description="Every way to the outcome was looked at.")]


class ExplanationDocument(Record, frozen=True):
    """Results of mcm explain."""

    tool: Literal["mcm"]
    version: str
    explanations: tuple[ExplanationRecord, ...]


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(ExplanationDocument), encoding="utf-8")
    sys.exit()
