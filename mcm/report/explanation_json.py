"""Explanations as JSON, in the shape that `explanation_records` states and `docs/json.md` describes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.report.explanation_records import (
    BrokenRecord,
    DerivationRecord,
    EdgeRecord,
    ExecutedEventRecord,
    ExplanationDocument,
    ExplanationRecord,
    ReadingRecord,
    RuleSetRecord,
    ScheduleRecord,
    SentenceRecord,
    StoryRecord,
)
from mcm.report.json_format import condition_record, problem_record
from mcm.report.json_records import encode
from mcm.report.json_values import number_record
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.execution import ExecutedEvent
    from mcm.answer.explanation import Broken, Derivation, Explanation, Sentence, Story


def render_explanations_json(explanations: Iterable[Explanation]) -> str:
    """The whole document, indented, without a line end."""
    records = tuple(map(_explanation, explanations))
    return encode(ExplanationDocument(tool="mcm", version=__version__, explanations=records))


def _explanation(one: Explanation) -> ExplanationRecord:
    schedule = one.schedule
    return ExplanationRecord(
        file=one.file,
        test=one.test,
        model=one.model,
        kind=one.kind,
        subject=one.subject,
        verdict=one.verdict,
        condition=condition_record(one.condition),
        problem=None if one.problem is None else problem_record(one.problem),
        stories=tuple(map(_story, one.stories)),
        rule_sets=tuple(
            RuleSetRecord(rules=each.rules, alone=each.alone, permitting=each.permitting) for each in one.rule_sets
        ),
        sentences=tuple(map(_sentence, one.sentences)),
        schedule=None if schedule is None else ScheduleRecord(memory=schedule.memory, schedule=schedule.schedule),
        looked_at_all=one.looked_at_all,
    )


def _story(story: Story) -> StoryRecord:
    return StoryRecord(
        events=tuple(map(_event, story.execution.events)),
        readings=tuple(
            ReadingRecord(
                read=each.read, write=each.write, relation=each.relation, text=each.text, observed=each.observed
            )
            for each in story.readings
        ),
        sentences=tuple(map(_sentence, story.sentences)),
        broken=None if story.broken is None else _broken(story.broken),
        others=story.others,
    )


def _event(event: ExecutedEvent) -> ExecutedEventRecord:
    return ExecutedEventRecord(
        number=event.number,
        kind=event.kind,
        thread=event.thread,
        line=event.span.line,
        col=event.span.column,
        location=event.location,
        read=None if event.read is None else number_record(event.read),
        written=None if event.written is None else number_record(event.written),
        order=event.order,
        scope=event.scope,
    )


def _sentence(sentence: Sentence) -> SentenceRecord:
    return SentenceRecord(
        text=sentence.text,
        path=sentence.path,
        rules=sentence.rules,
        events=sentence.events,
        holds=sentence.mark,
        breaks=sentence.breaks,
        derivation=None if sentence.derivation is None else _derivation(sentence.derivation),
    )


def _derivation(derivation: Derivation) -> DerivationRecord:
    return DerivationRecord(
        term=derivation.name,
        first=derivation.first,
        last=derivation.last,
        how=derivation.how,
        rules=derivation.rules,
        parts=tuple(map(_derivation, derivation.parts)),
    )


def _broken(broken: Broken) -> BrokenRecord:
    edges = (EdgeRecord(name=e.name, first=e.first, last=e.last, reason=e.reason) for e in broken.edges)
    return BrokenRecord(check=broken.check, rules=broken.rules, edges=tuple(edges))
