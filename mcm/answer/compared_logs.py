"""Logs of two tools or of hardware, and two models, compared: which tests differ, and in which states."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.answer.shown_states import Number


class State(Struct, frozen=True, order=True):
    """A final state: names and values in the order of names, values as text."""

    values: tuple[tuple[str, str], ...]

    def of(self, names: frozenset[str]) -> State:
        """The part of the state that is about some names."""
        return State(tuple((name, value) for name, value in self.values if name in names))

    def __str__(self) -> str:
        """`0:r0=1; x=2`."""
        return "; ".join(f"{name}={value}" for name, value in self.values)


def state_of(values: Mapping[str, Number | str]) -> State:
    """The state with these values, whatever their order."""
    return State(tuple(sorted((name, str(value)) for name, value in values.items())))


class LoggedTest(Struct, frozen=True):
    """What a log says of a test: its states, each with how often it was observed (None: it is allowed).

    `is_undefined`: the program is undefined, so that everything is allowed. `open`: why there may be more states, None
    where these are all that the log is about.
    """

    name: str
    states: Mapping[State, int | None]
    is_undefined: bool = False
    open: str | None = None


class Log(Struct, frozen=True):
    """The tests of a log, or of a model; `is_observed`: what was seen on hardware or in runs, not what is allowed."""

    name: str
    tests: Mapping[str, LoggedTest]
    is_observed: bool


class LogDifferenceKind(Enum):
    """How two sides differ, what matters most first."""

    OBSERVED_BUT_FORBIDDEN = "observed but forbidden"
    STATES = "states"
    UNDEFINED = "undefined on one side"
    OPEN = "open"
    MISSING = "on one side only"


class LogDifference(Struct, frozen=True):
    """A test that differs: states that only the one or the other side has, with how often they were observed."""

    kind: LogDifferenceKind
    test: str
    only_first: Mapping[State, int | None] = {}
    only_second: Mapping[State, int | None] = {}
    why: str = ""


class LogComparison(Struct, frozen=True):
    """Two logs compared: `alike` tests, and those that differ, what matters most first.

    `unobserved` are the states that are allowed and were not seen, which is no difference.
    """

    first: Log
    second: Log
    alike: int
    differences: tuple[LogDifference, ...]
    unobserved: int
