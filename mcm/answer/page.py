"""What a page about a test shows: its results with their executions, and what each rule does."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.answer.exhibit import Exhibit
    from mcm.answer.result import Found, Result
    from mcm.base.source import Source


class Effect(Enum):
    """What becomes of a result without a rule.

    IDLE: nothing, whatever other rules of that kind are left out as well. UNKNOWN: that was not worked out. FIXED: it
    cannot be left out.
    """

    IDLE = "idle"
    NONE = "none"
    CHANGES = "changes"
    UNKNOWN = "unknown"
    FIXED = "fixed"


class Switch(Struct, frozen=True):
    """A rule by its IDs, where it is stated, what it says, and the result without it where that is another one."""

    identifiers: tuple[str, ...]
    section: str
    statement: str
    effect: Effect
    result: Found | None = None


class Combination(Struct, frozen=True):
    """Rules by their first IDs in the order of the switches, and the result without all of them.

    Where some of them alone do the same, `like` names these, none if nothing changes; otherwise it is None.
    """

    rules: tuple[str, ...]
    like: tuple[str, ...] | None = None
    result: Found | None = None


class View(Struct, frozen=True):
    """A test under one model.

    `exhibits` can be drawn. `switches` are the model's rules; none where nobody asked what they do. `combinations` are
    those sets of several rules for which that was worked out.
    """

    result: Result
    exhibits: tuple[Exhibit, ...] = ()
    switches: tuple[Switch, ...] = ()
    combinations: tuple[Combination, ...] = ()


class Page(Struct, frozen=True):
    """A test under one model or several; `source` is its text, None where there is none that could be read."""

    source: Source | None
    views: tuple[View, ...]
