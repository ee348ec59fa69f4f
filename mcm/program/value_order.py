"""A total order on values of all kinds, for lists that are shown."""

from __future__ import annotations

from math import copysign, inf, isnan
from typing import TYPE_CHECKING

from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.program.types import Value

ValueRank = tuple[int, float, int, str]


def rank_of_value(value: Value) -> ValueRank:
    """A key by which values can be sorted: numbers, then addresses of memory, then those of private variables."""
    match value:
        case Location(object=which, offset=offset):
            return (1, which, offset, "")
        case RegisterPointer(thread=thread, register=register, offset=offset):
            return (2, thread, offset, register)
        case int():
            return (0, value, 0, "")
        case float():
            # NaN stands last, -0.0 before 0.0, to which it is equal.
            return (0, inf, 1, "") if isnan(value) else (0, value, 0 if value else int(copysign(1.0, value)) - 1, "")


def rank_of_values(values: Iterable[Value]) -> list[ValueRank]:
    """A key by which states can be sorted: the ranks of their values."""
    return [*map(rank_of_value, values)]
