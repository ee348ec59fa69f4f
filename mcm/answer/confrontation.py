"""What the machine did beside what a model allows, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.record import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.answer.result import Problem, Result


@record(frozen=True, slots=True)
class Column:
    """One way of running a test: all schedules, or a number of runs. `limit` says what ended the former early."""

    name: str
    runs: int | None
    limit: str | None = None


@record(frozen=True, slots=True)
class Row:
    """A final state. `allowed` is the model's word, None where it has none; `seen` counts, in the order of columns.

    A search of all schedules counts a state once. `beyond` names why weak memory cannot show an allowed state:
    `load-buffering` or `thin-air`; None where it was seen, or where the search was cut off, or the reason is another.
    """

    values: Mapping[str, int | float | str]
    satisfies: bool
    allowed: bool | None
    seen: tuple[int, ...]
    beyond: str | None = None


@record(frozen=True, slots=True)
class Contradiction:
    """A state that was seen although the model forbids it: how it was run, and the schedule that repeats it.

    `is_least`: no schedule repeats it with fewer switches between threads.
    """

    values: Mapping[str, int | float | str]
    memory: str
    schedule: str
    switches: int
    is_least: bool


@record(frozen=True, slots=True)
class Confrontation:
    """A test under a model and on the machine; `problems` are what the machine found."""

    result: Result
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    contradictions: tuple[Contradiction, ...]
