"""The result of one test under one model, as data: what every report format shows."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Span
    from mcm.program.condition import Condition
    from mcm.program.header import Expectation


class Status(Enum):
    """Whether there is an answer."""

    OK = "ok"
    UNDECIDED = "undecided"
    INVALID = "invalid"
    ERROR = "error"


class Verdict(Enum):
    """The verdict, strongest first: invalid > undefined > impl-defined > allowed / forbidden of the condition."""

    INVALID = "invalid"
    UNDEFINED = "undefined"
    IMPL_DEFINED = "impl-defined"
    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    REQUIRED = "required"
    VIOLATED = "violated"
    UNDECIDED = "undecided"


class Observation(Enum):
    """How often the proposition holds among the states."""

    NEVER = "Never"
    SOMETIMES = "Sometimes"
    ALWAYS = "Always"


class ShownState(Struct, frozen=True):
    """A final state as it is shown: names to numbers (or to `&x` for an address)."""

    values: Mapping[str, int | float | str]
    satisfies: bool
    thin_air: bool
    executions: int | None


class Site(Struct, frozen=True):
    """An operation in the source: `thread` is the shown name (`P0`), `text` the operation as written."""

    thread: str | None
    span: Span
    text: str


class Problem(Struct, frozen=True):
    """Why the program is undefined or implementation-defined: a kind, the operations, the reason, the rules."""

    kind: str
    sites: tuple[Site, ...]
    why: str
    rules: tuple[str, ...]


class Result(Struct, frozen=True):
    """One test under one model. Fields are those of the JSON format (`docs/json`), typed.

    `test` is the name in the file (None when the file could not be read that far). `expected` is the expectation that
    applies to this model and `as_expected` whether it was met: None when there is none, and None when an answer that is
    undecided or bounded cannot tell. `bounded` lists the loops that were cut after `bound` iterations.
    `flags` are those that the model raises under a name without meaning for the verdict. `fingerprint` names the text
    whatever its comments and layout.
    """

    file: str
    test: str | None
    model: str
    engine: str | None
    status: Status
    reason: str | None
    condition: Condition | None
    verdict: Verdict
    reachable: bool | None
    holds: bool | None
    observation: Observation | None
    bound: int
    bounded: tuple[Span, ...]
    states: tuple[ShownState, ...]
    undefined: tuple[Problem, ...]
    impl_defined: tuple[Problem, ...]
    flags: tuple[Problem, ...]
    diagnostics: tuple[Diagnostic, ...]
    expected: Expectation | None
    as_expected: bool | None
    seconds: float
    fingerprint: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every consistent execution was looked at."""
        return not self.bounded and self.status is not Status.UNDECIDED

    @property
    def satisfying(self) -> int:
        """How many of the listed states satisfy the proposition."""
        return sum(state.satisfies for state in self.states)


class Separation(Struct, frozen=True):
    """Why two models give different verdicts on a test: each of `rules` makes the difference alone.

    `rules` is empty when only several rules together do.
    """

    first: str
    second: str
    rules: tuple[str, ...]


class Checked(Struct, frozen=True):
    """All results of one test; `separations` when its models are to be shown side by side."""

    results: tuple[Result, ...]
    separations: tuple[Separation, ...] | None = None
