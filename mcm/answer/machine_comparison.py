"""The final states that the machine reached, compared with those that a model allows, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.answer.result import Found, Problem, WaitingUnit


class RunMode(Struct, frozen=True):
    """A way in which the test was run. `runs` is None for all schedules; `limit` says why some are missing, or that no
    run came to an end.
    """

    name: str
    runs: int | None
    limit: str | None = None


class ComparedState(Struct, frozen=True):
    """A final state. `allowed` is the model's answer, None where it has none; `seen` counts runs, for each mode.

    A search of all schedules counts a state once. `beyond` names why weak memory cannot show an allowed state:
    `load-buffering` or `thin-air`; None where it was seen, or where the search was cut off, or the reason is another.
    """

    values: Mapping[str, int | float | str]
    satisfies: bool
    allowed: bool | None
    seen: tuple[int, ...]
    beyond: Literal["load-buffering", "thin-air"] | None = None


class Repetition(Struct, frozen=True):
    """How to run a test so that the same happens again: the memory, and a schedule of a whole run.

    `switches` counts the switches between threads until it happens. `is_least`: no schedule has fewer.
    """

    memory: str
    schedule: str
    switches: int
    is_least: bool


class StateContradiction(Struct, frozen=True):
    """A state that was seen although the model forbids it."""

    values: Mapping[str, int | float | str]
    repetition: Repetition


class ProblemContradiction(Struct, frozen=True):
    """A race, a divergence or another problem that the machine found although the program is defined by the model."""

    problem: Problem
    repetition: Repetition


class BlockedContradiction(Struct, frozen=True):
    """Units that wait for ever on the machine, although the model has no execution in which just these do."""

    units: tuple[WaitingUnit, ...]
    repetition: Repetition


Contradiction = StateContradiction | ProblemContradiction | BlockedContradiction


class MachineComparison(Struct, frozen=True):
    """A test under one model and on the machine; `problems` are what the machine found.

    `blocked` are the sets of units that never finish in some run. `not_compared` says why something that the model
    excludes and the machine showed contradicts nothing: the machine follows other rules.
    """

    result: Found
    modes: tuple[RunMode, ...]
    states: tuple[ComparedState, ...]
    problems: tuple[Problem, ...]
    blocked: tuple[tuple[WaitingUnit, ...], ...]
    contradictions: tuple[Contradiction, ...]
    not_compared: tuple[str, ...] = ()

    @property
    def is_judged(self) -> bool:
        """Whether contradictions were looked for: the model has a complete answer, and says what the program does."""
        return self.result.complete and not self.result.undefined and not self.result.impl_defined
