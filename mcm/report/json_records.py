"""The JSON format as types: what is written, and what `schema.json` beside this file says, both follow from them.

`python -m mcm.report.json_records` writes the schema anew after a change.
"""

from __future__ import annotations

import json
import re
import sys
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from mcm.answer.result import Observation, Status, Verdict
from mcm.base.diagnostic import Severity
from mcm.program.condition import Quantifier

SCHEMA_FILE: Final = Path(__file__).parent / "schema.json"

Number = int | float | str
Ordinal = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]
Values = Annotated[
    dict[str, Number], Meta(description="`0:r0` for registers, names of locations; an address is written `&x`.")
]


class Record(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An object of the format: it has these keys and no others."""


class ConditionRecord(Record, frozen=True):
    """The condition of the test."""

    quantifier: Quantifier
    text: str


class PositionRecord(Record, frozen=True):
    """A place in the file, counted from 1."""

    line: Ordinal
    col: Ordinal


class StateRecord(Record, frozen=True):
    """A final state."""

    values: Values
    satisfies: bool
    thin_air: Annotated[bool, Meta(description="Every execution that ends here has values that depend on themselves.")]
    executions: Annotated[Ordinal | None, Meta(description="How many executions end here, when they were counted.")]
    example_of: Annotated[
        str | None, Meta(description="Of which states this is an example; null where values are determined.")
    ]


class EventRecord(Record, frozen=True):
    """An operation in the file."""

    thread: str | None
    line: Ordinal
    col: Ordinal
    text: str
    iteration: Annotated[
        Ordinal | None, Meta(description="The iteration of the innermost loop around it; null outside of loops.")
    ]
    iterations: Annotated[
        tuple[Ordinal, ...], Meta(description="The iterations of all loops around it, the outermost loop first.")
    ]
    access: Annotated[Literal["read", "write", "update"] | None, Meta(description="What it does to memory.")]


class ProblemRecord(Record, frozen=True):
    """A reason for which the program is undefined or implementation-defined, or a flag of a user's model."""

    kind: Annotated[
        str,
        Meta(
            pattern="^[a-z][a-z0-9_-]*$",
            description="data-race, unsequenced-race, barrier-divergence, uninitialised-read, ...",
        ),
    ]
    location: Annotated[str | None, Meta(description="The memory that the operations access.")]
    events: tuple[EventRecord, ...]
    why: str
    rules: Annotated[tuple[str, ...], Meta(description="IDs of the rules, as `mcm rules` lists them.")]


class NoteRecord(Record, frozen=True):
    """A second place, or a sentence, that helps to understand a diagnostic."""

    message: str
    file: str | None
    line: Ordinal | None
    col: Ordinal | None


class DiagnosticRecord(Record, frozen=True):
    """An error in the text, or a warning about it."""

    code: str
    severity: Severity
    message: str
    file: str
    line: Ordinal
    col: Ordinal
    notes: tuple[NoteRecord, ...]


class ExpectationRecord(Record, frozen=True):
    """What the test states for the model; null where it states nothing."""

    model: str
    observation: Observation | None
    race: bool | None
    divergence: bool | None
    impl_defined: bool | None
    invalid: bool | None
    terminates: bool | None
    defined: bool | None


class WaitingRecord(Record, frozen=True):
    """A unit that waits."""

    thread: str
    line: Ordinal
    waits_for: str


class RunModeRecord(Record, frozen=True):
    """A way of running: all schedules (`runs` is null), or a number of runs."""

    name: str
    runs: Count | None
    complete: Annotated[bool, Meta(description="All schedules were looked at.")]


class ComparedStateRecord(Record, frozen=True):
    """A final state that the machine reached, or that the model allows."""

    values: Values
    satisfies: bool
    allowed: Annotated[bool | None, Meta(description="By the model; null when it cannot tell.")]
    beyond: Annotated[
        Literal["load-buffering", "thin-air"] | None,
        Meta(
            description="Why weak memory cannot show an allowed state; null where it was seen or the reason is another."
        ),
    ]
    seen: dict[str, Count]


class ContradictionRecord(Record, frozen=True):
    """A state that was seen although the model forbids it, or a problem or blocked units that it does not report."""

    values: Annotated[Values | None, Meta(description="The state, or null.")]
    problem: Annotated[ProblemRecord | None, Meta(description="The problem, or null.")]
    blocked: Annotated[tuple[WaitingRecord, ...] | None, Meta(description="The units that wait for ever, or null.")]
    memory: str
    schedule: str
    switches: Annotated[Count, Meta(description="How often another thread goes on than the one before.")]
    least: Annotated[bool, Meta(description="Whether no schedule has fewer switches.")]


class RunRecord(Record, frozen=True):
    """What the abstract machine did."""

    columns: tuple[RunModeRecord, ...]
    states: tuple[ComparedStateRecord, ...]
    problems: tuple[ProblemRecord, ...]
    blocked: Annotated[
        tuple[tuple[WaitingRecord, ...], ...], Meta(description="The sets of units that never finish in some run.")
    ]
    contradictions: Annotated[
        tuple[ContradictionRecord, ...],
        Meta(description="What was seen although the model does not allow it; empty unless mcm has a defect."),
    ]
    not_compared: Annotated[
        tuple[str, ...],
        Meta(description="Why something else that the model excludes was seen: the machine follows other rules."),
    ]


class ResultRecord(Record, frozen=True):
    """The result of one test under one model."""

    file: Annotated[str, Meta(description="The file as it was named, `-` for standard input.")]
    test: Annotated[
        str | None, Meta(description="The name in the file; null when the file could not be read that far.")
    ]
    model: Annotated[str, Meta(description="Name of the model: `c11`, `c11 without SC-2`, the name or path of a file.")]
    engine: Annotated[
        str | None,
        Meta(
            description="The engine that answered: explicit or smt, or machine where its runs did; null when none did."
        ),
    ]
    solver: Annotated[
        str | None, Meta(description="What the engine smt gave its formula to: z3 or cadical; null for other engines.")
    ]
    status: Status
    reason: Annotated[
        str | None, Meta(description="Why not everything was looked at or nothing is concluded: timeout, bound, ...")
    ]
    condition: ConditionRecord | None
    verdict: Verdict
    reachable: Annotated[
        bool | None,
        Meta(description="Some consistent execution that passes the filter satisfies the proposition."),
    ]
    holds: Annotated[bool | None, Meta(description="The quantified condition holds.")]
    observation: Observation | None
    complete: Annotated[bool, Meta(description="False when bounded, undecided or cut by a limit.")]
    bound: Annotated[Count, Meta(description="Iterations after which a loop without a constant bound is cut.")]
    bounded: Annotated[tuple[PositionRecord, ...], Meta(description="The loops that were cut.")]
    waits: Annotated[
        tuple[WaitingRecord, ...],
        Meta(description="Units whose end depends on units that nobody promises to go on (--progress)."),
    ]
    blocked: Annotated[
        tuple[WaitingRecord, ...],
        Meta(description="Units that wait for ever in some consistent execution that cannot go on."),
    ]
    excluded_by: Annotated[
        tuple[str, ...],
        Meta(description="Where no consistent execution is complete: the rules or checks that exclude them."),
    ]
    states: tuple[StateRecord, ...]
    names: Annotated[
        dict[str, str],
        Meta(description="How the test itself calls registers of `states`, where not so: `K[1]:r0` for `3:r0`."),
    ]
    undefined: tuple[ProblemRecord, ...]
    impl_defined: tuple[ProblemRecord, ...]
    flags: Annotated[
        tuple[ProblemRecord, ...],
        Meta(description="Flags of a user's model that have no meaning for the verdict."),
    ]
    diagnostics: tuple[DiagnosticRecord, ...]
    expected: ExpectationRecord | None
    as_expected: Annotated[
        bool | None, Meta(description="Null when nothing is expected, or when the answer cannot tell.")
    ]
    seconds: Annotated[float, Meta(ge=0)]
    hash: Annotated[str | None, Meta(description="Stable for the text without comments and white space.")]
    run: Annotated[
        RunRecord | UnsetType, Meta(description="With --run, for a test that is a program: what the machine did.")
    ] = UNSET


class Document(Record, frozen=True):
    """Results of mcm check."""

    tool: Literal["mcm"]
    version: str
    results: tuple[ResultRecord, ...]


def encode(document: Record) -> str:
    """A document as text, indented, without a line end.

    It is ASCII, so that it is valid whatever the encoding of the stream. Half of a surrogate pair, which stands for a
    byte of a file name that is no text, is given as the six characters that Python writes for it.
    """
    return msgspec.json.format(encode_line(document), indent=2)


def encode_line(value: Record | str | float) -> str:
    """The same in one line."""
    text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, allow_nan=False)
    return _OUTSIDE_ASCII.sub(_escaped, text)


# DEL is ASCII, and a control character.
_OUTSIDE_ASCII: Final = re.compile(r"[^\x00-\x7e]")


def _escaped(found: re.Match[str]) -> str:
    """A character of a JSON string as an escape sequence."""
    code = ord(found[0])
    if 0xD800 <= code <= 0xDFFF:
        return f"\\\\u{code:04x}"
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def schema_text(document: Any = Document) -> str:
    """The JSON Schema of a type of documents, as the file of the package holds it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(document)}
    return json.dumps(_with_clean_descriptions(schema), indent=2) + "\n"


def _with_clean_descriptions(node: Any) -> Any:
    """The schema with documentation indented alike under all Pythons: from 3.13 on they take indentation away."""
    match node:
        case dict():
            return {
                key: cleandoc(value)
                if key == "description" and isinstance(value, str)
                else _with_clean_descriptions(value)
                for key, value in node.items()
            }
        case list():
            return [_with_clean_descriptions(item) for item in node]
        case _:
            return node


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
    sys.exit()
