"""The judgements of a suite in the Test Anything Protocol, version 14."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcm.answer.suite import Standing
from mcm.base.visible import visible
from mcm.report.suite.junit import case_name
from mcm.report.suite.text import headline, render_judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.answer.suite import JudgedTest, Judgement


def render_tap(tests: Sequence[JudgedTest]) -> str:
    """The document: a test point for each expectation; what is not met has a YAML block that says why."""
    judgements = [judgement for test in tests for judgement in test.judgements]
    lines = ["TAP version 14", f"1..{len(judgements)}"]
    for number, judgement in enumerate(judgements, start=1):
        lines += _point(number, judgement)
    return "\n".join(lines) + "\n"


def _point(number: int, judgement: Judgement) -> Iterator[str]:
    name = visible(f"{judgement.file}: {case_name(judgement)}").replace("#", "\\#")
    if judgement.standing is Standing.MET:
        yield f"ok {number} - {name}"
        return
    yield f"not ok {number} - {name}"
    yield "  ---"
    # A JSON string is a YAML string.
    yield f"  message: {json.dumps(headline(judgement))}"
    yield f"  severity: {judgement.standing.value}"
    yield f"  report: {json.dumps(render_judgement(judgement))}"
    yield "  ..."
