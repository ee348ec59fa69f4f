"""What a run finds wrong with the program, or with itself, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.compared import PartlyCompared

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.event import EventKind
    from mcm.program.types import Value


class Site(PartlyCompared, frozen=True):
    """An instruction of a thread, by the thread's position in the program and the instruction's in its code."""

    not_compared = frozenset({"name", "span"})

    thread: int
    instruction: int
    name: str
    span: Span


class Outside(Struct, frozen=True):
    """An access of no element: what it would do, and the address that it was given."""

    access: EventKind
    address: Value


class Finding(PartlyCompared, frozen=True):
    """Undefined behaviour that a run met: `kind` and `rule` as the models and faults of `mcm check` name them.

    `outside` is the access that leads out of bounds, where it is one of memory.
    """

    not_compared = frozenset({"outside"})

    kind: str
    rule: str
    why: str
    sites: tuple[Site, ...]
    outside: Outside | None = None


def place_of(site: Site) -> tuple[int, int]:
    """The order in which findings name their sites."""
    return site.thread, site.instruction
