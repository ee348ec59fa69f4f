"""What running a test gave, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.record import record

if TYPE_CHECKING:
    from mcm.answer.result import Problem, ShownState
    from mcm.base.source import Span
    from mcm.program.condition import Condition


@record(frozen=True, slots=True)
class Counted:
    """A final state, and how many runs ended in it."""

    state: ShownState
    runs: int


@record(frozen=True, slots=True)
class Told:
    """A line of the story of a run. `thread` is None for what no thread did; `span` is the operation in the source."""

    thread: str | None
    what: str
    span: Span | None


@record(frozen=True, slots=True)
class Story:
    """One run, step by step, and the schedule that repeats it."""

    lines: tuple[Told, ...]
    schedule: str


@record(frozen=True, slots=True)
class Ran:
    """Runs of one test under one scheduler and memory.

    `others` are runs without a final state, by reason. `limit` says what ended a search early; an exhaustive
    search counts each state once. `seed` is that of random runs. `story` tells the first run when it was asked for.
    """

    file: str
    test: str
    schedule: str
    memory: str
    condition: Condition | None
    states: tuple[Counted, ...]
    others: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]
    seconds: float
    fingerprint: str
    seed: int | None = None
    limit: str | None = None
    story: Story | None = None

    @property
    def runs(self) -> int:
        """How many runs ended in a final state."""
        return sum(counted.runs for counted in self.states)

    @property
    def positive(self) -> int:
        """How many runs ended in a state that satisfies the proposition."""
        return sum(counted.runs for counted in self.states if counted.state.satisfies)
