"""The values of states as JSON has them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.report.json_records import Number


def values_record(values: Mapping[str, Number]) -> dict[str, Number]:
    """The values of a state."""
    return {name: number_record(value) for name, value in values.items()}


def number_record(value: Number) -> Number:
    """A value; JSON has no infinities and no NaN, so that they are given as text."""
    if not isinstance(value, float):
        return value
    # -0.0 may be an object of a class of its own.
    return float(value) if math.isfinite(value) else str(value)
