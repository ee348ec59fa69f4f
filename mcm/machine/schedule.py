"""Schedules: which thread goes next, and which of its ways it takes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from mcm.machine.group import members
from mcm.machine.memory import Choice

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mcm.machine.configuration import Configuration, Machine

# A recorded run: the thread of each step, by position in the program, and the choice it made.
Schedule: TypeAlias = tuple[tuple[int, Choice], ...]


class Scheduler(Protocol):
    """Decides a run, step by step."""

    def begin(self) -> None:
        """A new run begins."""

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:
        """The thread that goes next, one of those in the mask `ready`, which is not empty."""

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The way it takes; `choices` is not empty."""


class RandomScheduler:
    """Every runnable thread is as likely as every other, and so is each of its ways."""

    def __init__(self, seed: Hashable) -> None:
        self._random = Random(str(seed))  # noqa: S311 - nothing secret
        self._draw = self._random.random

    def begin(self) -> None:
        """Nothing is remembered from the last run."""

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:  # noqa: ARG002
        """Any."""
        threads = members(ready)
        return threads[int(self._draw() * len(threads))]

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """Any."""
        return choices[int(self._draw() * len(choices))]


class ReplayError(Exception):
    """A recorded schedule does not fit the program."""


class ReplayScheduler:
    """What was recorded."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._next = 0

    def begin(self) -> None:
        """From its first step."""
        self._next = 0

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:  # noqa: ARG002
        """The recorded thread."""
        if self._next >= len(self._schedule) or not ready >> self._schedule[self._next][0] & 1:
            message = f"the schedule does not fit the program at its step {self._next + 1}"
            raise ReplayError(message)
        return self._schedule[self._next][0]

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The recorded choice."""
        choice = self._schedule[self._next][1]
        self._next += 1
        if choice not in choices:
            message = f"the schedule does not fit the program at its step {self._next}"
            raise ReplayError(message)
        return choice


def show_schedule(schedule: Schedule) -> str:
    """A schedule as text: `0 1/2 0`, each step a thread, with the choice where it is not the first; `-` is failure.

    >>> show_schedule(((0, Choice(0)), (1, Choice(2)), (0, Choice(0, succeeds=False))))
    '0 1/2 0/0-'
    """
    return " ".join(_show_step(thread, choice) for thread, choice in schedule)


def _show_step(thread: int, choice: Choice) -> str:
    if not choice.succeeds:
        return f"{thread}/{choice.message}-"
    return f"{thread}/{choice.message}" if choice.message else str(thread)


def read_schedule(text: str) -> Schedule:
    """The schedule that a text shows.

    >>> read_schedule("0 1/2 0/0-") == ((0, Choice(0)), (1, Choice(2)), (0, Choice(0, succeeds=False)))
    True
    """
    return tuple(map(_read_step, text.split()))


def _read_step(text: str) -> tuple[int, Choice]:
    thread, _, message = text.removesuffix("-").partition("/")
    if not thread.isdecimal() or not (message or "0").isdecimal():
        raise ReplayError(
            f"'{text}' is no step of a schedule; a step is written THREAD, THREAD/CHOICE or THREAD/CHOICE-"
        )
    return int(thread), Choice(int(message or 0), succeeds=not text.endswith("-"))
