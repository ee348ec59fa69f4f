"""The lines of `--format json-lines` as types: what is written, and what `lines-schema.json` says of a line.

`python -m mcm.report.line_records` writes the schema anew after a change.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta

from mcm.report.json_records import Count, Record, ResultRecord, StateRecord, schema_text

SCHEMA_FILE: Final = Path(__file__).parent / "lines-schema.json"


class StateLine(Record, frozen=True, tag_field="kind", tag="state"):
    """A final state; one that is out of thin air or was counted is told of when the search has ended."""

    file: str
    model: str
    state: StateRecord


class ExampleLine(Record, frozen=True, tag_field="kind", tag="example"):
    """A state that was told of before; it is also an example of states whose values depend on themselves."""

    file: str
    model: str
    state: StateRecord


class ResultLine(Record, frozen=True, tag_field="kind", tag="result"):
    """The result of one test under one model, after all lines about its states."""

    states: Annotated[Count, Meta(description="How many lines there are about states that differ.")]
    satisfying: Annotated[Count, Meta(description="How many of these states satisfy the proposition.")]
    result: Annotated[ResultRecord, Meta(description="As in the format json, where `states` is empty.")]


Line = StateLine | ExampleLine | ResultLine


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(Line), encoding="utf-8")
    sys.exit()
