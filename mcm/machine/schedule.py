"""Schedules: which thread goes next, and which choice it takes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from mcm.base.bits import listed, nth
from mcm.machine.memory import Choice

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine

# A recorded run: for each step the thread, by position in the program, and the choice.
Schedule: TypeAlias = tuple[tuple[int, Choice], ...]


class Scheduler(Protocol):
    """Decides which thread goes next, and which choice it takes."""

    def begin(self) -> None:
        """Begin a new run."""

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int | None:
        """The thread that goes next: a member of the mask `ready`, which is not empty; None to end the run."""

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The choice it takes; `choices` is not empty."""


class RandomScheduler:
    """Chooses with equal probability among the runnable threads, and among the choices of the thread."""

    def __init__(self, seed: Hashable) -> None:
        self._random = Random(str(seed))  # noqa: S311 - nothing secret
        self._draw = self._random.random

    def begin(self) -> None:
        """Nothing to do: runs are independent."""

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:  # noqa: ARG002
        """A random thread."""
        return nth(ready, int(self._draw() * ready.bit_count()))

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """A random choice."""
        return choices[int(self._draw() * len(choices))]


class ReplayError(Exception):
    """A recorded schedule does not fit the program."""

    def __init__(self, why: str) -> None:
        # What is kept makes it anew in another process.
        super().__init__(why)

    def __str__(self) -> str:
        """What does not fit, in a sentence."""
        return f"the schedule does not fit the program: {self.args[0]}"


class ScheduleError(Exception):
    """A text is not a schedule."""


class ReplayScheduler:
    """Repeats a recorded schedule; ReplayError where it does not fit the program."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._next = 0

    def begin(self) -> None:
        """Begin with the first step."""
        self._next = 0

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int | None:
        """The recorded thread; at the end of the schedule a thread that has no choice left, or None."""
        if self._next == len(self._schedule):
            # A run may have ended because some thread had no value to read, which is not a step of the schedule.
            return next((thread for thread in listed(ready) if not machine.choices(now, thread)), None)
        thread = self._schedule[self._next][0]
        if thread >= len(machine.threads):
            message = (
                f"its step {self._next + 1} is of thread {thread}, and threads go from 0 to {len(machine.threads) - 1}"
            )
            raise ReplayError(message)
        if not ready >> thread & 1:
            if now.is_finished(thread):
                where = "has finished"
            else:
                where = "waits for its group" if now.is_waiting(thread) else "is in a loop that never ends"
            message = f"its step {self._next + 1} is of thread {thread}, but {machine.threads[thread].name} {where}"
            raise ReplayError(message)
        return thread

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The recorded choice."""
        thread, choice = self._schedule[self._next]
        self._next += 1
        if choice not in choices:
            possible = ", ".join(_show_step(thread, other) for other in choices)
            message = f"its step {self._next} is {_show_step(thread, choice)}, and only {possible} can be done there"
            raise ReplayError(message)
        return choice

    def end(self) -> None:
        """Check at the end of the run that the schedule ends too."""
        if self._next < len(self._schedule):
            message = f"the program has ended after {show_steps(self._next)} of {len(self._schedule)}"
            raise ReplayError(message)


class RoundRobinScheduler:
    """Lets the threads take turns, one step each, with their newest choices: all runs of a program are the same."""

    def __init__(self) -> None:
        self._last = -1

    def begin(self) -> None:
        """Begin with the first thread."""
        self._last = -1

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:  # noqa: ARG002
        """The next thread after the last one that can go on."""
        later = ready >> self._last + 1 << self._last + 1
        self._last = nth(later or ready, 0)
        return self._last

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The newest value, and success."""
        return max(choices, key=lambda choice: (choice.message, choice.succeeds))


class ContinuingScheduler:
    """Repeats a recorded schedule, and then lets the threads take turns, each with its newest choice."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._next = 0
        self._last = 0

    def begin(self) -> None:
        """Begin with the first step."""
        self._next = 0

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:  # noqa: ARG002
        """The recorded thread, or the next one after the last."""
        if self._next < len(self._schedule):
            self._last = self._schedule[self._next][0]
        else:
            later = ready >> self._last + 1 << self._last + 1
            self._last = listed(later or ready)[0]
        return self._last

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The recorded choice, or the newest value and success."""
        self._next += 1
        if self._next <= len(self._schedule):
            return self._schedule[self._next - 1][1]
        return max(choices, key=lambda choice: (choice.message, choice.succeeds))


class RandomlyContinuingScheduler(ContinuingScheduler):
    """Repeats a recorded schedule, and then goes on at random."""

    def __init__(self, schedule: Schedule, seed: Hashable) -> None:
        super().__init__(schedule)
        self._random = RandomScheduler(seed)

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:
        """The recorded thread, or a random one."""
        if self._next < len(self._schedule):
            return super().pick(machine, now, ready)
        return self._random.pick(machine, now, ready)

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """The recorded choice, or a random one."""
        if self._next < len(self._schedule):
            return super().choose(choices)
        return self._random.choose(choices)


def show_steps(number: int) -> str:
    """`1 step`, `2 steps`."""
    return "1 step" if number == 1 else f"{number} steps"


def show_schedule(schedule: Schedule) -> str:
    """A schedule as text: for each step the thread, `/` and the choice if it is not the first, `-` for failure.

    >>> show_schedule(((0, Choice(0)), (1, Choice(2)), (0, Choice(0, succeeds=False))))
    '0 1/2 0/0-'
    """
    return " ".join(_show_step(thread, choice) for thread, choice in schedule)


def _show_step(thread: int, choice: Choice) -> str:
    if not choice.succeeds:
        return f"{thread}/{choice.message}-"
    return f"{thread}/{choice.message}" if choice.message else str(thread)


def read_schedule(text: str) -> Schedule:
    """The schedule that a text describes; ScheduleError if it is not one.

    >>> read_schedule("0 1/2 0/0-") == ((0, Choice(0)), (1, Choice(2)), (0, Choice(0, succeeds=False)))
    True
    """
    return tuple(map(_read_step, text.split()))


def _read_step(text: str) -> tuple[int, Choice]:
    thread, _, message = text.removesuffix("-").partition("/")
    if not thread.isdecimal() or not (message or "0").isdecimal():
        raise ScheduleError(
            f"'{text}' is not a step of a schedule; a step is THREAD, THREAD/CHOICE or THREAD/CHOICE-, as in '0 1/2'"
        )
    return int(thread), Choice(int(message or 0), succeeds=not text.endswith("-"))
