"""What became of the expectations of a suite of tests, as data: what `mcm test` shows, writes down and reads again."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Standing(Enum):
    """Whether an expectation is met.

    OPEN: not known (a limit, a bound). INVALID: the test or what is stated cannot be judged. UNSTATED: a test without
    expectation. DEFECT: mcm failed.
    """

    MET = "met"
    NOT_MET = "not-met"
    OPEN = "open"
    INVALID = "invalid"
    UNSTATED = "unstated"
    DEFECT = "defect"


class Place(Struct, frozen=True):
    """Some characters of one line: both counted from 1. `excerpt` is the line."""

    file: str
    line: int
    column: int
    length: int
    excerpt: str


class Step(Struct, frozen=True):
    """An operation that takes part in a problem."""

    thread: str | None
    text: str
    place: Place


class Finding(Struct, frozen=True):
    """A race, a fault or divergence; `stated`: the test says that it has such."""

    kind: str
    location: str | None
    why: str
    rules: tuple[str, ...]
    steps: tuple[Step, ...]
    stated: bool


class Complaint(Struct, frozen=True):
    """A diagnostic."""

    code: str
    message: str
    place: Place


class Judgement(Struct, frozen=True, kw_only=True):
    """One expectation of a test under a model, and what became of it.

    `stated` and `found` are in the words of a header. `reason` says in one line why it is not met, or open; `rules` are
    the IDs of the rules that make the difference, `states` those that contradict what is stated (or all that there are,
    where a state is missed). `place` is where the expectation stands: in the test or in a table. `restated` is what
    would be met there, None where nothing can be written in its place. `changed_rules`: it was met in an earlier run,
    and these rules of the model have changed since.
    """

    file: str
    model: str
    standing: Standing
    test: str | None = None
    without: tuple[str, ...] = ()
    stated: str = ""
    found: str = ""
    reason: str = ""
    rules: tuple[str, ...] = ()
    condition: str = ""
    states: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    complaints: tuple[Complaint, ...] = ()
    place: Place | None = None
    restated: str | None = None
    changed_rules: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def subject(self) -> str:
        """The model as reports name it: `c11 without SC-2`."""
        return f"{self.model} without {', '.join(self.without)}" if self.without else self.model


class JudgedTest(Struct, frozen=True, kw_only=True):
    """All judgements of one test. `key` identifies what they rest on: text, models, version, options.

    `taken_over`: they are those of an earlier run.
    """

    file: str
    judgements: tuple[Judgement, ...]
    key: str = ""
    taken_over: bool = False
