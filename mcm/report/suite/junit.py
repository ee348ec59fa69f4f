"""The judgements of a suite as JUnit XML, in the dialect of Ant, which servers for continuous integration read."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mcm.answer.suite import Standing
from mcm.base.visible import visible
from mcm.report.suite.text import headline, render_judgement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.answer.suite import JudgedTest, Judgement

# What is not met is a failure. What is not known is an error, not skipped: servers take that for a success.
_ELEMENTS: Final = {
    Standing.NOT_MET: "failure",
    Standing.OPEN: "error",
    Standing.INVALID: "error",
    Standing.UNSTATED: "error",
    Standing.DEFECT: "error",
}


def render_junit(tests: Sequence[JudgedTest], timestamp: str) -> str:
    """The document: a suite for each folder, a case for each expectation.

    `timestamp` is when the tests were judged: year to seconds, without a time zone, as the format has it.
    """
    root = Element("testsuites")
    folders: dict[str, list[JudgedTest]] = {}
    for test in tests:
        folders.setdefault(PurePath(test.file).parent.as_posix(), []).append(test)
    for number, (folder, members) in enumerate(folders.items()):
        _add_suite(root, number, folder, members, timestamp)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_suite(root: Element, number: int, folder: str, tests: Sequence[JudgedTest], timestamp: str) -> None:
    judgements = [judgement for test in tests for judgement in test.judgements]
    elements = [_ELEMENTS.get(judgement.standing) for judgement in judgements]
    suite = SubElement(
        root,
        "testsuite",
        {
            "name": visible(folder),
            "package": visible(folder),
            "id": str(number),
            "timestamp": timestamp,
            "hostname": "localhost",
            "tests": str(len(judgements)),
            "failures": str(elements.count("failure")),
            "errors": str(elements.count("error")),
            "time": _seconds(sum(judgement.seconds for judgement in judgements)),
        },
    )
    SubElement(suite, "properties")
    for judgement in judgements:
        _add_case(suite, judgement)
    SubElement(suite, "system-out")
    SubElement(suite, "system-err")


def _add_case(suite: Element, judgement: Judgement) -> None:
    case = SubElement(
        suite,
        "testcase",
        {
            "classname": visible(PurePath(judgement.file).as_posix()),
            "name": visible(case_name(judgement)),
            "time": _seconds(judgement.seconds),
        },
    )
    element = _ELEMENTS.get(judgement.standing)
    if element is not None:
        attributes = {"message": headline(judgement), "type": judgement.standing.value}
        SubElement(case, element, attributes).text = f"\n{render_judgement(judgement)}\n"


def case_name(judgement: Judgement) -> str:
    """What tells an expectation from the others of its test: the model, and the line of a table that states it."""
    place = judgement.place
    if place is None or place.file == judgement.file:
        return judgement.subject or judgement.standing.value
    return f"{judgement.subject} ({place.file}:{place.line}:{place.column})".lstrip()


def _seconds(seconds: float) -> str:
    return f"{seconds:.6f}"
