"""The time limit that an option sets."""

from __future__ import annotations

from math import inf


def seconds_of(timeout: float | None) -> float | None:
    """The time limit that an option sets, or its absence; None is no limit."""
    from mcm import DEFAULT_SECONDS

    return None if timeout == inf else timeout or DEFAULT_SECONDS
