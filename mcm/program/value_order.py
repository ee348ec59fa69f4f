"""A total order on values of all kinds, for lists that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from mcm.program.types import Value

ValueRank = tuple[int, float, int, str]


def rank_of_value(value: Value) -> ValueRank:
    """A key by which values can be sorted: numbers, then addresses of memory, then those of private variables."""
    match value:
        case Location(object=which, offset=offset):
            return (1, which, offset, "")
        case RegisterPointer(thread=thread, register=register, offset=offset):
            return (2, thread, offset, register)
        case int() | float():
            return (0, value, 0, "")
