"""The number that the state of a pipe is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcm.program.types import Value

# What is wrong where a reservation, or a packet of one, is used that there is not.
RESERVATION_MISUSE: Final = "reservation-misuse"
NO_SUCH_PACKET: Final = "this is no packet of a reservation that has not been committed"

# How many packets may go through a pipe: the state has a bit for each, in two fields.
MOST_PACKETS: Final = 24

# The places of its fields: how many packets have been reserved for writing, and for reading; and which have been
# committed, by those who write and by those who read.
NUMBER: Final = 5
TAIL: Final = 0
HEAD: Final = NUMBER
WRITTEN: Final = 2 * NUMBER
FREED: Final = WRITTEN + MOST_PACKETS


def show_pipe_state(state: Value) -> str:
    """The state of a pipe in words.

    >>> show_pipe_state(0), show_pipe_state(2 | 1 << HEAD)
    ('nothing written', '2 written, 1 read')
    """
    assert isinstance(state, int)
    written, read = state >> TAIL & (1 << NUMBER) - 1, state >> HEAD & (1 << NUMBER) - 1
    if not written:
        return "nothing written"
    return f"{written} written" + (f", {read} read" if read else "")
