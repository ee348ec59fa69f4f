"""The judgements of a suite as JSON: what is written, and what `suite-schema.json` says, both follow from the types.

`python -m mcm.report.suite.records` writes the schema anew after a change.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from mcm.answer.suite import JudgedTest, Standing
from mcm.report.json_records import Record, encode, schema_text
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA_FILE: Final = Path(__file__).parent / "suite-schema.json"


class SuiteDocument(Record, frozen=True):
    """Results of mcm test: how many expectations there are of each standing, and all of them, test by test."""

    tool: Literal["mcm"]
    version: str
    totals: dict[str, int]
    tests: tuple[JudgedTest, ...]


def render_suite_json(tests: Sequence[JudgedTest]) -> str:
    """The whole document, indented, without a line end."""
    numbers = Counter(judgement.standing for test in tests for judgement in test.judgements)
    totals = {standing.value: numbers[standing] for standing in Standing}
    return encode(SuiteDocument(tool="mcm", version=__version__, totals=totals, tests=tuple(tests)))


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(SuiteDocument), encoding="utf-8")
    sys.exit()
