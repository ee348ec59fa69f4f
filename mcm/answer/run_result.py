"""The result of running one test on the machine, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.answer.result import Problem, WaitingUnit
    from mcm.answer.shown_states import ShownState
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Span
    from mcm.program.condition import Condition


class StateCount(Struct, frozen=True):
    """A final state, and the number of runs that ended in it."""

    state: ShownState
    runs: int


class TraceLine(Struct, frozen=True):
    """One step of a run. `thread` is None for a step of the runtime; `span` is the operation in the source."""

    thread: str | None
    what: str
    span: Span | None


class Trace(Struct, frozen=True):
    """One run, step by step, and the schedule that repeats it."""

    lines: tuple[TraceLine, ...]
    schedule: str


class BlockedRuns(Struct, frozen=True):
    """The runs in which just these units never finish: their number, and the schedule of one of them."""

    units: tuple[WaitingUnit, ...]
    runs: int
    schedule: str


class RunResult(Struct, frozen=True):
    """The runs of one test under one scheduler and memory.

    `blocked` counts the runs in which some unit never finishes, `others` other runs without a final state, by reason.
    `limit` says why a search ended early, or that no run came to an end; an exhaustive search counts each state, and
    each set of blocked units, once.
    `seed` is that of random runs. `trace` is the first run, if it was asked for. `steps` is the length of the first run
    where the number of runs was chosen by it; `found` says that a state was found that was asked for, which ended them.
    `excluded` counts the runs that ended in states which do not pass the filter; of an exhaustive search, these states.
    `diagnostics` are the warnings about the test.
    """

    file: str
    test: str
    schedule: str
    memory: str
    condition: Condition | None
    states: tuple[StateCount, ...]
    blocked: tuple[BlockedRuns, ...]
    others: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]
    seconds: float
    fingerprint: str
    seed: int | None = None
    limit: str | None = None
    trace: Trace | None = None
    steps: int | None = None
    found: bool = False
    excluded: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def has_ended(self) -> bool:
        """Whether some run ended in a final state, be it one that the filter leaves out."""
        return bool(self.states) or self.excluded > 0

    @property
    def runs(self) -> int:
        """The number of runs that ended in a final state that passes the filter."""
        return sum(count.runs for count in self.states)

    @property
    def positive(self) -> int:
        """The number of runs that ended in a state that satisfies the proposition."""
        return sum(count.runs for count in self.states if count.state.satisfies)


class NotRun(Struct, frozen=True):
    """A test that was not run: the reason is a limit or the like, or the text is no program."""

    file: str
    reason: str | None
    diagnostics: tuple[Diagnostic, ...] = ()
