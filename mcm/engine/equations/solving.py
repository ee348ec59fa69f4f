"""Asks Z3 about values, within what is left of the limits."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

import z3
from z3 import z3core

from mcm.engine.equations.errors import UndecidedEquationsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Milliseconds that are no time: of rounding, and of Z3's own clock.
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
    with time_is_a_reason(left):
        result = solver.check(*assumptions)
    if result == z3.unknown:
        raise UndecidedEquationsError(_reason(solver.reason_unknown()))
    return result


@contextmanager
def time_is_a_reason(left: Left, undecided: Callable[[str], Exception] = UndecidedEquationsError) -> Iterator[None]:
    """Turns what Z3 complains of when time is up into `undecided`: interrupted, it may find what is not simplified."""
    try:
        yield
    except z3.Z3Exception as error:
        milliseconds = left.milliseconds
        if milliseconds is not None and milliseconds < _ROUNDING:
            raise undecided("timeout") from error
        raise


@contextmanager
def memory_is_a_reason(undecided: Callable[[str], Exception] = UndecidedEquationsError) -> Iterator[None]:
    """Turns the exception that Z3 raises when memory is used up, also in what comes after, into `undecided`."""
    try:
        yield
    except z3.Z3Exception as error:
        if "memory" in str(error):
            raise undecided("memory") from error
        raise


def _reason(words: str) -> str:
    """Why the solver does not know, in the words of results."""
    if "memory" in words:
        return "memory"
    return "timeout" if words in {"timeout", "canceled"} else f"the solver: {words}"
