"""What is not as expected as annotations, which GitHub shows beside the lines of a change."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from mcm.answer.result import RACES
from mcm.answer.suite import Standing
from mcm.report.suite.text import details, headline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.answer.suite import JudgedTest, Judgement, Place


def render_annotations(tests: Iterable[JudgedTest]) -> str:
    """A line for each expectation that is not met or not known to be; empty where there is none."""
    judgements = (judgement for test in tests for judgement in test.judgements)
    return "".join(f"{_annotation(one)}\n" for one in judgements if one.standing is not Standing.MET)


def _annotation(judgement: Judgement) -> str:
    properties = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in _properties(judgement))
    lines = [headline(judgement), *details(judgement)]
    stated, cause = judgement.place, _cause(judgement)
    if stated is not None and cause is not None:
        lines.append(f"stated at {stated.file}:{stated.line}")
    text = "\n".join(lines)
    return f"::error {properties}::{_escaped(text)}"


def _properties(judgement: Judgement) -> Iterator[tuple[str, str]]:
    complained = next((complaint.place for complaint in judgement.complaints), None)
    place = _cause(judgement) or judgement.place or complained
    yield "file", PurePath(place.file if place else judgement.file).as_posix()
    if place is not None:
        yield "line", str(place.line)
        yield "col", str(place.column)
        yield "endColumn", str(place.column + place.length)
    yield "title", f"mcm: {judgement.standing.value}"


def _cause(judgement: Judgement) -> Place | None:
    """Where the race or fault is that the test says it does not have: what is to be mended stands there."""
    said = judgement.stated.split()
    for finding in judgement.findings:
        if finding.steps and ("defined" in said or ("no-race" in said and finding.kind in RACES)):
            return finding.steps[0].place
    return None


def _escaped(text: str, more: str = "") -> str:
    """As GitHub's workflow commands have it: characters that mean something there by their code."""
    return "".join(f"%{ord(character):02X}" if character in f"%\r\n{more}" else character for character in text)
