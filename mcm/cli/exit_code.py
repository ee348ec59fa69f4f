"""The exit codes of every command, in one place."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class ExitCode(IntEnum):
    """What the end of a command says to the shell."""

    AS_EXPECTED = 0
    NOT_AS_EXPECTED = 1
    BAD_INPUT = 2
    UNDECIDED = 3
    DEFECT = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


_WORST_FIRST = (ExitCode.DEFECT, ExitCode.BAD_INPUT, ExitCode.NOT_AS_EXPECTED, ExitCode.UNDECIDED)


def combine(codes: Iterable[ExitCode]) -> ExitCode:
    """The code of several results together: the worst of them.

    >>> combine([ExitCode.AS_EXPECTED, ExitCode.UNDECIDED, ExitCode.NOT_AS_EXPECTED]).name
    'NOT_AS_EXPECTED'
    """
    present = set(codes)
    return next((code for code in _WORST_FIRST if code in present), ExitCode.AS_EXPECTED)
