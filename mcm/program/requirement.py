"""What a program needs of a device beyond the minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.base.source import Span


class Requirement(Struct, frozen=True):
    """A feature that a program needs, the reason, and a place that needs it."""

    feature: str
    reason: str
    span: Span
