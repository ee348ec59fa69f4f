"""The values of states as JSON has them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.report.json_records import Number


def values_record(values: Mapping[str, Number]) -> dict[str, Number]:
    """The values of a state; JSON has no infinities and no NaN, so that they are given as text."""
    return {
        name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }
