"""C-DIV: what languages make of a division of integers that has no result.

C11 and C++ leave the behaviour undefined. OpenCL C (Arithmetic Operators) leaves the value unspecified, and the program
goes on; the remainder is what a division leaves, and alike. Such programs go on with 0, or the least number, here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.topology import HostThread

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.program.program import Thread
    from mcm.program.types import Scalar

RULE: Final = "C-DIV"
UNSPECIFIED: Final = "unspecified-quotient"

_ZERO: Final = "the divisor is zero"
_ANY: Final = ", so that the result may be any value"


class Finding(Struct, frozen=True):
    """The kind of what is wrong with a division, and why it is."""

    kind: str
    why: str


def by_zero(thread: Thread, dialect: Dialect) -> Finding:
    """What it is that a thread divides an integer by zero."""
    if _goes_on(thread, dialect):
        return Finding(UNSPECIFIED, _ZERO + _ANY)
    return Finding("division-by-zero", _ZERO)


def beyond(type_: Scalar, thread: Thread, dialect: Dialect) -> Finding:
    """What it is that a thread divides the least number of a type by -1."""
    why = f"the quotient of {type_.low} and -1 is no {type_.spelling}"
    if _goes_on(thread, dialect):
        return Finding(UNSPECIFIED, why + _ANY)
    return Finding("division-overflow", why)


def _goes_on(thread: Thread, dialect: Dialect) -> bool:
    """Whether only the value is open. Host programs are C and C++."""
    return dialect.has_unspecified_quotients and not isinstance(thread.placement, HostThread)
