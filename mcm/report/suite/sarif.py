"""The judgements of a suite as SARIF 2.1.0: expectations that are not met, and races, at their source lines."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mcm.answer.suite import Standing
from mcm.base.codes import CODES
from mcm.base.visible import visible
from mcm.report.suite.text import headline
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.suite import Complaint, Finding, JudgedTest, Judgement, Place

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_DESCRIPTIONS: Final = {
    Standing.NOT_MET: "An expectation of a test is not met.",
    Standing.OPEN: "It is not known whether an expectation of a test is met.",
    Standing.INVALID: "An expectation of a test cannot be judged.",
    Standing.UNSTATED: "A test states no expectation.",
    Standing.DEFECT: "mcm failed.",
}
_RULES: Final = {standing: f"expectation-{standing.value}" for standing in _DESCRIPTIONS}

# A property bag of JSON.
_Object = dict[str, Any]


def render_sarif(tests: Sequence[JudgedTest]) -> str:
    """The document, indented, with a line end.

    A race that the test states is suppressed, in the words of the format: it is in the source, and known.
    """
    judgements = [judgement for test in tests for judgement in test.judgements]
    results = [*_of_judgements(judgements), *_of_findings(judgements)]
    rules = sorted({result["ruleId"]: _description(result["ruleId"]) for result in results}.items())
    driver = {
        "name": "mcm",
        "version": __version__,
        "rules": [{"id": name, "shortDescription": {"text": text}} for name, text in rules],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _description(rule: str) -> str:
    standing = next((one for one, name in _RULES.items() if name == rule), None)
    if standing is not None:
        return _DESCRIPTIONS[standing]
    return CODES.get(rule, f"a problem of the program: {rule.replace('-', ' ').replace('_', ' ')}")


def _of_judgements(judgements: Iterable[Judgement]) -> Iterator[_Object]:
    for judgement in judgements:
        if judgement.standing is Standing.MET:
            continue
        for complaint in judgement.complaints:
            if complaint.place != judgement.place:
                yield _of_complaint(complaint)
        if judgement.complaints and judgement.place is None:
            continue
        text = ". ".join(filter(None, [headline(judgement), _why(judgement)]))
        yield _result(_RULES[judgement.standing], text, _location(judgement.file, judgement.place), judgement.subject)


def _why(judgement: Judgement) -> str:
    if judgement.standing is not Standing.NOT_MET:
        return ""
    cited = f" [{', '.join(judgement.rules)}]" if judgement.rules else ""
    return visible(judgement.reason) + cited


def _of_complaint(complaint: Complaint) -> _Object:
    return _result(complaint.code, visible(complaint.message), _location(complaint.place.file, complaint.place), "")


def _of_findings(judgements: Iterable[Judgement]) -> Iterator[_Object]:
    """Each race, fault or divergence once, with the models under which it is one.

    Where a test says nothing of it, it is a warning.
    """
    models: dict[tuple[str, Finding, str], list[str]] = {}
    for judgement in judgements:
        for finding in judgement.findings:
            if not judgement.without:
                silent = judgement.standing is Standing.MET
                level = "note" if finding.stated else "warning" if silent else "error"
                models.setdefault((judgement.file, finding, level), []).append(judgement.subject)
    for (file, finding, level), names in models.items():
        yield {**_of_finding(file, finding, list(dict.fromkeys(names))), "level": level}


def _of_finding(file: str, finding: Finding, models: list[str]) -> _Object:
    where = f" on {finding.location}" if finding.location else ""
    cited = f" [{', '.join(finding.rules)}]" if finding.rules else ""
    text = visible(f"{finding.kind.replace('-', ' ')}{where} under {', '.join(models)}: {finding.why}{cited}")
    places = [step.place for step in finding.steps]
    result = _result(finding.kind, text, _location(file, places[0] if places else None), ", ".join(models))
    if len(places) > 1:
        result["relatedLocations"] = [
            {**_location(file, step.place), "message": {"text": visible(step.text)}} for step in finding.steps[1:]
        ]
    if finding.stated:
        result["suppressions"] = [{"kind": "inSource", "justification": "the test states it"}]
    return result


def _result(rule: str, text: str, location: _Object, subject: str) -> _Object:
    place = json.dumps(location, sort_keys=True)
    identity = sha256(f"{rule}\n{subject}\n{place}".encode()).hexdigest()[:32]
    return {
        "ruleId": rule,
        "level": "error",
        "message": {"text": text},
        "locations": [location],
        "partialFingerprints": {"expectation/v1": identity},
    }


def _location(file: str, place: Place | None) -> _Object:
    path = PurePath(place.file if place else file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
    physical: _Object = {"artifactLocation": {"uri": uri}}
    if place is not None:
        physical["region"] = {
            "startLine": place.line,
            "startColumn": place.column,
            "endColumn": place.column + place.length,
            "snippet": {"text": visible(place.excerpt, kept="\t")},
        }
    return {"physicalLocation": physical}
