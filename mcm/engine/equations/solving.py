"""Asks Z3 about values, within what is left of the limits."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

import z3
from z3 import z3core

from mcm.engine.equations.errors import UndecidedEquationsError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Milliseconds.
_ROUNDING: Final = 10


class Left(Protocol):
    """What is left of the limits of a query; None where there is none."""

    @property
    def milliseconds(self) -> int | None:
        """Of the time."""

    @property
    def megabytes(self) -> int | None:
        """Of the memory."""


def decide(solver: Any, left: Left, *assumptions: Any) -> Any:
    """Whether all that was asserted can hold together with some literals. Raises UndecidedEquationsError."""
    milliseconds, megabytes = left.milliseconds, left.megabytes
    if milliseconds is not None:
        if milliseconds <= 0:
            raise UndecidedEquationsError("timeout")
        solver.set("timeout", milliseconds)
    if megabytes is not None:
        # The limit includes what Z3 has allocated already. Of what it frees it keeps some, and does not count that.
        solver.set("max_memory", max(0, megabytes) * 7 // 8 + (z3core.Z3_get_estimated_alloc_size() >> 20))
    try:
        result = solver.check(*assumptions)
    except z3.Z3Exception as error:
        # Interrupted while it simplifies, Z3 may complain of what is not simplified.
        if is_spent(left.milliseconds):
            raise UndecidedEquationsError("timeout") from error
        raise
    if result == z3.unknown:
        raise UndecidedEquationsError(_reason(solver.reason_unknown()))
    return result


def is_spent(milliseconds: int | None) -> bool:
    """Whether the time that is left is none, but for what rounding and Z3's own clock make of it."""
    return milliseconds is not None and milliseconds < _ROUNDING


@contextmanager
def memory_is_a_reason() -> Iterator[None]:
    """Turns the exception that Z3 raises when memory is used up, also in what comes after, into ours."""
    try:
        yield
    except z3.Z3Exception as error:
        if "memory" in str(error):
            raise UndecidedEquationsError("memory") from error
        raise


def _reason(words: str) -> str:
    """Why the solver does not know, in the words of results."""
    if "memory" in words:
        return "memory"
    return "timeout" if words in {"timeout", "canceled"} else f"the solver: {words}"
