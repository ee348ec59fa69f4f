"""What a run finds wrong with the program, or with itself, as data."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from mcm.base.record import record

if TYPE_CHECKING:
    from mcm.base.source import Span


@record(frozen=True, slots=True)
class Site:
    """An instruction of a thread, by the thread's position in the program and the instruction's in its code."""

    thread: int
    instruction: int
    name: str = field(compare=False)
    span: Span = field(compare=False, repr=False)


@record(frozen=True, slots=True)
class Finding:
    """Undefined behaviour that a run met: `kind` and `rule` as the models and faults of `mcm check` name them."""

    kind: str
    rule: str
    why: str
    sites: tuple[Site, ...]
