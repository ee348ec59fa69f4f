"""Schedules: which thread goes next, and which of its ways it takes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

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

    def pick(self, machine: Machine[Any], now: Configuration[Any], runnable: Sequence[int]) -> int:
        """The thread that goes next; `runnable` is not empty."""

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The way it takes; `choices` is not empty."""


class RandomScheduler:
    """Every runnable thread is as likely as every other, and so is each of its ways."""

    def __init__(self, seed: Hashable) -> None:
        self._random = Random(str(seed))  # noqa: S311 - nothing secret
        self._draw = self._random.random

    def begin(self) -> None:
        """Nothing is remembered from the last run."""

    def pick(self, machine: Machine[Any], now: Configuration[Any], runnable: Sequence[int]) -> int:  # noqa: ARG002
        """Any."""
        return runnable[int(self._draw() * len(runnable))]

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

    def pick(self, machine: Machine[Any], now: Configuration[Any], runnable: Sequence[int]) -> int:  # noqa: ARG002
        """The recorded thread."""
        if self._next >= len(self._schedule) or self._schedule[self._next][0] not in runnable:
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
