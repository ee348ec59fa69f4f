"""Units that never finish, in words."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.answer.run_result import BlockedUnit


def blocked_in_words(units: Sequence[BlockedUnit]) -> str:
    """Where units wait: `P1 waits forever at line 6 for another value of f`; many units at one place are counted."""
    return "; ".join(_clause(list(alike)) for _, alike in groupby(units, lambda u: (u.span.start, u.waits_for)))


def _clause(units: Sequence[BlockedUnit]) -> str:
    first, several = units[0], len(units) > 1
    match len(units):
        case 1:
            names = first.thread
        case 2:
            names = f"{first.thread} and {units[1].thread}"
        case many:
            names = f"{first.thread} and {many - 1} others"
    line = first.span.line
    if first.waits_for is None:
        return f"{names} never {'leave' if several else 'leaves'} the loop at line {line}"
    return f"{names} {'wait' if several else 'waits'} forever at line {line} for {first.waits_for}"
