"""What became of a suite, in the formats of other tools."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
import xmlschema

from mcm import (
    JudgedTest,
    Judgement,
    Place,
    Standing,
    judge,
    render_annotations,
    render_junit,
    render_sarif,
    render_suite_json,
    render_tap,
)

SCHEMAS: Final = Path(__file__).parent / "schemas"
RACY: Final = """OPENCL MP
Expect.opencl-3.0=Never no-race
Expect.c11=Sometimes race
Expect.rc11=Sometimes
Without.DR-1=Sometimes no-race
{ }
P0@wg 0 (global int* x, global atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_relaxed); }
P1@wg 1 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = -1;
  if (r0 == 1) { r1 = *x; }
}
exists (1:r0=1 /\\ 1:r1=0)
"""


@pytest.fixture(scope="module")
def tests() -> list[JudgedTest]:
    """One of each standing, some with characters that formats have to escape."""
    row = Judgement(
        file="a b/<T>&\x1b.litmus",
        model="c11",
        standing=Standing.NOT_MET,
        stated="holds",
        found="does not hold",
        reason='"quoted", 100%, é\nand more',
        place=Place("tables/x:1,2.csv", 3, 9, 1, "T\t,1"),
    )
    lost = [
        Judgement(file="lost.litmus", model="", standing=Standing.OPEN, reason="timeout"),
        Judgement(file="lost.litmus", model="", standing=Standing.DEFECT, reason="defect"),
    ]
    return [
        JudgedTest(file="text", judgements=judge(RACY)),
        JudgedTest(file="text", judgements=judge("OPENCL broken\n{ }\nP0 () { x = ; }\n")),
        JudgedTest(file="text", judgements=judge("OPENCL silent\n{ }\nP0 () { }\nexists (true)\n")),
        JudgedTest(file="<T>", judgements=(row,)),
        JudgedTest(file="lost.litmus", judgements=tuple(lost)),
    ]


def test_there_is_one_of_each_standing(tests: list[JudgedTest]) -> None:
    assert {judgement.standing for test in tests for judgement in test.judgements} == set(Standing)


def test_junit_fits_its_schema(tests: list[JudgedTest]) -> None:
    text = render_junit(tests, "2026-11-22T17:00:00")

    xmlschema.XMLSchema(SCHEMAS / "JUnit.xsd").validate(text)
    assert text.count("<failure") == 2
    assert text.count("<error") == 4  # what is not known is not skipped
    assert "opencl-3.0: expected Never no-race, found Sometimes race" in text


def results_of(text: str) -> list[dict[str, Any]]:
    (run,) = json.loads(text)["runs"]
    results: list[dict[str, Any]] = run["results"]
    return results


def test_sarif_fits_its_schema(tests: list[JudgedTest]) -> None:
    text = render_sarif(tests)

    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(json.loads(text))


def test_sarif_has_races_and_failed_expectations_at_their_lines(tests: list[JudgedTest]) -> None:
    found = [
        (
            result["ruleId"],
            result["level"],
            result["locations"][0]["physicalLocation"].get("region", {}).get("startLine"),
            [related["physicalLocation"]["region"]["startLine"] for related in result.get("relatedLocations", ())],
            "suppressions" in result,
        )
        for result in results_of(render_sarif(tests[:2]))
    ]

    assert found == [
        ("expectation-not-met", "error", 2, [], False),
        ("E040", "error", 3, [], False),
        ("data-race", "error", 7, [11], False),
        ("data-race", "note", 7, [11], True),  # stated by the test
        ("data-race", "warning", 7, [11], False),  # the test says nothing of races
    ]


def test_a_file_that_others_cannot_name_is_escaped_in_addresses(tests: list[JudgedTest]) -> None:
    (result,) = results_of(render_sarif(tests[3:4]))

    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "tables/x%3A1%2C2.csv"


def test_json_fits_its_schema(tests: list[JudgedTest]) -> None:
    document = json.loads(render_suite_json(tests))

    schema = json.loads((files("mcm.report.suite") / "suite-schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["totals"] == {"met": 3, "not-met": 2, "open": 1, "invalid": 1, "unstated": 1, "defect": 1}


def test_tap_has_a_point_for_each_expectation(tests: list[JudgedTest]) -> None:
    lines = render_tap(tests).splitlines()

    assert lines[:2] == ["TAP version 14", "1..9"]
    points = [line for line in lines if line.startswith(("ok", "not ok"))]
    assert len(points) == 9
    assert points[0] == "not ok 1 - text: opencl-3.0"
    assert sum(line.startswith("ok") for line in points) == 3
    assert "\x1b" not in "\n".join(lines)


def test_an_annotation_stands_where_the_race_is_that_is_not_expected() -> None:
    text = RACY.replace("Never no-race", "Never defined").replace("Expect.rc11=Sometimes\n", "Expect.rc11=Never\n")
    lines = render_annotations([JudgedTest(file="text", judgements=judge(text))]).splitlines()

    # The other expectation says nothing of races: what differs is what it states.
    assert [line.partition(",col")[0] for line in lines] == ["::error file=text,line=7", "::error file=text,line=4"]


def test_annotations_escape_what_means_something_to_github(tests: list[JudgedTest]) -> None:
    lines = render_annotations(tests).splitlines()

    assert len(lines) == 6
    assert lines[0].startswith(
        "::error file=text,line=7,col=49,endColumn=55,title=mcm%3A not-met::opencl-3.0: expected"
    )
    assert "stated at text:2" in lines[0]
    assert "file=tables/x%3A1%2C2.csv,line=3," in lines[3]
    assert '"quoted", 100%25, é\\x0aand more' in lines[3]
