"""The type of options that give a time."""

from __future__ import annotations

from math import inf, isnan
from typing import Any, Final

import click


class _Seconds(click.FloatRange):
    """More than 0 seconds; `inf` is no limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that a word stands for; usage error if it is none."""
        seconds: float = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return seconds


SECONDS: Final = _Seconds(min=0, min_open=True)


def seconds_of(timeout: float | None) -> float | None:
    """The time limit that an option sets, or its absence; None is no limit."""
    from mcm import DEFAULT_SECONDS

    return None if timeout == inf else timeout or DEFAULT_SECONDS
