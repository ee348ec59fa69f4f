"""Units that wait for ever, in one line."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.answer.result import WaitingUnit


def blocked_in_words(units: Sequence[WaitingUnit]) -> str:
    """`P1 waits forever at line 6 for f to change from 0`; units that wait alike at one place are counted."""
    return "; ".join(_clause(list(alike)) for _, alike in groupby(units, lambda u: (u.span.start, u.waits_for)))


def _clause(units: Sequence[WaitingUnit]) -> str:
    first = units[0]
    where = f"forever at line {first.span.line} for {first.waits_for}"
    match len(units):
        case 1:
            return f"{first.thread} waits {where}"
        case 2:
            return f"{first.thread} and {units[1].thread} wait {where}"
        case many:
            return f"{first.thread} and {many - 1} others wait {where}"
